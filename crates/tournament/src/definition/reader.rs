//! TOML with the place of every key at hand, so that each complaint names file, line and key.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::DefinitionError;

/// A file's text and name, to tell lines from byte positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Path,
    pub(crate) text: &'a str,
}

impl<'a> Source<'a> {
    /// The file's text without the mark that may stand in front of it.
    pub(crate) fn new(file: &'a Path, text: &'a str) -> Self {
        Self { file, text: text.strip_prefix('\u{feff}').unwrap_or(text) }
    }

    /// What stands in it, if it is TOML.
    pub(crate) fn parse(self) -> Result<Spanned<DeTable<'a>>, DefinitionError> {
        DeTable::parse(self.text).map_err(|error| DefinitionError {
            file: Some(self.file.to_owned()),
            line: error.span().map(|span| self.line(span.start)),
            key: None,
            message: format!("not TOML: {}", error.message()),
        })
    }

    pub(crate) fn line(self, at: usize) -> usize {
        self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    fn error(self, at: usize, key: &str, message: impl Into<String>) -> DefinitionError {
        DefinitionError {
            file: Some(self.file.to_owned()),
            line: Some(self.line(at)),
            key: (!key.is_empty()).then(|| key.to_owned()),
            message: message.into(),
        }
    }
}

/// A table and where it stands.
pub(crate) struct Table<'a> {
    source: Source<'a>,
    entries: &'a DeTable<'a>,
    path: String,
    at: usize,
}

/// One value and where it stands.
#[derive(Clone)]
pub(crate) struct Item<'a> {
    source: Source<'a>,
    value: &'a Spanned<DeValue<'a>>,
    at: usize,
    pub(crate) path: String,
}

/// What other tools, or habit, call some keys.
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

impl<'a> Table<'a> {
    pub(crate) fn new(source: Source<'a>, entries: &'a DeTable<'a>, path: String, at: usize) -> Self {
        Self { source, entries, path, at }
    }

    fn inside(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Item<'a>> {
        let (name, value) = self.entries.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(Item { source: self.source, value, at: name.span().start, path: self.inside(key) })
    }

    pub(crate) fn require(&self, key: &str, what: &str) -> Result<Item<'a>, DefinitionError> {
        self.get(key)
            .ok_or_else(|| self.source.error(self.at, &self.inside(key), format!("is missing: {what}")))
    }

    /// Every key and its value, whatever it is called.
    pub(crate) fn items(&self) -> impl Iterator<Item = (&'a str, Item<'a>)> {
        self.entries.iter().map(|(name, value)| {
            let key: &'a str = name.get_ref();
            let path = self.inside(key);
            (key, Item { source: self.source, value, at: name.span().start, path })
        })
    }

    /// To be called before a key is missed, so that a misspelt one is not only called missing.
    pub(crate) fn refuse_all_but(&self, known: &[&str]) -> Result<(), DefinitionError> {
        let unknown = self.entries.iter().filter(|(name, _)| !known.contains(&name.get_ref().as_ref()));
        let Some((name, _)) = unknown.min_by_key(|(name, _)| name.span().start) else { return Ok(()) };
        let key = name.get_ref();
        let alike = |known: &&&str| strsim::damerau_levenshtein(known, key) <= 2.max(known.len() / 4);
        let nearest = known.iter().filter(alike).min_by_key(|known| strsim::damerau_levenshtein(known, key));
        let foreign = FOREIGN.iter().find(|(word, ours)| word == key && known.contains(ours));
        let hint = match foreign.map(|(_, ours)| ours).or(nearest) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        Err(self.source.error(name.span().start, &self.inside(key), format!("unknown key; {hint}")))
    }
}

impl<'a> Item<'a> {
    pub(crate) fn line(&self) -> usize {
        self.source.line(self.at)
    }

    /// What comes earlier in the file has the lower number.
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> DefinitionError {
        self.source.error(self.at, &self.path, message)
    }

    fn wrong_type(&self, wanted: &str) -> DefinitionError {
        let found = match self.value.get_ref() {
            DeValue::String(text) => format!("the text {text:?}"),
            DeValue::Integer(number) => format!("the number {number}"),
            DeValue::Float(number) => format!("the number {number}"),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(when) => format!("the date {when}"),
            DeValue::Array(_) => "an array".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.error(format!("must be {wanted}, not {found}"))
    }

    pub(crate) fn text(&self) -> Result<&'a str, DefinitionError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.wrong_type("text in quotes")),
        }
    }

    pub(crate) fn flag(&self) -> Result<bool, DefinitionError> {
        match self.value.get_ref() {
            DeValue::Boolean(value) => Ok(*value),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// A whole number within `least..=most`.
    pub(crate) fn count(&self, least: u64, most: u64) -> Result<u64, DefinitionError> {
        let wanted = format!("a whole number from {least} to {most}");
        let DeValue::Integer(number) = self.value.get_ref() else { return Err(self.wrong_type(&wanted)) };
        match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(self.wrong_type(&wanted)),
        }
    }

    /// A number, whole or not.
    pub(crate) fn number(&self) -> Result<f64, DefinitionError> {
        let text = match self.value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return Err(self.wrong_type("a number")),
        };
        let number = text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.wrong_type("a number"))
    }

    /// A word of a known few.
    pub(crate) fn word<T>(&self) -> Result<T, DefinitionError>
    where
        T: FromStr<Err: std::fmt::Display>,
    {
        self.text()?.parse().map_err(|error: T::Err| self.error(error.to_string()))
    }

    /// Text, or a bare number, as text: `60` and `"60"` are the same time.
    pub(crate) fn text_or_number(&self) -> Result<String, DefinitionError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) => Ok(number.to_string()),
            DeValue::Float(number) => Ok(number.to_string()),
            _ => Err(self.wrong_type("a time such as \"500ms\"")),
        }
    }

    pub(crate) fn duration(&self) -> Result<Duration, DefinitionError> {
        clock::parse_duration(&self.text_or_number()?).map_err(|error| self.error(error.to_string()))
    }

    pub(crate) fn time(&self) -> Result<clock::TimeControl, DefinitionError> {
        self.text_or_number()?.parse().map_err(|error: clock::TimeError| self.error(error.to_string()))
    }

    /// The value of an engine's option: text, number or truth value, as the engine is sent it.
    pub(crate) fn option_value(&self) -> Result<String, DefinitionError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            // Engines read neither 0x10 nor +5.
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map(|number| number.to_string())
                .map_err(|_| self.wrong_type("a number below 2^63")),
            DeValue::Float(number) => Ok(number.to_string()),
            DeValue::Boolean(value) => Ok(value.to_string()),
            _ => Err(self.wrong_type("text, a number, true or false")),
        }
    }

    pub(crate) fn table(&self) -> Result<Table<'a>, DefinitionError> {
        self.table_like("a table")
    }

    /// A table that is described so.
    pub(crate) fn table_like(&self, wanted: &str) -> Result<Table<'a>, DefinitionError> {
        match self.value.get_ref() {
            DeValue::Table(entries) => Ok(Table::new(self.source, entries, self.path.clone(), self.at)),
            _ => Err(self.wrong_type(wanted)),
        }
    }

    /// The values of an array, or `None` if this is no array.
    pub(crate) fn array(&self) -> Option<Vec<Item<'a>>> {
        let DeValue::Array(values) = self.value.get_ref() else { return None };
        let item = |(index, value): (usize, &'a Spanned<DeValue<'a>>)| Item {
            source: self.source,
            value,
            at: value.span().start,
            path: format!("{}[{}]", self.path, index + 1),
        };
        Some(values.iter().enumerate().map(item).collect())
    }

    pub(crate) fn tables(&self) -> Result<Vec<Table<'a>>, DefinitionError> {
        let items = self.array().ok_or_else(|| self.wrong_type("written as [[engine]]"))?;
        items.iter().map(Item::table).collect()
    }
}
