//! What the side to move can do.

use std::fmt;
use std::iter::FusedIterator;

use crate::{Bitboard, Board, FinalScore, Ply, Square};

/// What the side to move can do. Exactly one case holds in every position, so a pass cannot be
/// chosen while a disc can be placed, and a finished game cannot be played on.
///
/// Moves and passes can't be made up, only taken from here:
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
    /// Nothing can be outflanked, but the opponent has a move.
    Pass(ForcedPass),
    /// Neither side can place a disc.
    Over(FinalScore),
}

/// A legal move of one position: the square and the discs it turns (none while the centre is being filled).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    square: Square,
    flips: Bitboard, // empty only while the centre is being filled
}

impl Move {
    /// For the `flips` of a legal move, on a board that has `square`.
    #[inline]
    pub(crate) fn new(square: Square, flips: Bitboard) -> Move {
        Move { square, flips }
    }

    /// Where the disc is placed.
    #[inline]
    pub fn square(self) -> Square {
        self.square
    }

    /// The discs that are turned: at least one, but none while the centre is being filled
    /// ([`Position::is_placing`](crate::Position::is_placing)).
    #[inline]
    pub fn flips(self) -> Bitboard {
        self.flips
    }

    /// The move as it is written down.
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
    /// For a position in which the side to move must pass.
    #[inline]
    pub(crate) fn new() -> ForcedPass {
        ForcedPass(())
    }
}

/// The legal moves of one position, at least one, in the order a1, b1, ..., h8. The flips of a
/// move are found when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    board: Board,
    squares: Bitboard, // all legal, at least one
}

impl Moves {
    /// For `squares` that are all the legal ones of `board`, at least one.
    #[inline]
    pub(crate) fn new(board: Board, squares: Bitboard) -> Moves {
        debug_assert!(!squares.is_empty());
        Moves { board, squares }
    }

    /// How many there are, 1 to 64. (The most that a real game allows on 8x8 is 33.)
    #[expect(clippy::len_without_is_empty, reason = "there is always a move")]
    #[inline]
    pub fn len(&self) -> usize {
        self.squares.len() as usize
    }

    /// The squares on which a disc can be placed.
    #[inline]
    pub fn squares(&self) -> Bitboard {
        self.squares
    }

    /// Whether a disc can be placed on `square`.
    #[inline]
    pub fn contains(&self, square: Square) -> bool {
        self.squares.contains(square)
    }

    /// The move number `n`, from 0; `None` if there are fewer.
    #[inline]
    pub fn get(&self, n: usize) -> Option<Move> {
        let square = self.squares.nth(u32::try_from(n).ok()?)?;
        Some(self.make(square))
    }

    /// The first move; there is one.
    #[inline]
    pub fn first(&self) -> Move {
        self.make(self.squares.first().expect("there is always a move"))
    }

    /// The move that places a disc on `square`, if it is legal.
    #[inline]
    pub fn on(&self, square: Square) -> Option<Move> {
        self.contains(square).then(|| self.make(square))
    }

    /// The moves one by one.
    #[inline]
    pub fn iter(&self) -> MovesIter {
        MovesIter { board: self.board, squares: self.squares.iter() }
    }

    #[inline]
    fn make(&self, legal: Square) -> Move {
        Move::new(legal, self.board.flips_of_empty(legal))
    }
}

/// The moves of a position one by one, in the order a1, b1, ..., h8.
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
