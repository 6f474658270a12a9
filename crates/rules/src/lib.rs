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
//! | `color` | [`Color`], and [`ByColor`] for two of a kind, one per side |
//! | `size`, `square`, `squares` | [`BoardSize`], [`Square`], and [`Squares`], a set of squares in 64 bits |
//! | `kernel` | move generation and flips on bare bits: the rule itself, and the plain tier |
//! | `board` | [`Board`], the discs as the side to move sees them: the kernel with types |
//! | `position` | [`Position`]: board, side to move and size; where a game goes from ply to ply |
//! | `turn` | [`Turn`]: what the side to move can do, so that illegal plies can't be written |
//! | `ply` | [`Ply`] as people write it, and [`IllegalPly`], why it can't be played |
//! | `score` | [`FinalScore`], [`Variant`], [`Empties`]: who wins and by how much |
//! | `text` | positions as text (`BOARD SIDE`) and as a diagram |
//! | `transcript`, `replay` | `f5d6c3...` to plies and back; plies to a game, left-out passes put in |
//! | `symmetry` | [`Symmetry`], and [`PositionKey`], equal for positions that are images of each other |
//! | `tier` | [`Tier`]: the rules compiled for what the processor can do; [`Walk`], one position at a time there |
//! | `four` | the kernel with the four directions in a vector, for a [`Walk`] |
//! | `lanes` | the kernel on many positions in step |
//! | `playouts` | [`Playouts`]: games by lot, sixteen in step |
//! | `perft` | [`perft`], which counts games and so proves the move generator |
//!
//! Small boards are the upper left corner of the 8x8 grid. There is one code path for all sizes:
//! squares off the board are never occupied and never offered.

#![warn(missing_docs)]

mod board;
mod color;
#[cfg(target_arch = "x86_64")]
mod four;
mod kernel;
mod lanes;
mod perft;
mod playouts;
mod ply;
mod position;
mod replay;
mod score;
#[cfg(feature = "serde")]
mod serde_impls;
mod size;
mod square;
mod squares;
mod symmetry;
mod text;
mod tier;
mod transcript;
mod turn;
mod variant;
mod word;

pub use board::Board;
pub use color::{ByColor, Color};
pub use perft::{perft, perft_on};
pub use playouts::{AnyMove, Playouts, Preference};
pub use ply::{IllegalPly, IllegalReason, Ply, PlyError};
pub use position::{DiscsError, Position};
pub use replay::{Replay, ReplayError, replay};
pub use score::{Empties, FinalScore};
pub use size::{BoardSize, BoardSizeError};
pub use square::{Square, SquareError};
pub use squares::{Squares, SquaresIter};
pub use symmetry::{PositionKey, Symmetry};
pub use text::{Diagram, PositionTextError};
pub use tier::{Rules, Tier, Walk};
pub use transcript::{TranscriptError, parse_plies, to_transcript};
pub use turn::{ForcedPass, Move, Moves, MovesIter, Turn};
pub use variant::Variant;
pub use word::UnknownWord;
