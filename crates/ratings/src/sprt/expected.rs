//! The expected length of a test.

use super::{Brownian, Sprt};
use crate::finite::finite;

/// A drift (relative to the variance) below this is too small to divide by.
const NO_DRIFT: f64 = 1e-9;

/// Power and mean length of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprtExpected {
    /// Probability of accepting H1, in [0, 1].
    pub p_h1: f64,
    /// Mean number of pairs until a decision.
    pub pairs: f64,
}

impl Sprt {
    /// Power and mean length at the true strength `elo`, in the unit of the hypotheses, if the pair score has the variance
    /// `var_pair`. In the Brownian approximation: bounds are hit exactly, a pair is a small step.
    ///
    /// For the variance see [`pair_var_default`](crate::pair_var_default). `None` if it is not positive, or `elo` not
    /// finite.
    ///
    /// ```
    /// use ratings::{EloModel, Sprt};
    /// let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, EloModel::Logistic)?;
    /// let halfway = sprt.expected(5.0, 0.105).unwrap();
    /// assert_eq!(halfway.pairs.round(), 4398.0);
    /// # Ok::<(), ratings::SprtError>(())
    /// ```
    pub fn expected(&self, elo: f64, var_pair: f64) -> Option<SprtExpected> {
        if !elo.is_finite() || !var_pair.is_finite() || var_pair <= 0.0 {
            return None;
        }
        let score = |elo| self.score::<5>(elo, var_pair);
        let b = Brownian::of(self, score(elo), [score(self.elo0), score(self.elo1)], var_pair);
        let p_h1 = finite(b.p_upper())?;
        let pairs = if b.gamma().abs() < NO_DRIFT {
            -b.lower * b.upper / b.variance
        } else {
            (b.upper * p_h1 + b.lower * b.p_lower()) / b.drift
        };
        Some(SprtExpected { p_h1, pairs: finite(pairs)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::EloModel;

    #[test]
    fn the_table_of_the_specification() {
        let table = [(5.0, 10_750.0, 17_584.0), (20.0, 673.0, 1_101.0), (100.0, 28.0, 46.0)];
        for (elo1, at_zero, halfway) in table {
            let sprt = Sprt::new(0.0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap();
            let pairs = |elo| sprt.expected(elo, 0.105).unwrap().pairs;
            assert!((pairs(0.0) - at_zero).abs() < 1.0, "{}", pairs(0.0));
            assert!((pairs(elo1 / 2.0) - halfway).abs() < 1.0, "{}", pairs(elo1 / 2.0));
        }
    }

    #[test]
    fn error_rates_are_met_at_the_hypotheses() {
        let sprt = Sprt::new(-2.0, 7.0, 0.1, 0.02, EloModel::Normalized).unwrap();
        assert!((sprt.expected(-2.0, 0.1).unwrap().p_h1 - 0.1).abs() < 1e-9);
        assert!((sprt.expected(7.0, 0.1).unwrap().p_h1 - 0.98).abs() < 1e-9);
        // With normalised bounds the length does not depend on the variance.
        let lengths = [0.02, 0.12].map(|v| sprt.expected(3.0, v).unwrap().pairs);
        assert!((lengths[0] - lengths[1]).abs() < 1e-6);
    }

    #[test]
    fn no_variance_no_expectation() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Logistic).unwrap();
        assert_eq!(sprt.expected(0.0, 0.0), None);
        assert_eq!(sprt.expected(f64::NAN, 0.1), None);
    }
}
