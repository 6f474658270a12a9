//! How many pairs to play.

use crate::distributions::{normal_quantile, normal_two_sided};
use crate::elo::{ELO_PER_NAT, score_from_elo};

/// Pairs to play so that a difference of `elo` is found with probability 1 − `beta` by a test with
/// false-alarm probability `alpha`: ⌈(q_α + q_β)²·V/(L(elo) − ½)²⌉.
///
/// `var_pair` is V, the variance of the pair score per game; see [`pair_var_default`] where it is not
/// known. `None` if `elo` is 0, V is not positive, or a probability is not inside (0, 1).
///
/// ```
/// assert_eq!(ratings::pairs_needed(20.0, 0.05, 0.1, true, 0.105), Some(1335));
/// ```
pub fn pairs_needed(elo: f64, alpha: f64, beta: f64, two_sided: bool, var_pair: f64) -> Option<u64> {
    let tail = if two_sided { alpha / 2.0 } else { alpha };
    let within = |p: f64| p > 0.0 && p < 1.0;
    if !within(alpha) || !within(beta) {
        return None;
    }
    let quantiles = normal_quantile(1.0 - tail)? + normal_quantile(1.0 - beta)?;
    let effect = score_from_elo(elo) - 0.5;
    // The sum is negative if less power is asked for than the false-alarm rate: any number of pairs has it.
    whole_pairs(quantiles.max(0.0).powi(2) * positive(var_pair)? / (effect * effect))
}

/// Pairs to play so that an interval at `level` (0.95, say) is ± `half_elo` wide near equality:
/// ⌈V·(4Kz/half_elo)²⌉. `None` unless all are positive and `level` below 1.
///
/// ```
/// assert_eq!(ratings::pairs_for_width(20.0, 0.95, 0.105), Some(487));
/// ```
pub fn pairs_for_width(half_elo: f64, level: f64, var_pair: f64) -> Option<u64> {
    let per_elo = 4.0 * ELO_PER_NAT * normal_two_sided(level)? / positive(half_elo)?;
    whole_pairs(positive(var_pair)? * per_elo * per_elo)
}

/// The variance of the pair score to plan with: (s(1 − s) − D/4)·(1 + ρ)/2, s the score expected at `elo`.
///
/// `draw_rate` D in [0, 1]; `correlation` ρ of the two games of a pair in [−1, 1]: 0 if independent,
/// below 0 where openings favour a side. 0.12 for equal engines at 4 % draws and ρ = 0; real openings
/// give about 0.10. `None` outside these ranges, and where so many draws are impossible at that score.
pub fn pair_var_default(elo: f64, draw_rate: f64, correlation: f64) -> Option<f64> {
    let s = score_from_elo(elo);
    let possible = (0.0..=1.0).contains(&draw_rate) && (-1.0..=1.0).contains(&correlation);
    let variance = (s * (1.0 - s) - draw_rate / 4.0) * (1.0 + correlation) / 2.0;
    (possible && variance >= 0.0).then_some(variance)
}

fn positive(x: f64) -> Option<f64> {
    (x > 0.0 && x.is_finite()).then_some(x)
}

/// Rounded up, but for rounding errors of up to 1e-9 above a whole number. `None` from 9e15 on.
fn whole_pairs(pairs: f64) -> Option<u64> {
    let whole = (pairs - 1e-9).ceil();
    (0.0..9e15).contains(&whole).then_some(whole as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_specification() {
        let needed = [(5.0, 21_312), (10.0, 5_331), (20.0, 1_335), (50.0, 217), (100.0, 57)];
        let for_width = [(5.0, 7_791), (10.0, 1_948), (20.0, 487), (50.0, 78), (100.0, 20)];
        for (elo, pairs) in needed {
            assert_eq!(pairs_needed(elo, 0.05, 0.1, true, 0.105), Some(pairs));
        }
        for (half, pairs) in for_width {
            assert_eq!(pairs_for_width(half, 0.95, 0.105), Some(pairs));
        }
        assert!((pair_var_default(0.0, 0.04, 0.0).unwrap() - 0.12).abs() < 1e-15);
    }

    #[test]
    fn no_number_where_there_is_none() {
        assert_eq!(pairs_needed(0.0, 0.05, 0.1, true, 0.1), None);
        assert_eq!(pairs_needed(5.0, 0.0, 0.1, true, 0.1), None);
        assert_eq!(pairs_needed(f64::NAN, 0.05, 0.1, true, 0.1), None);
        assert_eq!(pairs_for_width(0.0, 0.95, 0.1), None);
        assert_eq!(pairs_for_width(5.0, 1.0, 0.1), None);
        assert_eq!(pair_var_default(0.0, 1.5, 0.0), None);
        assert_eq!(pair_var_default(600.0, 0.9, 0.0), None);
    }
}
