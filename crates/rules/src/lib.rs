//! The rules of Othello and nothing else: boards of 4, 6 and 8 squares a side, positions, moves,
//! forced passes, scores, notation, perft and the symmetries of the board. No dependencies.
//!
//! ```
//! use rules::{BoardSize, Empties, Position, Turn, Variant};
//!
//! // Always take the first legal move in the order a1, b1, ..., h8.
//! let mut position = Position::start(BoardSize::Eight);
//! let end = loop {
//!     match position.turn() {
//!         Turn::Place(moves) => position = position.after(moves.first()),
//!         Turn::Pass(pass) => position = position.after_pass(pass),
//!         Turn::Over(end) => break end,
//!     }
//! };
//! let score = end.score(Empties::Winner);
//! assert_eq!(score.black + score.white, 64);
//! assert!(end.winner(Variant::Othello) != end.winner(Variant::Reversed) || score.black == 32);
//! ```
//!
//! # Map
//!
//! | module | job |
//! | --- | --- |
//! | `color` | [`Color`], and [`ByColor`], two values, one per side |
//! | `size`, `square`, `bitboard` | [`BoardSize`], [`Square`], and [`Bitboard`], a set of squares in 64 bits |
//! | `kernel` | move generation and flips on bare bits: the rule itself, in plain 64-bit code |
//! | `board` | [`Board`], the discs as the side to move sees them: a typed interface to the kernel |
//! | `position` | [`Position`]: board, side to move and size; the step from one ply to the next |
//! | `turn` | [`Turn`]: what the side to move can do, so that illegal plies can't be written |
//! | `ply` | [`Ply`], a move or a pass as text has it, and [`IllegalPly`], the rule it breaks |
//! | `score` | [`FinalScore`], [`Variant`], [`Empties`]: who wins and by how much |
//! | `text` | positions as text (`BOARD SIDE`) and as a diagram |
//! | `transcript`, `replay` | `f5d6c3...` to plies and back; plies to a game, omitted passes inserted |
//! | `symmetry` | [`Symmetry`], and [`PositionKey`], the same for all eight images of a position |
//! | `simd_level` | [`SimdLevel`], the vector instructions that are used; [`SimdTask`], work compiled for them, one position at a time |
//! | `avx2` | the kernel for one position, its four directions in one vector |
//! | `simd` | the kernel on 16 positions at once |
//! | `playouts` | [`Playouts`]: random games, 16 at once |
//! | `splitmix` | [`SplitMix64`], a small random generator for all crates |
//! | `perft` | [`perft`], which counts games and so tests the move generator |
//!
//! A small board is the upper left corner of the 8x8 grid. All sizes share one code path: squares
//! outside the board are never occupied and never legal.

#![warn(missing_docs)]

#[cfg(target_arch = "x86_64")]
mod avx2;
mod bitboard;
mod board;
mod color;
mod kernel;
mod parse_error;
mod perft;
mod playouts;
mod ply;
mod position;
mod replay;
mod score;
#[cfg(feature = "serde")]
mod serde_impls;
mod simd;
mod simd_level;
mod size;
mod splitmix;
mod square;
mod symmetry;
mod text;
mod transcript;
mod turn;
mod variant;

pub use bitboard::{Bitboard, BitboardIter};
pub use board::Board;
pub use color::{ByColor, Color};
pub use parse_error::ParseError;
pub use perft::{perft, perft_on};
pub use playouts::{AnyMove, PlayoutPolicy, Playouts};
pub use ply::{IllegalPly, IllegalReason, Ply};
pub use position::{DiscsError, Position};
pub use replay::{Replay, ReplayError, replay};
pub use score::{Empties, FinalScore};
pub use simd_level::{Rules, SimdLevel, SimdTask};
pub use size::{BoardSize, BoardSizeError};
pub use splitmix::SplitMix64;
pub use square::Square;
pub use symmetry::{PositionKey, Symmetry};
pub use text::{Diagram, PositionTextError};
pub use transcript::{TranscriptError, parse_plies, to_transcript};
pub use turn::{ForcedPass, Move, Moves, MovesIter, Turn};
pub use variant::Variant;
