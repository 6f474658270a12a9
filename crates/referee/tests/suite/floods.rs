//! However much engines write, the referee stays small.

use std::fs;

use rustix::process::Signal;

use crate::common::{Arena, children, faulty_engine, until};

/// What the referee may take, in KiB.
const MOST: u64 = 64 << 10;
/// What each engine writes to each of its pipes at least, in bytes; twice as much from eight is four times what the
/// referee may take.
const FLOOD: u64 = 16 << 20;

/// The number that stands behind this name in a file of `/proc`; `None` when the process is gone.
fn number(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().trim_end_matches(" kB").parse().ok()
}

/// How many threads of a process have written so much.
fn flooding_threads(pid: i32) -> usize {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return 0 };
    let written = threads.flatten().filter_map(|each| number(each.path().join("io").to_str()?, "wchar:"));
    written.filter(|&bytes| bytes >= FLOOD).count()
}

#[test]
fn eight_engines_that_flood_both_pipes_take_no_memory() {
    let arena = Arena::new();
    let flooder = |name| faulty_engine(name, &["flood-both", "--at", "1"], "");
    let head = "name = \"t\"\nseed = 1\npairs = 4\nconcurrency = 8\npin = false\ntime = \"100s\"\n";
    arena.write("t.toml", format!("{head}{}{}", flooder("X"), flooder("Y")));
    let running = arena.start(&["run", "t.toml", "--quiet"]);
    let inner = running.inner().as_raw_pid();
    until("eight floods", || {
        let flooded = children(inner).into_iter().filter(|&pid| flooding_threads(pid) == 2).count();
        flooded == 8
    });
    let most = number(&format!("/proc/{inner}/status"), "VmHWM:").expect("it runs");
    running.signal(Signal::TERM);
    running.wait().expect(3);
    arena.nobody_left();
    println!("the referee had {most} KiB at most");
    assert!((1..=MOST).contains(&most), "{most} KiB");
}
