//! The terms of the evaluation and their weights, one option each.

use engine_kit::{Options, Settings};

/// The terms of the evaluation: the count for the mover less the count for the opponent. For terms that
/// hurt the owner it is the other way round, so that weights are normally positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Legal moves.
    Mobility,
    /// Empty squares beside discs of the other side: possible future moves.
    PotentialMobility,
    /// Discs beside an empty square; they hurt the owner.
    Frontier,
    /// Corners held.
    Corners,
    /// Discs diagonal to an empty corner; they hurt the owner.
    XSquares,
    /// Discs on the edge beside an empty corner; they hurt the owner.
    CSquares,
    /// Discs between the corners of an edge that no play along that edge can flip.
    EdgeStability,
    /// Discs that can never be flipped, anywhere, as far as [`stability`](crate::stability) finds them.
    Stability,
    /// The last move of the game, and regions that only one side can play in.
    Parity,
    /// Edges with a block of discs that can't be outflanked along the edge by the next move.
    Anchors,
    /// Edges with a block that has one empty square between it and one empty corner, and none between it
    /// and the other; they hurt the owner.
    UnbalancedEdges,
    /// Legal moves that flip no disc beside another empty square.
    QuietMoves,
    /// Discs. By default fewer are better before the end, in both variants.
    Discs,
}

/// The number of terms.
pub const TERMS: usize = 13;

impl Term {
    /// All terms, in the order of their options.
    pub const ALL: [Self; TERMS] = [
        Self::Mobility,
        Self::PotentialMobility,
        Self::Frontier,
        Self::Corners,
        Self::XSquares,
        Self::CSquares,
        Self::EdgeStability,
        Self::Stability,
        Self::Parity,
        Self::Anchors,
        Self::UnbalancedEdges,
        Self::QuietMoves,
        Self::Discs,
    ];

    /// The name of the option that holds its weight.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mobility => "Mobility",
            Self::PotentialMobility => "PotentialMobility",
            Self::Frontier => "Frontier",
            Self::Corners => "Corners",
            Self::XSquares => "XSquares",
            Self::CSquares => "CSquares",
            Self::EdgeStability => "EdgeStability",
            Self::Stability => "Stability",
            Self::Parity => "Parity",
            Self::Anchors => "Anchors",
            Self::UnbalancedEdges => "UnbalancedEdges",
            Self::QuietMoves => "QuietMoves",
            Self::Discs => "Discs",
        }
    }

    /// The default weight, in tenths of a disc.
    #[must_use]
    pub fn default_weight(self) -> i32 {
        match self {
            Self::Mobility => 8,
            Self::PotentialMobility => 3,
            Self::Frontier => 2,
            Self::Corners => 60,
            Self::XSquares => 30,
            Self::CSquares => 10,
            Self::EdgeStability => 10,
            Self::Stability => 10,
            Self::Parity => 5,
            Self::Anchors => 4,
            Self::UnbalancedEdges => 6,
            Self::QuietMoves => 4,
            Self::Discs => -1,
        }
    }
}

/// The greatest absolute weight. It is small enough that no evaluation reaches the value of a won game.
pub const MAX_WEIGHT: i32 = 1000;

/// The weight of each term, in tenths of a disc. A term with weight 0 is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights([i32; TERMS]);

impl Default for Weights {
    fn default() -> Self {
        Self(Term::ALL.map(Term::default_weight))
    }
}

impl Weights {
    /// All weights are 0.
    pub const NONE: Self = Self([0; TERMS]);

    /// The weights that the options are set to.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        let weight = |term: Term| i32::try_from(settings.spin(term.name())).unwrap_or(0);
        Self(Term::ALL.map(weight))
    }

    /// The same weights except for one term.
    #[must_use]
    pub fn with(mut self, term: Term, weight: i32) -> Self {
        self.0[term as usize] = weight;
        self
    }

    /// The weight of a term.
    #[inline]
    #[must_use]
    pub fn of(&self, term: Term) -> i32 {
        self.0[term as usize]
    }

    /// Declares one option for each term.
    pub(crate) fn declare(options: Options) -> Options {
        let max = i64::from(MAX_WEIGHT);
        Term::ALL.into_iter().fold(options, |options, term| {
            options.spin(term.name(), i64::from(term.default_weight()), -max..=max)
        })
    }
}
