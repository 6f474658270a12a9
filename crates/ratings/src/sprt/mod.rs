//! Sequential probability ratio tests (SPRT): play until one of two hypotheses is accepted.

mod estimate;
mod expected;
mod llr;
mod run;

pub use estimate::SprtEstimate;
pub use expected::SprtExpected;
pub use run::SprtRun;

use crate::counts::Counts;
use crate::elo::{NELO_UNIT, score_from_elo};

/// Hypotheses further from zero are refused: from about 230 on the iteration for normalised Elo does not start.
const NORMALIZED_LIMIT: f64 = 150.0;
/// Logistic hypotheses further from zero are refused; scores there are above 99.6 %.
const LOGISTIC_LIMIT: f64 = 1000.0;

/// The unit of the hypotheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EloModel {
    /// Normalised Elo: the t-value (mean − ½)/σ of one game is elo/C, C = [`NELO_UNIT`]. A test with the same bounds takes
    /// as many games, whatever the draw rate and the openings.
    #[default]
    Normalized,
    /// Logistic Elo: the expected score is 1/(1 + 10^(−elo/400)).
    Logistic,
}

/// Why an SPRT was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// elo0 is not below elo1.
    #[error("elo0 = {elo0} must be below elo1 = {elo1}")]
    Order {
        /// Elo of H0.
        elo0: f64,
        /// Elo of H1.
        elo1: f64,
    },
    /// An error rate is not inside (0, 0.5).
    #[error("{name} = {value} must be between 0 and 0.5, both excluded")]
    ErrorRate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The value given.
        value: f64,
    },
    /// A hypothesis is outside the range of the computation. So large a difference needs no sequential test.
    #[error("hypotheses must lie within ±{limit} Elo of this model, and {value} does not")]
    Bounds {
        /// The limit of the model.
        limit: f64,
        /// The value given.
        value: f64,
    },
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SprtState {
    /// Neither bound is reached yet.
    #[default]
    Continue,
    /// H0 is accepted: the change is not worth `elo1`.
    H0,
    /// H1 is accepted: the change is better than `elo0`.
    H1,
}

impl SprtState {
    /// `continue`, `H0` or `H1`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::H0 => "H0",
            Self::H1 => "H1",
        }
    }
}

/// A sequential probability ratio test of strength elo0 against elo1.
///
/// The generalised SPRT, without approximation: the log-likelihood ratio (LLR) of the most likely distributions of pair
/// scores under each hypothesis. Wald's bounds: ln(β/(1 − α)) and ln((1 − β)/α). Evaluate it after each finished pair, over
/// the longest gap-free prefix of the schedule, not in order of finishing: short games finish first, and their results are
/// not typical. Sources: A. Wald, *Sequential Analysis* (1947); M. Van den Bergh's notes on the generalised SPRT in
/// fishtest.
///
/// ```
/// use ratings::{EloModel, Pentanomial, Sprt, SprtState};
/// let sprt = Sprt::new(0.0, 2.0, 0.05, 0.05, EloModel::Normalized)?;
/// let llr = sprt.llr(&Pentanomial::from([365, 16618, 36229, 16974, 390]));
/// assert!((llr - 2.250).abs() < 0.001);
/// assert_eq!(sprt.state(llr), SprtState::Continue);
/// # Ok::<(), ratings::SprtError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

impl Sprt {
    /// A test with the probability `alpha` of accepting H1 at `elo0` and `beta` of accepting H0 at `elo1`.
    ///
    /// # Errors
    /// Unless elo0 < elo1, both within ±150 (normalised) or ±1000 (logistic), and both error rates inside (0, 0.5).
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, SprtError> {
        let limit = match model {
            EloModel::Normalized => NORMALIZED_LIMIT,
            EloModel::Logistic => LOGISTIC_LIMIT,
        };
        if let Some(value) = [elo0, elo1].into_iter().find(|elo| elo.is_nan() || elo.abs() > limit) {
            return Err(SprtError::Bounds { limit, value });
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if value.is_nan() || value <= 0.0 || value >= 0.5 {
                return Err(SprtError::ErrorRate { name, value });
            }
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// The first hypothesis, in Elo of the model.
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The second hypothesis, in Elo of the model.
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// Probability of accepting H1 at `elo0`.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Probability of accepting H0 at `elo1`.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The unit of the hypotheses.
    pub fn model(&self) -> EloModel {
        self.model
    }

    /// The lower bound of the LLR, negative: at or below it H0 is accepted.
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// The upper bound of the LLR, positive: at or above it H1 is accepted.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// The state of a test with this LLR, without overshoot correction.
    pub fn state(&self, llr: f64) -> SprtState {
        self.state_within(llr, 0.0, 0.0)
    }

    fn state_within(&self, llr: f64, o0: f64, o1: f64) -> SprtState {
        if llr >= self.upper() - o1 {
            SprtState::H1
        } else if llr <= self.lower() + o0 {
            SprtState::H0
        } else {
            SprtState::Continue
        }
    }

    /// The log-likelihood ratio of H1 against H0, in nats; 0 without units, always finite.
    ///
    /// `counts`: finished pairs by score, or single games if there are no pairs. A count of 0 is taken as 0.001. Under each
    /// hypothesis the most likely distribution is found by solving for one multiplier (logistic), or for the multiplier
    /// and for mean and deviation in turn (normalised).
    pub fn llr<const M: usize>(&self, counts: &Counts<M>) -> f64 {
        llr::llr(self, counts)
    }

    /// A hypothesis as a score; `variance` is that of the score of one unit.
    fn score<const M: usize>(&self, elo: f64, variance: f64) -> f64 {
        match self.model {
            EloModel::Logistic => score_from_elo(elo),
            EloModel::Normalized => 0.5 + elo * (variance * games_per_unit::<M>()).sqrt() / NELO_UNIT,
        }
    }
}

/// 2 for pairs, 1 for single games.
fn games_per_unit<const M: usize>() -> f64 {
    (M - 1) as f64 / 2.0
}

/// A Brownian motion between two absorbing bounds, which approximates the LLR of a long test. Time is counted in units
/// (pairs); γ is drift divided by variance.
#[derive(Debug, Clone, Copy)]
struct Brownian {
    lower: f64,
    upper: f64,
    drift: f64,
    variance: f64,
}

impl Brownian {
    /// The LLR of `sprt` if a unit has this score and variance. The hypotheses are given as scores.
    fn of(sprt: &Sprt, score: f64, [score0, score1]: [f64; 2], variance: f64) -> Self {
        let gap = score1 - score0;
        Self {
            lower: sprt.lower(),
            upper: sprt.upper(),
            drift: (score - (score0 + score1) / 2.0) * gap / variance,
            variance: gap * gap / variance,
        }
    }

    fn width(&self) -> f64 {
        self.upper - self.lower
    }

    fn gamma(&self) -> f64 {
        self.drift / self.variance
    }

    /// Probability of absorption at the lower bound.
    fn p_lower(&self) -> f64 {
        low_before_high(self.gamma(), -self.lower, self.width())
    }

    /// Probability of absorption at the upper bound.
    fn p_upper(&self) -> f64 {
        low_before_high(-self.gamma(), self.upper, self.width())
    }
}

/// (e^(−2γx) − e^(−2γw))/(1 − e^(−2γw)): the probability of falling by x before rising by w − x (gambler's ruin). Written
/// so that nothing overflows and a small γ loses no digits.
fn low_before_high(gamma: f64, x: f64, w: f64) -> f64 {
    let g = 2.0 * gamma;
    if (g * w).abs() < 1e-12 {
        1.0 - x / w
    } else if g > 0.0 {
        (-g * x).exp() * (-g * (w - x)).exp_m1() / (-g * w).exp_m1()
    } else {
        (g * (w - x)).exp_m1() / (g * w).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused() {
        let new = |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta, EloModel::Normalized);
        assert!(matches!(new(5.0, 5.0, 0.05, 0.05), Err(SprtError::Order { .. })));
        assert!(matches!(new(0.0, 5.0, 0.5, 0.05), Err(SprtError::ErrorRate { name: "alpha", .. })));
        assert!(matches!(new(0.0, 5.0, 0.05, f64::NAN), Err(SprtError::ErrorRate { name: "beta", .. })));
        assert!(matches!(new(0.0, 151.0, 0.05, 0.05), Err(SprtError::Bounds { .. })));
        assert!(matches!(new(f64::NAN, 5.0, 0.05, 0.05), Err(SprtError::Bounds { .. })));
        assert!(Sprt::new(0.0, 200.0, 0.05, 0.05, EloModel::Logistic).is_ok());
    }

    #[test]
    fn bounds_at_five_percent() {
        let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::default()).unwrap();
        assert!((sprt.upper() - 2.944_438_979_166_44).abs() < 1e-12);
        assert!((sprt.lower() + 2.944_438_979_166_44).abs() < 1e-12);
        assert_eq!(sprt.state(sprt.upper()), SprtState::H1);
        assert_eq!(sprt.state(sprt.lower()), SprtState::H0);
    }

    #[test]
    fn gambler_s_ruin_at_any_drift() {
        let direct = |g: f64, x: f64, w: f64| {
            ((-2.0 * g * x).exp() - (-2.0 * g * w).exp()) / (1.0 - (-2.0 * g * w).exp())
        };
        for g in [-2.0, -0.1, 0.3, 1.5] {
            assert!((low_before_high(g, 2.0, 5.0) - direct(g, 2.0, 5.0)).abs() < 1e-12);
        }
        assert_eq!(low_before_high(0.0, 2.0, 5.0), 0.6);
        assert_eq!((low_before_high(1e6, 2.0, 5.0), low_before_high(-1e6, 2.0, 5.0)), (0.0, 1.0));
    }
}
