//! Who is stronger, by how much and how sure that is: every number of the reports, from the games.

mod compute;
mod tally;

use std::time::Duration;

use ratings::{Discs, Estimate, HeadToHead, Pentanomial};
use records::Termination;

pub use tally::Tally;

/// The standings of a tournament. What does not exist is `None`, never NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// In rank order, the best first.
    pub engines: Vec<EngineStanding>,
    /// One for each two engines that met, in the order of the definition.
    pub pairings: Vec<Pairing>,
    /// Games played.
    pub games: GameCounts,
    /// Pairs of which both games are finished.
    pub pairs: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// How the games ended, each of [`Termination::ALL`] with its count.
    pub terminations: [(Termination, u64); Termination::ALL.len()],
    /// What moving first is worth, in Elo. `None` without a decisive game.
    pub colour: Option<Estimate>,
}

/// Games, and how many of them are evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games played.
    pub played: u64,
    /// Games that are not the replay of an earlier one; a mirrored replay is a replay.
    pub distinct: u64,
    /// Units of evidence: start positions, counted for each two engines.
    pub clusters: u64,
}

impl GameCounts {
    /// Games that are the replay of an earlier one.
    #[must_use]
    pub fn duplicates(&self) -> u64 {
        self.played - self.distinct
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
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }
}

/// One engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineStanding {
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
    /// Mean disc difference over all its games, one lost by a fault counting as a wipe-out. `None`
    /// without games.
    pub disc_diff: Option<f64>,
    /// The games it lost by a fault.
    pub faults: Faults,
    /// Its mean time for a move, opening and passes left out. `None` if it made none.
    pub mean_move: Option<Duration>,
    /// Its longest time for a move.
    pub max_move: Option<Duration>,
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
    /// Score, Elo and test, over clusters.
    pub head_to_head: HeadToHead,
    /// Disc differences, over pairs of which both games were played to an end.
    pub discs: Discs,
    /// The p-value of `head_to_head`, corrected for the number of pairings.
    pub p_holm: Option<f64>,
}
