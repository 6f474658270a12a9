//! Numbers that do not exist.

/// `None` for NaN and infinity. Every result that could divide by zero or overflow passes through here, so that the
/// crate never returns such a number.
pub(crate) fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// A quotient; `None` if it is not finite.
pub(crate) fn ratio(numerator: f64, denominator: f64) -> Option<f64> {
    finite(numerator / denominator)
}

/// `u64::MAX` for anything above it.
pub(crate) fn saturating_u64(x: u128) -> u64 {
    u64::try_from(x).unwrap_or(u64::MAX)
}
