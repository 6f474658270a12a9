//! The two sides, and pairs of values, one per side.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use crate::ParseError;

/// A side, and the colour of its discs. Black is the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    /// The first player, `X` in text.
    Black,
    /// The second player, `O` in text.
    White,
}

impl Color {
    /// Both colours, black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// The other side.
    #[inline]
    pub const fn opposite(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// The letter of position text: `X` for black, `O` for white.
    #[inline]
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'X',
            Color::White => 'O',
        }
    }

    /// The side of a disc in any notation in use: `X x * B b` is black, `O o W w` is white.
    pub(crate) const fn from_disc(character: char) -> Option<Color> {
        match character {
            'X' | 'x' | '*' | 'B' | 'b' => Some(Color::Black),
            'O' | 'o' | 'W' | 'w' => Some(Color::White),
            _ => None,
        }
    }
}

/// Writes `black` or `white`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::Black => "black",
            Color::White => "white",
        })
    }
}

/// Reads `black`, `white`, or one letter as in position text (`X * B`, `O W`), in either case.
impl FromStr for Color {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Color, ParseError> {
        let mut characters = text.chars();
        if let (Some(letter), None) = (characters.next(), characters.next())
            && let Some(color) = Color::from_disc(letter)
        {
            return Ok(color);
        }
        Color::ALL
            .into_iter()
            .find(|color| text.eq_ignore_ascii_case(&color.to_string()))
            .ok_or_else(|| ParseError::new("side", "X (black) or O (white)", text))
    }
}

/// Two values, one per side, indexed by [`Color`].
///
/// ```
/// use rules::{ByColor, Color};
/// let discs = ByColor::new(33, 31);
/// assert_eq!(discs[Color::White], 31);
/// assert_eq!(discs.map(|n| n % 2 == 1), ByColor::new(true, true));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByColor<T> {
    /// The value of black.
    pub black: T,
    /// The value of white.
    pub white: T,
}

impl<T> ByColor<T> {
    /// Takes black's value, then white's.
    #[inline]
    pub const fn new(black: T, white: T) -> ByColor<T> {
        ByColor { black, white }
    }

    /// Calls `make` for each colour, black first.
    #[inline]
    pub fn from_fn(mut make: impl FnMut(Color) -> T) -> ByColor<T> {
        ByColor { black: make(Color::Black), white: make(Color::White) }
    }

    /// Applies `change` to each value, black's first.
    #[inline]
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> ByColor<U> {
        ByColor { black: change(self.black), white: change(self.white) }
    }

    /// Exchanges the two values.
    #[inline]
    pub fn swap(self) -> ByColor<T> {
        ByColor { black: self.white, white: self.black }
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    #[inline]
    fn index(&self, color: Color) -> &T {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::Black => &mut self.black,
            Color::White => &mut self.white,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_read_in_every_writing() {
        for text in ["X", "x", "*", "B", "b", "black", "Black", "BLACK"] {
            assert_eq!(text.parse(), Ok(Color::Black), "{text}");
        }
        for text in ["O", "o", "W", "w", "white", "WHITE"] {
            assert_eq!(text.parse(), Ok(Color::White), "{text}");
        }
        for text in ["", "-", "XX", "blac", "é", "x "] {
            assert!(text.parse::<Color>().is_err(), "{text}");
        }
        let error = "red".parse::<Color>().unwrap_err();
        assert_eq!(error.to_string(), "`red` is no side: expected X (black) or O (white)");
    }

    #[test]
    fn by_color_is_indexed_and_swapped() {
        let mut pair = ByColor::from_fn(|color| color.letter());
        assert_eq!(pair, ByColor::new('X', 'O'));
        pair[Color::Black] = 'B';
        assert_eq!(pair.swap(), ByColor::new('O', 'B'));
    }
}
