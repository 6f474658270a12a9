//! Whether it leaves when it is told to, and leaves nothing behind.

use std::time::Duration;

use rules::{BoardSize, Color, Position};

use crate::blocking_engine::BlockingEngine;
use crate::check::{Check, Group};
use crate::engine_under_test::{EngineUnderTest, LIMITS};
use crate::requests::go_of;
use crate::verdict::{NotPassed, Verdict, in_millis};
use play::engine::{ExitStatus, ShutdownReport};

const CLOSED: &str = "leave when reading gives the end of the input: there will be no more";

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Leave,
        "quit",
        "it leaves when it is told to",
        "end the program at `quit`, without asking and without waiting for threads that search",
        |subject| {
            let engine = subject.alone()?;
            quit(subject, engine, LIMITS.quit)
        },
    ),
    Check::new(
        Group::Leave,
        "quit-after-a-game",
        "it leaves when it has played",
        "end the program at `quit`, whatever was played before",
        |subject| {
            subject.ask(Position::start(BoardSize::Eight), &[])?;
            let engine = subject.take()?;
            quit(subject, engine, LIMITS.quit)
        },
    ),
    Check::new(
        Group::Leave,
        "quit-before-the-greeting",
        "it leaves also where it was not greeted",
        "read `quit` from the first line on",
        |subject| {
            // It may still be starting.
            let engine = subject.open(subject.protocol(), false)?;
            quit(subject, engine, LIMITS.start)
        },
    ),
    Check::new(Group::Leave, "closed-input", "it leaves when its input is closed", CLOSED, |subject| {
        let engine = subject.alone()?;
        let departure = subject.leave(engine, false, true, LIMITS.quit);
        left(departure, "its input was closed")
    }),
    Check::new(
        Group::Leave,
        "closed-while-it-searches",
        "it leaves when its input is closed in the middle of a search",
        CLOSED,
        |subject| {
            let time = subject.quick()?;
            let start = Position::start(BoardSize::Eight);
            subject.new_game(start, Color::Black, time)?;
            subject.tell(&[], &go_of(time))?;
            let mut engine = subject.take()?;
            engine.begin_search(&go_of(time));
            let departure = subject.leave(engine, false, true, LIMITS.quit);
            left(departure, "its input was closed while it searched")
        },
    ),
    Check::new(
        Group::Leave,
        "nothing-left",
        "nothing that it started is left when it has gone",
        "end your helper processes before you leave, and wait for them",
        |subject| {
            subject.ask(Position::start(BoardSize::Eight), &[])?;
            let engine = subject.take()?;
            let departure = subject.leave(engine, true, true, LIMITS.quit);
            match departure.left {
                None => {
                    Err(NotPassed::skipped("in the sandbox, or with limits, what it leaves ends with it"))
                }
                Some(0) if departure.by_itself => Ok(String::new()),
                Some(0) => Err(NotPassed::skipped("it had to be stopped by force")),
                Some(1) => Err(NotPassed::failed("a process that it had started was still there")),
                Some(more) => {
                    Err(NotPassed::failed(format!("{more} processes that it had started were still there")))
                }
            }
        },
    ),
];

fn quit(subject: &mut EngineUnderTest, mut engine: BlockingEngine, patience: Duration) -> Verdict {
    if engine.goodbye().is_empty() {
        engine.stop(play::engine::StopMode::Polite);
        return Err(NotPassed::skipped(format!("{} has no word for it", subject.protocol())));
    }
    let departure = subject.leave(engine, true, false, patience);
    left(departure, "it was told to")
}

fn left(departure: ShutdownReport, when: &str) -> Verdict {
    let took = in_millis(departure.took);
    match departure.status {
        _ if !departure.by_itself => Err(NotPassed::failed(format!("was still there {took} after {when}"))),
        Some(status @ ExitStatus::Signal(_)) => Err(NotPassed::failed(format!("{status}, when {when}"))),
        Some(ExitStatus::Code(code)) if code != 0 => Ok(format!("{took}, exit status {code}")),
        _ => Ok(took),
    }
}
