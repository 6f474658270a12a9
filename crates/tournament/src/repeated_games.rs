//! Finding games that were played before. Engines without randomness repeat their games when there are too few
//! openings; then the sample is smaller than it looks.

use std::collections::{HashMap, HashSet};

use records::{GameRecord, Termination};
use rules::Position;

use crate::canonical_keys::GameKeys;
use crate::schedule::Fixture;

/// Finds the first game pair of which both games repeat, up to symmetry, games of the same engines with the same
/// colours. One repeated game can be chance on a small board; a pair is not. Takes 8 bytes a game, and none once
/// a pair was found.
#[derive(Clone, Debug, Default)]
pub struct RepeatDetector {
    seen: HashSet<u64>,
    /// Pairs of which one game is known; true if it was a repeat.
    waiting: HashMap<u64, bool>,
    found: bool,
}

impl RepeatDetector {
    /// Adds a finished game, in any order. Returns true once: for the game that completes the first repeated pair.
    /// Only games with a normal end can repeat.
    pub fn add_game(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        if self.found || !self.note(fixture, record) {
            return false;
        }
        *self = Self { found: true, ..Self::default() };
        true
    }

    /// Adds a game of an earlier run, which has reported its repeats already.
    pub fn load(&mut self, fixture: &Fixture, record: &GameRecord) {
        self.note(fixture, record);
    }

    /// True if this game and its partner are repeats.
    fn note(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        let is_repeat = record.termination == Termination::Normal && self.is_repeat(fixture, record);
        match self.waiting.remove(&fixture.pair) {
            Some(other) => other && is_repeat,
            None => {
                self.waiting.insert(fixture.pair, is_repeat);
                false
            }
        }
    }

    fn is_repeat(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        let opened = record
            .opening
            .iter()
            .try_fold(record.start_position(), |position: Position, &ply| position.play(ply).ok());
        let Some(opened) = opened else { return false };
        let players = fixture.players.map(|engine| engine as u64);
        let plies = record.moves.iter().map(|played| played.ply);
        !self.seen.insert(GameKeys::new(opened, plies, players).game)
    }
}
