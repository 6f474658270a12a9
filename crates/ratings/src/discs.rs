//! Disc differences: how big the wins are, not which engine is stronger.
//!
//! They never enter ratings: always winning 33 : 31 is stronger than winning 64 : 0 half of the time.

use crate::distributions::{student_quantile, student_two_sided};
use crate::finite::{finite, ratio};

/// Mean disc difference over game pairs with Student's interval and test. Unit: discs per game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discs {
    /// Pairs counted.
    pub n: u64,
    /// Mean difference. `None` without pairs.
    pub mean: Option<f64>,
    /// Standard deviation of one pair (divided by n − 1). `None` below two pairs; so are `se` and `df`.
    pub sd: Option<f64>,
    /// Standard error of the mean.
    pub se: Option<f64>,
    /// Degrees of freedom, n − 1.
    pub df: Option<u64>,
    /// Lower end of the 95 % t-interval. `None` below two pairs and if all pairs are equal; so are `hi`, `t` and `p`.
    pub lo: Option<f64>,
    /// Upper end of the interval.
    pub hi: Option<f64>,
    /// Mean divided by its standard error.
    pub t: Option<f64>,
    /// Two-sided p-value of "the mean is zero".
    pub p: Option<f64>,
}

/// Student's one-sample test on pairs.
///
/// `pair_sums`: for each pair, the *sum* of the first engine's disc differences over its two games (twice the mean of the
/// pair, so a whole number). Leave out pairs of which a game did not finish normally. The results are per game.
///
/// ```
/// let d = ratings::discs(&[6, 27, -13, 22]); // pair means 3, 13½, −6½, 11
/// assert_eq!(d.mean, Some(5.25));
/// assert!(d.lo.unwrap() < 0.0);
/// ```
pub fn discs(pair_sums: &[i32]) -> Discs {
    let n = pair_sums.len() as u64;
    let mut d = Discs { n, mean: None, sd: None, se: None, df: None, lo: None, hi: None, t: None, p: None };
    let sum: i128 = pair_sums.iter().map(|&x| i128::from(x)).sum();
    d.mean = ratio(sum as f64 / 2.0, n as f64);
    let Some(mean) = d.mean.filter(|_| n >= 2) else {
        return d;
    };
    // n·Σx² − (Σx)² of the sums of pairs, which are twice the means: exact in integers.
    let squares: i128 = pair_sums.iter().map(|&x| i128::from(x) * i128::from(x)).sum();
    let spread = i128::from(n) * squares - sum * sum;
    let df = (n - 1) as f64;
    let sd = (spread as f64 / (4.0 * n as f64 * df)).sqrt();
    let se = sd / (n as f64).sqrt();
    (d.sd, d.se, d.df) = (finite(sd), finite(se), Some(n - 1));
    if spread > 0 {
        let half = student_quantile(0.975, df).map(|q| q * se);
        d.lo = half.and_then(|half| finite(mean - half));
        d.hi = half.and_then(|half| finite(mean + half));
        d.t = ratio(mean, se);
        d.p = d.t.and_then(|t| student_two_sided(t, df));
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_when() {
        assert_eq!(discs(&[]).mean, None);
        let one = discs(&[12]);
        assert_eq!((one.mean, one.sd, one.df, one.p), (Some(6.0), None, None, None));
        let same = discs(&[8, 8, 8]);
        assert_eq!((same.sd, same.se, same.df), (Some(0.0), Some(0.0), Some(2)));
        assert_eq!((same.lo, same.t, same.p), (None, None, None));
    }

    /// Not in the reference cases; scipy 1.17.1, `ttest_1samp([1, 2.5, -0.5, 4], 0)`.
    #[test]
    fn agrees_with_scipy() {
        let d = discs(&[2, 5, -1, 8]);
        assert!((d.t.unwrap() - 1.807_392_228_230_127_8).abs() < 1e-12);
        assert!((d.p.unwrap() - 0.168_429_245_320_145_08).abs() < 1e-9);
    }
}
