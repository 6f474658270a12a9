//! With seeds and a limit of nodes or depth a tournament has one signature: its games without times,
//! whatever the concurrency and however often it was killed on the way.

use rustix::process::{Signal, kill_process};

use crate::common::{Arena, nobody_left_within};
use std::time::Duration;

/// Four engines of ours, 48 games.
fn definition(time: &str) -> String {
    let head = format!(
        "name = \"t\"\nseed = 7\npairs = 4\nboard = 6\ntime = \"{time}\"\nopenings = {{ random = 3 }}\n"
    );
    let engines = ["random", "greedy", "positional", "mcts"];
    head + &engines.map(|name| format!("[[engine]]\ncommand = \"{name}\"\n")).concat()
}

const GAMES: usize = 48;

#[test]
fn concurrency_changes_nothing() {
    for time in ["nodes=60", "depth=1"] {
        let signatures = ["1", "4"].map(|concurrency| {
            let arena = Arena::new();
            arena.write("t.toml", definition(time));
            arena.expect(0, &["run", "t.toml", "--concurrency", concurrency, "--quiet"]);
            arena.nobody_left();
            arena.signature("t")
        });
        assert_eq!(signatures[0].len(), GAMES);
        assert!(signatures[0] == signatures[1], "{time}: concurrency changed a game");
    }
}

#[test]
fn killed_at_any_moment_and_resumed_it_is_the_same_tournament() {
    let whole = Arena::new();
    whole.write("t.toml", definition("nodes=60"));
    whole.expect(0, &["run", "t.toml", "--quiet"]);

    let arena = Arena::new();
    arena.write("t.toml", definition("nodes=60"));
    for (round, recorded) in [1, 2, 9, 17, 18, 33].into_iter().enumerate() {
        let concurrency = if round % 2 == 0 { "3" } else { "1" };
        let mut running = arena.start(&["run", "t.toml", "--concurrency", concurrency]);
        arena.until_recorded("t", recorded);
        if round % 3 == 0 {
            running.signal(Signal::KILL);
        } else {
            // It may just have come to its end.
            let inner = running.is_running().then(|| running.inner());
            let _ = inner.map(|pid| kill_process(pid, Signal::KILL));
        }
        running.wait();
        nobody_left_within(arena.mark(), Duration::from_secs(5));
        arena.signature("t");
    }
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert!(arena.signature("t") == whole.signature("t"), "the kills changed a game");
    arena.nobody_left();
}

#[test]
fn another_seed_is_another_tournament() {
    let signatures = ["7", "8"].map(|seed| {
        let arena = Arena::new();
        arena.write(
            "t.toml",
            definition("depth=1")
                .replace("seed = 7", &format!("seed = {seed}"))
                .replace("pairs = 4", "pairs = 1"),
        );
        arena.expect(0, &["run", "t.toml", "--quiet"]);
        arena.signature("t")
    });
    assert!(signatures[0] != signatures[1]);
}
