//! How a game ended, from what its file says and what its last position says.

use rules::{ByColor, Color};

use crate::verdict::{Outcome, Termination, Verdict};

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Who has won.
    pub outcome: Outcome,
    /// The score, if it is known.
    pub score: Option<ByColor<u8>>,
    /// The kind of end.
    pub termination: Termination,
    /// What happened, in words.
    pub detail: Option<String>,
}

impl End {
    /// Who is to blame for it: who lost by a fault.
    #[must_use]
    pub fn offender(&self) -> Option<Color> {
        match self.outcome {
            Outcome::Win(winner) if self.termination.has_offender() => Some(winner.opposite()),
            _ => None,
        }
    }
}

/// What a file says of the end of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StatedResult {
    Nothing,
    Outcome(Outcome),
    /// Black's and white's discs.
    Score(ByColor<u8>),
    /// Black's discs minus white's.
    Difference(i32),
}

impl End {
    pub(super) fn normal(verdict: Verdict) -> Self {
        Self {
            outcome: verdict.outcome,
            score: Some(verdict.score),
            termination: Termination::Normal,
            detail: None,
        }
    }
}

/// All the squares in two parts that differ by so much.
pub(super) fn score_of_difference(all: i32, difference: i32) -> Option<ByColor<u8>> {
    if difference.abs() > all || (all + difference) % 2 != 0 {
        return None;
    }
    let black = u8::try_from((all + difference) / 2).ok()?;
    let white = u8::try_from((all - difference) / 2).ok()?;
    Some(ByColor::new(black, white))
}
