//! However much engines write, the referee stays small.

use std::fs;
use std::thread;
use std::time::Duration;

use crate::common::{Arena, faulty_engine};

/// What the referee may take, in KiB: 64 MiB.
const MOST: u64 = 64 << 10;

/// The most memory a process has had at once, in KiB; `None` when it is gone.
fn most_memory(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

#[test]
fn eight_engines_that_flood_both_pipes_take_no_memory() {
    let arena = Arena::new();
    let flooder = |name| faulty_engine(name, &["flood-both", "--at", "1"], "");
    let head = "name = \"t\"\nseed = 1\npairs = 4\nconcurrency = 8\npin = false\ntime = \"1500ms\"\n";
    arena.write("t.toml", format!("{head}{}{}", flooder("X"), flooder("Y")));
    let mut running = arena.start(&["run", "t.toml", "--quiet"]);
    let inner = running.inner().as_raw_pid();
    let mut most = 0;
    while running.is_running() {
        most = most_memory(inner).unwrap_or(0).max(most);
        thread::sleep(Duration::from_millis(5));
    }
    let outcome = running.wait().expect(0);
    let games = arena.games("t");
    let flooded = |detail: &str| detail.contains("it floods") && detail.contains("MiB to standard error");
    assert!(
        games.len() == 8 && games.iter().any(|game| game["detail"].as_str().is_some_and(flooded)),
        "{games:#?}{}",
        outcome.err
    );
    println!("the referee had {most} KiB at most");
    assert!((1..=MOST).contains(&most), "{most} KiB");
}
