//! The input of the statistics: counts of results, and clusters of games.

use crate::finite::saturating_u64;

/// Counts of a result with `M` equally spaced values, lowest first: entry *i* counts the score i / (M − 1).
///
/// `M` = 5: finished game pairs ([`Pentanomial`]); `M` = 3: single games ([`Trinomial`]). Moments of fewer than two
/// values do not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts<const M: usize>(pub [u64; M]);

/// Finished game pairs by pair score 0, ½, 1, 3/2, 2 of the first engine: LL, LD, DD or WL, WD, WW.
///
/// ```
/// use ratings::Pentanomial;
/// let mut pairs = Pentanomial::default();
/// pairs.0[4] += 1; // won both games
/// pairs.0[2] += 1; // one each
/// assert_eq!(pairs.units(), 2);
/// ```
pub type Pentanomial = Counts<5>;

/// Single games by the first engine's result, in the order lost, drawn, won.
pub type Trinomial = Counts<3>;

impl<const M: usize> Default for Counts<M> {
    fn default() -> Self {
        Self([0; M])
    }
}

impl<const M: usize> From<[u64; M]> for Counts<M> {
    fn from(counts: [u64; M]) -> Self {
        Self(counts)
    }
}

impl<const M: usize> Counts<M> {
    /// Number of units counted: pairs for a [`Pentanomial`], games for a [`Trinomial`].
    pub fn units(&self) -> u64 {
        saturating_u64(self.0.iter().map(|&n| u128::from(n)).sum())
    }

    /// Mean and central moments of the score of one unit; `None` if nothing was counted.
    pub(crate) fn moments(&self) -> Option<Moments> {
        const { assert!(M >= 2, "a result needs two values at least") }
        Moments::of(self.0.map(|n| n as f64))
    }
}

/// Population moments (divided by n) of the scores i / (M − 1), in units of games won (0 to 1).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) n: f64,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
    /// Third and fourth central moments.
    pub(crate) third: f64,
    pub(crate) fourth: f64,
}

impl Moments {
    /// The moments of weighted scores; `None` if the weights add up to 0.
    pub(crate) fn of<const M: usize>(weights: [f64; M]) -> Option<Self> {
        let step = 1.0 / (M - 1) as f64;
        let n: f64 = weights.iter().sum();
        if n.is_nan() || n <= 0.0 {
            return None;
        }
        let average = |f: &dyn Fn(f64) -> f64| {
            weights.iter().enumerate().map(|(i, w)| w * f(i as f64 * step)).sum::<f64>() / n
        };
        let mean = average(&|x| x);
        let central = |power| average(&|x| (x - mean).powi(power));
        Some(Self { n, mean, variance: central(2), third: central(3), fourth: central(4) })
    }
}

/// One unit of evidence: all games of one encounter that start from the same position, since they are not independent
/// of each other. Normally a game pair; a game without its partner is a cluster of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cluster {
    half_points: u32,
    games: u32,
}

impl Cluster {
    /// A cluster of `games` ≥ 1 games, in which the first engine won `half_points` (win 2, draw 1). `None` if there are
    /// no games, or more points than the games have.
    pub fn new(half_points: u32, games: u32) -> Option<Self> {
        let possible = games > 0 && u64::from(half_points) <= 2 * u64::from(games);
        possible.then_some(Self { half_points, games })
    }

    /// Half-points of the first engine, 0 to twice the games.
    pub fn half_points(self) -> u32 {
        self.half_points
    }

    /// Games in the cluster, at least one.
    pub fn games(self) -> u32 {
        self.games
    }

    /// Points won − points lost; 0 in an even cluster.
    pub(crate) fn balance(self) -> i64 {
        i64::from(self.half_points) - i64::from(self.games)
    }
}

/// The clusters of an encounter. Equal ones are counted together, so that no result depends on the order in which games
/// finished.
///
/// ```
/// use ratings::{Cluster, ClusterCounts};
/// let won_both = Cluster::new(4, 2).expect("four half-points in two games");
/// let clusters: ClusterCounts = [won_both, won_both].into_iter().collect();
/// assert_eq!((clusters.clusters(), clusters.games()), (2, 4));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ClusterCounts(Vec<(Cluster, u64)>);

impl ClusterCounts {
    /// Counts `times` more clusters equal to this one.
    pub fn add(&mut self, cluster: Cluster, times: u64) {
        if times > 0 {
            match self.0.binary_search_by_key(&cluster, |&(cluster, _)| cluster) {
                Ok(known) => self.0[known].1 = self.0[known].1.saturating_add(times),
                Err(place) => self.0.insert(place, (cluster, times)),
            }
        }
    }

    /// Distinct clusters with their counts, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (Cluster, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> u64 {
        saturating_u64(self.iter().map(|(_, times)| u128::from(times)).sum())
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        saturating_u64(self.iter().map(|(c, times)| u128::from(c.games) * u128::from(times)).sum())
    }

    /// Half-points of the first engine.
    pub fn half_points(&self) -> u64 {
        saturating_u64(self.iter().map(|(c, times)| u128::from(c.half_points) * u128::from(times)).sum())
    }
}

impl Extend<Cluster> for ClusterCounts {
    fn extend<T: IntoIterator<Item = Cluster>>(&mut self, clusters: T) {
        for cluster in clusters {
            self.add(cluster, 1);
        }
    }
}

impl FromIterator<Cluster> for ClusterCounts {
    fn from_iter<T: IntoIterator<Item = Cluster>>(clusters: T) -> Self {
        let mut counts = Self::default();
        counts.extend(clusters);
        counts
    }
}

/// Each pair is a cluster of its own. Correct only if no opening was used twice.
impl From<Pentanomial> for ClusterCounts {
    fn from(pairs: Pentanomial) -> Self {
        let mut counts = Self::default();
        for (half_points, times) in (0..).zip(pairs.0) {
            counts.add(Cluster { half_points, games: 2 }, times);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_clusters_are_refused() {
        assert_eq!(Cluster::new(0, 0), None);
        assert_eq!(Cluster::new(3, 1), None);
        assert!(Cluster::new(2, 1).is_some());
        assert!(Cluster::new(u32::MAX, u32::MAX).is_some());
    }

    #[test]
    fn order_is_forgotten() {
        let c = |h, m| Cluster::new(h, m).unwrap();
        let one: ClusterCounts = [c(1, 2), c(4, 2), c(0, 1), c(1, 2)].into_iter().collect();
        let other: ClusterCounts = [c(0, 1), c(1, 2), c(1, 2), c(4, 2)].into_iter().collect();
        assert_eq!(one, other);
        assert_eq!((one.clusters(), one.games(), one.half_points()), (4, 7, 6));
    }

    #[test]
    fn moments_of_a_fair_coin() {
        let m = Trinomial::from([5, 0, 5]).moments().unwrap();
        assert_eq!((m.n, m.mean, m.variance, m.third, m.fourth), (10.0, 0.5, 0.25, 0.0, 0.0625));
        assert!(Trinomial::default().moments().is_none());
    }

    #[test]
    fn totals_stop_at_the_end_of_their_range() {
        assert_eq!(Pentanomial::from([u64::MAX; 5]).units(), u64::MAX);
        assert_eq!(ClusterCounts::from(Pentanomial::from([u64::MAX; 5])).games(), u64::MAX);
    }
}
