//! The board without colours: a typed interface to the kernel.

use crate::{Bitboard, BoardSize, Square, kernel};

/// The discs as the side to move sees them. A search works on this type; [`Position`] adds colour,
/// size and the rules about passes.
///
/// The two sets must be disjoint and lie on the board; [`Position`] ensures both.
///
/// ```
/// use rules::{BoardSize, Position};
/// let (board, size) = (Position::start(BoardSize::Eight).board(), BoardSize::Eight);
/// let square = board.moves(size).first().expect("four moves in the start position");
/// let flips = board.flips(square);
/// assert_eq!(format!("{square} {flips:?}"), "d3 {d4}");
/// let reply = board.place(square, flips); // white's view
/// assert_eq!((reply.own.len(), reply.opponent.len()), (1, 4));
/// ```
///
/// [`Position`]: crate::Position
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    /// The discs of the side to move.
    pub own: Bitboard,
    /// The discs of the other side.
    pub opponent: Bitboard,
}

impl Board {
    /// The legal squares of the side to move: empty, on the board, and outflanking at least one disc.
    /// While the centre is being filled, [`Board::placements`] are the legal squares instead.
    #[inline]
    pub fn moves(self, size: BoardSize) -> Bitboard {
        let outflanking = kernel::outflanking(self.own.bits(), self.opponent.bits());
        Bitboard::from_bits(outflanking) & self.empty(size)
    }

    /// The empty centre squares, if no other square holds a disc; else none. They must be filled first in
    /// the historical game: if there are any, they are the legal moves, and no side passes.
    /// [`Board::moves`] does not check this, so that a search pays nothing for it. A disc placed there
    /// flips nothing, because no line within the centre is long enough.
    #[inline]
    pub fn placements(self, size: BoardSize) -> Bitboard {
        let (centre, occupied) = (size.centre_squares(), self.occupied());
        if (occupied - centre).is_empty() { centre - occupied } else { Bitboard::EMPTY }
    }

    /// The opponent's discs that a disc on `square` flips. None means that the move is illegal: the
    /// square is occupied or the disc would outflank nothing. The caller ensures that the square is on
    /// the board: outside a small board the answer may be wrong.
    #[inline]
    pub fn flips(self, square: Square) -> Bitboard {
        if self.occupied().contains(square) {
            return Bitboard::EMPTY;
        }
        self.flips_of_empty(square)
    }

    /// Like [`Board::flips`], for a square known to be empty.
    #[inline]
    pub(crate) fn flips_of_empty(self, square: Square) -> Bitboard {
        Bitboard::from_bits(kernel::flips(self.own.bits(), self.opponent.bits(), square.bit().bits()))
    }

    /// The board after a disc was placed on `square` and `flips` (from [`Board::flips`]) changed colour.
    /// It is seen from the opponent, who moves next.
    #[inline]
    pub fn place(self, square: Square, flips: Bitboard) -> Board {
        Board { own: self.opponent ^ flips, opponent: self.own ^ flips ^ square.bit() }
    }

    /// The same discs seen from the other side, as after a pass.
    #[inline]
    pub fn swapped(self) -> Board {
        Board { own: self.opponent, opponent: self.own }
    }

    /// The squares that hold a disc of either side.
    #[inline]
    pub fn occupied(self) -> Bitboard {
        self.own | self.opponent
    }

    /// The empty squares of the board.
    #[inline]
    pub fn empty(self, size: BoardSize) -> Bitboard {
        size.mask() - self.occupied()
    }
}
