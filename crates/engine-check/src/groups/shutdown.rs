//! Does it leave when it is told to, and leave nothing behind?

use std::time::Duration;

use play::engine::{ExitStatus, ShutdownReport, StopMode};
use rules::Color;

use crate::blocking_engine::BlockingEngine;
use crate::check::{Action, Check};
use crate::engine_under_test::{EngineUnderTest, LIMITS};
use crate::requests::go_of;
use crate::sample_games::standard_start;
use crate::verdict::{NotPassed, Verdict, in_millis};

const CLOSED: &str = "leave when reading gives the end of the input: there will be no more";

pub(super) const CHECKS: &[Check] = &[
    Check::new("quit", "it leaves when it is told to")
        .does(Action::Call(|subject| {
            let engine = subject.restart()?;
            quit(subject, engine, LIMITS.quit)
        }))
        .hint("end the program at `quit`, without asking and without waiting for threads that search"),
    Check::new("quit-after-a-game", "it leaves when it has played")
        .does(Action::Call(|subject| {
            let engine = after_a_move(subject)?;
            quit(subject, engine, LIMITS.quit)
        }))
        .hint("end the program at `quit`, whatever was played before"),
    Check::new("quit-before-the-greeting", "it leaves also where it was not greeted")
        .does(Action::Call(|subject| {
            let engine = subject.open(subject.protocol(), false)?;
            // It may still be starting.
            quit(subject, engine, LIMITS.start)
        }))
        .hint("read `quit` from the first line on"),
    Check::new("closed-input", "it leaves when its input is closed")
        .does(Action::Call(|subject| {
            let engine = subject.restart()?;
            let report = subject.leave(engine, false, true, LIMITS.quit);
            left(report, "its input was closed")
        }))
        .hint(CLOSED),
    Check::new("closed-while-it-searches", "it leaves when its input is closed in the middle of a search")
        .does(Action::Call(closed_while_it_searches))
        .hint(CLOSED),
    Check::new("nothing-left", "nothing that it started is left when it has gone")
        .does(Action::Call(nothing_left))
        .hint("end your helper processes before you leave, and wait for them"),
];

/// The engine after one move, to be made to leave.
fn after_a_move(subject: &mut EngineUnderTest) -> Result<BlockingEngine, NotPassed> {
    subject.ask(standard_start(), &[])?;
    subject.take()
}

fn closed_while_it_searches(subject: &mut EngineUnderTest) -> Verdict {
    let time = subject.shortest_limit()?;
    subject.new_game(standard_start(), Color::Black, time)?;
    subject.send_plies(&[], &go_of(time))?;
    let mut engine = subject.take()?;
    engine.begin_search(&go_of(time));
    let report = subject.leave(engine, false, true, LIMITS.quit);
    left(report, "its input was closed while it searched")
}

fn nothing_left(subject: &mut EngineUnderTest) -> Verdict {
    let engine = after_a_move(subject)?;
    let report = subject.leave(engine, true, true, LIMITS.quit);
    match report.left {
        None => Err(NotPassed::skipped("in the sandbox, or with limits, what it leaves ends with it")),
        Some(0) if report.by_itself => Ok(String::new()),
        Some(0) => Err(NotPassed::skipped("it had to be stopped by force")),
        Some(1) => Err(NotPassed::failed("a process that it had started was still there")),
        Some(more) => {
            Err(NotPassed::failed(format!("{more} processes that it had started were still there")))
        }
    }
}

fn quit(subject: &mut EngineUnderTest, mut engine: BlockingEngine, patience: Duration) -> Verdict {
    if engine.goodbye().is_empty() {
        engine.stop(StopMode::Polite);
        return Err(NotPassed::skipped(format!("{} has no word for it", subject.protocol())));
    }
    let report = subject.leave(engine, true, false, patience);
    left(report, "it was told to")
}

fn left(report: ShutdownReport, when: &str) -> Verdict {
    let took = in_millis(report.took);
    match report.status {
        _ if !report.by_itself => Err(NotPassed::failed(format!("was still there {took} after {when}"))),
        Some(status @ ExitStatus::Signal(_)) => Err(NotPassed::failed(format!("{status}, when {when}"))),
        Some(ExitStatus::Code(code)) if code != 0 => Ok(format!("{took}, exit status {code}")),
        _ => Ok(took),
    }
}
