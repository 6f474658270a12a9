//! Whether anybody loses on time by no fault of its own: engines that use nine tenths of a game clock of two seconds,
//! a game on every core, and beside each a program that never rests.
//!
//!     cargo bench -p referee --bench load [-- GAMES]
//!
//! A thousand games take half an hour on two cores; by default it is a hundred.

mod shared;

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use clock::TimeControl;
use engine_process::affinity;
use records::Termination;
use referee::machine::slots;
use rules::ByColor;

use shared::{answer, at, definition, games, this_program};

const CLOCK: Duration = Duration::from_secs(2);
/// How much of it is left when the game ends.
const LEFT: Duration = Duration::from_millis(200);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_asked = |word: &str| arguments.iter().any(|argument| argument == word);
    if is_asked("--spend") {
        return spend();
    }
    if is_asked("--spin") {
        return spin();
    }
    let wanted = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(100);
    let cores = affinity::allowed_cores();
    let spinners: Vec<Spinner> = cores.iter().map(|_| Spinner::start()).collect();
    let mut definition =
        definition(["a", "b"].map(|name| this_program(name, &["--spend"])).to_vec(), wanted / 2);
    definition.time = TimeControl::Game { main: CLOCK, increment: Duration::ZERO };
    let margin = definition.margin;
    let played = games(definition, &slots::assign_cores(&cores, 1, Some(cores.len()), true, u64::MAX));
    drop(spinners);

    let mut shares = Vec::new();
    for game in &played {
        let spent = game.spent();
        shares
            .extend([spent.black, spent.white].map(|time| 100.0 * time.as_secs_f64() / CLOCK.as_secs_f64()));
    }
    shares.sort_by(f64::total_cmp);
    let timeouts = played.iter().filter(|game| game.termination == Termination::Timeout).count();
    let others = played.iter().filter(|game| game.offender.is_some()).count() - timeouts;
    println!(
        "{} games of {CLOCK:?} a side, {} at once beside as many programs that never rest, margin {margin:?}",
        played.len(),
        cores.len()
    );
    println!(
        "  used of the clock: least {:.1} %, median {:.1} %, most {:.1} %",
        at(0.0, &shares),
        at(0.5, &shares),
        at(1.0, &shares)
    );
    let verdict = if timeouts == 0 { "as wanted" } else { "WANTED: none" };
    println!("  lost on time: {timeouts} ({verdict}), by other faults: {others}");
    for game in played.iter().filter(|game| game.offender.is_some()) {
        println!(
            "  game {}: {}, {}",
            game.game,
            game.termination,
            game.detail.as_deref().unwrap_or_default()
        );
    }
}

/// An engine that spreads what it has of its clock over the moves that it may have to make.
fn spend() {
    answer(|position, limits| {
        let begun = Instant::now();
        let ByColor { black, white } = limits.time;
        let mine = if position.side_to_move() == rules::Color::Black { black } else { white };
        let moves = position.empty().len().div_ceil(2).max(1);
        let time = mine.unwrap_or_default().saturating_sub(LEFT) / moves;
        while begun.elapsed() < time {
            std::hint::spin_loop();
        }
        Some(format!("info nodes {}", begun.elapsed().as_nanos()))
    });
}

/// Keeps a core busy until whoever started this is gone.
fn spin() {
    let parent = rustix::process::getppid();
    while rustix::process::getppid() == parent {
        (0..100_000).for_each(|_| std::hint::spin_loop());
    }
}

/// A program that never rests, until this is dropped.
struct Spinner(Child);

impl Spinner {
    fn start() -> Self {
        let this = std::env::current_exe().expect("this program");
        Self(Command::new(this).arg("--spin").spawn().expect("a program that never rests"))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
