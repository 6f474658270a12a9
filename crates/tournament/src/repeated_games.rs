//! Whether games are played that were played before: engines that always answer alike, from too few openings,
//! make a sample smaller than it looks.

use std::collections::{HashMap, HashSet};

use records::{GameRecord, Termination};
use rules::Position;

use crate::canonical_keys::GameKeys;
use crate::schedule::Fixture;

/// Looks out for the first game pair of which both games repeat, under one symmetry of the board or none, games
/// that the same engines have played before with the same colours. One such game may be chance on a small
/// board; a pair is none. Holds eight bytes a game, and nothing once such a pair was found.
#[derive(Clone, Debug, Default)]
pub struct RepeatDetector {
    seen: HashSet<u64>,
    /// Pairs of which one game is known, and whether that was a repeat.
    waiting: HashMap<u64, bool>,
    found: bool,
}

impl RepeatDetector {
    /// Takes in a finished game, in any order. `true` once: when by this game such a pair has become known.
    /// Games that were not played to their end tell nothing.
    pub fn add_game(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        if self.found || !self.note(fixture, record) {
            return false;
        }
        *self = Self { found: true, ..Self::default() };
        true
    }

    /// Takes in a game of an earlier run, of which nobody needs to be told any more.
    pub fn load(&mut self, fixture: &Fixture, record: &GameRecord) {
        self.note(fixture, record);
    }

    /// Whether by this game both of its pair are known to be repeats.
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
