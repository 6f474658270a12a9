//! The Bradley-Terry model with Davidson's draws and an advantage of moving first.

/// Probabilities of one game's results, from the log-odds λ = θ_black + η − θ_white and the draw
/// parameter ν ≥ 0: Black e^(λ/2)/Z, White e^(−λ/2)/Z, draw ν/Z, with Z their sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutcomeProbabilities {
    pub(crate) black: f64,
    pub(crate) white: f64,
    pub(crate) draw: f64,
}

impl OutcomeProbabilities {
    pub(crate) fn at(lambda: f64, nu: f64) -> Self {
        // All is divided by the larger exponential, so that none overflows.
        let q = (-lambda.abs() / 2.0).exp();
        let z = 1.0 + q * q + nu * q;
        let (strong, weak) = (1.0 / z, q * q / z);
        let (black, white) = if lambda >= 0.0 { (strong, weak) } else { (weak, strong) };
        Self { black, white, draw: nu * q / z }
    }

    /// Logarithms of the probabilities of Black, White and draw. `delta` is ln ν. Each is accurate to its own last digit:
    /// otherwise rounding errors of ln Z would dominate the sum over many games with a nearly certain result.
    pub(crate) fn logarithms(lambda: f64, nu: f64, delta: f64) -> [f64; 3] {
        let size = lambda.abs();
        let q = (-size / 2.0).exp();
        let strong = -(q * q + nu * q).ln_1p();
        let weak = strong - size;
        let odds = nu * q / (1.0 + q * q);
        let draw = if odds > 1.0 { -(1.0 / odds).ln_1p() } else { strong + delta - size / 2.0 };
        if lambda >= 0.0 { [strong, weak, draw] } else { [weak, strong, draw] }
    }

    /// Expected points of Black.
    pub(crate) fn expected(&self) -> f64 {
        self.black + self.draw / 2.0
    }

    /// Expected points of White: 1 − those of Black, without rounding errors of that subtraction.
    pub(crate) fn expected_white(&self) -> f64 {
        self.white + self.draw / 2.0
    }

    /// Variance of Black's points, which is that of White's. A sum of terms that are not negative, so it is not either.
    pub(crate) fn variance(&self) -> f64 {
        self.black * self.white + self.draw * (self.black + self.white) / 4.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_is_that_of_the_distribution() {
        for lambda in [-3.0, 0.0, 0.7, 12.0] {
            for nu in [0.0, 0.3, 40.0] {
                let o = OutcomeProbabilities::at(lambda, nu);
                let e = o.expected();
                assert!((o.black + o.white + o.draw - 1.0).abs() < 1e-15);
                assert!((o.variance() - (o.black + o.draw / 4.0 - e * e)).abs() < 1e-15);
                assert!((o.black / o.white - lambda.exp()).abs() < 1e-9 * lambda.exp());
            }
        }
    }

    #[test]
    fn logarithms_are_those_of_the_probabilities() {
        for lambda in [-9.0, -0.2, 0.0, 3.0] {
            for nu in [1e-6, 0.3, 5.0, 1e7] {
                let o = OutcomeProbabilities::at(lambda, nu);
                let ln = OutcomeProbabilities::logarithms(lambda, nu, nu.ln());
                for (p, ln) in [o.black, o.white, o.draw].into_iter().zip(ln) {
                    assert!((p.ln() - ln).abs() < 1e-13 * (1.0 + ln.abs()), "{lambda} {nu}");
                }
            }
        }
    }

    #[test]
    fn nothing_overflows() {
        for lambda in [-1e6, 1e6] {
            let o = OutcomeProbabilities::at(lambda, 2.0);
            let ln = OutcomeProbabilities::logarithms(lambda, 2.0, 2f64.ln());
            assert!(o.variance() == 0.0 && ln.iter().all(|x| x.is_finite()));
        }
    }
}
