//! Who is stronger, by how much and how sure that is: every number of the reports, from the games.

mod compute;
mod gather;
mod result_counts;
mod tally;

use std::time::Duration;

use ratings::{Discs, Estimate, Fit, HeadToHead, Intransitivity, Pentanomial, PoolError};
use records::Termination;
use thiserror::Error;

pub use tally::{GameResult, Tally};

/// Why games can't be rated this way.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RatingError {
    /// The anchor played no game.
    #[error("no engine is called {0:?}")]
    NoSuchEngine(String),
    /// The settings are none.
    #[error(transparent)]
    Pool(PoolError),
}

/// The standings of a tournament. What does not exist is `None`, never NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// In rank order, the best first.
    pub engines: Vec<EngineStanding>,
    /// One for each two engines that met, in the order of the definition.
    pub pairings: Vec<Pairing>,
    /// Games played.
    pub games: GameCounts,
    /// Pairs that began from a start position that an earlier pair of the same two engines had begun
    /// from: games, but no evidence of their own.
    pub repeated_starts: u64,
    /// Pairs of which both games are finished.
    pub pairs: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// How the games ended, each of [`Termination::ALL`] with its count; games of which that is not
    /// known are left out.
    pub terminations: [(Termination, u64); Termination::ALL.len()],
    /// The engine whose Elo is 0, where one was chosen.
    pub anchor: Option<String>,
    /// What belongs to the pool and not to an engine.
    pub pool: PoolStanding,
}

/// What the model of the pool says besides ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolStanding {
    /// What moving first is worth, in Elo. `None` without a decisive game, and where it was left out.
    pub colour: Option<Estimate>,
    /// How often two equal engines draw, in [0, 1]. `None` without games.
    pub draw_rate_equal: Option<f64>,
    /// Dispersion over clusters: 1 where games are independent, below where openings favour a side,
    /// above where games repeat each other. `None` without an encounter of two clusters.
    pub phi: Option<f64>,
    /// Its degrees of freedom.
    pub phi_df: u64,
    /// The dispersion in the error bars. `None` with `phi`.
    pub phi_used: Option<f64>,
    /// How well one number per engine fits.
    pub fit: Fit,
    /// The cycles that chance does not explain, the clearest first.
    pub cycles: Vec<Cycle>,
}

/// Three engines each of which beats the next, and the last the first, by more than chance explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Indices of [`Standings::engines`], in winning order.
    pub engines: [usize; 3],
    /// The Elo differences added up around it.
    pub intransitivity: Intransitivity,
    /// Its p-value, corrected for the number of triples that might have been one.
    pub p_holm: f64,
}

/// Games, and how many of them are evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games played.
    pub played: u64,
    /// Games that are not the replay of an earlier one; a mirrored replay is a replay. `None` where
    /// the moves of a game are not known.
    pub distinct: Option<u64>,
    /// Units of evidence: start positions, counted for each two engines.
    pub clusters: u64,
}

impl GameCounts {
    /// Games that are the replay of an earlier one. `None` with `distinct`.
    #[must_use]
    pub fn duplicates(&self) -> Option<u64> {
        self.distinct.map(|distinct| self.played - distinct)
    }
}

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Results {
    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Half points won: two a win, one a draw.
    #[must_use]
    pub fn half_points(&self) -> u64 {
        2 * self.wins + self.draws
    }

    /// Points a game, in [0, 1]. `None` without games.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.half_points() as f64 / 2.0 / self.games() as f64)
    }

    /// The same games seen by the opponent.
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

/// One engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineStanding {
    /// Its place in [`Standings::engines`], from 1.
    pub rank: usize,
    /// Its name.
    pub name: String,
    /// Its number in the order of the definition, from 0.
    pub number: usize,
    /// Its games.
    pub results: Results,
    /// Elo relative to the mean of all engines it is connected with.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval; `None` if none of these engines won a game.
    pub elo_low: Option<f64>,
    /// Upper end of the interval.
    pub elo_high: Option<f64>,
    /// Whether it won every game, or lost every game: only the prior keeps its Elo finite.
    pub extreme: bool,
    /// Which engines it can be compared with: those of the same number, which are connected by games.
    /// From 1, in the order of the definition.
    pub component: usize,
    /// Mean disc difference over all its games, one lost by a fault counting as a wipe-out. `None` where it is
    /// not known of any game how it ended.
    pub disc_diff: Option<f64>,
    /// The games it lost by a fault. `None` where it is not known of any of its games how it ended.
    pub faults: Option<Faults>,
    /// Its mean time for a move, opening and passes left out. `None` if it made none.
    pub mean_move: Option<Duration>,
    /// Its longest time for a move.
    pub max_move: Option<Duration>,
    /// The processor time that its processes used while it was not its turn, over all its games. `None` if
    /// that was measured in none.
    pub off_turn: Option<Duration>,
}

/// Games lost by a fault, by its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Its time ran out.
    pub timeouts: u64,
    /// It played what the rules forbid.
    pub illegal_moves: u64,
    /// It exited, or closed its output.
    pub crashes: u64,
    /// It stalled, gave an answer that can't be read, or resigned.
    pub others: u64,
}

impl Faults {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.timeouts + self.illegal_moves + self.crashes + self.others
    }
}

/// Two engines that met, seen from the one that comes earlier in the definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairing {
    /// The earlier engine, as an index of [`Standings::engines`].
    pub engine: usize,
    /// The later one.
    pub opponent: usize,
    /// The games of the earlier one.
    pub results: Results,
    /// How many of them are evidence.
    pub games: GameCounts,
    /// Finished pairs by the earlier engine's score.
    pub pairs: Pentanomial,
    /// Normalised Elo of the finished pairs. `None` where all have the same score.
    pub nelo: Option<Estimate>,
    /// Variance between finished pairs over what independent games would give: below 1 pairing pays.
    /// `None` without variance.
    pub pair_var_ratio: Option<f64>,
    /// Score, Elo and test, over clusters.
    pub head_to_head: HeadToHead,
    /// Disc differences, over pairs of which both games were played to an end.
    pub discs: Discs,
    /// The p-value of `head_to_head`, corrected for the number of pairings.
    pub p_holm: Option<f64>,
}
