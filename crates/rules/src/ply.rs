//! A ply as text has it, and the error if it is illegal.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::{Bitboard, ParseError, Square};

/// A move or a pass as text has it. It may be illegal: only a position can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ply {
    /// A disc on this square.
    Place(Square),
    /// No disc.
    Pass,
}

impl Ply {
    /// The square of a move; `None` for a pass.
    #[inline]
    pub const fn square(self) -> Option<Square> {
        match self {
            Ply::Place(square) => Some(square),
            Ply::Pass => None,
        }
    }
}

impl From<Square> for Ply {
    #[inline]
    fn from(square: Square) -> Ply {
        Ply::Place(square)
    }
}

/// Writes `f5` or `pass`.
impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ply::Place(square) => fmt::Display::fmt(square, f),
            Ply::Pass => f.pad("pass"),
        }
    }
}

/// The words for a pass, the longest first: a reader that compares the start of a text must not take
/// `pa` from `pass`.
pub(crate) const PASS_WORDS: [&str; 4] = ["pass", "pa", "ps", "--"];

/// Reads a square or a pass (`pass`, `pa`, `ps`, `--`), in upper or lower case.
impl FromStr for Ply {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Ply, ParseError> {
        if PASS_WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return Ok(Ply::Pass);
        }
        let square = text.parse().map(Ply::Place);
        square.map_err(|_| ParseError::new("ply", "a square (a1 to h8) or `pass`", text))
    }
}

/// A ply that is illegal in the position in which it was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IllegalPly {
    ply: Ply,
    reason: IllegalReason,
}

/// The rule that an illegal ply breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IllegalReason {
    /// Neither side has a move.
    GameOver,
    /// The square is outside this (small) board.
    OutsideBoard,
    /// The square holds a disc.
    Occupied,
    /// The square is empty, but a disc there would flip nothing.
    OutflanksNothing,
    /// The side passes although it has legal moves.
    PassWithMoves,
    /// The square is outside the centre, which is not yet full (in the historical game).
    CentreFirst,
}

impl IllegalPly {
    pub(crate) fn new(ply: Ply, reason: IllegalReason) -> IllegalPly {
        IllegalPly { ply, reason }
    }

    /// Finds the reason for an illegal move on `square` in a game that is not over. `board` is all squares
    /// of the board, `placements` the centre squares that must be filled first.
    pub(crate) fn on(
        square: Square,
        board: Bitboard,
        occupied: Bitboard,
        placements: Bitboard,
    ) -> IllegalPly {
        let reason = if !board.contains(square) {
            IllegalReason::OutsideBoard
        } else if occupied.contains(square) {
            IllegalReason::Occupied
        } else if !placements.is_empty() {
            IllegalReason::CentreFirst
        } else {
            IllegalReason::OutflanksNothing
        };
        IllegalPly::new(Ply::Place(square), reason)
    }

    /// The ply that was tried.
    pub fn ply(&self) -> Ply {
        self.ply
    }

    /// The rule it breaks.
    pub fn reason(&self) -> IllegalReason {
        self.reason
    }
}

impl fmt::Display for IllegalPly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ply = self.ply;
        match self.reason {
            IllegalReason::GameOver => write!(f, "{ply} comes after the game is over"),
            IllegalReason::OutsideBoard => write!(f, "{ply} is outside the board"),
            IllegalReason::Occupied => write!(f, "{ply} is occupied"),
            IllegalReason::OutflanksNothing => write!(f, "{ply} outflanks nothing"),
            IllegalReason::PassWithMoves => write!(f, "{ply} with moves at hand"),
            IllegalReason::CentreFirst => write!(f, "{ply} comes before the four centre squares are filled"),
        }
    }
}

impl Error for IllegalPly {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_read_and_written() {
        for text in ["pass", "PASS", "pa", "PA", "ps", "PS", "--"] {
            assert_eq!(text.parse(), Ok(Ply::Pass), "{text}");
        }
        assert_eq!("F5".parse::<Ply>().map(|ply| ply.to_string()), Ok("f5".to_owned()));
        assert_eq!(Ply::Pass.to_string(), "pass");
        let error = "i9".parse::<Ply>().unwrap_err().to_string();
        assert_eq!(error, "`i9` is no ply: expected a square (a1 to h8) or `pass`");
        for text in ["", "-", "p", "passs", "0000", "i9", "f5 ", "fе"] {
            assert!(text.parse::<Ply>().is_err(), "{text}");
        }
    }
}
