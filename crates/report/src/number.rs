//! Numbers as text: `.` as decimal point, an empty field for what does not exist, never NaN or
//! infinity, never minus zero.

use std::time::Duration;

/// Elo and discs.
pub(crate) fn hundredths(value: Option<f64>) -> String {
    field(value, |value| fixed(value, 2))
}

/// Scores, in [0, 1].
pub(crate) fn score(value: Option<f64>) -> String {
    field(value, |value| fixed(value, 4))
}

/// Probabilities: four significant digits and at least four decimals, `0.5000`, `0.00001234`,
/// `1.234e-9`.
pub(crate) fn probability(value: Option<f64>) -> String {
    field(value, |value| {
        if value == 0.0 {
            return fixed(value, 4);
        }
        // The exponent after rounding, so that 0.00099999 is 0.001000.
        let text = format!("{value:.3e}");
        let exponent: i32 = text.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
        match exponent {
            -6..=-1 => fixed(value, usize::try_from(3 - exponent).unwrap_or(4)),
            0.. => fixed(value, 4),
            _ => text,
        }
    })
}

/// Elo for JSON: to hundredths, absent where it does not exist.
pub(crate) fn elo(value: Option<f64>) -> Option<f64> {
    value.and_then(|value| decimals(value, 2))
}

/// A share or a probability for JSON.
pub(crate) fn share(value: Option<f64>) -> Option<f64> {
    value.and_then(|value| decimals(value, 6))
}

/// Half points as points, which is exact with one decimal.
pub(crate) fn points(half_points: u64) -> String {
    format!("{}.{}", half_points / 2, if half_points.is_multiple_of(2) { 0 } else { 5 })
}

/// Milliseconds, down to the nanosecond.
pub(crate) fn milliseconds(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    format!("{}.{:06}", nanoseconds / 1_000_000, nanoseconds % 1_000_000)
}

/// A number with so many decimals.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// A number rounded to so many decimals, for JSON; never minus zero. `None` if it is not finite.
pub(crate) fn decimals(value: f64, decimals: i32) -> Option<f64> {
    let scale = 10f64.powi(decimals);
    let scaled = value * scale;
    // Beyond 2^53 there are no decimals to round.
    let rounded = if scaled.abs() < 9e15 { scaled.round() / scale } else { value };
    rounded.is_finite().then_some(rounded + 0.0)
}

/// A probability rounded as [`probability`] writes it, for JSON.
pub(crate) fn digits(value: f64) -> Option<f64> {
    probability(Some(value)).parse().ok()
}

fn field(value: Option<f64>, write: impl Fn(f64) -> String) -> String {
    value.filter(|value| value.is_finite()).map(write).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_probabilities_keep_their_digits() {
        for (value, text) in [
            (1.0, "1.0000"),
            (0.5, "0.5000"),
            (0.123_456, "0.1235"),
            (0.012_345_6, "0.01235"),
            (0.000_012_34, "0.00001234"),
            (0.000_999_99, "0.001000"),
            (0.999_99, "1.0000"),
            (1.0 / 512.0, "0.001953"),
            (1.234e-9, "1.234e-9"),
            (9.999_9e-7, "0.000001000"),
            (0.0, "0.0000"),
        ] {
            assert_eq!(probability(Some(value)), text);
        }
    }

    #[test]
    fn what_does_not_exist_is_empty() {
        for value in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!((hundredths(value), score(value), probability(value)), Default::default());
        }
    }

    #[test]
    fn there_is_no_minus_zero() {
        assert_eq!(hundredths(Some(-0.0)), "0.00");
        assert_eq!(hundredths(Some(-0.001)), "0.00");
        assert_eq!(hundredths(Some(-0.01)), "-0.01");
    }

    #[test]
    fn json_has_finite_numbers() {
        assert_eq!(
            (decimals(1.0 / 3.0, 4), decimals(f64::NAN, 2), decimals(1e300, 2)),
            (Some(0.3333), None, Some(1e300))
        );
        assert!(decimals(-0.001, 2).is_some_and(|zero| zero.is_sign_positive()));
        assert_eq!((digits(1.0 / 512.0), digits(f64::NAN)), (Some(0.001953), None));
    }

    #[test]
    fn whole_numbers_behind() {
        assert_eq!([points(0), points(1), points(25)], ["0.0", "0.5", "12.5"]);
        assert_eq!(milliseconds(Duration::from_nanos(1_000_051)), "1.000051");
    }
}
