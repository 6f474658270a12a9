//! The Bradley-Terry model with Davidson's ties and an advantage of the first mover.

/// Probabilities of one game's results, from the log-odds λ = θ_black + η − θ_white and the draw
/// parameter ν ≥ 0: Black e^(λ/2)/Z, White e^(−λ/2)/Z, draw ν/Z, with Z their sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) black: f64,
    pub(crate) white: f64,
    pub(crate) draw: f64,
    /// ln Z.
    pub(crate) ln_z: f64,
}

impl Outcome {
    pub(crate) fn at(lambda: f64, nu: f64) -> Self {
        // Everything divided by the larger exponential, so that none overflows.
        let q = (-lambda.abs() / 2.0).exp();
        let rest = q * q + nu * q;
        let z = 1.0 + rest;
        let (strong, weak) = (1.0 / z, q * q / z);
        let (black, white) = if lambda >= 0.0 { (strong, weak) } else { (weak, strong) };
        Self { black, white, draw: nu * q / z, ln_z: lambda.abs() / 2.0 + rest.ln_1p() }
    }

    /// Expected points of Black.
    pub(crate) fn expected(&self) -> f64 {
        self.black + self.draw / 2.0
    }

    /// Expected points of White: one minus those of Black, without the rounding of that subtraction.
    pub(crate) fn expected_white(&self) -> f64 {
        self.white + self.draw / 2.0
    }

    /// Variance of Black's points (of White's as well), as a sum of what is not negative.
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
                let o = Outcome::at(lambda, nu);
                let e = o.expected();
                assert!((o.black + o.white + o.draw - 1.0).abs() < 1e-15);
                assert!((o.variance() - (o.black + o.draw / 4.0 - e * e)).abs() < 1e-15);
                assert!((o.black / o.white - lambda.exp()).abs() < 1e-9 * lambda.exp());
            }
        }
    }

    #[test]
    fn nothing_overflows() {
        for lambda in [-1e6, 1e6] {
            let o = Outcome::at(lambda, 2.0);
            assert!(o.ln_z.is_finite() && o.variance() == 0.0);
        }
    }
}
