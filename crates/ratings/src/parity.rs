//! What other testing tools print, for comparing with them; and whether pairing pays.

use crate::counts::{Counts, Pentanomial, Trinomial};
use crate::distributions::normal_cdf;
use crate::units::{NELO_UNIT, Z95, elo_from_score, finite, ratio};

/// The figures fishtest, fastchess and cutechess print. Not for reports: with few pairs and a lopsided
/// score this interval covers as little as 14 % instead of 95 %. For those see
/// [`head_to_head`](crate::head_to_head).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parity {
    /// Units counted: games or pairs.
    pub units: u64,
    /// Points per game. `None` without units, like `var` and `se`.
    pub score: Option<f64>,
    /// Variance of a unit's score (divided by n), in squared points per game.
    pub var: Option<f64>,
    /// Standard error of the score.
    pub se: Option<f64>,
    /// Elo of the score. `None` at scores 0 and 1.
    pub elo: Option<f64>,
    /// Half the Elo between score ± z·se. `None` where an end is outside (0, 1), and without variance.
    pub elo_err: Option<f64>,
    /// Φ((s − ½)/se). `None` without variance, like the next two.
    pub los_wald: Option<f64>,
    /// Normalised Elo, (s − ½)/σ·C with σ the standard deviation per game.
    pub nelo: Option<f64>,
    /// z·C/√games.
    pub nelo_err: Option<f64>,
}

/// The figures of other tools, from game results or pair scores.
///
/// s and V are mean and variance (divided by n) of the score of a unit; se = √(V/n); σ = √V for games,
/// √(2V) for pairs.
///
/// ```
/// use ratings::{Trinomial, parity};
/// let p = parity(&Trinomial::from([89, 123, 76]));
/// assert_eq!(format!("{:.2} ± {:.2}", p.elo.unwrap(), p.elo_err.unwrap()), "-15.69 ± 30.46");
/// ```
pub fn parity<const M: usize>(counts: &Counts<M>) -> Parity {
    let mut p = Parity {
        units: counts.units(),
        score: None,
        var: None,
        se: None,
        elo: None,
        elo_err: None,
        los_wald: None,
        nelo: None,
        nelo_err: None,
    };
    let Some(m) = counts.moments() else {
        return p;
    };
    let games_per_unit = (M - 1) as f64 / 2.0;
    let se = (m.variance / m.n).sqrt();
    p.score = finite(m.mean);
    p.var = finite(m.variance);
    p.se = finite(se);
    p.elo = elo_from_score(m.mean);
    if m.variance > 0.0 {
        let ends = elo_from_score(m.mean - Z95 * se).zip(elo_from_score(m.mean + Z95 * se));
        p.elo_err = ends.map(|(lo, hi)| (hi - lo) / 2.0);
        p.los_wald = ratio(m.mean - 0.5, se).map(normal_cdf);
        p.nelo = ratio(m.mean - 0.5, (m.variance * games_per_unit).sqrt()).map(|t| t * NELO_UNIT);
        p.nelo_err = finite(Z95 * NELO_UNIT / (m.n * games_per_unit).sqrt());
    }
    p
}

/// Twice the variance of the pair score over the variance of the game score, from the same games.
///
/// 1: the two games of a pair are independent. Below 1: openings favour a side, and playing each with
/// both colours pays. Above 1: the games of a pair repeat each other. `None` without pairs or without
/// variance between games.
pub fn pair_var_ratio(pairs: &Pentanomial, games: &Trinomial) -> Option<f64> {
    ratio(2.0 * pairs.moments()?.variance, games.moments()?.variance)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let p = parity(&Pentanomial::from([0, 0, 0, 3, 0]));
        assert_eq!((p.se, p.elo_err, p.nelo_err), (Some(0.0), None, None));
    }
}
