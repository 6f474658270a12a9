//! The variants of the game.

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

/// The variant decides the start position and who wins. The legal moves depend on the position alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant {
    /// The side with more discs wins.
    #[default]
    Othello,
    /// The side with fewer discs wins (also called anti-Othello). The score is computed as in Othello;
    /// the lower one wins.
    Reversed,
    /// Reversi as it was sold in 1883: the board is empty at first, and the first four discs are placed on
    /// the four centre squares, Black first, and flip nothing. After that it is Othello.
    Historical,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 3] = [Variant::Othello, Variant::Reversed, Variant::Historical];
}

/// Writes `othello`, `reversed` or `historical`.
impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Variant::Othello => "othello",
            Variant::Reversed => "reversed",
            Variant::Historical => "historical",
        })
    }
}

/// Reads `othello`, `reversed` or `historical`.
impl FromStr for Variant {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Variant, ParseError> {
        match text {
            "othello" => Ok(Variant::Othello),
            "reversed" => Ok(Variant::Reversed),
            "historical" => Ok(Variant::Historical),
            _ => Err(ParseError::new("variant", "othello, reversed or historical", text)),
        }
    }
}
