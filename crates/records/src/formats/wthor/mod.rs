//! WTHOR, the game database of the French federation: `.wtb` files with the games of a year, `.jou` with the names of
//! players, `.trn` with the names of tournaments. All numbers are little-endian; passes are not stored.
//!
//! A score counts empty squares for the winner. In unfinished games it is the arbiter's score, so scores are taken as
//! they stand.

mod header;
mod names;
mod reader;
mod writer;

pub use header::Header;
pub use names::{Names, Tables};
pub use reader::Reader;
pub use writer::Writer;

/// Bytes of a header.
const HEADER: usize = 16;
/// Bytes of a game.
const GAME: usize = 68;
/// The number of moves that a game has room for.
const MOVES: usize = 60;
