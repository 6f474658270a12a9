//! The standings: every number of the reports, computed from the games.

mod compute;
mod dropped;
mod gather;
mod result_counts;
mod tally;

use std::time::Duration;

use ratings::{Discs, Estimate, Fit, HeadToHead, Intransitivity, Pentanomial, PoolError};
use records::Termination;
use thiserror::Error;

use crate::withdrawals::Withdrawals;

pub use dropped::DroppedCounts;
pub use tally::{GameResult, Tally};

/// Why games can't be rated this way.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RatingError {
    /// The anchor played no game.
    #[error("no engine is called {0:?}")]
    NoSuchEngine(String),
    /// The settings are out of range.
    #[error(transparent)]
    Pool(PoolError),
}

/// The standings of a tournament. A number that does not exist is `None`, never NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// In rank order, best first.
    pub engines: Vec<EngineStanding>,
    /// Two engines that met each, in the order of the definition.
    pub pairings: Vec<Pairing>,
    /// Games played.
    pub games: GameCounts,
    /// Pairs that began from the start position of an earlier pair of the same two engines: they are no evidence of
    /// their own.
    pub repeated_starts: u64,
    /// Finished game pairs.
    pub pairs: u64,
    pub draws: u64,
    /// Each of [`Termination::ALL`] with its number of games. Games with unknown termination are left out.
    pub terminations: [(Termination, u64); Termination::ALL.len()],
    /// The engine whose Elo is 0, if one was chosen.
    pub anchor: Option<String>,
    pub pool: PoolStanding,
    /// The engines that were withdrawn. `None` if the schedule is not known.
    pub withdrawals: Option<Withdrawals>,
    /// The games that were dropped. `None` if that is not known.
    pub dropped: Option<DroppedCounts>,
}

impl Standings {
    /// True if an engine was withdrawn.
    #[must_use]
    pub fn has_withdrawn(&self) -> bool {
        self.withdrawals.as_ref().is_some_and(|withdrawals| !withdrawals.engines.is_empty())
    }

    /// True if there are games and each of them was lost by a fault.
    #[must_use]
    pub fn all_forfeited(&self) -> bool {
        let faults = self.terminations.iter().filter(|(kind, _)| kind.is_fault());
        let forfeited: u64 = faults.map(|(_, games)| games).sum();
        forfeited > 0 && forfeited == self.games.played
    }
}

/// The numbers of the model that belong to the whole pool.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolStanding {
    /// The advantage of moving first, in Elo. `None` without a decisive game, and if it was left out of the model.
    pub colour: Option<Estimate>,
    /// Draw rate of two equal engines in the model, in [0, 1]. `None` without games.
    pub draw_rate_equal: Option<f64>,
    /// Dispersion over clusters: 1 if games are independent, below 1 if openings favour a side, above 1 if games repeat
    /// each other. `None` unless some encounter has two clusters.
    pub phi: Option<f64>,
    /// Degrees of freedom of `phi`.
    pub phi_df: u64,
    /// The dispersion in the error bars. `None` if `phi` is.
    pub phi_used: Option<f64>,
    /// How well one rating per engine fits.
    pub fit: Fit,
    /// The cycles that chance does not explain, the clearest first.
    pub cycles: Vec<Cycle>,
}

/// Three engines of which each beats the next, and the last beats the first, by more than chance explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Indices of [`Standings::engines`], in winning order.
    pub engines: [usize; 3],
    /// The sum of the Elo differences around the cycle.
    pub intransitivity: Intransitivity,
    /// The p-value of the cycle, corrected for the number of triples.
    pub p_holm: f64,
}

/// Games, and how much evidence they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games played.
    pub played: u64,
    /// Games that are not the replay of an earlier one; a mirrored replay is a replay too. `None` if the moves of some
    /// game are not known.
    pub distinct: Option<u64>,
    /// Units of evidence: start positions of each encounter.
    pub clusters: u64,
}

impl GameCounts {
    /// Games that are the replay of an earlier one. `None` if `distinct` is.
    #[must_use]
    pub fn duplicates(&self) -> Option<u64> {
        self.distinct.map(|distinct| self.played - distinct)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Results {
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Half points won: win 2, draw 1.
    #[must_use]
    pub fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Points per game, in [0, 1]. `None` without games.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.half_points() as f64 / 2.0 / self.games() as f64)
    }

    /// The same games from the opponent's side.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { wins: self.losses, losses: self.wins, ..*self }
    }

    fn count(&mut self, half_points: u8) {
        self.count_many(half_points, 1);
    }

    fn count_many(&mut self, half_points: u8, times: u64) {
        match half_points {
            0 => self.losses += times,
            1 => self.draws += times,
            _ => self.wins += times,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct EngineStanding {
    /// Its place in the ranking, from 1.
    pub rank: usize,
    pub name: String,
    /// Its index in the definition, from 0.
    pub number: usize,
    pub results: Results,
    /// Elo relative to the mean of its component, or to the anchor.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval. `None` if its component has no decisive game.
    pub elo_low: Option<f64>,
    /// Upper end of the interval.
    pub elo_high: Option<f64>,
    /// True if it won every game or lost every game: only the prior keeps its Elo finite.
    pub extreme: bool,
    /// Engines of the same component are connected by games, so that their Elo can be compared. From 1, in the order of
    /// the definition.
    pub component: usize,
    /// Mean disc difference over its games with a known termination. A game lost by a fault counts as lost with 0
    /// discs. `None` without such games.
    pub disc_diff: Option<f64>,
    /// Games lost by a fault. `None` if the termination of none of its games is known.
    pub faults: Option<Faults>,
    /// Games lost because it failed at its start; they are among the faults.
    pub failed_starts: u64,
    /// Mean time per move, without opening and passes. `None` if it made no move.
    pub mean_move: Option<Duration>,
    pub max_move: Option<Duration>,
    /// CPU time that its processes used while it was not its turn, sum over its games. `None` if it was not measured in
    /// any.
    pub off_turn: Option<Duration>,
}

/// Games lost by a fault, by the kind of fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    pub timeouts: u64,
    pub illegal_moves: u64,
    /// The engine exited, or closed its output.
    pub crashes: u64,
    /// Stalls, protocol errors and resignations.
    pub others: u64,
}

impl Faults {
    #[must_use]
    pub fn total(&self) -> u64 {
        self.timeouts + self.illegal_moves + self.crashes + self.others
    }
}

/// Two engines that met, from the side of the one that comes first in the definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairing {
    /// The first engine, as an index of [`Standings::engines`].
    pub engine: usize,
    /// The second engine, likewise.
    pub opponent: usize,
    pub results: Results,
    pub games: GameCounts,
    /// Finished pairs by the first engine's score.
    pub pairs: Pentanomial,
    /// Normalised Elo of the finished pairs. `None` if all have the same score.
    pub nelo: Option<Estimate>,
    /// See [`ratings::pair_var_ratio`].
    pub pair_var_ratio: Option<f64>,
    pub head_to_head: HeadToHead,
    /// Disc differences of pairs with both games played to an end.
    pub discs: Discs,
    /// The p-value of `head_to_head`, corrected for the number of pairings.
    pub p_holm: Option<f64>,
}
