//! How a game ended, who won it and by how many discs.

use std::fmt;
use std::str::FromStr;

use rules::{BoardSize, ByColor, Color, Empties, FinalScore, Variant};
use serde::{Deserialize, Serialize};

/// How a game ended. In all cases but `Normal` and `Adjudicated` there is an offender, which loses. (A game that was
/// interrupted is not recorded.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// Neither side can move; the discs decide.
    Normal,
    /// The offender's clock ran out.
    Timeout,
    /// The offender played an illegal move.
    IllegalMove,
    /// The offender's program exited, or closed its output.
    Crash,
    /// The offender's answer can't be read as a move.
    ProtocolError,
    /// The offender did not answer within a time limit that is not the game clock.
    Stall,
    /// The offender resigned, if its protocol allows that.
    Resigned,
    /// A rule of the tournament or an arbiter decided.
    Adjudicated,
}

/// When a fault happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultPhase {
    /// Before the engine was ready for its first game.
    Start,
    /// In a game.
    Play,
}

impl Termination {
    /// True if the offender lost by a fault: not by discs and not by resigning.
    #[must_use]
    pub fn is_fault(self) -> bool {
        match self {
            Self::Timeout | Self::IllegalMove | Self::Crash | Self::ProtocolError | Self::Stall => true,
            Self::Normal | Self::Adjudicated | Self::Resigned => false,
        }
    }

    pub const ALL: [Self; 8] = [
        Self::Normal,
        Self::Timeout,
        Self::IllegalMove,
        Self::Crash,
        Self::ProtocolError,
        Self::Stall,
        Self::Resigned,
        Self::Adjudicated,
    ];

    /// Its name in records and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Timeout => "timeout",
            Self::IllegalMove => "illegal-move",
            Self::Crash => "crash",
            Self::ProtocolError => "protocol-error",
            Self::Stall => "stall",
            Self::Resigned => "resigned",
            Self::Adjudicated => "adjudicated",
        }
    }

    /// True if one side is the offender.
    #[must_use]
    pub fn has_offender(self) -> bool {
        !matches!(self, Self::Normal | Self::Adjudicated)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Termination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|termination| termination.name() == text);
        known.ok_or_else(|| format!("`{text}` is not a termination"))
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Win(Color),
    Draw,
}

impl Outcome {
    /// This side's points, counted in half points: 2, 1 or 0.
    #[must_use]
    pub fn half_points(self, side: Color) -> u8 {
        match self {
            Self::Win(winner) if winner == side => 2,
            Self::Win(_) => 0,
            Self::Draw => 1,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win(color) => color.fmt(f),
            Self::Draw => f.write_str("draw"),
        }
    }
}

impl FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "black" => Ok(Self::Win(Color::Black)),
            "white" => Ok(Self::Win(Color::White)),
            "draw" => Ok(Self::Draw),
            _ => Err(format!("`{text}` is not a result; it is black, white or draw")),
        }
    }
}

/// The result of a game, with its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// The discs, with empty squares counted as the game's rule says.
    pub score: ByColor<u8>,
}

impl Verdict {
    /// The verdict on a game in which neither side can move.
    #[must_use]
    pub fn by_discs(last: FinalScore, variant: Variant, empties: Empties) -> Self {
        let outcome = last.winner(variant).map_or(Outcome::Draw, Outcome::Win);
        Self { outcome, score: last.score(empties) }
    }

    /// The verdict on a game lost by a fault or by resigning: 0 discs to all squares of the board; in the reversed
    /// game, where fewer discs win, all squares to 0.
    #[must_use]
    pub fn by_forfeit(offender: Color, variant: Variant, size: BoardSize) -> Self {
        let all = u8::try_from(size.squares()).unwrap_or(u8::MAX);
        let against_black = match variant {
            Variant::Othello | Variant::Historical => ByColor::new(0, all),
            Variant::Reversed => ByColor::new(all, 0),
        };
        let score = match offender {
            Color::Black => against_black,
            Color::White => ByColor::new(against_black.white, against_black.black),
        };
        Self { outcome: Outcome::Win(offender.opposite()), score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forfeit_costs_everything() {
        let verdict = Verdict::by_forfeit(Color::White, Variant::Othello, BoardSize::Eight);
        assert_eq!((verdict.outcome, verdict.score), (Outcome::Win(Color::Black), ByColor::new(64, 0)));
        let verdict = Verdict::by_forfeit(Color::White, Variant::Reversed, BoardSize::Six);
        assert_eq!((verdict.outcome, verdict.score), (Outcome::Win(Color::Black), ByColor::new(0, 36)));
    }

    #[test]
    fn words_are_read_back() {
        for termination in Termination::ALL {
            assert_eq!(termination.to_string().parse(), Ok(termination));
        }
        for outcome in [Outcome::Draw, Outcome::Win(Color::Black), Outcome::Win(Color::White)] {
            assert_eq!(outcome.to_string().parse(), Ok(outcome));
        }
        assert!("aborted".parse::<Termination>().is_err());
    }
}
