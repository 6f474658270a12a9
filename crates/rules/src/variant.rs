//! Which of the games is played.

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

/// Which game is played: what for, and from which start. The moves are those of the position, whatever the
/// variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant {
    /// The side with more discs wins.
    #[default]
    Othello,
    /// The side with fewer discs wins (also called anti-Othello). The score is reckoned as in
    /// Othello; the lower one wins.
    Reversed,
    /// Reversi as it was sold in 1883: the board is empty at first, and the first four discs go one by one
    /// to the four centre squares, Black first, and turn nothing. From then on it is Othello.
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
