//! The position that an engine was sent last, for dialects that need more than the moves.

use rules::{BoardSize, Ply, Position};

use crate::message::PlayedPly;

/// The position that was sent last, and the number of plies from the start of the game to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentPosition {
    position: Position,
    plies: usize,
}

impl SentPosition {
    /// The start of a game.
    pub(super) fn new(start: Position) -> Self {
        Self { position: start, plies: 0 }
    }

    pub(super) fn position(&self) -> Position {
        self.position
    }

    pub(super) fn plies(&self) -> usize {
        self.plies
    }

    /// Plays the plies of `played` that are new. Calls `each` with every one of them and the position before it.
    pub(super) fn advance(&mut self, played: &[PlayedPly], mut each: impl FnMut(Position, Ply)) {
        for PlayedPly { ply, .. } in &played[self.plies.min(played.len())..] {
            each(self.position, *ply);
            // `played` holds legal plies only, so this can't fail.
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
