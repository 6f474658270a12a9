//! With the feature `serde`: how values stand in JSON and other formats.
//!
//! Most are their text, as `Display` writes it and `FromStr` reads it. A board size is its number of rows, and a
//! [`ByColor`] a list of two, black first.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::{BoardSize, ByColor, Color, Empties, Ply, Position, Square, Variant};

macro_rules! as_text {
    ($($name:ty),+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )+};
}

as_text!(Color, Empties, Ply, Position, Square, Variant);

impl Serialize for BoardSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.side())
    }
}

impl<'de> Deserialize<'de> for BoardSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BoardSize, D::Error> {
        BoardSize::try_from(u8::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<T: Serialize> Serialize for ByColor<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [&self.black, &self.white].serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByColor<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByColor<T>, D::Error> {
        let [black, white] = Deserialize::deserialize(deserializer)?;
        Ok(ByColor { black, white })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(
        value: T,
        json: &str,
    ) {
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
    }

    #[test]
    fn values_are_written_and_read() {
        there_and_back("f5".parse::<Ply>().unwrap(), r#""f5""#);
        there_and_back(Ply::Pass, r#""pass""#);
        there_and_back(Position::start(BoardSize::Four), r#""-----OX--XO----- X""#);
        there_and_back(Variant::Reversed, r#""reversed""#);
        there_and_back(BoardSize::Six, "6");
        there_and_back(ByColor::new(Some(Color::Black), None), r#"["black",null]"#);
        assert!(serde_json::from_str::<BoardSize>("5").is_err());
        assert!(serde_json::from_str::<ByColor<u8>>("[1]").is_err());
        let error = serde_json::from_str::<Ply>(r#""i9""#).unwrap_err().to_string();
        assert!(error.contains("i9"), "{error}");
    }
}
