//! How often an interval should cover the truth in a simulation.

use crate::units::finite;

/// Standard errors on each side: a sound procedure falls outside once in a thousand.
const BAND: f64 = 3.29;

/// The coverage to accept when `runs` simulations of an interval at `level` are counted: level ± 3.29
/// binomial standard errors, lower and upper end. `None` without runs or with a level outside (0, 1).
///
/// ```
/// let (lo, hi) = ratings::coverage_band(1000, 0.95).unwrap();
/// assert!((lo - 0.9273).abs() < 1e-4 && (hi - 0.9727).abs() < 1e-4);
/// ```
pub fn coverage_band(runs: u64, level: f64) -> Option<(f64, f64)> {
    if runs == 0 || level.is_nan() || level <= 0.0 || level >= 1.0 {
        return None;
    }
    let half = BAND * (level * (1.0 - level) / runs as f64).sqrt();
    finite(level - half).zip(finite(level + half))
}

#[cfg(test)]
mod tests {
    use super::coverage_band;

    #[test]
    fn nothing_to_count() {
        assert_eq!(coverage_band(0, 0.95), None);
        assert_eq!(coverage_band(10, 1.0), None);
        assert_eq!(coverage_band(10, f64::NAN), None);
    }
}
