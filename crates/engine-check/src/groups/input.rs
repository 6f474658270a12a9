//! Does it read its input in whatever form it comes?

use play::engine::WriteMode;

use crate::check::{Action, Check};
use crate::sample_games::{find, standard_start};

pub(super) const CHECKS: &[Check] = &[
    Check::new("carriage-returns", "lines may end in CR LF")
        .does(Action::Write(WriteMode::CarriageReturns))
        .hint("cut white space off both ends of a line before you read it"),
    Check::new("in-pieces", "a line may come in several pieces")
        .does(Action::Write(WriteMode::Pieces))
        .hint("collect what you read until a newline has come; one read need not be one line"),
    Check::new("in-one-write", "position, isready and go may come in one piece")
        .does(Action::Call(|subject| subject.play_with_one_write(standard_start())))
        .hint(
            "keep the lines behind the one that you work on, and answer isready before you search; \
             pipelined = false has tournaments send one line after the other",
        ),
    Check::new("long-lines", "it reads the list of moves of a long game")
        .does(Action::Call(|subject| {
            let plies = find(standard_start(), |plies, _| plies.len() >= 58).unwrap_or_default();
            subject.ask(standard_start(), &plies)?;
            Ok(format!("{} plies", plies.len()))
        }))
        .hint("make room for lines of any length: a game has up to 60 moves and some passes"),
];
