//! The strength after a sequential test, without the bias that comes from stopping at a bound.

use super::llr::without_zeros;
use super::{Brownian, Sprt};
use crate::counts::{Counts, Moments};
use crate::distributions::ln_normal_cdf;
use crate::elo::score_from_elo;
use crate::finite::finite;
use std::f64::consts::PI;

/// The estimate and the ends of its interval are searched within ± this many Elo.
const ELO_RANGE: f64 = 1000.0;
/// Tests from this length on (variance of the path / squared width) are computed by eigenfunctions, shorter ones by
/// reflections.
const LONG_TEST: f64 = 0.3;
/// Number of eigenfunctions. In a long test the last one is damped by e^(−900).
const EIGENFUNCTIONS: u32 = 25;
/// Number of reflections on each side.
const REFLECTIONS: i32 = 8;

/// Strength after or during an SPRT, in logistic Elo. All are `None` without units; each is also `None` beyond ±1000.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SprtEstimate {
    /// Median-unbiased estimate: as often too high as too low.
    pub elo: Option<f64>,
    /// Lower end of the 95 % interval.
    pub lo: Option<f64>,
    /// Upper end of the 95 % interval.
    pub hi: Option<f64>,
}

impl Sprt {
    /// The strength estimated from `counts`, those at which the test stands or ended.
    ///
    /// Stopping at a bound biases the estimate of [`head_to_head`](crate::head_to_head). Here the LLR is approximated by a
    /// Brownian motion between absorbing bounds. F(e) is the probability, at strength e, that the test ends no higher than
    /// it did. The estimate is the e with F = ½; the interval ends at F = 0.975 and 0.025. This is the method of fishtest's
    /// SPRT calculator (D. Siegmund, *Sequential Analysis* (1985), on estimation after stopping).
    pub fn estimate<const M: usize>(&self, counts: &Counts<M>) -> SprtEstimate {
        self.observe(counts).map_or_else(SprtEstimate::default, |seen| SprtEstimate {
            elo: seen.solve(0.5),
            lo: seen.solve(0.975),
            hi: seen.solve(0.025),
        })
    }

    fn observe<const M: usize>(&self, counts: &Counts<M>) -> Option<Observed<'_>> {
        if counts.units() == 0 {
            return None;
        }
        let m = Moments::of(without_zeros(counts))?;
        let hypotheses = [self.elo0, self.elo1].map(|elo| self.score::<M>(elo, m.variance));
        let drift = Brownian::of(self, m.mean, hypotheses, m.variance).drift;
        let end = (m.n * drift).clamp(self.lower(), self.upper());
        let time = if end == m.n * drift { m.n } else { end / drift };
        Some(Observed { sprt: self, hypotheses, variance: m.variance, time, end })
    }
}

/// A path of the LLR: its length and its end.
struct Observed<'a> {
    sprt: &'a Sprt,
    hypotheses: [f64; 2],
    variance: f64,
    time: f64,
    end: f64,
}

impl Observed<'_> {
    /// The strength at which F is `level`. F falls with the strength.
    fn solve(&self, level: f64) -> Option<f64> {
        let f = |elo: f64| {
            let b = Brownian::of(self.sprt, score_from_elo(elo), self.hypotheses, self.variance);
            finite(b.p_ends_at_or_below(self.time, self.end))
        };
        let (mut weak, mut strong) = (-ELO_RANGE, ELO_RANGE);
        if f(weak)? < level || f(strong)? > level {
            return None;
        }
        while strong - weak > 1e-9 {
            let middle = f64::midpoint(weak, strong);
            if f(middle)? > level {
                weak = middle;
            } else {
                strong = middle;
            }
        }
        Some(f64::midpoint(weak, strong))
    }
}

impl Brownian {
    /// P(absorbed at the lower bound before `time`) + P(between the bounds at `time`, and not above `end`).
    fn p_ends_at_or_below(&self, time: f64, end: f64) -> f64 {
        let spread = self.variance * time / (self.width() * self.width());
        let p = if spread >= LONG_TEST {
            self.by_eigenfunctions(time, end)
        } else {
            self.by_reflections(time, end)
        };
        p.clamp(0.0, 1.0)
    }

    fn by_eigenfunctions(&self, time: f64, end: f64) -> f64 {
        let (w, gamma, w2) = (self.width(), self.gamma(), self.variance);
        let (start, height) = (-self.lower, end - self.lower);
        let mut p = self.p_lower();
        for n in 1..=EIGENFUNCTIONS {
            let n = f64::from(n);
            let a = n * PI / w;
            let rate = a * a * w2 / 2.0 + self.drift * self.drift / (2.0 * w2);
            let decay = (-rate * time - gamma * start).exp();
            let risen = (-rate * time - gamma * start + gamma * height).exp();
            let wave = gamma * (a * height).sin() - a * (a * height).cos();
            let alive = 2.0 / w * (risen * wave + a * decay) / (a * a + gamma * gamma);
            let yet_to_fall = PI * w2 * n / (w * w * rate) * decay;
            p += (a * start).sin() * (alive - yet_to_fall);
        }
        p
    }

    fn by_reflections(&self, time: f64, end: f64) -> f64 {
        let (w, gamma, lower) = (self.width(), self.gamma(), self.lower);
        let (sd, drifted) = ((self.variance * time).sqrt(), self.drift * time);
        // e^(γu)·(P(ends below `end`) − P(ends below `lower`)) for a path that starts at u.
        let image = |u: f64| {
            let (high, low) = ((end - u - drifted) / sd, (lower - u - drifted) / sd);
            // Computed from the smaller of the two tails, which loses no digits.
            let (high, low) = if low > 0.0 { (-low, -high) } else { (high, low) };
            (gamma * u + ln_normal_cdf(high)).exp() - (gamma * u + ln_normal_cdf(low)).exp()
        };
        let alive: f64 = (-REFLECTIONS..=REFLECTIONS)
            .map(|k| f64::from(k) * 2.0 * w)
            .map(|shift| image(shift) - image(2.0 * lower - shift))
            .sum();
        // Probability of reaching a distance u below, if there were no other bound.
        let start = -lower;
        let passage = |u: f64| {
            (gamma * (u - start) + ln_normal_cdf((-u - drifted) / sd)).exp()
                + (-gamma * (u + start) + ln_normal_cdf((-u + drifted) / sd)).exp()
        };
        let absorbed: f64 = (0..=REFLECTIONS)
            .map(f64::from)
            .map(|k| passage(start + 2.0 * k * w) - passage(2.0 * (k + 1.0) * w - start))
            .sum();
        alive + absorbed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(drift: f64, variance: f64) -> Brownian {
        Brownian { lower: -2.5, upper: 3.1, drift, variance }
    }

    /// Both series are exact: they agree wherever both converge.
    #[test]
    fn eigenfunctions_and_reflections_agree() {
        for drift in [-0.4, -0.02, 0.0, 0.01, 0.3] {
            for end in [-2.5, -1.0, 0.5, 3.1] {
                let b = motion(drift, 0.3);
                for time in [20.0, 40.0, 90.0] {
                    let (one, other) = (b.by_eigenfunctions(time, end), b.by_reflections(time, end));
                    assert!((one - other).abs() < 1e-8, "{drift} {end} {time}: {one} {other}");
                }
            }
        }
    }

    /// The oracle: the density of the motion, stepped through time on a grid (Crank-Nicolson would be
    /// finer; small explicit steps are enough).
    #[test]
    fn agrees_with_a_walk_on_a_grid() {
        let b = motion(0.05, 0.4);
        let (cells, time, end) = (560, 12.0, 0.75);
        let dx = b.width() / f64::from(cells);
        let steps = (time * b.variance / (0.8 * dx * dx)).ceil();
        let dt = time / steps;
        let (diffuse, advect) = (b.variance * dt / (2.0 * dx * dx), b.drift * dt / (2.0 * dx));
        let mut density = vec![0.0; cells as usize + 1];
        density[250] = 1.0; // −2.5 + 250·0.01 = 0
        let mut absorbed = 0.0;
        for _ in 0..steps as usize {
            let mut next = vec![0.0; density.len()];
            for (i, mass) in density.iter().enumerate().filter(|(_, m)| **m > 0.0) {
                next[i - 1] += mass * (diffuse - advect);
                next[i] += mass * (1.0 - 2.0 * diffuse);
                next[i + 1] += mass * (diffuse + advect);
            }
            absorbed += next[0];
            next[0] = 0.0;
            next[cells as usize] = 0.0;
            density = next;
        }
        // Half of the cell the end lies on.
        let at = ((end - b.lower) / dx).round() as usize;
        let walked = absorbed + density[..at].iter().sum::<f64>() + density[at] / 2.0;
        let exact = b.p_ends_at_or_below(time, end);
        assert!((walked - exact).abs() < 2e-4, "{walked} {exact}");
    }

    #[test]
    fn no_overflow_at_the_ends_of_the_search() {
        for drift in [-400.0, -3.0, 3.0, 400.0] {
            for variance in [1e-4, 0.3, 50.0] {
                for time in [1e-3, 1.0, 1e3, 1e7] {
                    for end in [-2.5, 0.0, 3.1] {
                        assert!(motion(drift, variance).p_ends_at_or_below(time, end).is_finite());
                    }
                }
            }
        }
    }
}
