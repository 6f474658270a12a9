//! Whether its options are what it says they are.

use clock::TimeControl;
use protocol::option::Setting;
use protocol::option::{OptionDecl, OptionKind};
use rules::{BoardSize, Color, Ply, Position, Variant};

use crate::check::{Check, Group};
use crate::engine_under_test::{EngineUnderTest, LIMITS};
use crate::requests::{go_of, through_passes};
use crate::verdict::{NotPassed, Verdict};
use play::engine::StopMode;

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Options,
        "declarations",
        "every option is declared in full, and its default is one of its values",
        "write `option name N type T default D`, with `min A max B` for a spin and a `var V` for each value of a combo",
        declarations,
    ),
    Check::new(
        Group::Options,
        "defaults",
        "every option can be set to its default",
        "take each option that you declare, at the least with the value you give as its default",
        |subject| set_each(subject, "with a default", |option| default(option).into_iter().collect()),
    ),
    Check::new(
        Group::Options,
        "least-values",
        "every number can be set to its least value",
        "declare as `min` only what you can do with",
        |subject| {
            set_each(subject, "that is a number with a least value", |option| match &option.kind {
                OptionKind::Spin { min: Some(min), .. } => vec![min.to_string()],
                _ => Vec::new(),
            })
        },
    ),
    Check::new(
        Group::Options,
        "choices",
        "every value of a combo and both of a check can be set",
        "declare as `var` only values that you take",
        |subject| {
            set_each(subject, "that is a combo or a check", |option| match &option.kind {
                OptionKind::Combo { values, .. } => values.clone(),
                OptionKind::Check { .. } => vec!["true".to_owned(), "false".to_owned()],
                _ => Vec::new(),
            })
        },
    ),
    Check::new(
        Group::Options,
        "seed-range",
        "the seed can be anything in its range",
        "declare for `Seed` the range that you can take, at best 0 to 9007199254740991",
        seed_range,
    ),
    Check::new(
        Group::Options,
        "seed-repeats",
        "the same seed gives the same game",
        "draw all lots from one generator, start it anew with `Seed` for each game, and count nodes instead of time where nodes or \
         depth limit you",
        seed_repeats,
    ),
    Check::new(
        Group::Options,
        "variants",
        "every variant that it declares is played by the rules",
        "declare as values of `Variant` only games that you play. Their moves are those of Othello; the historical game begins on an empty \
         board, and the first four discs fill the four centre squares and turn nothing",
        variants,
    ),
    Check::new(
        Group::Options,
        "boards",
        "every board that it declares is played on",
        "declare in `BoardSize` only sizes that you play on; `startpos` means the start on the board that was set last",
        boards,
    ),
];

/// The declared options, of a protocol that has some.
fn declared(subject: &EngineUnderTest) -> Result<Vec<OptionDecl>, NotPassed> {
    let protocol = subject.protocol();
    if !protocol.has_options() {
        return Err(NotPassed::skipped(format!("{protocol} has no options")));
    }
    match &subject.identity.options[..] {
        [] => Err(NotPassed::skipped("it declares no options")),
        options => Ok(options.to_vec()),
    }
}

fn declarations(subject: &mut EngineUnderTest) -> Verdict {
    let options = declared(subject)?;
    let wrong: Vec<String> = options.iter().filter_map(what_is_wrong).collect();
    if wrong.is_empty() {
        return Ok(format!("{} options", options.len()));
    }
    // Where they stand.
    let engine = subject.greeted()?;
    Err(subject.given_up(engine, NotPassed::failed(wrong.join("; "))))
}

fn what_is_wrong(option: &OptionDecl) -> Option<String> {
    let OptionDecl { name, kind } = option;
    match kind {
        OptionKind::Other(kind) => Some(format!("{name} has the type `{kind}`, which there is not")),
        OptionKind::Spin { min, max, .. } if min.is_none() || max.is_none() => {
            Some(format!("{name} lacks its min or its max"))
        }
        OptionKind::Spin { min, max, .. } if min > max => Some(format!("{name} has a min above its max")),
        OptionKind::Spin { default: Some(default), min, max } => {
            let outside = min.is_some_and(|min| *default < min) || max.is_some_and(|max| *default > max);
            outside.then(|| format!("{name} has the default {default}, which is out of its range"))
        }
        OptionKind::Spin { default: None, .. } | OptionKind::Check { default: None } => {
            Some(format!("{name} lacks its default"))
        }
        OptionKind::Combo { values, .. } if values.is_empty() => Some(format!("{name} has no values")),
        OptionKind::Combo { default: Some(default), values } => {
            let missing = !values.iter().any(|value| value.eq_ignore_ascii_case(default));
            missing.then(|| format!("{name} has the default {default}, which is none of its values"))
        }
        OptionKind::Combo { default: None, .. } => Some(format!("{name} lacks its default")),
        OptionKind::Check { .. } | OptionKind::String { .. } | OptionKind::Button => None,
    }
}

/// The default as text. Not of a text, which may be the name of a file that is not there.
fn default(option: &OptionDecl) -> Option<String> {
    match &option.kind {
        OptionKind::Check { default } => default.map(|value| value.to_string()),
        OptionKind::Spin { default, .. } => default.map(|value| value.to_string()),
        OptionKind::Combo { default, .. } => default.clone(),
        OptionKind::String { .. } | OptionKind::Button | OptionKind::Other(_) => None,
    }
}

/// Sets options to these values, one after the other, in a process of its own.
fn set_each(
    subject: &mut EngineUnderTest,
    which: &str,
    values: impl Fn(&OptionDecl) -> Vec<String>,
) -> Verdict {
    /// Some declare a hundred variants.
    const MOST: usize = 40;
    let options = declared(subject)?;
    let set = |option: &OptionDecl| {
        let fitting = values(option).into_iter().filter_map(|value| option.setting(&value).ok());
        fitting.take(MOST).collect::<Vec<Setting>>()
    };
    let settings: Vec<Setting> = options.iter().flat_map(set).collect();
    if settings.is_empty() {
        return Err(NotPassed::skipped(format!("it declares no option {which}")));
    }
    subject.stop(StopMode::Polite);
    let mut engine = subject.greeted()?;
    for setting in &settings {
        if let Err(trouble) = engine.configure(std::slice::from_ref(setting)) {
            return Err(subject.given_up(engine, trouble));
        }
    }
    subject.leave(engine, true, true, LIMITS.quit);
    Ok(format!("{} values", settings.len()))
}

/// What is known of the seed.
fn needs_seed(subject: &EngineUnderTest) -> Result<OptionDecl, NotPassed> {
    declared(subject)?;
    subject.identity.option("Seed").cloned().ok_or_else(|| NotPassed::skipped("it declares no Seed"))
}

fn seed_range(subject: &mut EngineUnderTest) -> Verdict {
    let option = needs_seed(subject)?;
    let OptionKind::Spin { min: Some(min), max: Some(max), .. } = option.kind else {
        return Err(NotPassed::failed("Seed is no spin with a min and a max"));
    };
    let start = Position::start(BoardSize::Eight);
    for value in [min, max] {
        subject.stop(StopMode::Polite);
        let mut engine = subject.greeted()?;
        let setting = Setting { name: option.name.clone(), value: Some(value.to_string()) };
        if let Err(trouble) = engine.configure(&[setting]) {
            return Err(subject.given_up(engine, trouble));
        }
        subject.hand_back(engine);
        // The game's own seed is set again here, but what the first did to it stays.
        subject.ask(start, &[])?;
    }
    subject.stop(StopMode::Polite);
    Ok(format!("{min} to {max}"))
}

fn seed_repeats(subject: &mut EngineUnderTest) -> Verdict {
    /// So many moves are compared.
    const MOVES: usize = 12;
    needs_seed(subject)?;
    let time = subject.quick()?;
    if !matches!(time, TimeControl::Depth(_) | TimeControl::Nodes(_)) {
        return Err(NotPassed::skipped("it is told neither nodes nor depth"));
    }
    let games = [(); 2].map(|()| beginning(subject, subject.variant, BoardSize::Eight, MOVES));
    let [first, second] = games;
    let (first, second) = (first?, second?);
    match first.iter().zip(&second).position(|(one, other)| one != other) {
        None => Ok(format!("{MOVES} moves")),
        Some(at) => {
            let why = format!("with the same seed, ply {} was {} and then {}", at + 1, first[at], second[at]);
            Err(NotPassed::failed(why))
        }
    }
}

/// Plays both sides of a game's beginning.
fn beginning(
    subject: &mut EngineUnderTest,
    variant: Variant,
    size: BoardSize,
    moves: usize,
) -> Result<Vec<Ply>, NotPassed> {
    let time = subject.quick()?;
    let start = variant.start(size);
    let mut plies = Vec::new();
    let mut position = start;
    subject.new_game_of(variant, start, Color::Black, rules::ByColor::new(time, time), 42)?;
    for _ in 0..moves {
        position = through_passes(position, &mut plies);
        if position.is_over() {
            break;
        }
        // Both sides in one game, where the protocol leaves that open; it is Black alone that is asked elsewhere.
        let patience = subject.patience();
        if position.side_to_move() == Color::Black {
            let go = go_of(time);
            subject.tell(&plies, &go)?;
            let (ply, _) = subject.think(position, &go, patience)?;
            plies.push(ply);
        } else if let Some(square) = position.moves().first() {
            plies.push(Ply::from(square));
        }
        position = crate::requests::replayed(start, &plies);
    }
    Ok(plies)
}

fn variants(subject: &mut EngineUnderTest) -> Verdict {
    const MOVES: usize = 16;
    declared(subject)?;
    if subject.identity.option("Variant").is_none() {
        return Err(NotPassed::skipped("it declares no Variant"));
    }
    let mut played = Vec::new();
    for variant in Variant::ALL {
        match beginning(subject, variant, BoardSize::Eight, MOVES) {
            Ok(_) => played.push(variant.to_string()),
            Err(NotPassed::Skipped(_)) => {}
            Err(miss) => return Err(miss),
        }
    }
    Ok(played.join(", "))
}

fn boards(subject: &mut EngineUnderTest) -> Verdict {
    const MOVES: usize = 16;
    let mut played = Vec::new();
    let mut refused = String::new();
    for size in [BoardSize::Four, BoardSize::Six] {
        match beginning(subject, subject.variant, size, MOVES) {
            Ok(_) => played.push(size.to_string()),
            Err(NotPassed::Skipped(why)) => refused = why,
            Err(miss) => return Err(miss),
        }
    }
    if played.is_empty() { Err(NotPassed::skipped(refused)) } else { Ok(played.join(", ")) }
}
