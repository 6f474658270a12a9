//! Whether it reads what comes in whatever form it comes. What lines a protocol adds stands with its
//! dialect.

use rules::{BoardSize, Position};

use crate::check::{Check, Group};
use crate::engine_under_test::EngineUnderTest;
use crate::sample_games::{Lots, random_game};
use crate::verdict::Verdict;
use play::engine::WriteMode;

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Input,
        "carriage-returns",
        "lines may end in CR LF",
        "cut white space off both ends of a line before you read it",
        |subject| delivered(subject, WriteMode::CarriageReturns),
    ),
    Check::new(
        Group::Input,
        "in-pieces",
        "a line may come in several pieces",
        "collect what you read until a newline has come; one read need not be one line",
        |subject| delivered(subject, WriteMode::Pieces),
    ),
    Check::new(
        Group::Input,
        "long-lines",
        "it reads the list of moves of a long game",
        "make room for lines of any length: a game has up to 60 moves and some passes",
        |subject| {
            let start = Position::start(BoardSize::Eight);
            let long =
                |line: &[rules::Ply], position: Position| line.len() >= 58 && !position.moves().is_empty();
            let line = crate::sample_games::find(start, long).unwrap_or_default();
            subject.ask(start, &line)?;
            Ok(format!("{} plies", line.len()))
        },
    ),
];

/// A greeting and two searches, told in this manner.
fn delivered(subject: &mut EngineUnderTest, mode: WriteMode) -> Verdict {
    let engine = subject.alone()?;
    subject.hand_back(engine);
    subject.set_write_mode(mode)?;
    let start = Position::start(BoardSize::Eight);
    subject.ask(start, &[])?;
    subject.ask(start, &random_game(start, &mut Lots::new(9))[..12])?;
    subject.set_write_mode(WriteMode::Whole)?;
    Ok(String::new())
}
