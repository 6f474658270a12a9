//! How often an interval should cover the truth in a simulation.

/// Standard errors on each side: a sound procedure falls outside once in a thousand simulations.
const BAND: f64 = 3.29;

/// The coverage to accept when `runs` simulations of an interval at `level` are counted: level ± 3.29 binomial
/// standard errors, lower and upper end.
pub(crate) fn coverage_band(runs: u64, level: f64) -> (f64, f64) {
    let half = BAND * (level * (1.0 - level) / runs as f64).sqrt();
    (level - half, level + half)
}
