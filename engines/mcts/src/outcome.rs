//! How a game ends for one side.

use std::cmp::Ordering;

/// The end of a game, from one side's view; a better one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Lost.
    Loss,
    /// Drawn.
    Draw,
    /// Won.
    Win,
}

impl Outcome {
    /// The outcome for a side that has more (`Greater`) or less of what counts.
    #[inline]
    #[must_use]
    pub fn from_ordering(order: Ordering) -> Self {
        match order {
            Ordering::Less => Self::Loss,
            Ordering::Equal => Self::Draw,
            Ordering::Greater => Self::Win,
        }
    }

    /// The same from the other side's view.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// Half points: 0, 1 or 2.
    #[inline]
    #[must_use]
    pub fn half_points(self) -> u32 {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }
}
