//! Durations as text: a decimal number and a unit.

use std::time::Duration;

use thiserror::Error;

/// The reason why a text is not a duration or a time control.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TimeError {
    /// Not a decimal number with an optional unit.
    #[error("`{0}` is not a time; write for example 500ms, 2s, 1.5m or 1h (a bare number is seconds)")]
    NotADuration(String),
    /// More than 100,000 hours.
    #[error("`{0}` is longer than 100000 hours")]
    TooLong(String),
    /// A game clock or a move time of zero.
    #[error("`{0}` leaves no time to think: it must be more than zero")]
    NoTime(String),
    /// `nodes=` or `depth=` without a positive whole number behind it.
    #[error("`{0}` needs a whole number of at least 1 after `=`")]
    NotACount(String),
    /// The word before `=` is not `movetime`, `nodes` or `depth`.
    #[error("`{0}` is not a time control; write 60s+0.5s, 60s, movetime=100ms, nodes=2000 or depth=6")]
    UnknownKind(String),
}

const NANOS_PER_SECOND: u128 = 1_000_000_000;
const LONGEST: u128 = 100_000 * 3600 * NANOS_PER_SECOND;

/// Reads a duration: a decimal number with the unit `ms`, `s`, `m` or `h`. A number without a unit is in
/// seconds. Digits beyond the nanosecond are dropped.
///
/// # Errors
/// [`TimeError`] if the text is not such a number, is negative, or exceeds 100,000 hours.
pub fn parse_duration(text: &str) -> Result<Duration, TimeError> {
    let wrong = || TimeError::NotADuration(text.to_owned());
    let trimmed = text.trim();
    let unit_at = trimmed.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(unit_at);
    let nanos_per_unit = match unit {
        "ms" => NANOS_PER_SECOND / 1000,
        "s" | "" => NANOS_PER_SECOND,
        "m" => 60 * NANOS_PER_SECOND,
        "h" => 3600 * NANOS_PER_SECOND,
        _ => return Err(wrong()),
    };
    let number = number.trim_end();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return Err(wrong());
    }
    if whole.len() > 20 {
        return Err(TimeError::TooLong(text.to_owned()));
    }
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| wrong())? };
    let mut nanos = whole * nanos_per_unit;
    let mut place = nanos_per_unit;
    for digit in fraction.bytes() {
        place /= 10;
        nanos += u128::from(digit - b'0') * place;
    }
    if nanos > LONGEST {
        return Err(TimeError::TooLong(text.to_owned()));
    }
    let seconds = u64::try_from(nanos / NANOS_PER_SECOND).map_err(|_| wrong())?;
    let rest = u32::try_from(nanos % NANOS_PER_SECOND).map_err(|_| wrong())?;
    Ok(Duration::new(seconds, rest))
}

/// Writes a duration without rounding, so that [`parse_duration`] reads the same one: in seconds from 1 s
/// on, else in milliseconds.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let (units, fraction, digits, unit) = if duration >= Duration::from_secs(1) || duration.is_zero() {
        (u128::from(duration.as_secs()), u128::from(duration.subsec_nanos()), 9, "s")
    } else {
        (duration.as_millis(), duration.as_nanos() % 1_000_000, 6, "ms")
    };
    if fraction == 0 {
        return format!("{units}{unit}");
    }
    let fraction = format!("{fraction:0digits$}");
    format!("{units}.{}{unit}", fraction.trim_end_matches('0'))
}

/// Writes a duration for people, rounded: to 1 ms from 1 s on, below to 0.01 ms.
#[must_use]
pub fn brief_duration(duration: Duration) -> String {
    let unit = if duration >= Duration::from_secs(1) { 1_000_000 } else { 10_000 };
    let nanos = (duration.as_nanos() + unit / 2) / unit * unit;
    format_duration(u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_and_decimals() {
        for (text, nanos) in [
            ("500ms", 500_000_000u64),
            ("0.5", 500_000_000),
            ("0.5s", 500_000_000),
            (".5s", 500_000_000),
            ("60", 60_000_000_000),
            ("1.5m", 90_000_000_000),
            ("2h", 7_200_000_000_000),
            ("0.0000015ms", 1),
            ("0", 0),
            (" 3 s ", 3_000_000_000),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "s", ".", "-5", "1.5.2", "5x", "1e3s", "５s", "1 2s", "+3", "5sec"] {
            assert!(matches!(parse_duration(text), Err(TimeError::NotADuration(_))), "{text}");
        }
        for text in ["99999999999999999999h", "999999999999999999999999999999", "100001h"] {
            assert!(matches!(parse_duration(text), Err(TimeError::TooLong(_))), "{text}");
        }
    }

    #[test]
    fn people_get_few_digits() {
        let brief = |nanos| brief_duration(Duration::from_nanos(nanos));
        assert_eq!(brief(1_499_518_071), "1.5s");
        assert_eq!(brief(700_123_456), "700.12ms");
        assert_eq!(brief(4_999), "0s");
        assert_eq!(brief(61_002_499_999), "61.002s");
        assert_eq!(brief_duration(Duration::MAX), format_duration(Duration::MAX));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(nanos in 0u64..=360_000_000_000_000_000) {
            let duration = Duration::from_nanos(nanos);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Ok(duration));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,20}") {
            let _ = parse_duration(&text);
        }
    }
}
