//! How the values of a definition are read and written: functions for `#[serde(deserialize_with)]` and
//! `#[serde(serialize_with)]`.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use clock::{Resources, TimeControl};
use ratings::EloModel;
use rules::BoardSize;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

use super::EngineDefinition;
use super::reader::AS_WRITTEN;
use crate::sprt::{model_by_name, model_name};

fn read_text<'de, D: Deserializer<'de>, T, E: Display>(
    from: D,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, D::Error> {
    read(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// One of a few words.
pub(crate) fn word<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(from: D) -> Result<T, D::Error> {
    read_text(from, str::parse)
}

pub(crate) fn some_word<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    word(from).map(Some)
}

pub(super) fn write_text<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

pub(super) fn write_some_text<T: Display, S: Serializer>(
    value: &Option<T>,
    to: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => to.collect_str(value),
        None => to.serialize_none(),
    }
}

pub(super) fn model<'de, D: Deserializer<'de>>(from: D) -> Result<EloModel, D::Error> {
    read_text(from, model_by_name)
}

pub(super) fn write_model<S: Serializer>(model: &EloModel, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(model_name(*model))
}

/// Text, a number or a truth value, as the text that was written. Holds the words for "wanted" in messages.
struct AsWritten(&'static str);

impl AsWritten {
    fn read<'de, D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        from.deserialize_newtype_struct(AS_WRITTEN, self)
    }
}

impl Visitor<'_> for AsWritten {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

/// A time: `60` and `"60"` are the same.
const TIME: AsWritten = AsWritten("a time such as \"500ms\"");

pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<TimeControl, D::Error> {
    TIME.read(from)?.parse().map_err(D::Error::custom)
}

pub(super) fn some_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<TimeControl>, D::Error> {
    time(from).map(Some)
}

pub(super) fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    clock::parse_duration(&TIME.read(from)?).map_err(D::Error::custom)
}

pub(super) fn write_duration<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&clock::format_duration(*duration))
}

/// A whole number within `LEAST..=MOST`.
struct Count<const LEAST: u64, const MOST: u64>;

impl<const LEAST: u64, const MOST: u64> Visitor<'_> for Count<LEAST, MOST> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {LEAST} to {MOST}")
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<u64, E> {
        let fits = (LEAST..=MOST).contains(&number);
        if fits { Ok(number) } else { Err(E::invalid_value(Unexpected::Unsigned(number), &self)) }
    }
}

pub(super) fn count<'de, D: Deserializer<'de>, T: TryFrom<u64>, const LEAST: u64, const MOST: u64>(
    from: D,
) -> Result<T, D::Error> {
    let number = from.deserialize_u64(Count::<LEAST, MOST>)?;
    T::try_from(number).map_err(|_| D::Error::custom(format_args!("{number} is too large")))
}

pub(super) fn some_count<'de, D: Deserializer<'de>, T: TryFrom<u64>, const LEAST: u64, const MOST: u64>(
    from: D,
) -> Result<Option<T>, D::Error> {
    count::<D, T, LEAST, MOST>(from).map(Some)
}

pub(super) fn board<'de, D: Deserializer<'de>>(from: D) -> Result<BoardSize, D::Error> {
    let side = count::<D, u8, 4, 8>(from)?;
    BoardSize::try_from(side).map_err(|_| D::Error::custom(format_args!("must be 4, 6 or 8, not {side}")))
}

pub(super) fn write_board<S: Serializer>(board: &BoardSize, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u8(board.side())
}

/// The names of two engines.
pub(super) fn pair<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(String, String)>, D::Error> {
    match <[String; 2]>::try_from(Vec::deserialize(from)?) {
        Ok([new, old]) if new != old => Ok(Some((new, old))),
        _ => Err(D::Error::custom("must be two names: pair = [\"NEW\", \"OLD\"]")),
    }
}

/// A list. Holds the words for "wanted" in messages.
struct List<T>(&'static str, std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(list)
    }
}

pub(super) fn engines<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<EngineDefinition>, D::Error> {
    from.deserialize_seq(List("written as [[engine]]", std::marker::PhantomData))
}

/// The placeholder for the number in the arguments of a known engine.
pub(crate) const NUMBER: &str = "{}";

/// Arguments, one of which holds the place of the number.
pub(crate) fn arguments<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    const WANTED: &str = "arguments with {} for the number: [\"-l\", \"{}\"]";
    let words = from.deserialize_seq(List::<String>(WANTED, std::marker::PhantomData))?;
    let has_place = words.iter().any(|word| word.contains(NUMBER));
    if has_place { Ok(words) } else { Err(D::Error::custom(format_args!("must be {WANTED}"))) }
}

/// A command: text, which is split as a shell would, or an array, which is taken as it is.
pub(crate) fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Command;

    impl<'de> Visitor<'de> for Command {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text in quotes, or an array of words")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<String>, E> {
            shlex::split(text).ok_or_else(|| E::custom(format_args!("a quote is not closed in `{text}`")))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Vec<String>, A::Error> {
            List("", std::marker::PhantomData).visit_seq(items)
        }
    }

    let words = from.deserialize_any(Command)?;
    if words.first().is_none_or(String::is_empty) {
        return Err(D::Error::custom("names no program"));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(D::Error::custom("holds a NUL character"));
    }
    Ok(words)
}

pub(super) fn engine_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(from)?;
    if protocol::message::clean_name(&name).as_ref() == Some(&name) {
        return Ok(Some(name));
    }
    let wanted = "must be 1 to 100 characters, without control characters or white space at its ends";
    Err(D::Error::custom(wanted))
}

/// A table of which every value is text, a number or a truth value. Each is handed over as text with its
/// key; the error that comes back is placed at that key.
pub(super) fn each_setting<'de, D: Deserializer<'de>>(
    from: D,
    take: impl FnMut(&str, String) -> Result<(), String>,
) -> Result<(), D::Error> {
    struct Settings<F>(F);
    struct Setting<'a, F>(&'a str, &'a mut F);

    impl<'de, F: FnMut(&str, String) -> Result<(), String>> Visitor<'de> for Settings<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
            while let Some(key) = entries.next_key::<String>()? {
                entries.next_value_seed(Setting(&key, &mut self.0))?;
            }
            Ok(())
        }
    }

    impl<'de, F: FnMut(&str, String) -> Result<(), String>> DeserializeSeed<'de> for Setting<'_, F> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
            let text = AsWritten("text, a number, true or false").read(from)?;
            (self.1)(self.0, text).map_err(D::Error::custom)
        }
    }

    from.deserialize_map(Settings(take))
}

/// The options of an engine, in the order written.
pub(super) fn options<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    let mut options = Vec::new();
    each_setting(from, |name, value| {
        if name.is_empty() {
            return Err("an option needs a name".to_owned());
        }
        if [name, &value].iter().any(|text| text.contains(char::is_control)) {
            return Err("an option is one line, without control characters".to_owned());
        }
        options.push((name.to_owned(), value));
        Ok(())
    })?;
    Ok(options)
}

/// Variables for the environment of a process.
pub(super) fn env<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let mut env = BTreeMap::new();
    each_setting(from, |key, value| {
        if key.is_empty() || key.contains(['=', '\0']) || value.contains('\0') {
            return Err("cannot stand in an environment".to_owned());
        }
        env.insert(key.to_owned(), value);
        Ok(())
    })?;
    Ok(env)
}

pub(super) fn resources<'de, D: Deserializer<'de>>(from: D) -> Result<Resources, D::Error> {
    let mut resources = Resources::default();
    each_setting(from, |key, value| {
        if Resources::KEYS.contains(&key) {
            resources.set(key, &value)
        } else {
            Err(super::reader::unknown_key(key, &Resources::KEYS))
        }
    })?;
    Ok(resources)
}

pub(super) fn write_resources<S: Serializer>(resources: &Resources, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(resources.words())
}
