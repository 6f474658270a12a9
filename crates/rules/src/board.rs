//! The board without colours: the kernel with types around it.

use crate::{Bitboard, BoardSize, Square, kernel};

/// The discs as the side to move sees them. This is what a search works on; [`Position`] adds
/// colour, size and the rules about passes.
///
/// No square may be in both sets, and none outside the board; [`Position`] sees to both.
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
    /// The squares on which the side to move may place a disc: empty, on the board, and
    /// outflanking at least one disc. Before the centre is filled, ask [`Board::placements`].
    #[inline]
    pub fn moves(self, size: BoardSize) -> Bitboard {
        let outflanking = kernel::outflanking(self.own.bits(), self.opponent.bits());
        Bitboard::from_bits(outflanking) & self.empty(size)
    }

    /// The centre squares that are to be filled before anything is outflanked, as in the historical game:
    /// the empty ones, as long as there are discs on no other squares; else none. While there are any,
    /// they are the legal moves (nobody passes then), and not [`Board::moves`], which does not ask, so
    /// that a search pays nothing for it. A disc placed there turns nothing: no line within the centre is
    /// long enough.
    #[inline]
    pub fn placements(self, size: BoardSize) -> Bitboard {
        let (centre, occupied) = (size.centre_squares(), self.occupied());
        if (occupied - centre).is_empty() { centre - occupied } else { Bitboard::EMPTY }
    }

    /// The opponent's discs that a disc on `square` turns: none if the square is occupied or the
    /// move would outflank nothing, that is, if it is illegal. Whether the square lies on the
    /// board is the caller's to know: beyond the edge of a small board the answer may be wrong.
    #[inline]
    pub fn flips(self, square: Square) -> Bitboard {
        if self.occupied().contains(square) {
            return Bitboard::EMPTY;
        }
        self.flips_of_empty(square)
    }

    /// As [`Board::flips`], for a square known to be empty.
    #[inline]
    pub(crate) fn flips_of_empty(self, square: Square) -> Bitboard {
        Bitboard::from_bits(kernel::flips(self.own.bits(), self.opponent.bits(), square.bit().bits()))
    }

    /// The board after a disc on `square` has turned `flips`, as [`Board::flips`] gave them,
    /// already seen by the opponent, who is now to move.
    #[inline]
    pub fn place(self, square: Square, flips: Bitboard) -> Board {
        Board { own: self.opponent ^ flips, opponent: self.own ^ flips ^ square.bit() }
    }

    /// The same discs seen by the other side, as after a pass.
    #[inline]
    pub fn swapped(self) -> Board {
        Board { own: self.opponent, opponent: self.own }
    }

    /// The squares with a disc of either side.
    #[inline]
    pub fn occupied(self) -> Bitboard {
        self.own | self.opponent
    }

    /// The squares of the board with no disc.
    #[inline]
    pub fn empty(self, size: BoardSize) -> Bitboard {
        size.mask() - self.occupied()
    }
}
