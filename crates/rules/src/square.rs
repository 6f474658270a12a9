//! One square, by index or by name.

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

/// A square of the 8x8 grid, `a1` (upper left) to `h8`. It may lie outside a small board: see
/// [`BoardSize::mask`](crate::BoardSize::mask).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8); // below 64

impl Square {
    /// All 64 squares, row by row: a1, b1, ..., h8.
    pub fn all() -> impl ExactSizeIterator<Item = Square> + Clone {
        (0u8..64).map(Square)
    }

    /// The square in `column` and `row`, both counted from 0 (column `a`, row 1); `None` if either is
    /// above 7.
    #[inline]
    pub const fn new(column: u8, row: u8) -> Option<Square> {
        if column < 8 && row < 8 { Some(Square(8 * row + column)) } else { None }
    }

    /// The square with this index, 8 * row + column; `None` above 63.
    #[inline]
    pub const fn from_index(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square with this index modulo 64, without a check. The caller passes indices below 64.
    #[inline]
    pub(crate) const fn wrapping(index: u8) -> Square {
        Square(index & 63)
    }

    /// 8 * row + column: 0 (a1) to 63 (h8).
    #[inline]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// 0 (column `a`) to 7 (`h`).
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// 0 (row 1, on top) to 7 (row 8).
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }
}

/// Writes column and row, in lower case: `f5`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [b'a' + self.column(), b'1' + self.row()];
        f.pad(str::from_utf8(&name).expect("column and row are ASCII"))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads `f5` or `F5`, without blanks.
impl FromStr for Square {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Square, ParseError> {
        let square = match text.as_bytes() {
            &[column, row] => {
                Square::new(column.to_ascii_lowercase().wrapping_sub(b'a'), row.wrapping_sub(b'1'))
            }
            _ => None,
        };
        square.ok_or_else(|| ParseError::new("square", "a1 to h8", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indices_agree() {
        for square in Square::all() {
            let name = square.to_string();
            assert_eq!(name.parse(), Ok(square));
            assert_eq!(name.to_uppercase().parse(), Ok(square));
            assert_eq!(Square::new(square.column(), square.row()), Some(square));
            assert_eq!(Square::from_index(square.index()), Some(square));
        }
        assert_eq!("f5".parse::<Square>().map(Square::index), Ok(4 * 8 + 5));
        assert_eq!(Square::new(8, 0), None);
        assert_eq!(Square::from_index(64), None);
    }

    #[test]
    fn words_that_are_no_squares_are_refused() {
        for text in ["", "f", "5f", "i9", "d0", "a9", "f55", " f5", "fе", "é", "@1", "a:", "🦀"] {
            let error = text.parse::<Square>().unwrap_err().to_string();
            assert_eq!(error, format!("`{text}` is no square: expected a1 to h8"));
        }
    }
}
