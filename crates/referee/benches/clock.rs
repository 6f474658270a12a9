//! Whether the clock is true: engines that measure their own thinking, against what they are charged.
//!
//!     cargo bench -p referee --bench clock
//!
//! Needs an idle machine.

mod shared;

use std::time::{Duration, Instant};

use clock::TimeControl;
use engine_process::affinity;
use referee::machine::slots;

use shared::{answer, at, definition, delays, games, this_program};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--think") {
        let time = Duration::from_micros(arguments[at + 1].parse().expect("microseconds"));
        return think(time);
    }
    println!("time charged minus the engine's own count, in ms");
    for thinks in [5_700, 10_000] {
        for slots in [1, 2, 4] {
            for freeze in [false, true] {
                show(thinks, slots, freeze);
            }
        }
    }
}

/// An engine that computes for so long, and tells as `nodes` how many nanoseconds that took.
fn think(time: Duration) {
    answer(|_, _| {
        let begun = Instant::now();
        while begun.elapsed() < time {
            std::hint::spin_loop();
        }
        Some(format!("info nodes {}", begun.elapsed().as_nanos()))
    });
}

/// Plays some games, in which engines think for so many microseconds, and prints what they were charged.
fn show(thinks: u32, slots: usize, freeze: bool) {
    let engine = |name| this_program(name, &["--think", &thinks.to_string()]);
    let mut definition = definition(vec![engine("a"), engine("b")], 4);
    definition.time = TimeControl::Game { main: Duration::from_secs(60), increment: Duration::ZERO };
    definition.freeze = freeze;
    let dealt = slots::assign_cores(&affinity::allowed_cores(), 1, Some(slots), true, u64::MAX);
    let errors = delays(&games(definition, &dealt));
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let within = errors.iter().filter(|error| error.abs() <= 0.1).count() as f64 / errors.len() as f64;
    println!(
        "  {:.1} ms a move, {slots} at once{}: mean {mean:+.4}, median {:+.4}, 1 % {:+.4}, 99 % {:+.4}, worst {:+.4}; \
         {:.2} % within ±0.1 of {} moves",
        f64::from(thinks) / 1000.0,
        if freeze { ", held between turns" } else { "" },
        at(0.5, &errors),
        at(0.01, &errors),
        at(0.99, &errors),
        at(1.0, &errors),
        100.0 * within,
        errors.len()
    );
}
