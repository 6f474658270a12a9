//! The outcome of a game for one side.

use std::cmp::Ordering;

/// The outcome of a game for one side; a better one is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The side lost.
    Loss,
    /// A draw.
    Draw,
    /// The side won.
    Win,
}

impl Outcome {
    /// The outcome for a side that has more (`Greater`) or fewer points than the other.
    #[inline]
    #[must_use]
    pub fn from_ordering(order: Ordering) -> Self {
        match order {
            Ordering::Less => Self::Loss,
            Ordering::Equal => Self::Draw,
            Ordering::Greater => Self::Win,
        }
    }

    /// The outcome for the other side.
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// The half points of the side: 0, 1 or 2.
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
