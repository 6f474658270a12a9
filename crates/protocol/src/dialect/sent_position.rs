//! The game as far as an engine was told of it, for protocols that send positions, not only moves.

use rules::{BoardSize, Ply, Position};

use crate::message::PlayedPly;

/// A position and how many plies have led to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentPosition {
    position: Position,
    plies: usize,
}

impl SentPosition {
    /// A game that begins here.
    pub(super) fn new(start: Position) -> Self {
        Self { position: start, plies: 0 }
    }

    pub(super) fn position(&self) -> Position {
        self.position
    }

    pub(super) fn plies(&self) -> usize {
        self.plies
    }

    /// Goes on to the end of this game; `each` is given every ply that is new, with the position before it.
    pub(super) fn advance(&mut self, played: &[PlayedPly], mut each: impl FnMut(Position, Ply)) {
        for PlayedPly { ply, .. } in &played[self.plies.min(played.len())..] {
            each(self.position, *ply);
            // What is not legal can't have been played.
            self.position = self.position.play(*ply).unwrap_or(self.position);
        }
        self.plies = played.len();
    }
}

impl Default for SentPosition {
    fn default() -> Self {
        Self::new(Position::start(BoardSize::Eight))
    }
}
