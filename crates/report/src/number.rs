//! Numbers as text and rounded: the decimal point is `.`; a number that does not exist is an empty field; never NaN,
//! infinity or minus zero.

use std::time::Duration;

/// Probabilities: four significant digits and at least four decimals, `0.5000`, `0.00001234`,
/// `1.234e-9`.
pub(crate) fn probability(value: f64) -> String {
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
}

/// Half points as points with one decimal, which is exact.
pub(crate) fn points(half_points: u64) -> String {
    format!("{}.{}", half_points / 2, if half_points.is_multiple_of(2) { 0 } else { 5 })
}

/// Milliseconds with six decimals, exact to the nanosecond.
pub(crate) fn milliseconds(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    format!("{}.{:06}", nanoseconds / 1_000_000, nanoseconds % 1_000_000)
}

/// A number with this number of decimals, never minus zero.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|byte| matches!(byte, b'0' | b'.')) => digits.to_owned(),
        _ => text,
    }
}

/// A number with this number of decimals and its sign: `+12`, `-3`, `0`.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if is_zero || text.starts_with('-') { text } else { format!("+{text}") }
}

/// A number rounded to this number of decimals, for JSON; never minus zero. `None` if it is not finite.
pub(crate) fn rounded(value: Option<f64>, decimals: usize) -> Option<f64> {
    let value = value?;
    let scale = 10f64.powi(i32::try_from(decimals).ok()?);
    let scaled = value * scale;
    // Beyond 2^53 there are no decimals to round.
    let rounded = if scaled.abs() < 9e15 { scaled.round() / scale } else { value };
    rounded.is_finite().then_some(rounded + 0.0)
}

/// A probability rounded as [`probability`] writes it, for JSON.
pub(crate) fn rounded_probability(value: Option<f64>) -> Option<f64> {
    field(value, probability).parse().ok()
}

/// A number as a field of a table: empty if it does not exist or is not finite.
pub(crate) fn field(value: Option<f64>, write: impl Fn(f64) -> String) -> String {
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
            assert_eq!(probability(value), text);
        }
    }

    #[test]
    fn what_does_not_exist_is_empty() {
        for value in [None, Some(f64::NAN), Some(f64::INFINITY)] {
            assert_eq!(
                (field(value, |value| fixed(value, 2)), field(value, probability)),
                Default::default()
            );
        }
    }

    #[test]
    fn there_is_no_minus_zero() {
        assert_eq!(fixed(-0.0, 2), "0.00");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-0.01, 2), "-0.01");
    }

    #[test]
    fn json_has_finite_numbers() {
        assert_eq!(
            (rounded(Some(1.0 / 3.0), 4), rounded(Some(f64::NAN), 2), rounded(Some(1e300), 2)),
            (Some(0.3333), None, Some(1e300))
        );
        assert!(rounded(Some(-0.001), 2).is_some_and(|zero| zero.is_sign_positive()));
        assert_eq!(
            (rounded_probability(Some(1.0 / 512.0)), rounded_probability(Some(f64::NAN))),
            (Some(0.001953), None)
        );
    }

    #[test]
    fn whole_numbers_behind() {
        assert_eq!([points(0), points(1), points(25)], ["0.0", "0.5", "12.5"]);
        assert_eq!(milliseconds(Duration::from_nanos(1_000_051)), "1.000051");
    }
}
