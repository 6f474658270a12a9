//! Whether it starts, greets, and gets ready for a game.

use std::time::Instant;

use protocol::dialect::ProtocolId;
use rules::{BoardSize, Color, Variant};

use crate::blocking_engine::BlockingEngine;
use crate::check::{Check, Finding, Group};
use crate::engine_under_test::{EngineUnderTest, LIMITS, SHOWN};
use crate::verdict::{NotPassed, Verdict, in_millis};
use play::engine::StopMode;

const GREETING: Check = Check::new(
    Group::Start,
    "greeting",
    "it starts and answers the greeting",
    "start it in a terminal, type the lines marked > and see what it says; a program that needs other words is told of \
     by --protocol, one that needs files by directory=FOLDER behind the command",
    |_| Ok(String::new()),
);

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Start,
        "name",
        "it says its name",
        "say a name when you are greeted: reports call you by it",
        name,
    ),
    Check::new(
        Group::Start,
        "settings",
        "it takes its options and gets ready",
        "answer each question whether you are ready, also before the first game",
        |subject| {
            subject.engine()?;
            Ok(String::new())
        },
    ),
    Check::new(
        Group::Start,
        "starts-twice",
        "two of it run at the same time, and both call themselves the same",
        "do not lock files, use fixed ports or write to a shared place: tournaments play several games at once",
        starts_twice,
    ),
    Check::new(
        Group::Start,
        "new-game",
        "it gets ready for a new game, as Black and as White",
        "set up the start of a game and answer when that is done",
        |subject| {
            let time = subject.quick()?;
            for color in Color::ALL {
                subject.new_game(subject.variant.start(BoardSize::Eight), color, time)?;
            }
            Ok(String::new())
        },
    ),
    Check::new(
        Group::Start,
        "variant",
        "it plays the game that is asked for",
        "declare an option `Variant` that has this game among its values, if the protocol has options",
        |subject| {
            let variant = subject.target().variant;
            let start = variant.start(BoardSize::Eight);
            match subject.engine()?.dialect().cannot_play(variant, &start) {
                None => Ok(variant.to_string()),
                Some(why) => {
                    Err(NotPassed::failed(format!("{variant}: {why}; what follows is checked by othello")))
                }
            }
        },
    ),
];

/// Finds out what it speaks, each protocol with a process of its own.
pub(crate) fn greet(subject: &mut EngineUnderTest) -> Finding {
    let begun = Instant::now();
    let verdict = meet(subject);
    let (exchange, left_out) = match &verdict {
        Err(NotPassed::Failed(_)) => subject.break_off(),
        _ => (Vec::new(), 0),
    };
    Finding { check: GREETING, verdict, exchange, left_out, took: begun.elapsed() }
}

fn meet(subject: &mut EngineUnderTest) -> Verdict {
    let candidates = subject.target().protocols.clone();
    let mut failures: Vec<(ProtocolId, NotPassed)> = Vec::new();
    let (mut said, mut left_out) = (Vec::new(), 0);
    for &kind in &candidates {
        let begun = Instant::now();
        let mut engine = subject.open(kind, candidates.len() > 1)?;
        match engine.introduce() {
            Ok(()) => return settle(subject, engine, kind, begun),
            Err(trouble) => match subject.given_up(engine, trouble) {
                NotPassed::Cancelled => return Err(NotPassed::Cancelled),
                miss => {
                    failures.push((kind, miss));
                    let (mut lines, earlier) = subject.take_said();
                    let surplus = lines.len().saturating_sub(SHOWN / candidates.len());
                    lines.drain(..surplus);
                    said.append(&mut lines);
                    left_out += earlier + surplus as u64;
                }
            },
        }
    }
    let mut reasons = Vec::new();
    let mut hint = None;
    for (kind, miss) in failures {
        if let NotPassed::Failed(fault) = miss {
            reasons.push(format!("{kind}: {}", fault.why));
            hint = fault.hint;
        }
    }
    if candidates.len() > 1 {
        hint = None;
        let others: Vec<&str> =
            ProtocolId::all().filter(|kind| !candidates.contains(kind)).map(ProtocolId::name).collect();
        reasons.push(format!("not tried: {}, which have to be named (--protocol)", others.join(", ")));
    }
    subject.keep_said(said, left_out);
    let mut miss = NotPassed::failed(reasons.join("; "));
    if let NotPassed::Failed(fault) = &mut miss {
        fault.hint = hint;
    }
    Err(miss)
}

/// It answered: holds the options that are to be set against what it declares.
fn settle(
    subject: &mut EngineUnderTest,
    mut engine: BlockingEngine,
    kind: ProtocolId,
    begun: Instant,
) -> Verdict {
    let took = begun.elapsed();
    let mut settings = Vec::new();
    for (name, value) in subject.target().options.clone() {
        match engine.identity().setting(&name, &value) {
            Ok(setting) => settings.push(setting),
            Err(error) => {
                engine.stop(StopMode::Polite);
                subject.refused = Some(error.to_string());
                return Err(NotPassed::Cancelled);
            }
        }
    }
    let configured = engine.configure(&settings).map_err(NotPassed::from);
    let variant = subject.variant;
    let start = variant.start(BoardSize::Eight);
    if engine.dialect().cannot_play(variant, &start).is_some() {
        subject.variant = Variant::Othello;
    }
    subject.met(engine, kind, settings);
    match configured {
        Err(NotPassed::Cancelled) => return Err(NotPassed::Cancelled),
        // The greeting stands; that it does not get ready is for the next check to say.
        Err(_) => subject.stop(StopMode::Broken),
        Ok(()) => {}
    }
    Ok(format!("{kind}, {}", in_millis(took)))
}

fn name(subject: &mut EngineUnderTest) -> Verdict {
    let identity = subject.identity.clone();
    match identity.name {
        None => Err(NotPassed::skipped(format!(
            "it says none; reports call it by its program, {}",
            subject.name()
        ))),
        Some(name) => {
            let more = [identity.version, identity.author.map(|author| format!("by {author}"))];
            let words: Vec<String> = [name].into_iter().chain(more.into_iter().flatten()).collect();
            Ok(words.join(", "))
        }
    }
}

fn starts_twice(subject: &mut EngineUnderTest) -> Verdict {
    subject.engine()?;
    let second = subject.start()?;
    let (first, other) = (subject.identity.clone(), second.identity().clone());
    let miss = (first != other).then(|| NotPassed::failed("they say different things of themselves"));
    if let Some(miss) = miss {
        return Err(subject.given_up(second, miss));
    }
    subject.leave(second, true, true, LIMITS.quit);
    Ok(String::new())
}
