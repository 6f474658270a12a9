//! How a game ended, in the types that all formats share.

use rules::{ByColor, Color};

use crate::verdict::{Outcome, Termination, Verdict};

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub outcome: Outcome,
    pub score: Option<ByColor<u8>>,
    pub termination: Termination,
    /// What happened, as text for people.
    pub detail: Option<String>,
}

impl End {
    /// The side that lost by a fault or resigned.
    #[must_use]
    pub fn offender(&self) -> Option<Color> {
        match self.outcome {
            Outcome::Win(winner) if self.termination.has_offender() => Some(winner.opposite()),
            _ => None,
        }
    }
}

/// The result of a game as its file states it.
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

/// The score with this difference in which all squares count. `None` if there is no such score.
pub(super) fn score_of_difference(all: i32, difference: i32) -> Option<ByColor<u8>> {
    if difference.abs() > all || (all + difference) % 2 != 0 {
        return None;
    }
    let black = u8::try_from((all + difference) / 2).ok()?;
    let white = u8::try_from((all - difference) / 2).ok()?;
    Some(ByColor::new(black, white))
}
