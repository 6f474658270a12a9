//! The log-likelihood ratio: the most likely distribution under each hypothesis.

use super::{EloModel, Sprt, games_per_unit};
use crate::counts::{Counts, Moments};
use crate::elo::{NELO_UNIT, score_from_elo};

/// Stands for a count of 0, whose logarithm does not exist.
pub(super) const ZERO_COUNT: f64 = 0.001;
/// The iteration for normalised Elo stops when no probability changes by more than this, or after [`MAX_ITERATIONS`].
const CONVERGED: f64 = 1e-10;
const MAX_ITERATIONS: usize = 100;
/// Accuracy of the multiplier, relative to the width of its interval.
const ROOT_TOLERANCE: f64 = 1e-14;

pub(super) fn without_zeros<const M: usize>(counts: &Counts<M>) -> [f64; M] {
    counts.0.map(|n| if n == 0 { ZERO_COUNT } else { n as f64 })
}

pub(super) fn llr<const M: usize>(sprt: &Sprt, counts: &Counts<M>) -> f64 {
    const { assert!(M >= 2, "a result needs two values at least") }
    if counts.units() == 0 {
        return 0.0;
    }
    let counts = without_zeros(counts);
    let total: f64 = counts.iter().sum();
    let seen = counts.map(|n| n / total);
    let under = |elo: f64| match sprt.model {
        EloModel::Logistic => with_score(&seen, score_from_elo(elo)),
        EloModel::Normalized => with_t_value(&seen, elo * games_per_unit::<M>().sqrt() / NELO_UNIT),
    };
    let (h0, h1) = (under(sprt.elo0), under(sprt.elo1));
    (0..M).map(|i| counts[i] * (h1[i] / h0[i]).ln()).sum()
}

/// The scores i / (M − 1).
fn scores<const M: usize>() -> [f64; M] {
    std::array::from_fn(|i| i as f64 / (M - 1) as f64)
}

/// Of the distributions with this mean, the one under which `seen` is most likely.
fn with_score<const M: usize>(seen: &[f64; M], score: f64) -> [f64; M] {
    tilt(seen, &scores().map(|a| a - score)).unwrap_or(*seen)
}

/// Of the distributions whose mean is `t` standard deviations above ½, the one under which `seen` is most likely. By
/// successive linearisation.
fn with_t_value<const M: usize>(seen: &[f64; M], t: f64) -> [f64; M] {
    let mut p = [1.0 / M as f64; M];
    for _ in 0..MAX_ITERATIONS {
        let Some(m) = Moments::of(p) else { break };
        let sd = m.variance.sqrt();
        let b = scores().map(|a: f64| {
            let x = (a - m.mean) / sd;
            a - 0.5 - t * sd / 2.0 * (1.0 + x * x)
        });
        // Always found within the bounds that `Sprt::new` allows.
        let Some(next) = tilt(seen, &b) else { break };
        let moved = (0..M).map(|i| (next[i] - p[i]).abs()).fold(0.0, f64::max);
        p = next;
        if moved < CONVERGED {
            break;
        }
    }
    p
}

/// p/(1 + θb) with the θ for which the mean of b is 0: the most likely distribution under that constraint (empirical
/// likelihood; A. Owen, *Biometrika* 75 (1988)). `None` unless b has values of both signs.
fn tilt<const M: usize>(p: &[f64; M], b: &[f64; M]) -> Option<[f64; M]> {
    let (least, most) = b.iter().fold((0.0, 0.0), |(lo, hi): (f64, f64), &b| (lo.min(b), hi.max(b)));
    let (mut below, mut above) = (-1.0 / most, -1.0 / least);
    let tolerance = ROOT_TOLERANCE * (above - below);
    if !tolerance.is_finite() {
        return None;
    }
    // Σ p·b/(1 + θb) falls from +∞ to −∞ on the interval. Newton's method; a step that leaves the interval is replaced by
    // halving it.
    let mut theta = 0.0;
    for _ in 0..200 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (p, b) in p.iter().zip(b) {
            let r = b / (1.0 + theta * b);
            value += p * r;
            slope += p * r * r;
        }
        if value > 0.0 {
            below = theta;
        } else {
            above = theta;
        }
        let newton = theta + value / slope;
        let next = if newton > below && newton < above { newton } else { f64::midpoint(below, above) };
        let step = (next - theta).abs();
        theta = next;
        if step <= tolerance {
            break;
        }
    }
    let tilted: [f64; M] = std::array::from_fn(|i| p[i] / (1.0 + theta * b[i]));
    tilted.iter().all(|q| q.is_finite() && *q > 0.0).then_some(tilted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilted_distributions_keep_their_constraint() {
        let seen = [0.1, 0.05, 0.4, 0.2, 0.25];
        for score in [0.02, 0.3, 0.5, 0.9] {
            let p = with_score(&seen, score);
            let m = Moments::of(p).unwrap();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (m.mean - score).abs() < 1e-12);
        }
        for t in [-0.5, -0.01, 0.0, 0.3, 0.6] {
            let m = Moments::of(with_t_value(&seen, t)).unwrap();
            assert!((m.n - 1.0).abs() < 1e-9 && ((m.mean - 0.5) / m.variance.sqrt() - t).abs() < 1e-8);
        }
    }

    /// The oracle: the same likelihood, maximised over the whole simplex of three results by a grid.
    #[test]
    fn no_distribution_with_that_score_is_more_likely() {
        let (seen, score) = ([0.2, 0.5, 0.3], 0.6);
        let likelihood = |p: [f64; 3]| (0..3).map(|i| seen[i] * p[i].ln()).sum::<f64>();
        let best = likelihood(with_score(&seen, score));
        for k in 1..800 {
            let win = f64::from(k) / 1000.0;
            let draw = 2.0 * (score - win);
            let p = [1.0 - win - draw, draw, win];
            if p.iter().all(|q| *q > 0.0) {
                assert!(likelihood(p) <= best + 1e-12);
            }
        }
    }

    #[test]
    fn every_allowed_hypothesis_has_a_distribution() {
        for counts in [
            [0, 0, 0, 0, 10_000_000],
            [7, 0, 0, 0, 0],
            [0, 0, 1, 0, 0],
            [1, 0, 0, 0, 1],
            [1, 0, 0, 0, 1_000_000_000],
            [0, 3, 0, 0, 0],
        ] {
            let counts = without_zeros(&Counts(counts));
            let total: f64 = counts.iter().sum();
            let seen = counts.map(|n| n / total);
            for elo in [-150.0, -60.0, 0.0, 1.0, 90.0, 150.0] {
                let t = elo * 2f64.sqrt() / NELO_UNIT;
                let m = Moments::of(with_t_value(&seen, t)).unwrap();
                let found = (m.mean - 0.5) / m.variance.sqrt();
                assert!((found - t).abs() < 1e-4, "{counts:?} {elo}: {found} is not {t}");
            }
        }
    }
}
