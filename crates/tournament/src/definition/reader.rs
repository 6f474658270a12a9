//! TOML as serde reads it, with the place of every key, so that each error names file, line and key.
//!
//! `toml`'s own deserializer knows the place of a wrong value, but not its key, and gives numbers
//! as Rust prints them. The words of the command line are read as a table of texts: there the text
//! `2` is a number where a number is wanted.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::Path;

use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer as _, MapAccess,
    SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use super::error::DefinitionError;

/// The lines of the keys of a file by their paths, such as `engine[2].options.Corners`.
pub(crate) type Lines = BTreeMap<String, usize>;

/// Reads a file's text as a `T`, and tells the line of each key.
pub(crate) fn read_file<T>(file: &Path, text: &str) -> Result<(T, Lines), DefinitionError>
where
    T: for<'de> Deserialize<'de>,
{
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let newlines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: usize| newlines.partition_point(|&newline| newline < at) + 1;
    let document = DeTable::parse(text).map(|table| DeValue::Table(table.into_inner())).map_err(|error| {
        DefinitionError {
            line: error.span().map(|span| line(span.start)),
            ..DefinitionError::in_file(file, format!("not TOML: {}", error.message()))
        }
    })?;
    let read = T::deserialize(Item { value: &document, is_word: false });
    let read = read.map_err(|error| DefinitionError {
        line: Some(line(error.at.unwrap_or(0))),
        key: error.key,
        ..DefinitionError::in_file(file, error.message)
    })?;
    let mut lines = Lines::new();
    add_lines(&document, "", &line, &mut lines);
    Ok((read, lines))
}

/// Adds the lines of all keys within a value.
fn add_lines(value: &DeValue<'_>, path: &str, line: &impl Fn(usize) -> usize, lines: &mut Lines) {
    let mut add = |path: String, at: usize, value| {
        add_lines(value, &path, line, lines);
        lines.insert(path, line(at));
    };
    match value {
        DeValue::Table(table) => {
            table
                .iter()
                .for_each(|(key, value)| add(join(path, key.get_ref()), key.span().start, value.get_ref()));
        }
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add(format!("{path}[{}]", index + 1), item.span().start, item.get_ref());
            }
        }
        _ => {}
    }
}

/// Reads words of the command line as a `T`: keys with their values as text. A key `a.b` is `b` in the
/// table `a`; of a key that comes twice the last counts.
pub(super) fn read_words<'w, T: for<'de> Deserialize<'de>>(
    words: impl IntoIterator<Item = (&'w str, &'w str)>,
) -> Result<T, ReadError> {
    let mut table = DeTable::new();
    for (at, (key, value)) in words.into_iter().enumerate() {
        let text = |text: &'w str| Spanned::new(at..at, DeString::Borrowed(text));
        let value = Spanned::new(at..at, DeValue::String(value.into()));
        let Some((outer, inner)) = key.split_once('.') else {
            table.insert(text(key), value);
            continue;
        };
        let empty = || Spanned::new(at..at, DeValue::Table(DeTable::new()));
        let entry = table.entry(text(outer)).or_insert_with(empty);
        if let DeValue::Table(entries) = entry.get_mut() {
            entries.insert(text(inner), value);
        }
    }
    T::deserialize(Item { value: &DeValue::Table(table), is_word: true })
}

/// Why a value can't be read: the key is put together on the way up from the value.
#[derive(Debug)]
pub(crate) struct ReadError {
    key: Option<String>,
    /// Where it stands, in bytes from the beginning.
    at: Option<usize>,
    pub(super) message: String,
    /// True if the message still lacks the value that was found.
    lacks_found: bool,
}

impl ReadError {
    /// The key of the value.
    pub(super) fn key(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    fn inside(mut self, key: &str, at: usize) -> Self {
        self.key = Some(self.key.map_or_else(|| key.to_owned(), |inner| join(key, &inner)));
        self.at.get_or_insert(at);
        self
    }

    fn found(mut self, value: &DeValue<'_>) -> Self {
        if std::mem::take(&mut self.lacks_found) {
            self.message += ", not ";
            self.message += &match value {
                DeValue::String(text) => format!("the text {text:?}"),
                DeValue::Integer(number) => format!("the number {number}"),
                DeValue::Float(number) => format!("the number {number}"),
                DeValue::Boolean(value) => value.to_string(),
                DeValue::Datetime(when) => format!("the date {when}"),
                DeValue::Array(_) => "an array".to_owned(),
                DeValue::Table(_) => "a table".to_owned(),
            };
        }
        self
    }
}

/// The path of a key, or of an item `[1]`, within a table of this path.
fn join(path: &str, key: &str) -> String {
    let dot = if path.is_empty() || key.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{key}")
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key(), self.message)
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self { key: None, at: None, message: message.to_string(), lacks_found: false }
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let wanted = match &*expected.to_string() {
            "a boolean" => "true or false".to_owned(),
            "a string" | "path string" => "text in quotes".to_owned(),
            "a sequence" => "an array".to_owned(),
            "f64" => "a number".to_owned(),
            other => other.to_owned(),
        };
        Self { lacks_found: true, ..Self::custom(format_args!("must be {wanted}")) }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn missing_field(key: &'static str) -> Self {
        Self { key: Some(key.to_owned()), ..Self::custom("is missing") }
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        Self::custom(unknown_key(key, known))
    }
}

/// Names of some keys in other tools, with ours.
const FOREIGN: [(&str, &str); 8] = [
    ("games", "pairs"),
    ("rounds", "pairs"),
    ("tc", "time"),
    ("timecontrol", "time"),
    ("size", "board"),
    ("cmd", "command"),
    ("program", "command"),
    ("threads", "concurrency"),
];

/// The message for an unknown key in a table with these keys.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    let alike = |known: &&&str| strsim::damerau_levenshtein(known, key) <= 2.max(known.len() / 4);
    let nearest = known.iter().filter(alike).min_by_key(|known| strsim::damerau_levenshtein(known, key));
    let foreign = FOREIGN.iter().find(|(word, ours)| *word == key && known.contains(ours));
    match foreign.map(|(_, ours)| ours).or(nearest) {
        Some(known) => format!("unknown key; did you mean `{known}`?"),
        None => format!("unknown key; known here: {}", known.join(", ")),
    }
}

/// One value.
#[derive(Clone, Copy)]
struct Item<'de> {
    value: &'de DeValue<'de>,
    /// True for a word of the command line, where everything is text.
    is_word: bool,
}

/// The name of a newtype that is given any text, number or truth value as the text that was written.
pub(super) const AS_WRITTEN: &str = "$outflank_as_written";

impl<'de> Item<'de> {
    /// The value of a word that stands for a number or a truth value.
    fn of_word<T: std::str::FromStr>(self) -> Option<T> {
        self.value.as_str().filter(|_| self.is_word)?.parse().ok()
    }

    fn as_written(self, wanted: &dyn Expected) -> Result<String, ReadError> {
        match self.value {
            DeValue::String(text) => Ok(text.to_string()),
            // Engines read neither 0x10 nor +5.
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map(|number| number.to_string())
                .map_err(|_| ReadError::invalid_type(Unexpected::Other(""), &"a number below 2^63")),
            DeValue::Float(number) => Ok(number.to_string()),
            DeValue::Boolean(value) => Ok(value.to_string()),
            _ => Err(ReadError::invalid_type(Unexpected::Other(""), wanted)),
        }
    }
}

impl<'de> Deserializer<'de> for Item<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let wrong = |visitor: &V| Err(ReadError::invalid_type(Unexpected::Other(""), visitor));
        let read = match self.value {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(number) => match u64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => visitor.visit_i64(number),
                    Err(_) => wrong(&visitor),
                },
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => visitor.visit_f64(number),
                _ => wrong(&visitor),
            },
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Datetime(_) => wrong(&visitor),
            DeValue::Array(items) => visitor.visit_seq(Items::new(items, self.is_word)),
            DeValue::Table(table) => visitor.visit_map(Entries::new(table, self.is_word)),
        };
        read.map_err(|error: ReadError| error.found(self.value))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.of_word() {
            Some(value) => visitor.visit_bool(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.of_word() {
            Some(number) => visitor.visit_u64(number).map_err(|error: ReadError| error.found(self.value)),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.of_word().filter(|number: &f64| number.is_finite()) {
            Some(number) => visitor.visit_f64(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name != AS_WRITTEN {
            return visitor.visit_newtype_struct(self);
        }
        let text = self.as_written(&visitor).map_err(|error| error.found(self.value))?;
        visitor.visit_string(text)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            // serde would take its items for the fields in their order.
            DeValue::Array(_) => Err(ReadError::invalid_type(Unexpected::Seq, &visitor).found(self.value)),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The items of an array.
struct Items<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Spanned<DeValue<'de>>>>,
    is_word: bool,
}

impl<'de> Items<'de> {
    fn new(items: &'de DeArray<'de>, is_word: bool) -> Self {
        Self { items: items.iter().enumerate(), is_word }
    }
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some((index, item)) = self.items.next() else { return Ok(None) };
        let read = seed.deserialize(Item { value: item.get_ref(), is_word: self.is_word });
        read.map(Some).map_err(|error| error.inside(&format!("[{}]", index + 1), item.span().start))
    }
}

type Entry<'de> = (&'de Spanned<DeString<'de>>, &'de Spanned<DeValue<'de>>);

/// The entries of a table, in the order written.
struct Entries<'de> {
    entries: std::vec::IntoIter<Entry<'de>>,
    current: Option<Entry<'de>>,
    is_word: bool,
}

impl<'de> Entries<'de> {
    fn new(table: &'de DeTable<'de>, is_word: bool) -> Self {
        let mut entries: Vec<Entry<'de>> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Self { entries: entries.into_iter(), current: None, is_word }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        self.current = self.entries.next();
        let Some((key, _)) = self.current else { return Ok(None) };
        let name: StrDeserializer<'_, ReadError> = key.get_ref().as_ref().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.inside(key.get_ref(), key.span().start))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let (key, value) = self.current.take().expect("serde asks for a key first");
        let read = seed.deserialize(Item { value: value.get_ref(), is_word: self.is_word });
        read.map_err(|error| error.inside(key.get_ref(), key.span().start))
    }
}
