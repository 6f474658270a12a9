//! The board sizes, and the kinds of squares on each: corners, edges, C- and X-squares, centre.

use std::error::Error;
use std::fmt;

use crate::{Bitboard, Square};

/// The size of the board: 4, 6 or 8 squares a side. A small board is the upper left corner of the
/// 8x8 grid: `a1`..`d4` or `a1`..`f6`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoardSize {
    /// 4x4.
    Four,
    /// 6x6.
    Six,
    /// 8x8, the normal board.
    #[default]
    Eight,
}

impl BoardSize {
    /// All sizes, smallest first.
    pub const ALL: [BoardSize; 3] = [BoardSize::Four, BoardSize::Six, BoardSize::Eight];

    /// Squares along one side: 4, 6 or 8.
    #[inline]
    pub const fn side(self) -> u8 {
        match self {
            BoardSize::Four => 4,
            BoardSize::Six => 6,
            BoardSize::Eight => 8,
        }
    }

    /// Squares on the whole board: 16, 36 or 64.
    #[inline]
    pub const fn squares(self) -> u32 {
        self.side() as u32 * self.side() as u32
    }

    /// The squares of the board on the 8x8 grid.
    #[inline]
    pub const fn mask(self) -> Bitboard {
        Bitboard::from_bits(match self {
            BoardSize::Four => 0x0000_0000_0F0F_0F0F,
            BoardSize::Six => 0x0000_3F3F_3F3F_3F3F,
            BoardSize::Eight => u64::MAX,
        })
    }

    /// The size with this many squares in all: 16, 36 or 64.
    pub(crate) fn from_squares(squares: usize) -> Option<BoardSize> {
        BoardSize::ALL.into_iter().find(|size| size.squares() as usize == squares)
    }

    /// The four corners.
    pub const fn corners(self) -> Bitboard {
        let far = self.side() as u32 - 1;
        Bitboard::from_bits(1 | 1 << far | 1 << (8 * far) | 1 << (9 * far))
    }

    /// The C-squares: on the edge, beside a corner (`b1`, `a2`, ...), eight of them.
    pub const fn c_squares(self) -> Bitboard {
        let near = self.corners().neighbours();
        near.intersection(self.edges()).difference(self.corners())
    }

    /// The X-squares: diagonal to a corner (`b2`, ...), four of them.
    pub const fn x_squares(self) -> Bitboard {
        let near = self.corners().neighbours();
        near.intersection(self.mask()).difference(self.edges())
    }

    /// The squares along the edges, including the corners.
    pub const fn edges(self) -> Bitboard {
        let far = self.side() as u32 - 1;
        let rows = 0xFF | 0xFF << (8 * far);
        let columns = 0x0101_0101_0101_0101 | 0x0101_0101_0101_0101 << far;
        Bitboard::from_bits(rows | columns).intersection(self.mask())
    }

    /// The four centre squares, which hold the discs of the start position: upper left, upper right,
    /// lower left, lower right.
    pub(crate) const fn centre(self) -> [Square; 4] {
        let upper_left = 9 * (self.side() / 2 - 1);
        [
            Square::wrapping(upper_left),
            Square::wrapping(upper_left + 1),
            Square::wrapping(upper_left + 8),
            Square::wrapping(upper_left + 9),
        ]
    }

    /// The four centre squares as a set.
    #[inline]
    pub const fn centre_squares(self) -> Bitboard {
        let upper_left = 9 * (self.side() as u32 / 2 - 1);
        Bitboard::from_bits(0x0303 << upper_left)
    }
}

/// Writes `8x8`.
impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.side())
    }
}

/// Converts the number of squares along one side.
impl TryFrom<u8> for BoardSize {
    type Error = BoardSizeError;

    fn try_from(side: u8) -> Result<BoardSize, BoardSizeError> {
        BoardSize::ALL.into_iter().find(|size| size.side() == side).ok_or(BoardSizeError { side })
    }
}

/// A board size other than 4, 6 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSizeError {
    side: u8,
}

impl fmt::Display for BoardSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no board of {0}x{0}: expected 4, 6 or 8 squares a side", self.side)
    }
}

impl Error for BoardSizeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_counts_its_squares() {
        for size in BoardSize::ALL {
            assert_eq!(size.mask().len(), size.squares());
            assert_eq!(size.corners().len(), 4);
            assert_eq!(size.c_squares().len(), 8);
            assert_eq!(size.x_squares().len(), 4);
            assert_eq!(size.centre_squares(), size.centre().into_iter().collect());
            assert_eq!(size.edges().len(), 4 * (u32::from(size.side()) - 1));
            assert_eq!(BoardSize::try_from(size.side()), Ok(size));
            assert_eq!(BoardSize::from_squares(size.squares() as usize), Some(size));
        }
        assert_eq!(BoardSize::Six.to_string(), "6x6");
        let error = BoardSize::try_from(10).unwrap_err();
        assert_eq!(error.to_string(), "no board of 10x10: expected 4, 6 or 8 squares a side");
    }

    #[test]
    fn kinds_of_squares_lie_where_they_should() {
        let six = BoardSize::Six;
        assert_eq!(format!("{:?}", six.corners()), "{a1 f1 a6 f6}");
        assert_eq!(format!("{:?}", six.c_squares()), "{b1 e1 a2 f2 a5 f5 b6 e6}");
        assert_eq!(format!("{:?}", six.x_squares()), "{b2 e2 b5 e5}");
        assert_eq!(six.centre().map(|square| square.to_string()), ["c3", "d3", "c4", "d4"]);
    }
}
