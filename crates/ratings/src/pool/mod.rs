//! One rating per engine from all games of a pool.

mod graph;
mod model;
mod newton;
mod ratings;

pub use ratings::{Difference, EngineRating, Ratings};

use crate::counts::{Cluster, ClusterCounts};
use std::collections::BTreeMap;

/// Why a pool was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PoolError {
    /// An engine's number is not below the number of engines.
    #[error("engine {engine} is not one of the pool's {engines} engines (the first is 0)")]
    NoSuchEngine {
        /// The number given.
        engine: usize,
        /// Engines in the pool.
        engines: usize,
    },
    /// An engine cannot be rated against itself.
    #[error("engine {0} cannot meet itself")]
    SameEngine(usize),
    /// A prior's width must be positive, its weight not negative, both finite.
    #[error("the prior's {name} is {value}, which is not a positive number")]
    Prior {
        /// Which number of [`Prior`].
        name: &'static str,
        /// The value given.
        value: f64,
    },
}

/// The games of one cluster, counted by the colour of the encounter's first engine and by its result (lost, drawn, won).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColourTally {
    black: [u32; 3],
    white: [u32; 3],
}

impl ColourTally {
    /// `black`: games in which the first engine had Black; `white`: those in which it had White. `None`
    /// without any game, or with more than two billion.
    pub fn new(black: [u32; 3], white: [u32; 3]) -> Option<Self> {
        let games: u64 = black.iter().chain(&white).map(|&n| u64::from(n)).sum();
        (1..=u64::from(u32::MAX / 2)).contains(&games).then_some(Self { black, white })
    }

    /// The same games seen from the second engine.
    pub fn mirrored(self) -> Self {
        let turn = |[lost, drawn, won]: [u32; 3]| [won, drawn, lost];
        Self { black: turn(self.white), white: turn(self.black) }
    }

    /// Points and games, without the colours.
    pub fn cluster(self) -> Cluster {
        let (half_points, games) = (self.half_points(), self.games_as_black() + self.games_as_white());
        Cluster::new(half_points, games).expect("a tally holds a game, and no more points than its games")
    }

    fn half_points(self) -> u32 {
        let points = |[_, drawn, won]: [u32; 3]| drawn + 2 * won;
        points(self.black) + points(self.white)
    }

    fn games_as_black(self) -> u32 {
        self.black.iter().sum()
    }

    fn games_as_white(self) -> u32 {
        self.white.iter().sum()
    }
}

/// The clusters of one encounter, equal ones counted together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Encounter {
    /// In ascending order.
    clusters: Vec<(ColourTally, u64)>,
    totals: Totals,
}

/// Sums over an encounter, from its first engine: results as Black and as White (lost, drawn, won).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) black: [u64; 3],
    pub(crate) white: [u64; 3],
}

impl Totals {
    pub(crate) fn games(&self) -> u64 {
        self.black.iter().chain(&self.white).fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// Half-points of the first engine.
    pub(crate) fn half_points(&self) -> u64 {
        let points = |[_, drawn, won]: [u64; 3]| won.saturating_mul(2).saturating_add(drawn);
        points(self.black).saturating_add(points(self.white))
    }

    /// Half-points of the second engine.
    pub(crate) fn half_points_against(&self) -> u64 {
        let turn = |[lost, drawn, won]: [u64; 3]| [won, drawn, lost];
        Self { black: turn(self.black), white: turn(self.white) }.half_points()
    }

    pub(crate) fn draws(&self) -> u64 {
        self.black[1].saturating_add(self.white[1])
    }
}

impl Encounter {
    fn add(&mut self, tally: ColourTally, times: u64) {
        match self.clusters.binary_search_by_key(&tally, |&(tally, _)| tally) {
            Ok(known) => self.clusters[known].1 = self.clusters[known].1.saturating_add(times),
            Err(place) => {
                // Most encounters have a handful of different clusters, and there may be thousands of encounters: so
                // the vector grows by little.
                if self.clusters.len() == self.clusters.capacity() {
                    self.clusters.reserve_exact(4.max(self.clusters.len() / 8));
                }
                self.clusters.insert(place, (tally, times));
            }
        }
        for (sums, games) in [(&mut self.totals.black, tally.black), (&mut self.totals.white, tally.white)] {
            for (sum, games) in sums.iter_mut().zip(games) {
                *sum = sum.saturating_add(u64::from(games).saturating_mul(times));
            }
        }
    }

    /// Different clusters with their counts, in ascending order.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = (ColourTally, u64)> {
        self.clusters.iter().copied()
    }

    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }
}

/// The results of a pool of engines, numbered from 0, as counts.
///
/// Games are added cluster by cluster, or many equal clusters at once. The memory needed depends on the number of
/// different clusters, not of games. No result depends on the order of adding.
///
/// ```
/// use ratings::{ColourTally, Pool, Settings};
/// let mut pool = Pool::new(2);
/// // One pair: the first engine won with Black and drew with White.
/// let pair = ColourTally::new([0, 0, 1], [0, 1, 0]).unwrap();
/// pool.add(0, 1, pair, 1)?;
/// let ratings = pool.rate(&Settings::default())?;
/// assert!((ratings.engines[0].elo.unwrap() - 82.07).abs() < 0.01);
/// # Ok::<(), ratings::PoolError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    engines: usize,
    /// By (lower, higher) engine number; the lower is the encounter's first engine.
    encounters: BTreeMap<(usize, usize), Encounter>,
}

impl Pool {
    /// A pool of this number of engines, without games.
    pub fn new(engines: usize) -> Self {
        Self { engines, encounters: BTreeMap::new() }
    }

    /// Number of engines.
    pub fn engines(&self) -> usize {
        self.engines
    }

    /// Adds `times` equal clusters of games between `first` and `second`; `tally` is seen from `first`.
    ///
    /// # Errors
    /// If an engine is not in the pool, or both are the same.
    pub fn add(
        &mut self,
        first: usize,
        second: usize,
        tally: ColourTally,
        times: u64,
    ) -> Result<(), PoolError> {
        self.add_all(first, second, [(tally, times)])
    }

    /// Adds several different clusters, each with its count.
    ///
    /// # Errors
    /// As for [`add`](Self::add); nothing is added then.
    pub fn add_all(
        &mut self,
        first: usize,
        second: usize,
        clusters: impl IntoIterator<Item = (ColourTally, u64)>,
    ) -> Result<(), PoolError> {
        for engine in [first, second] {
            if engine >= self.engines {
                return Err(PoolError::NoSuchEngine { engine, engines: self.engines });
            }
        }
        if first == second {
            return Err(PoolError::SameEngine(first));
        }
        let mut clusters = clusters.into_iter().filter(|&(_, times)| times > 0).peekable();
        if clusters.peek().is_some() {
            let encounter = self.encounters.entry((first.min(second), first.max(second))).or_default();
            if encounter.clusters.is_empty() {
                let kinds = clusters.size_hint().1.unwrap_or(0);
                encounter.clusters.reserve_exact(kinds.min(64));
            }
            clusters.for_each(|(tally, times)| {
                encounter.add(if first < second { tally } else { tally.mirrored() }, times);
            });
        }
        Ok(())
    }

    /// The pairs of engines that met, lower number first, in ascending order.
    pub fn met(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.encounters.keys().copied()
    }

    /// The clusters of `first` against `second`, ready for [`head_to_head`](crate::head_to_head);
    /// empty if they never met.
    pub fn clusters(&self, first: usize, second: usize) -> ClusterCounts {
        let mut counts = ClusterCounts::default();
        let pair = (first.min(second), first.max(second));
        for (tally, times) in self.encounters.get(&pair).into_iter().flat_map(Encounter::clusters) {
            counts.add(if first < second { tally } else { tally.mirrored() }.cluster(), times);
        }
        counts
    }

    /// Fits the model and rates every engine. [`Ratings`] says when a number exists.
    ///
    /// # Errors
    /// If the anchor is not an engine of the pool, or a number of the prior is out of range.
    pub fn rate(&self, settings: &Settings) -> Result<Ratings, PoolError> {
        settings.check(self.engines)?;
        Ok(Ratings::of(self, settings))
    }

    pub(crate) fn encounters(&self) -> impl Iterator<Item = (usize, usize, &Encounter)> {
        self.encounters.iter().map(|(&(a, b), encounter)| (a, b, encounter))
    }
}

/// How to rate. Default: Davidson's model with colour and a weak prior; the mean rating is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// How draws enter the model.
    pub model: Model,
    /// True if the advantage of moving first is a parameter; false if it is 0.
    pub colour: bool,
    /// The prior distribution of the parameters.
    pub prior: Prior,
    /// The engine whose rating is 0. `None`: the mean of each component is 0, which also holds for components without
    /// this engine.
    pub anchor: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { model: Model::Davidson, colour: true, prior: Prior::default(), anchor: None }
    }
}

impl Settings {
    fn check(&self, engines: usize) -> Result<(), PoolError> {
        if let Some(engine) = self.anchor.filter(|&a| a >= engines) {
            return Err(PoolError::NoSuchEngine { engine, engines });
        }
        let Prior { sd_theta, sd_eta, draw } = self.prior;
        for (name, sd) in [("sd_theta", sd_theta), ("sd_eta", sd_eta)] {
            if let Some(value) = sd.filter(|sd| !sd.is_normal() || *sd < 0.0) {
                return Err(PoolError::Prior { name, value });
            }
        }
        if !draw.is_finite() || draw < 0.0 {
            return Err(PoolError::Prior { name: "draw", value: draw });
        }
        Ok(())
    }
}

/// How draws enter the model of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// Draws have a probability of their own, with one parameter for the pool (R. R. Davidson,
    /// *Journal of the American Statistical Association* 65 (1970), 317-328).
    #[default]
    Davidson,
    /// A draw is half a win and half a loss: plain Bradley-Terry, the model of Ordo.
    BtHalf,
}

/// Normal priors on strengths and colour, and phantom games for the draw rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Standard deviation of an engine's strength around the mean, in Elo of the raw scale. `None`:
    /// no prior; then ratings exist only where every component is strongly connected.
    pub sd_theta: Option<f64>,
    /// Standard deviation of the advantage of moving first, in Elo of the raw scale. `None`: no prior.
    pub sd_eta: Option<f64>,
    /// Phantom games for the draw rate: this many draws and as many decisive games between equals. Not
    /// negative; 0 is none. Unused by [`Model::BtHalf`].
    pub draw: f64,
}

impl Default for Prior {
    /// 800 Elo, 200 Elo, ½: as much information as a fifth of a game per engine, and one phantom game.
    fn default() -> Self {
        Self { sd_theta: Some(800.0), sd_eta: Some(200.0), draw: 0.5 }
    }
}

impl Prior {
    /// No prior at all: maximum likelihood.
    pub const NONE: Self = Self { sd_theta: None, sd_eta: None, draw: 0.0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(ColourTally::new([0; 3], [0; 3]), None);
        assert_eq!(ColourTally::new([u32::MAX; 3], [u32::MAX; 3]), None);
        let mut pool = Pool::new(2);
        let tally = ColourTally::new([1, 0, 0], [0; 3]).unwrap();
        assert_eq!(pool.add(0, 2, tally, 1), Err(PoolError::NoSuchEngine { engine: 2, engines: 2 }));
        assert_eq!(pool.add(1, 1, tally, 1), Err(PoolError::SameEngine(1)));
        for prior in [
            Prior { sd_theta: Some(0.0), ..Prior::default() },
            Prior { sd_eta: Some(f64::NAN), ..Prior::default() },
            Prior { draw: -1.0, ..Prior::default() },
        ] {
            assert!(matches!(
                pool.rate(&Settings { prior, ..Settings::default() }),
                Err(PoolError::Prior { .. })
            ));
        }
        assert!(pool.rate(&Settings { anchor: Some(2), ..Settings::default() }).is_err());
    }

    #[test]
    fn either_engine_may_be_named_first() {
        let tally = ColourTally::new([1, 0, 3], [0, 2, 1]).unwrap();
        let (mut one, mut other) = (Pool::new(2), Pool::new(2));
        one.add(0, 1, tally, 5).unwrap();
        other.add(1, 0, tally.mirrored(), 5).unwrap();
        assert_eq!(one, other);
        assert_eq!(one.clusters(0, 1).half_points(), 50);
        assert_eq!(one.clusters(1, 0).half_points(), 20);
    }
}
