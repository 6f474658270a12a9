//! Definitions from the command line: the words behind `--engine` and the flags of `match` are the keys of a
//! file, and are read as one.

use super::error::DefinitionError;
use super::reader::{ReadError, read_words};
use super::{Definition, EngineDefinition, is_folder_name};

/// An engine from the words behind `--engine`: its command, then settings `key=value` with the keys
/// of a definition file (`name=flat option.Corners=0 env.OMP_NUM_THREADS=1 time=100ms`). A known
/// engine stands for a command as `engine=edax`.
///
/// # Errors
/// [`DefinitionError`] that names the word.
pub fn engine_from_words(words: &[String]) -> Result<EngineDefinition, DefinitionError> {
    let Some((command, settings)) = words.split_first() else {
        return Err(DefinitionError::on_command_line("engine", "names no program"));
    };
    let wrong = |key: &str, message: String| {
        DefinitionError::on_command_line(format!("engine `{command}`, {key}"), message)
    };
    let first = match command.strip_prefix("engine=") {
        Some("") => return Err(wrong("engine", "names no program".to_owned())),
        Some(known) => ("engine".to_owned(), known),
        None => ("command".to_owned(), command.as_str()),
    };
    let mut pairs = vec![first];
    for word in settings {
        let Some((key, value)) = word.split_once('=') else {
            let message = "is not key=value; quote a command that has arguments";
            return Err(wrong(&format!("`{word}`"), message.to_owned()));
        };
        let options = key.strip_prefix("option.").map(|name| format!("options.{name}"));
        pairs.push((options.unwrap_or_else(|| key.to_owned()), value));
    }
    let read = read_words(pairs.iter().map(|(key, value)| (key.as_str(), *value)));
    let engine: EngineDefinition = read.map_err(|error| wrong(error.key(), error.message.clone()))?;
    engine.check().map_err(|(key, message)| wrong(&key, message))?;
    Ok(engine)
}

impl Definition {
    /// A definition from flags of the command line with their values. A flag is the key of the same name, but
    /// for `openings` and `sprt`, which hold a table in one word, and for `sprt_model`, `no_pin` and
    /// `withdraw_after`.
    ///
    /// # Errors
    /// [`DefinitionError`] that names the key.
    pub fn from_flags<'f>(
        flags: impl IntoIterator<Item = (&'f str, &'f str)>,
        engines: Vec<EngineDefinition>,
    ) -> Result<Self, DefinitionError> {
        let mut words = Vec::new();
        for (flag, value) in flags {
            match flag {
                "openings" => words.extend(openings(value)),
                "sprt" => {
                    let (elo0, elo1) = value.split_once(',').ok_or_else(|| {
                        DefinitionError::on_command_line("sprt", "two numbers are wanted, such as 0,5")
                    })?;
                    words.extend([("sprt.elo0", elo0.trim()), ("sprt.elo1", elo1.trim())]);
                }
                "sprt_model" => words.push(("sprt.model", value)),
                "no_pin" => words.push(("pin", "false")),
                "withdraw_after" => words.push(("faults.withdraw_after", value)),
                _ => words.push((flag, value)),
            }
        }
        let wrong = |error: ReadError| DefinitionError::on_command_line(error.key(), &*error.message);
        let mut definition: Self = read_words(words).map_err(wrong)?;
        definition.engines = engines;
        definition.settle()?;
        Ok(definition)
    }
}

/// Openings in a word: `random=8`, `every=6` or a file name. Behind the latter two may stand `:random` or
/// `:sequential`, behind a file `:plies=N` (the first N plies of each game), behind all `:balanced`, in any order.
fn openings(word: &str) -> Vec<(&'static str, &str)> {
    let mut words: Vec<(&str, &str)> = Vec::new();
    let mut rest = word;
    while let Some((before, last)) = rest.rsplit_once(':') {
        let (key, value) = match last {
            "balanced" => ("openings.balanced", "true"),
            "random" | "sequential" => ("openings.order", last),
            _ => match last.strip_prefix("plies=") {
                Some(plies) => ("openings.plies", plies),
                None => break,
            },
        };
        if words.iter().any(|(other, _)| *other == key) {
            break;
        }
        words.push((key, value));
        rest = before;
    }
    let sources = [("random=", "openings.random"), ("every=", "openings.every"), ("file=", "openings.file")];
    let named = sources.iter().find_map(|(prefix, key)| Some((*key, rest.strip_prefix(prefix)?)));
    words.push(named.unwrap_or(("openings.file", rest)));
    words
}

/// A name for a tournament that was given none: its engines' names, joined.
#[must_use]
pub fn derived_name(engines: &[EngineDefinition]) -> String {
    let names = engines.iter().map(|engine| engine.name.clone().unwrap_or_else(|| engine.program_name()));
    let joined = names.collect::<Vec<_>>().join("-vs-");
    let safe: String =
        joined.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).take(100).collect();
    if is_folder_name(&safe) { safe } else { "match".to_owned() }
}
