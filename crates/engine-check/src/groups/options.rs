//! Are its options what it says they are?

use clock::TimeControl;
use play::engine::StopMode;
use protocol::option::{OptionDecl, OptionKind, Setting};
use rules::{BoardSize, Color, Ply, Position, Variant};

use crate::check::{Action, Check};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::on_small_boards;
use crate::sample_games::{GameSoFar, is_pass, standard_start};
use crate::verdict::{NotPassed, Verdict};

pub(super) const CHECKS: &[Check] = &[
    Check::new("declarations", "every option is declared in full, and its default is one of its values")
        .does(Action::Call(declarations))
        .hint("write `option name N type T default D`, with `min A max B` for a spin and a `var V` for each value of a combo"),
    Check::new("defaults", "every option can be set to its default")
        .does(Action::SetOptions {
            which: "with a default",
            values: |option| default(option).into_iter().collect(),
        })
        .hint("take each option that you declare, at the least with the value you give as its default"),
    Check::new("least-values", "every number can be set to its least value")
        .does(Action::SetOptions {
            which: "that is a number with a least value",
            values: |option| match &option.kind {
                OptionKind::Spin { min: Some(min), .. } => vec![min.to_string()],
                _ => Vec::new(),
            },
        })
        .hint("declare as `min` only what you can do with"),
    Check::new("choices", "every value of a combo and both of a check can be set")
        .does(Action::SetOptions {
            which: "that is a combo or a check",
            values: |option| match &option.kind {
                OptionKind::Combo { values, .. } => values.clone(),
                OptionKind::Check { .. } => vec!["true".to_owned(), "false".to_owned()],
                _ => Vec::new(),
            },
        })
        .hint("declare as `var` only values that you take"),
    Check::new("seed-range", "the seed can be anything in its range")
        .does(Action::Call(seed_range))
        .hint("declare for `Seed` the range that you can take, at best 0 to 9007199254740991"),
    Check::new("seed-repeats", "the same seed gives the same game")
        .does(Action::Call(seed_repeats))
        .hint("draw all lots from one generator, start it anew with `Seed` for each game, and count nodes instead of time where nodes or \
         depth limit you"),
    Check::new("variants", "every variant that it declares is played by the rules")
        .does(Action::Call(variants))
        .hint("declare as values of `Variant` only games that you play. Their moves are those of Othello; the historical game begins on an empty \
         board, and the first four discs fill the four centre squares and turn nothing"),
    Check::new("boards", "every board that it declares is played on")
        .does(Action::Call(boards))
        .hint("declare in `BoardSize` only sizes that you play on; `startpos` means the start on the board that was set last"),
];

fn declarations(subject: &mut EngineUnderTest) -> Verdict {
    let options = subject.declared_options()?;
    let wrong: Vec<String> = options.iter().filter_map(what_is_wrong).collect();
    if wrong.is_empty() {
        return Ok(format!("{} options", options.len()));
    }
    // The dialogue of a new process shows where they are declared.
    let engine = subject.greeted()?;
    Err(subject.give_up(engine, NotPassed::failed(wrong.join("; "))))
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

/// The default as text; none for a string, which may name a file that does not exist.
fn default(option: &OptionDecl) -> Option<String> {
    match &option.kind {
        OptionKind::Check { default } => default.map(|value| value.to_string()),
        OptionKind::Spin { default, .. } => default.map(|value| value.to_string()),
        OptionKind::Combo { default, .. } => default.clone(),
        OptionKind::String { .. } | OptionKind::Button | OptionKind::Other(_) => None,
    }
}

/// The option `Seed`; skips the check if there is none.
fn seed_option(subject: &EngineUnderTest) -> Result<OptionDecl, NotPassed> {
    subject.declared_options()?;
    subject.identity.option("Seed").cloned().ok_or_else(|| NotPassed::skipped("it declares no Seed"))
}

fn seed_range(subject: &mut EngineUnderTest) -> Verdict {
    let option = seed_option(subject)?;
    let OptionKind::Spin { min: Some(min), max: Some(max), .. } = option.kind else {
        return Err(NotPassed::failed("Seed is no spin with a min and a max"));
    };
    for value in [min, max] {
        subject.stop(StopMode::Polite);
        let mut engine = subject.greeted()?;
        let setting = Setting { name: option.name.clone(), value: Some(value.to_string()) };
        if let Err(error) = engine.configure(&[setting]) {
            return Err(subject.give_up(engine, error));
        }
        subject.put(engine);
        // The game sets its own seed, but any damage that the first one did stays.
        subject.ask(standard_start(), &[])?;
    }
    subject.stop(StopMode::Polite);
    Ok(format!("{min} to {max}"))
}

fn seed_repeats(subject: &mut EngineUnderTest) -> Verdict {
    const MOVES: usize = 12;
    seed_option(subject)?;
    if !matches!(subject.shortest_limit()?, TimeControl::Depth(_) | TimeControl::Nodes(_)) {
        return Err(NotPassed::skipped("it is told neither nodes nor depth"));
    }
    let first = play_opening(subject, subject.variant, BoardSize::Eight, MOVES)?;
    let second = play_opening(subject, subject.variant, BoardSize::Eight, MOVES)?;
    match first.iter().zip(&second).position(|(one, other)| one != other) {
        None => Ok(format!("{MOVES} moves")),
        Some(at) => {
            let why = format!("with the same seed, ply {} was {} and then {}", at + 1, first[at], second[at]);
            Err(NotPassed::failed(why))
        }
    }
}

/// Plays the first moves of a game as Black; White plays the first of its legal moves.
fn play_opening(
    subject: &mut EngineUnderTest,
    variant: Variant,
    size: BoardSize,
    moves: usize,
) -> Result<Vec<Ply>, NotPassed> {
    let time = subject.shortest_limit()?;
    let mut game = GameSoFar::new(variant.start(size), &[]);
    subject.new_game_of(variant, game.start, Color::Black, time, 42)?;
    let own = |engine: &mut EngineUnderTest, game: &GameSoFar| {
        let played = game.plies.iter().filter(|ply| !is_pass(ply)).count();
        if played < moves { engine.ask_next(game, time).map(Some) } else { Ok(None) }
    };
    let other = |position: Position| position.moves().first().map_or(Ply::Pass, Ply::from);
    subject.play_on(&mut game, Color::Black, own, other)?;
    Ok(game.plies)
}

/// The plies of the openings that [`variants`] and [`boards`] play.
const OPENING: usize = 16;

fn variants(subject: &mut EngineUnderTest) -> Verdict {
    subject.declared_options()?;
    if subject.identity.option("Variant").is_none() {
        return Err(NotPassed::skipped("it declares no Variant"));
    }
    let mut played = Vec::new();
    for variant in Variant::ALL {
        match play_opening(subject, variant, BoardSize::Eight, OPENING) {
            Ok(_) => played.push(variant.to_string()),
            Err(NotPassed::Skipped(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(played.join(", "))
}

fn boards(subject: &mut EngineUnderTest) -> Verdict {
    on_small_boards(|size| {
        play_opening(subject, subject.variant, size, OPENING)?;
        Ok(size.to_string())
    })
}
