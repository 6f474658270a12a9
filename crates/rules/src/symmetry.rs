//! The eight symmetries of the board, and a key that is the same for symmetric positions.

use std::fmt;

use crate::{Bitboard, BoardSize, ByColor, Color, Position, Square};

/// A rotation or reflection of the board. The rules are the same under all eight. The start position
/// is the same under four; the quarter turns and the two mirrors along the edges exchange its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Symmetry {
    // The bits of the value are steps, taken in this order: 4 exchanges columns and rows, 1 mirrors the
    // columns, 2 mirrors the rows.
    /// The board stays as it is.
    Identity = 0,
    /// Left and right are exchanged: `a1` to `h1` on 8x8.
    MirrorColumns = 1,
    /// Top and bottom are exchanged: `a1` to `a8`.
    MirrorRows = 2,
    /// Turned by 180 degrees: `a1` to `h8`, `b1` to `g8`.
    HalfTurn = 3,
    /// Mirrored at the diagonal from the upper left: `b1` to `a2`.
    Diagonal = 4,
    /// Turned clockwise by 90 degrees: `a1` to `h1`, `b1` to `h2`.
    QuarterTurnRight = 5,
    /// Turned anticlockwise by 90 degrees: `a1` to `a8`, `b1` to `a7`.
    QuarterTurnLeft = 6,
    /// Mirrored at the diagonal from the upper right: `a1` to `h8`, `b1` to `h7`.
    Antidiagonal = 7,
}

impl Symmetry {
    /// All eight.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::MirrorColumns,
        Symmetry::MirrorRows,
        Symmetry::HalfTurn,
        Symmetry::Diagonal,
        Symmetry::QuarterTurnRight,
        Symmetry::QuarterTurnLeft,
        Symmetry::Antidiagonal,
    ];

    /// The symmetry that undoes this one.
    #[inline]
    pub const fn inverse(self) -> Symmetry {
        match self {
            Symmetry::QuarterTurnRight => Symmetry::QuarterTurnLeft,
            Symmetry::QuarterTurnLeft => Symmetry::QuarterTurnRight,
            other => other,
        }
    }

    #[inline]
    const fn transposes(self) -> bool {
        self as u8 & 4 != 0
    }

    #[inline]
    const fn mirrors_columns(self) -> bool {
        self as u8 & 1 != 0
    }

    #[inline]
    const fn mirrors_rows(self) -> bool {
        self as u8 & 2 != 0
    }
}

impl Square {
    /// The image of the square on a board of this size. A square outside the board stays outside.
    #[inline]
    pub const fn image(self, symmetry: Symmetry, size: BoardSize) -> Square {
        let (mut column, mut row) = (self.column(), self.row());
        if symmetry.transposes() {
            (column, row) = (row, column);
        }
        // Modulo 8, so that squares outside the board stay outside.
        let last = size.side() - 1;
        if symmetry.mirrors_columns() {
            column = last.wrapping_sub(column) & 7;
        }
        if symmetry.mirrors_rows() {
            row = last.wrapping_sub(row) & 7;
        }
        Square::wrapping(8 * row + column)
    }
}

impl Bitboard {
    /// The images of the squares on a board of this size, without those outside the board.
    #[inline]
    pub const fn image(self, symmetry: Symmetry, size: BoardSize) -> Bitboard {
        // Mirroring the grid moves a small board to the far side; the shift moves it back.
        let outside = 8 - size.side() as u32;
        let mut bits = self.bits() & size.mask().bits();
        if symmetry.transposes() {
            bits = transpose(bits);
        }
        if symmetry.mirrors_columns() {
            // Reversing all bits mirrors columns and rows, reversing the bytes mirrors the rows.
            bits = bits.reverse_bits().swap_bytes() >> outside;
        }
        if symmetry.mirrors_rows() {
            bits = bits.swap_bytes() >> (8 * outside);
        }
        Bitboard::from_bits(bits)
    }
}

/// Exchanges columns and rows: first 4x4 blocks, then 2x2 blocks within them, then single squares.
const fn transpose(bits: u64) -> u64 {
    let bits = delta_swap(bits, 0x0000_0000_F0F0_F0F0, 28);
    let bits = delta_swap(bits, 0x0000_CCCC_0000_CCCC, 14);
    delta_swap(bits, 0x00AA_00AA_00AA_00AA, 7)
}

/// Exchanges the bits of `low` with the bits `distance` higher (a delta swap).
const fn delta_swap(bits: u64, low: u64, distance: u32) -> u64 {
    let differing = (bits ^ bits >> distance) & low;
    bits ^ differing ^ differing << distance
}

impl Position {
    /// The rotated or reflected position; the side to move stays.
    pub fn image(self, symmetry: Symmetry) -> Position {
        let size = self.size();
        let discs = self.discs().map(|discs| discs.image(symmetry, size));
        Position::from_disjoint(size, discs, self.side_to_move())
    }

    /// A key that all eight images of a position share, and no other position has.
    pub fn canonical(self) -> PositionKey {
        let key = |symmetry| {
            let ByColor { black, white } = self.image(symmetry).discs();
            PositionKey { black, white, side: self.side_to_move(), size: self.size() }
        };
        Symmetry::ALL.into_iter().map(key).min().expect("there are eight symmetries")
    }
}

/// A position up to symmetry: the smallest of its eight images, compared by black's discs, then
/// white's, as numbers (bit 0 is `a1`). Made by [`Position::canonical`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionKey {
    // Keys are compared by the fields in this order.
    black: Bitboard,
    white: Bitboard,
    side: Color,
    size: BoardSize,
}

impl PositionKey {
    /// The smallest of the eight images.
    pub fn position(self) -> Position {
        Position::from_disjoint(self.size, ByColor::new(self.black, self.white), self.side)
    }
}

/// Writes the smallest image as `BOARD SIDE`.
impl fmt::Display for PositionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.position(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_corners_are_right() {
        let image = |symmetry, name: &str| {
            name.parse::<Square>().unwrap().image(symmetry, BoardSize::Eight).to_string()
        };
        assert_eq!(image(Symmetry::MirrorColumns, "a1"), "h1");
        assert_eq!(image(Symmetry::MirrorRows, "a1"), "a8");
        assert_eq!(image(Symmetry::HalfTurn, "b1"), "g8");
        assert_eq!(image(Symmetry::Diagonal, "b1"), "a2");
        assert_eq!(image(Symmetry::QuarterTurnRight, "b1"), "h2");
        assert_eq!(image(Symmetry::QuarterTurnLeft, "b1"), "a7");
        assert_eq!(image(Symmetry::Antidiagonal, "b1"), "h7");
    }

    #[test]
    fn sets_go_where_their_squares_go_and_come_back() {
        for size in BoardSize::ALL {
            for symmetry in Symmetry::ALL {
                for square in Square::all() {
                    let image = square.image(symmetry, size);
                    assert_eq!(image.image(symmetry.inverse(), size), square);
                    let on_board = size.mask().contains(square);
                    assert_eq!(size.mask().contains(image), on_board, "{square} {symmetry:?} {size}");
                    let expected = if on_board { image.bit() } else { Bitboard::EMPTY };
                    assert_eq!(square.bit().image(symmetry, size), expected, "{square} {symmetry:?} {size}");
                }
            }
        }
    }

    #[test]
    fn all_first_moves_are_one() {
        for size in BoardSize::ALL {
            let start = Position::start(size);
            let mut keys: Vec<_> =
                start.moves().iter().map(|square| start.play(square.into()).unwrap().canonical()).collect();
            keys.dedup();
            assert_eq!(keys.len(), 1);
        }
    }
}
