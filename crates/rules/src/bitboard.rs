//! A set of squares in 64 bits.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign};

use crate::Square;

/// A set of squares of the 8x8 grid: bit n is the square with index n, so `a1` is bit 0 and `h8`
/// bit 63. `!` is the complement on the whole grid, whatever the size of the board.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bitboard(u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 64 squares of the grid.
    pub const ALL: Bitboard = Bitboard(u64::MAX);

    /// The set of these bits; bit 0 is `a1`.
    #[inline]
    pub const fn from_bits(bits: u64) -> Bitboard {
        Bitboard(bits)
    }

    /// The bits; bit 0 is `a1`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The number of squares in the set, 0 to 64.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// True if the set has no square.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The first square in the order a1, b1, ..., h8.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::wrapping(self.0.trailing_zeros() as u8)) }
    }

    /// Square number `n`, from 0, in the order a1, b1, ..., h8; `None` if the set has `n` squares or fewer.
    #[inline]
    pub const fn nth(self, n: u32) -> Option<Square> {
        if n >= self.len() {
            return None;
        }
        let mut rest = self.0;
        let mut skipped = 0;
        while skipped < n {
            rest &= rest - 1;
            skipped += 1;
        }
        Bitboard(rest).first()
    }

    /// Iterates over the squares in the order a1, b1, ..., h8.
    #[inline]
    pub const fn iter(self) -> BitboardIter {
        BitboardIter(self.0)
    }

    /// The squares that are in both sets: `&` in a `const fn`.
    #[inline]
    pub const fn intersection(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }

    /// The squares of this set that are not in the other: `-` in a `const fn`.
    #[inline]
    pub const fn difference(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// The squares beside or diagonal to a square of the set, up to eight for each, on the 8x8
    /// grid. A square of the set is included only if it is a neighbour of another one.
    #[inline]
    pub const fn neighbours(self) -> Bitboard {
        const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
        const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;
        let beside = self.0 << 1 & NOT_A | self.0 >> 1 & NOT_H;
        let three = beside | self.0;
        Bitboard(beside | three << 8 | three >> 8)
    }
}

/// The squares of a set, in the order a1, b1, ..., h8.
#[derive(Clone, Debug)]
pub struct BitboardIter(u64);

impl Iterator for BitboardIter {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let first = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(first)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for BitboardIter {}
impl FusedIterator for BitboardIter {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = BitboardIter;

    #[inline]
    fn into_iter(self) -> BitboardIter {
        self.iter()
    }
}

impl Square {
    /// The set that holds only this square.
    #[inline]
    pub const fn bit(self) -> Bitboard {
        Bitboard::from_bits(1 << self.index())
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | square.bit())
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        square.bit()
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl Sub for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        self.difference(other)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        *self = *self | other;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        *self = *self ^ other;
    }
}

impl SubAssign for Bitboard {
    #[inline]
    fn sub_assign(&mut self, other: Bitboard) {
        *self = *self - other;
    }
}

/// Draws the grid in eight lines: `*` for a square of the set, `.` for any other.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            if square.column() == 0 && square.row() > 0 {
                writeln!(f)?;
            }
            f.write_str(if self.contains(square) { "*" } else { "." })?;
        }
        Ok(())
    }
}

/// Lists the squares: `{c4 d3 e6 f5}`.
impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (n, square) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{square}")?;
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &str) -> Bitboard {
        names.split(' ').map(|name| name.parse::<Square>().unwrap()).collect()
    }

    #[test]
    fn sets_are_counted_listed_and_drawn() {
        let squares = set("a1 h1 d4 h8");
        assert_eq!(squares.len(), 4);
        assert_eq!(squares.first(), Square::new(0, 0));
        assert_eq!(squares.nth(2), Square::new(3, 3));
        assert_eq!(squares.nth(4), None);
        assert_eq!(squares.iter().len(), 4);
        assert_eq!(format!("{squares:?}"), "{a1 h1 d4 h8}");
        let drawn = "*......*\n........\n........\n...*....\n........\n........\n........\n.......*";
        assert_eq!(squares.to_string(), drawn);
        assert_eq!(Bitboard::EMPTY.first(), None);
        assert!(Bitboard::EMPTY.is_empty());
        assert_eq!(Bitboard::ALL.len(), 64);
    }

    #[test]
    fn operators_are_those_of_sets() {
        let (a, b) = (set("a1 b1"), set("b1 c1"));
        assert_eq!(a & b, set("b1"));
        assert_eq!(a | b, set("a1 b1 c1"));
        assert_eq!(a ^ b, set("a1 c1"));
        assert_eq!(a - b, set("a1"));
        assert_eq!((!a).len(), 62);
        let mut c = a;
        c |= b;
        c -= a;
        assert_eq!(c, set("c1"));
        c ^= a;
        c &= b;
        assert_eq!(c, set("b1 c1"));
    }

    #[test]
    fn neighbours_stop_at_the_edges() {
        assert_eq!(set("a1").neighbours(), set("b1 a2 b2"));
        assert_eq!(set("h4").neighbours(), set("g3 h3 g4 g5 h5"));
        assert_eq!(set("d4").neighbours().len(), 8);
        assert_eq!(set("d4 e4").neighbours().len(), 12);
    }
}
