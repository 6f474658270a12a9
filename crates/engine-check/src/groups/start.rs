//! Does it start, answer the greeting, and get ready for a game?

use std::time::Instant;

use play::engine::StopMode;
use protocol::dialect::ProtocolId;
use rules::{BoardSize, Color, Variant};

use crate::blocking_engine::BlockingEngine;
use crate::check::{Action, Check};
use crate::engine_under_test::{EngineUnderTest, LIMITS, SHOWN};
use crate::verdict::{Fault, NotPassed, Verdict, in_millis};

/// Finds out which protocol it speaks. Comes before all others, which depend on that.
pub(crate) const GREETING: Check = Check::new("greeting", "it starts and answers the greeting")
    .does(Action::Call(greet))
    .hint("start it in a terminal, type the lines marked > and see what it says; a program that needs other words is told of \
     by --protocol, one that needs files by directory=FOLDER behind the command");

pub(super) const CHECKS: &[Check] = &[
    Check::new("name", "it says its name")
        .does(Action::Call(name))
        .hint("say a name when you are greeted: reports call you by it"),
    Check::new("settings", "it takes its options and gets ready")
        .does(Action::Call(|subject| subject.engine().map(|_| String::new())))
        .hint("answer each question whether you are ready, also before the first game"),
    Check::new("starts-twice", "two of it run at the same time, and both call themselves the same")
        .does(Action::Call(starts_twice))
        .hint("do not lock files, use fixed ports or write to a shared place: tournaments play several games at once"),
    Check::new("new-game", "it gets ready for a new game, as Black and as White")
        .does(Action::Call(|subject| {
            let time = subject.shortest_limit()?;
            Color::ALL
                .iter()
                .try_for_each(|&color| subject.new_game(subject.start_position(), color, time))?;
            Ok(String::new())
        }))
        .hint("set up the start of a game and answer when that is done"),
    Check::new("variant", "it plays the game that is asked for")
        .does(Action::Call(variant))
        .hint("declare an option `Variant` that has this game among its values, if the protocol has options"),
];

/// Greets it in each protocol that it may speak, each in a new process, until it answers.
fn greet(subject: &mut EngineUnderTest) -> Verdict {
    let candidates = subject.target.protocols.clone();
    let (mut reasons, mut hint) = (Vec::new(), None);
    let (mut lines, mut left_out) = (Vec::new(), 0);
    for &protocol in &candidates {
        let begun = Instant::now();
        let mut engine = subject.open(protocol, candidates.len() > 1)?;
        let Err(error) = engine.introduce() else {
            return keep_greeted(subject, engine, protocol, begun);
        };
        let NotPassed::Failed(fault) = subject.give_up(engine, error) else {
            return Err(NotPassed::Cancelled);
        };
        reasons.push(format!("{protocol}: {}", fault.why));
        hint = fault.hint;
        // Each dialogue gets an equal share of the lines that are shown.
        let (mut said, before) = subject.take_exchange();
        let surplus = said.len().saturating_sub(SHOWN / candidates.len());
        lines.extend(said.drain(surplus..));
        left_out += before + surplus as u64;
    }
    if candidates.len() > 1 {
        hint = None;
        let others: Vec<&str> =
            ProtocolId::all().filter(|kind| !candidates.contains(kind)).map(ProtocolId::name).collect();
        reasons.push(format!("not tried: {}, which have to be named (--protocol)", others.join(", ")));
    }
    subject.set_exchange((lines, left_out));
    Err(NotPassed::Failed(Fault { why: reasons.join("; "), hint, position: None }))
}

/// Keeps an engine that answered. Compares the options to be set with those it declares.
fn keep_greeted(
    subject: &mut EngineUnderTest,
    mut engine: BlockingEngine,
    protocol: ProtocolId,
    begun: Instant,
) -> Verdict {
    let took = begun.elapsed();
    let options = subject.target.options.iter();
    let settings: Result<Vec<_>, _> =
        options.map(|(name, value)| engine.identity().setting(name, value)).collect();
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => {
            engine.stop(StopMode::Polite);
            subject.refused = Some(error.to_string());
            return Err(NotPassed::Cancelled);
        }
    };
    let configured = engine.configure(&settings).map_err(NotPassed::from);
    if engine.dialect().cannot_play(subject.variant, &subject.start_position()).is_some() {
        subject.variant = Variant::Othello;
    }
    subject.set_greeted(engine, protocol, settings);
    match configured {
        Err(NotPassed::Cancelled) => return Err(NotPassed::Cancelled),
        // It passes the greeting; the check `settings` reports this.
        Err(_) => subject.stop(StopMode::Broken),
        Ok(()) => {}
    }
    Ok(format!("{protocol}, {}", in_millis(took)))
}

fn name(subject: &mut EngineUnderTest) -> Verdict {
    let identity = subject.identity.clone();
    let Some(name) = identity.name else {
        let why = format!("it says none; reports call it by its program, {}", subject.name());
        return Err(NotPassed::skipped(why));
    };
    let author = identity.author.map(|author| format!("by {author}"));
    let words: Vec<String> = [Some(name), identity.version, author].into_iter().flatten().collect();
    Ok(words.join(", "))
}

fn starts_twice(subject: &mut EngineUnderTest) -> Verdict {
    subject.engine()?;
    let second = subject.start()?;
    if subject.identity != *second.identity() {
        let why = NotPassed::failed("they say different things of themselves");
        return Err(subject.give_up(second, why));
    }
    subject.leave(second, true, true, LIMITS.quit);
    Ok(String::new())
}

fn variant(subject: &mut EngineUnderTest) -> Verdict {
    let variant = subject.target.variant;
    let start = variant.start(BoardSize::Eight);
    match subject.engine()?.dialect().cannot_play(variant, &start) {
        None => Ok(variant.to_string()),
        Some(why) => Err(NotPassed::failed(format!("{variant}: {why}; what follows is checked by othello"))),
    }
}
