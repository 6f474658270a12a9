//! Confidence sequences: intervals that stay valid when they are looked at after every pair.

use crate::distributions::normal_two_sided;
use crate::finite::finite;

/// The sequence is asymptotic: it is not valid below this number of pairs.
const FROM: u64 = 16;

/// One interval of a confidence sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceSequence {
    /// The mixing variance ρ².
    pub rho2: f64,
    /// Lower end, in the unit of the mean; may lie outside the mean's own range.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

/// The interval after `n` pairs of a sequence that covers the true mean *at all n together* with
/// probability 1 − `alpha`. A test may stop at any time because of it; with a fixed 95 % interval that is wrong.
///
/// mean ± √V·√(2(nρ² + 1)/(n²ρ²)·ln(√(nρ² + 1)/α)), ρ² = (−2 ln α + ln(1 − 2 ln α))/n*. `mean` and
/// `variance` V (divided by n − 1) are of the pair score; `n_star` is the number of pairs where the
/// sequence should be narrowest; there it is 1.55 times as wide as the fixed interval (at 5 %).
/// `None` below 16 pairs, for a negative variance, `n_star` 0, or `alpha` outside (0, 1). Source:
/// Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, *Annals of Statistics* 52 (2024), asymptotic sequences.
pub fn conf_sequence(
    n: u64,
    mean: f64,
    variance: f64,
    n_star: u64,
    alpha: f64,
) -> Option<ConfidenceSequence> {
    let rho2 = mixing_variance(n_star, alpha)?;
    if n < FROM || !mean.is_finite() || !variance.is_finite() || variance < 0.0 {
        return None;
    }
    let half = finite(variance.sqrt() * half_width(n, rho2, alpha))?;
    Some(ConfidenceSequence { rho2, lo: finite(mean - half)?, hi: finite(mean + half)? })
}

/// The width of the sequence after `n` pairs, divided by that of the fixed interval at the same level. Multiply an error
/// bar that is not of a mean by it, such as that of a difference in a pool (n = pairs of the engine with fewer pairs).
/// `None` as for [`conf_sequence`].
pub fn conf_sequence_widening(n: u64, n_star: u64, alpha: f64) -> Option<f64> {
    let rho2 = mixing_variance(n_star, alpha)?;
    if n < FROM {
        return None;
    }
    finite(half_width(n, rho2, alpha) * (n as f64).sqrt() / normal_two_sided(1.0 - alpha)?)
}

fn mixing_variance(n_star: u64, alpha: f64) -> Option<f64> {
    if n_star == 0 || alpha.is_nan() || alpha <= 0.0 || alpha >= 1.0 {
        return None;
    }
    let l = -2.0 * alpha.ln();
    finite((l + l.ln_1p()) / n_star as f64).filter(|rho2| *rho2 > 0.0)
}

/// Half the width of the interval, in standard deviations of one pair.
fn half_width(n: u64, rho2: f64, alpha: f64) -> f64 {
    let n = n as f64;
    let grown = n * rho2 + 1.0;
    (2.0 * grown / (n * n * rho2) * (grown.sqrt() / alpha).ln()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tightest_where_asked() {
        let at = |n| conf_sequence_widening(n, 200, 0.05).unwrap();
        assert!((at(200) - 1.55).abs() < 0.01);
        assert!(at(200) < at(100) && at(200) < at(400));
    }

    #[test]
    fn too_early_or_nonsense() {
        assert_eq!(conf_sequence(15, 0.5, 0.1, 100, 0.05), None);
        assert_eq!(conf_sequence(100, 0.5, -0.1, 100, 0.05), None);
        assert_eq!(conf_sequence(100, 0.5, 0.1, 0, 0.05), None);
        assert_eq!(conf_sequence(100, 0.5, 0.1, 100, 1.0), None);
        assert_eq!(conf_sequence(100, f64::INFINITY, 0.1, 100, 0.05), None);
        assert_eq!(conf_sequence_widening(3, 100, 0.05), None);
    }
}
