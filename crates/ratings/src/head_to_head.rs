//! Two engines against each other: score, Elo, interval, likelihood of superiority, exact test.

use crate::counts::{ClusterCounts, Pentanomial, Trinomial};
use crate::distributions::{Z95, normal_cdf, student_quantile};
use crate::elo::{ELO_PER_NAT, NELO_UNIT, elo_from_score};
use crate::finite::{finite, ratio};
use crate::sign_flip::sign_flip;

/// A variance of the score below this is rounding error.
const NO_VARIANCE: f64 = 1e-15;

/// The statistics of one encounter, from the first engine's side.
///
/// Scores are points per game in [0, 1]. Elo is the difference first minus second. Intervals are 95 %. Without games all
/// but the totals is `None`; further cases are named at each field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadToHead {
    /// Games played.
    pub games: u64,
    /// Clusters of these games; the unit of evidence.
    pub clusters: u64,
    /// Points per game.
    pub score: Option<f64>,
    /// Standard error of the score over clusters. `None` for one cluster, and if the sample has no variance: all clusters
    /// equal, all games won or all lost.
    pub se: Option<f64>,
    /// Lower end of the interval of the score. `None` for one cluster.
    pub score_lo: Option<f64>,
    /// Upper end of the interval of the score. `None` for one cluster.
    pub score_hi: Option<f64>,
    /// Elo of the score. `None` at scores 0 and 1.
    pub elo: Option<f64>,
    /// Elo of `score_lo`. `None` for one cluster, and after losing everything.
    pub elo_lo: Option<f64>,
    /// Elo of `score_hi`. `None` for one cluster, and after winning everything.
    pub elo_hi: Option<f64>,
    /// Likelihood of superiority, in [0, 1]: Φ(Σd/√Σd²), d the balance of a cluster (points won − points lost).
    pub los: Option<f64>,
    /// Two-sided p-value of "equally strong", valid for any number of clusters: the sign-flip test. It is exact up to 2000
    /// uneven clusters (unless many of them have hundreds of games each, all different), else by the normal
    /// distribution. Pass it to [`holm`](crate::holm) if there are several encounters.
    pub p_equal: Option<f64>,
    /// Number of coin flips whose share of heads would be as uncertain as this score. `None` for one cluster.
    pub n_eff: Option<f64>,
}

impl HeadToHead {
    /// Standard error of `elo`, in Elo: se·K/(s(1 − s)). For sums of differences; for an interval use `elo_lo` and
    /// `elo_hi`. `None` if `elo` or `se` is.
    pub fn se_elo(&self) -> Option<f64> {
        let (score, se) = self.score.zip(self.se)?;
        ratio(se * ELO_PER_NAT, score * (1.0 - score))
    }
}

/// The statistics of one encounter from its clusters.
///
/// With y points in m games per cluster, G clusters, M games: s = Σy/M and
/// var(s) = G/(G−1) · Σ(y − s·m)² / M². The interval is Wilson's with s(1−s)/var(s) as its number of games and Student's
/// quantile at G − 1 degrees of freedom. If the sample has no variance, each cluster counts as one coin flip and the
/// normal quantile is used. Unlike mean ± 2 standard errors, this interval keeps its level with few pairs and lopsided
/// scores, and stays within 0 and 1.
///
/// ```
/// use ratings::{Pentanomial, head_to_head};
/// let h = head_to_head(&Pentanomial::from([34, 54, 63, 64, 75]).into());
/// assert_eq!(h.games, 580);
/// assert!((h.elo.unwrap() - 55.58).abs() < 0.01);
/// assert!((h.elo_lo.unwrap() - 27.85).abs() < 0.01);
///
/// let all_won = head_to_head(&Pentanomial::from([0, 0, 0, 0, 10]).into());
/// assert_eq!(all_won.elo, None); // no finite difference explains it …
/// assert!(all_won.elo_lo.unwrap() > 160.0); // … but there is a lower bound
/// ```
pub fn head_to_head(clusters: &ClusterCounts) -> HeadToHead {
    let count: u128 = clusters.iter().map(|(_, times)| u128::from(times)).sum();
    let mut h = HeadToHead {
        games: clusters.games(),
        clusters: clusters.clusters(),
        score: None,
        se: None,
        score_lo: None,
        score_hi: None,
        elo: None,
        elo_lo: None,
        elo_hi: None,
        los: None,
        p_equal: None,
        n_eff: None,
    };
    if count == 0 {
        return h;
    }
    let sum = |f: &dyn Fn(u32, u32) -> u32| -> u128 {
        clusters.iter().map(|(c, times)| u128::from(f(c.half_points(), c.games())) * u128::from(times)).sum()
    };
    let (half_points, games) = (sum(&|h, _| h), sum(&|_, m| m));
    let score = if half_points == 2 * games { 1.0 } else { half_points as f64 / (2.0 * games as f64) };
    h.score = Some(score);
    h.elo = elo_from_score(score);
    h.los = Some(superiority(clusters));
    h.p_equal = Some(sign_flip(clusters));
    if count == 1 {
        return h;
    }

    let variance = score_variance(clusters, score, count as f64, games as f64);
    let wilson = if variance <= NO_VARIANCE || half_points == 0 || half_points == 2 * games {
        Wilson { score, n_eff: count as f64, quantile: Z95 }
    } else {
        h.se = finite(variance.sqrt());
        let quantile = student_quantile(0.975, (count - 1) as f64).unwrap_or(Z95);
        Wilson { score, n_eff: score * (1.0 - score) / variance, quantile }
    };
    let (lo, hi) = wilson.interval();
    h.n_eff = finite(wilson.n_eff);
    h.score_lo = if half_points == 0 { Some(0.0) } else { finite(lo) };
    h.score_hi = if half_points == 2 * games { Some(1.0) } else { finite(hi) };
    h.elo_lo = h.score_lo.and_then(elo_from_score);
    h.elo_hi = h.score_hi.and_then(elo_from_score);
    h
}

/// Variance of a score as a ratio of sums over clusters of unequal size.
fn score_variance(clusters: &ClusterCounts, score: f64, count: f64, games: f64) -> f64 {
    let squares: f64 = clusters
        .iter()
        .map(|(c, times)| {
            let residual = f64::from(c.half_points()) / 2.0 - score * f64::from(c.games());
            times as f64 * residual * residual
        })
        .sum();
    count / (count - 1.0) * squares / (games * games)
}

/// Φ(Σd/√Σd²) over the balances d of the clusters; ½ if all are even.
fn superiority(clusters: &ClusterCounts) -> f64 {
    let total: i128 = clusters.iter().map(|(c, times)| i128::from(c.balance()) * i128::from(times)).sum();
    let squares: f64 = clusters.iter().map(|(c, times)| times as f64 * (c.balance() as f64).powi(2)).sum();
    if squares > 0.0 { normal_cdf(total as f64 / squares.sqrt()) } else { 0.5 }
}

/// Wilson's interval of a proportion (1927), with an effective sample size.
struct Wilson {
    score: f64,
    n_eff: f64,
    quantile: f64,
}

impl Wilson {
    fn interval(&self) -> (f64, f64) {
        let Self { score, n_eff, quantile } = *self;
        let q2n = quantile * quantile / n_eff;
        let spread = score * (1.0 - score) / n_eff + q2n / (4.0 * n_eff);
        let half = quantile * spread.sqrt() / (1.0 + q2n);
        let centre = (score + q2n / 2.0) / (1.0 + q2n);
        ((centre - half).clamp(0.0, 1.0), (centre + half).clamp(0.0, 1.0))
    }
}

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub lo: f64,
    /// Upper end of the interval.
    pub hi: f64,
}

/// Normalised Elo of finished pairs: how many games it takes to see the difference depends on this number alone, whatever
/// the draw rate.
///
/// With mean μ, standard deviation σ, skewness g and excess kurtosis k of the pair score (0 to 1):
/// t = (μ − ½)/σ, value t·C/√2, half-width z·(C/√2)·√((1 − g·t + t²(k + 2)/4)/n), C = [`NELO_UNIT`].
/// `None` without pairs or when all have the same score.
pub fn normalized_elo(pairs: &Pentanomial) -> Option<Estimate> {
    let m = pairs.moments()?;
    if m.variance <= 0.0 {
        return None;
    }
    let sd = m.variance.sqrt();
    let (skewness, excess) = (m.third / (sd * m.variance), m.fourth / (m.variance * m.variance) - 3.0);
    let t = (m.mean - 0.5) / sd;
    let per_t = NELO_UNIT / std::f64::consts::SQRT_2;
    let value = finite(t * per_t)?;
    // The variance of a ratio: negative only by rounding.
    let bracket = (1.0 - skewness * t + t * t * (excess + 2.0) / 4.0).max(0.0);
    let half = finite(Z95 * per_t * (bracket / m.n).sqrt())?;
    Some(Estimate { value, lo: value - half, hi: value + half })
}

/// Twice the variance of the pair score over the variance of the game score, from the same games.
///
/// 1: the two games of a pair are independent. Below 1: openings favour a side, so that playing each with both colours
/// needs fewer games. Above 1: the games of a pair repeat each other. `None` without pairs, and if the games have no
/// variance.
pub fn pair_var_ratio(pairs: &Pentanomial, games: &Trinomial) -> Option<f64> {
    ratio(2.0 * pairs.moments()?.variance, games.moments()?.variance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Cluster;

    #[test]
    fn one_cluster_has_no_interval() {
        let h = head_to_head(&[Cluster::new(3, 2).unwrap()].into_iter().collect());
        assert_eq!((h.score, h.p_equal), (Some(0.75), Some(1.0)));
        assert_eq!((h.se, h.score_lo, h.elo_hi, h.n_eff), (None, None, None, None));
    }

    #[test]
    fn all_wins_bound_from_below_only() {
        let h = head_to_head(&Pentanomial::from([0, 0, 0, 0, 7]).into());
        assert_eq!((h.score, h.score_hi, h.elo, h.elo_hi, h.se), (Some(1.0), Some(1.0), None, None, None));
        assert!((h.score_lo.unwrap() - 7.0 / (7.0 + Z95 * Z95)).abs() < 1e-12);
        assert_eq!(h.p_equal, Some(2f64.powi(-6)));
    }

    #[test]
    fn the_other_side_sees_the_mirror_image() {
        let (a, b) = ([3, 10, 9, 14, 8], [8, 14, 9, 10, 3]);
        let (a, b) = (head_to_head(&Pentanomial::from(a).into()), head_to_head(&Pentanomial::from(b).into()));
        for (x, y) in [(a.elo, b.elo), (a.elo_lo, b.elo_hi), (a.elo_hi, b.elo_lo)] {
            assert!((x.unwrap() + y.unwrap()).abs() < 1e-9);
        }
        assert_eq!(a.p_equal, b.p_equal);
    }

    #[test]
    fn independent_games_have_ratio_one() {
        // Every combination of two results once.
        let ratio = pair_var_ratio(&Pentanomial::from([1, 2, 3, 2, 1]), &Trinomial::from([6, 6, 6]));
        assert!((ratio.unwrap() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn no_variance_no_ratio() {
        assert_eq!(pair_var_ratio(&Pentanomial::from([0, 0, 4, 0, 0]), &Trinomial::from([0, 8, 0])), None);
        assert_eq!(pair_var_ratio(&Pentanomial::default(), &Trinomial::default()), None);
    }

    #[test]
    fn replaying_every_pair_buys_no_confidence() {
        let once: ClusterCounts = Pentanomial::from([2, 3, 4, 6, 5]).into();
        let thrice: ClusterCounts = {
            let mut c = ClusterCounts::default();
            for (cluster, times) in once.iter() {
                c.add(Cluster::new(3 * cluster.half_points(), 3 * cluster.games()).unwrap(), times);
            }
            c
        };
        let (once, thrice) = (head_to_head(&once), head_to_head(&thrice));
        assert!((once.elo_lo.unwrap() - thrice.elo_lo.unwrap()).abs() < 1e-9);
        assert_eq!((once.los, once.p_equal), (thrice.los, thrice.p_equal));
    }
}
