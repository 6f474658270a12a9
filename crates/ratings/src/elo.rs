//! Scores and Elo: the constants and the two conversions.

use crate::finite::finite;

/// Elo per nat, 400 / ln 10: a factor of *e* in the odds of winning is this many Elo.
pub const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// The unit of normalised Elo, 800 / ln 10: the t-value of one game (mean above one half, over the
/// standard deviation) times this constant.
pub const NELO_UNIT: f64 = 800.0 / std::f64::consts::LN_10;

/// The Elo difference at which a score is expected: 400·log10(s / (1 − s)).
///
/// `score` is points per game: win 1, draw ½, loss 0. `None` unless 0 < score < 1: no finite difference explains the
/// scores 0 and 1.
///
/// ```
/// assert_eq!(ratings::elo_from_score(0.5), Some(0.0));
/// assert_eq!(ratings::elo_from_score(1.0), None);
/// ```
pub fn elo_from_score(score: f64) -> Option<f64> {
    // 1 − s loses digits only near 1, where the score itself has no more of them.
    if score > 0.0 && score < 1.0 { finite(400.0 * (score / (1.0 - score)).log10()) } else { None }
}

/// The score expected at an Elo difference: 1 / (1 + 10^(−e/400)), in [0, 1].
///
/// Exactly 0 or 1 only by rounding, beyond several thousand Elo.
pub fn score_from_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-800.0, -35.0, 0.0, 1.0, 200.0, 1500.0] {
            let back = elo_from_score(score_from_elo(elo)).unwrap();
            assert!((back - elo).abs() < 1e-9, "{elo} came back as {back}");
        }
    }

    #[test]
    fn ends_have_no_elo() {
        for score in [0.0, 1.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(elo_from_score(score), None);
        }
    }

    #[test]
    fn a_slope_of_one_elo_near_equality() {
        // dE/ds at s = ½ is 4K.
        let e = elo_from_score(0.5 + 1e-6).unwrap();
        assert!((e / 1e-6 - 4.0 * ELO_PER_NAT).abs() < 1e-4);
    }
}
