//! How the plain types of `rules` stand in JSON.

use std::fmt;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

struct FromText<T>(PhantomData<T>);

impl<T: FromStr<Err: Display>> Visitor<'_> for FromText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// A value as its text.
pub(crate) mod word {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(crate) fn deserialize<'de, D, T>(from: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        from.deserialize_str(FromText(PhantomData))
    }
}

/// A value as its text, or null.
pub(crate) mod word_or_null {
    use super::*;
    use serde::Deserialize as _;

    pub(crate) fn serialize<S: Serializer>(value: &Option<impl Display>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        let text = Option::<std::borrow::Cow<'de, str>>::deserialize(from)?;
        text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
    }
}

/// Several values as a list of their texts.
pub(crate) mod words {
    use super::*;
    use serde::de::SeqAccess;

    struct Item<T>(T);

    impl<'de, T: FromStr<Err: Display>> serde::Deserialize<'de> for Item<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            word::deserialize(from).map(Item)
        }
    }

    struct List<T>(PhantomData<T>);

    impl<'de, T: FromStr<Err: Display>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of words")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut values = Vec::new();
            while let Some(Item(value)) = seq.next_element()? {
                values.push(value);
            }
            Ok(values)
        }
    }

    pub(crate) fn serialize<S: Serializer, T: Display>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq as _;
        struct Text<'a, T>(&'a T);
        impl<T: Display> serde::Serialize for Text<'_, T> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self.0)
            }
        }
        let mut list = to.serialize_seq(Some(values.len()))?;
        values.iter().try_for_each(|value| list.serialize_element(&Text(value)))?;
        list.end()
    }

    pub(crate) fn deserialize<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        from.deserialize_seq(List(PhantomData))
    }
}

/// A number for each colour as `[black, white]`.
pub(crate) mod both {
    use super::*;
    use rules::ByColor;
    use serde::{Deserialize as _, Serialize as _};

    pub(crate) fn serialize<S: Serializer>(value: &ByColor<u8>, to: S) -> Result<S::Ok, S::Error> {
        (value.black, value.white).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ByColor<u8>, D::Error> {
        let (black, white) = <(u8, u8)>::deserialize(from)?;
        Ok(ByColor::new(black, white))
    }
}

/// Two durations in milliseconds as `[black, white]`, where there are any.
pub(crate) mod both_milliseconds {
    use super::*;
    use rules::ByColor;
    use serde::{Deserialize, Serialize};
    use std::time::Duration;

    #[derive(Serialize, Deserialize)]
    struct Milliseconds(#[serde(with = "milliseconds")] Duration);

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<ByColor<Duration>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|both| (Milliseconds(both.black), Milliseconds(both.white))).serialize(to)
    }

    pub(crate) fn deserialize<'de, D>(from: D) -> Result<Option<ByColor<Duration>>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let both = Option::<(Milliseconds, Milliseconds)>::deserialize(from)?;
        Ok(both.map(|(black, white)| ByColor::new(black.0, white.0)))
    }
}

/// The side of the board as a number.
pub(crate) mod side {
    use super::*;
    use rules::BoardSize;
    use serde::Deserialize as _;

    pub(crate) fn serialize<S: Serializer>(value: &BoardSize, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(value.side())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BoardSize, D::Error> {
        let side = u8::deserialize(from)?;
        BoardSize::try_from(side)
            .map_err(|_| de::Error::custom(format!("a board of side {side} is not known")))
    }
}

/// A duration as milliseconds with all their decimals, down to the nanosecond.
pub(crate) mod milliseconds {
    use super::*;
    use serde::Deserialize as _;
    use std::time::Duration;

    pub(crate) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
        if value.is_zero() { to.serialize_u8(0) } else { to.serialize_f64(value.as_nanos() as f64 / 1e6) }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let ms = f64::deserialize(from)?;
        if !(0.0..1e15).contains(&ms) {
            return Err(de::Error::custom(format!("{ms} is not a number of milliseconds")));
        }
        Ok(Duration::from_nanos((ms * 1e6).round() as u64))
    }
}
