//! WTHOR, the base of the French federation: `.wtb` with the games of a year, `.jou` with the names of the players,
//! `.trn` with those of the tournaments. All numbers are little-endian; passes are not stored.
//!
//! A score counts empty squares for the winner. In games that were broken off it is what the arbiter gave, so that
//! it is taken as it stands.

mod header;
mod names;
mod reader;
mod writer;

pub use header::Header;
pub use names::{Names, Tables};
pub use reader::Reader;
pub use writer::Writer;

/// Bytes of a header, in all three kinds of file.
const HEADER: usize = 16;
/// Bytes of a game.
const GAME: usize = 68;
/// Most moves that a game has room for.
const MOVES: usize = 60;
