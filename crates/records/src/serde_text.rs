//! JSON forms of fields whose type has none of its own.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use rules::ByColor;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// A value as its text.
pub(crate) mod as_text {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, D, T>(from: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        Cow::<str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A duration in milliseconds, with as many decimals as it needs, to the nanosecond.
pub(crate) mod milliseconds {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        if value.is_zero() { to.serialize_u8(0) } else { to.serialize_f64(value.as_nanos() as f64 / 1e6) }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let ms = f64::deserialize(from)?;
        if !(0.0..1e15).contains(&ms) {
            return Err(D::Error::custom(format!("{ms} is not a number of milliseconds")));
        }
        Ok(Duration::from_nanos((ms * 1e6).round() as u64))
    }
}

/// Two durations in milliseconds, black's first, or null.
pub(crate) mod both_milliseconds {
    use super::*;

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Milliseconds(#[serde(with = "milliseconds")] Duration);

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<ByColor<Duration>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.map(|both| both.map(Milliseconds)).serialize(to)
    }

    pub(crate) fn deserialize<'de, D>(from: D) -> Result<Option<ByColor<Duration>>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let both = Option::<ByColor<Milliseconds>>::deserialize(from)?;
        Ok(both.map(|both| both.map(|Milliseconds(time)| time)))
    }
}
