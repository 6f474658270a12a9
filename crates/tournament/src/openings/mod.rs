//! What the games start from: opening k is the same for all encounters of round k.

mod all_positions;
mod file;
mod random;

use rules::{Ply, Position};

pub use all_positions::{MOST_POSITIONS, positions_after};
pub use file::{FileOpenings, LeftOut, OpeningFileError};
pub use random::{RandomOpenings, RandomOpeningsError};

/// The search that tells whether an opening is balanced: this engine, so many plies deep.
pub const BALANCE_ENGINE: &str = "positional";
/// The depth of that search in plies.
pub const BALANCE_DEPTH: u32 = 6;
/// A balanced opening is worth at most so many discs to either side, by that search.
pub const BALANCE_WITHIN: f64 = 2.0;
/// The same in words, as it stands in the resolved definition.
pub const BALANCE: &str = "within 2 discs by positional at depth 6";

/// The plies that are played before the engines are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The position before them.
    pub start: Position,
    /// Every ply, passes included.
    pub plies: Vec<Ply>,
    /// The position after them.
    pub position: Position,
    /// Whether an earlier round had it too, since there are no more.
    pub repeated: bool,
}

/// The openings of a tournament, by number. Any of them can be asked for at any time; what it is
/// hangs on the tournament's seed and its number only.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Seeded random play.
    Random(RandomOpenings),
    /// The lines of a file, or a list that was made.
    File(FileOpenings),
}

impl Openings {
    /// Opening `number`, from 0. When there are no more they start over.
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
