//! Openings. Opening k is played by all encounters in round k.

mod all_positions;
mod file;
mod random;

use rules::{Ply, Position};

pub use all_positions::{MOST_POSITIONS, positions_after};
pub use file::{FileOpenings, LeftOut, OpeningFileError};
pub use random::{RandomOpenings, RandomOpeningsError};

/// The engine that decides if an opening is balanced.
pub const BALANCE_ENGINE: &str = "positional";
/// Its search depth in plies.
pub const BALANCE_DEPTH: u32 = 6;
/// The most that a balanced opening is worth to either side, in discs.
pub const BALANCE_WITHIN: f64 = 2.0;
/// These three in words, for the resolved definition.
pub const BALANCE: &str = "within 2 discs by positional at depth 6";

/// The plies before the engines' first move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The position before them.
    pub start: Position,
    /// Every ply, passes included.
    pub plies: Vec<Ply>,
    /// The position after them.
    pub position: Position,
    /// True if an earlier round had it too, because there are no more.
    pub repeated: bool,
}

/// The openings of a tournament, by number, in any order of access. Each depends only on its number and the
/// tournament's seed.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Seeded random play.
    Random(RandomOpenings),
    /// The lines of a file, or a list that was computed.
    File(FileOpenings),
}

impl Openings {
    /// Opening `number`, from 0. After the last one they start over.
    ///
    /// # Errors
    /// [`RandomOpeningsError`] if every line of random play ends the game.
    pub fn get(&mut self, number: u64) -> Result<Opening, RandomOpeningsError> {
        match self {
            Self::Random(openings) => openings.get(number),
            Self::File(openings) => Ok(openings.get(number)),
        }
    }
}
