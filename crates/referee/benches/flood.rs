//! Whether a flood in one game delays another: what two engines are charged above their own count, while in the
//! other slot a third says nothing at all, and while it floods.
//!
//!     cargo bench -p referee --bench flood
//!
//! Needs an idle machine with two cores or more. A question and its answer are measured together: what is charged
//! runs from the writing of `go` to the arrival of the move, an engine's own count from its reading to its writing.

mod shared;

use std::io::Write as _;
use std::time::{Duration, Instant};

use clock::TimeControl;
use engine_process::affinity;
use referee::machine::slots;

use shared::{answer, at, definition, delays, games, this_program};

/// What an answer may come later for a flood elsewhere, in milliseconds.
const WANTED: f64 = 1.0;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_asked = |word: &str| arguments.iter().any(|argument| argument == word);
    if is_asked("--think") || is_asked("--silent") || is_asked("--flood") {
        return engine(is_asked("--silent"), is_asked("--flood"));
    }
    let cores = affinity::allowed_cores();
    if cores.len() < 2 {
        return println!("two slots need two cores");
    }
    println!("what is charged minus the engine's own count, in ms, with in the other slot");
    let medians = ["--silent", "--flood"].map(|other| {
        let delays = measure(&cores, other);
        println!(
            "  {other}: median {:.4}, 90 % {:.4}, 99 % {:.4}, worst {:.4}, of {} moves",
            at(0.5, &delays),
            at(0.9, &delays),
            at(0.99, &delays),
            at(1.0, &delays),
            delays.len()
        );
        at(0.5, &delays)
    });
    let grown = medians[1] - medians[0];
    let verdict = if grown < WANTED { "within" } else { "ABOVE" };
    println!("  the median grows by {grown:.4} ({verdict} {WANTED})");
}

/// An engine that computes for 5 ms and tells as `nodes` how many nanoseconds that took; or one that never answers.
fn engine(silent: bool, flood: bool) {
    answer(|_, _| {
        if flood {
            let lines = "info depth 1 string and on and on and on\n".repeat(1000);
            while std::io::stdout().write_all(lines.as_bytes()).is_ok() {}
        }
        if silent || flood {
            return None;
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(5) {
            std::hint::spin_loop();
        }
        Some(format!("info nodes {}", begun.elapsed().as_nanos()))
    });
}

/// Milliseconds charged minus milliseconds counted, for the moves of the games between the two that think. A game
/// against the third takes as long as its clock, ten times as long as one of theirs: so in the other slot it is
/// nearly always the third that is asked, but for the first round.
fn measure(cores: &[usize], other: &str) -> Vec<f64> {
    let mut third = this_program("third", &[other]);
    third.time = Some(TimeControl::Game { main: Duration::from_secs(3), increment: Duration::ZERO });
    let thinkers = ["a", "b"].map(|name| this_program(name, &["--think"]));
    let mut definition = definition([&thinkers[..], &[third]].concat(), 7);
    definition.time = TimeControl::Game { main: Duration::from_secs(60), increment: Duration::ZERO };
    let games = games(definition, &slots::assign_cores(cores, 1, Some(2), true, u64::MAX));
    delays(games.iter().filter(|game| game.round > 0 && game.black != "third" && game.white != "third"))
}
