//! Playing a list of plies from a position.

use std::error::Error;
use std::fmt;

use crate::{IllegalPly, Ply, Position, Turn};

/// A line of play: every ply is legal, and all passes are included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    start: Position,
    plies: Vec<Ply>,
    position: Position,
}

impl Replay {
    /// The position before the first ply.
    pub fn start(&self) -> Position {
        self.start
    }

    /// All plies, including forced passes.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The position after the last ply. The side to move may have to pass here.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Iterates over the positions from the start to the last: one more than there are plies.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        let after = self.plies.iter().scan(self.start, |position, &ply| {
            *position = position.play(ply).expect("every ply of a replay is legal");
            Some(*position)
        });
        std::iter::once(self.start).chain(after)
    }

    /// Moves the list of plies out.
    pub fn into_plies(self) -> Vec<Ply> {
        self.plies
    }
}

/// Plays `plies` from `start`. Forced passes may be omitted: if a ply is a move and the side to move must
/// pass, the pass is inserted before it. No pass is inserted at the end.
///
/// # Errors
/// [`ReplayError`] at the first illegal ply.
///
/// ```
/// use rules::{BoardSize, Ply, Position, parse_plies, replay};
/// // Black has no move after eight plies; this transcript omits the pass.
/// let plies = parse_plies("d3c3b3b2f5a3a1c1 h8")?.into_iter().map(|(ply, _)| ply);
/// let error = replay(Position::start(BoardSize::Eight), plies).unwrap_err();
/// assert_eq!(error.to_string(), "ply 10: h8 outflanks nothing");
/// assert_eq!(error.plies().last(), Some(&Ply::Pass));
/// # Ok::<(), rules::TranscriptError>(())
/// ```
pub fn replay(start: Position, plies: impl IntoIterator<Item = Ply>) -> Result<Replay, ReplayError> {
    let mut replay = Replay { start, plies: Vec::new(), position: start };
    for (index, ply) in plies.into_iter().enumerate() {
        if let (Ply::Place(_), Turn::Pass(pass)) = (ply, replay.position.turn()) {
            replay.plies.push(Ply::Pass);
            replay.position = replay.position.after_pass(pass);
        }
        match replay.position.play(ply) {
            Ok(position) => {
                replay.plies.push(ply);
                replay.position = position;
            }
            Err(illegal) => return Err(ReplayError { index, illegal, before: Box::new(replay) }),
        }
    }
    Ok(replay)
}

/// An illegal ply in a list of plies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    index: usize,
    illegal: IllegalPly,
    before: Box<Replay>,
}

impl ReplayError {
    /// The number of the ply in the game, from 1, counting all passes, also omitted ones.
    pub fn ply(&self) -> usize {
        self.before.plies.len() + 1
    }

    /// The index of the ply, from 0, in the given list.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The ply and the rule it breaks.
    pub fn illegal(&self) -> IllegalPly {
        self.illegal
    }

    /// The plies before it, including passes.
    pub fn plies(&self) -> &[Ply] {
        &self.before.plies
    }

    /// The position in which the ply was tried.
    pub fn position(&self) -> Position {
        self.before.position
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {}: {}", self.ply(), self.illegal)
    }
}

impl Error for ReplayError {}
