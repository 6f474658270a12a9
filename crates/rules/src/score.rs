//! The winner of a finished game, and the score.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::{BoardSize, ByColor, Color, ParseError, Variant};

/// The side that squares left empty at the end count for. This changes the score, never the winner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Empties {
    /// They count for the side with more discs, as the federations rule. This holds in the reversed
    /// game too, where that side loses.
    #[default]
    Winner,
    /// They count for neither side.
    None,
}

/// Writes `winner` or `none`.
impl fmt::Display for Empties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Empties::Winner => "winner",
            Empties::None => "none",
        })
    }
}

/// Reads `winner` or `none`.
impl FromStr for Empties {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Empties, ParseError> {
        match text {
            "winner" => Ok(Empties::Winner),
            "none" => Ok(Empties::None),
            _ => Err(ParseError::new("rule for empty squares", "winner or none", text)),
        }
    }
}

/// The discs of a finished game.
///
/// ```
/// use rules::{ByColor, Color, Empties, Position, Turn, Variant};
/// // The shortest game: white is wiped out after nine moves.
/// let end = "----X------X-----XXXX------XXX-----XX------X-------X------------ O";
/// let Turn::Over(end) = end.parse::<Position>()?.turn() else { panic!("neither can move") };
/// assert_eq!(end.discs(), ByColor::new(13, 0));
/// assert_eq!(end.score(Empties::Winner), ByColor::new(64, 0));
/// assert_eq!(end.winner(Variant::Othello), Some(Color::Black));
/// assert_eq!(end.winner(Variant::Reversed), Some(Color::White));
/// # Ok::<(), rules::PositionTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FinalScore {
    discs: ByColor<u8>,
    size: BoardSize,
}

impl FinalScore {
    /// Takes the discs of each side and the size of the board.
    #[inline]
    pub(crate) fn new(discs: ByColor<u8>, size: BoardSize) -> FinalScore {
        FinalScore { discs, size }
    }

    /// The discs of each side on the board.
    #[inline]
    pub fn discs(self) -> ByColor<u8> {
        self.discs
    }

    /// The size of the board.
    #[inline]
    pub fn size(self) -> BoardSize {
        self.size
    }

    /// The score. With [`Empties::Winner`] both add up to the number of squares, and a draw gives half
    /// of them to each side, even if squares are empty. With [`Empties::None`] it is the discs.
    pub fn score(self, empties: Empties) -> ByColor<u8> {
        let ByColor { black, white } = self.discs;
        let all = self.size.squares() as u8; // at most 64
        match (empties, black.cmp(&white)) {
            (Empties::None, _) => self.discs,
            (Empties::Winner, Ordering::Greater) => ByColor::new(all - white, white),
            (Empties::Winner, Ordering::Less) => ByColor::new(black, all - black),
            (Empties::Winner, Ordering::Equal) => ByColor::new(all / 2, all / 2),
        }
    }

    /// The winner; `None` for a draw.
    pub fn winner(self, variant: Variant) -> Option<Color> {
        let more = match self.discs.black.cmp(&self.discs.white) {
            Ordering::Greater => Color::Black,
            Ordering::Less => Color::White,
            Ordering::Equal => return None,
        };
        Some(match variant {
            Variant::Othello | Variant::Historical => more,
            Variant::Reversed => more.opposite(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empties_go_to_the_side_with_more_discs() {
        let score =
            |black, white, size| FinalScore::new(ByColor::new(black, white), size).score(Empties::Winner);
        assert_eq!(score(12, 12, BoardSize::Eight), ByColor::new(32, 32));
        assert_eq!(score(13, 0, BoardSize::Eight), ByColor::new(64, 0));
        assert_eq!(score(3, 11, BoardSize::Four), ByColor::new(3, 13));
        assert_eq!(score(5, 5, BoardSize::Six), ByColor::new(18, 18));
        let raw = FinalScore::new(ByColor::new(12, 12), BoardSize::Eight);
        assert_eq!(raw.score(Empties::None), ByColor::new(12, 12));
        assert_eq!(raw.winner(Variant::Reversed), None);
    }

    #[test]
    fn words_are_read_and_written() {
        for variant in Variant::ALL {
            assert_eq!(variant.to_string().parse(), Ok(variant));
        }
        for empties in [Empties::Winner, Empties::None] {
            assert_eq!(empties.to_string().parse(), Ok(empties));
        }
        let error = "chess".parse::<Variant>().unwrap_err();
        assert_eq!(error.to_string(), "`chess` is no variant: expected othello, reversed or historical");
    }
}
