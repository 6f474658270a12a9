//! The options of the side to move: its legal moves, a forced pass, or none because the game is over.

use std::fmt;
use std::iter::FusedIterator;

use crate::{Bitboard, Board, FinalScore, Ply, Square};

/// The options of the side to move. Exactly one case holds in every position, so a program can't
/// pass while it has a move, nor continue a finished game.
///
/// A program can't construct moves and passes; it gets them from here:
///
/// ```compile_fail
/// let square = "a1".parse().unwrap();
/// let cheat = rules::Move { square, flips: rules::Bitboard::EMPTY };
/// ```
/// ```compile_fail
/// let cheat = rules::ForcedPass(());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The legal moves, at least one.
    Place(Moves),
    /// The side to move has no move, but its opponent has one.
    Pass(ForcedPass),
    /// Neither side has a move.
    Over(FinalScore),
}

/// A legal move of one position: its square and the discs it flips (none while the centre is being filled).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    square: Square,
    flips: Bitboard, // empty only while the centre is being filled
}

impl Move {
    /// The caller passes a square of the board and the `flips` of a legal move on it.
    #[inline]
    pub(crate) fn new(square: Square, flips: Bitboard) -> Move {
        Move { square, flips }
    }

    /// The square on which the disc is placed.
    #[inline]
    pub fn square(self) -> Square {
        self.square
    }

    /// The discs that it flips: at least one, but none while the centre is being filled
    /// ([`Position::is_placing`](crate::Position::is_placing)).
    #[inline]
    pub fn flips(self) -> Bitboard {
        self.flips
    }

    /// The move as a [`Ply`], for text and records.
    #[inline]
    pub fn ply(self) -> Ply {
        Ply::Place(self.square)
    }
}

/// Writes the square: `f5`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.square, f)
    }
}

/// The pass of a side that has no move while its opponent has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForcedPass(());

impl ForcedPass {
    /// The caller makes it only for a position in which the side to move must pass.
    #[inline]
    pub(crate) fn new() -> ForcedPass {
        ForcedPass(())
    }
}

/// The legal moves of one position, at least one, in the order a1, b1, ..., h8. The flips are computed
/// move by move, on access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    board: Board,
    squares: Bitboard, // the legal ones, at least one
}

impl Moves {
    /// The caller passes all legal squares of `board`, at least one.
    #[inline]
    pub(crate) fn new(board: Board, squares: Bitboard) -> Moves {
        debug_assert!(!squares.is_empty());
        Moves { board, squares }
    }

    /// The number of moves, 1 to 64 (in a game on 8x8 at most 33).
    #[expect(clippy::len_without_is_empty, reason = "there is always a move")]
    #[inline]
    pub fn len(&self) -> usize {
        self.squares.len() as usize
    }

    /// The squares of the moves.
    #[inline]
    pub fn squares(&self) -> Bitboard {
        self.squares
    }

    /// True if a disc can be placed on `square`.
    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        self.squares.contains(square)
    }

    /// Move number `n`, from 0; `None` if there are `n` moves or fewer.
    #[inline]
    pub fn get(&self, n: usize) -> Option<Move> {
        let square = self.squares.nth(u32::try_from(n).ok()?)?;
        Some(self.make(square))
    }

    /// The first move; there always is one.
    #[inline]
    pub fn first(&self) -> Move {
        self.make(self.squares.first().expect("there is always a move"))
    }

    /// The move that places a disc on `square`, if it is legal.
    #[inline]
    pub fn on(&self, square: Square) -> Option<Move> {
        self.contains(square).then(|| self.make(square))
    }

    /// Iterates over the moves.
    #[inline]
    pub fn iter(&self) -> MovesIter {
        MovesIter { board: self.board, squares: self.squares.iter() }
    }

    #[inline]
    fn make(&self, legal: Square) -> Move {
        Move::new(legal, self.board.flips_of_empty(legal))
    }
}

/// Iterates over the moves of a position in the order a1, b1, ..., h8.
#[derive(Clone, Debug)]
pub struct MovesIter {
    board: Board,
    squares: crate::BitboardIter,
}

impl Iterator for MovesIter {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        let square = self.squares.next()?;
        Some(Move::new(square, self.board.flips_of_empty(square)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.squares.size_hint()
    }
}

impl ExactSizeIterator for MovesIter {}
impl FusedIterator for MovesIter {}

impl IntoIterator for Moves {
    type Item = Move;
    type IntoIter = MovesIter;

    #[inline]
    fn into_iter(self) -> MovesIter {
        self.iter()
    }
}

impl IntoIterator for &Moves {
    type Item = Move;
    type IntoIter = MovesIter;

    #[inline]
    fn into_iter(self) -> MovesIter {
        self.iter()
    }
}
