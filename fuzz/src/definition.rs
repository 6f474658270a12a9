//! Definitions, as files and as words of the command line, that hold anything.
//!
//! The first byte chooses what is read; the rest is its text, with what is not UTF-8 replaced.

use std::path::Path;
use std::sync::LazyLock;

use clock::TimeControl;
use tournament::definition::{Definition, DefinitionError, EngineDefinition, engine_from_words};
use tournament::known::KnownEngines;

use super::laws::is_fit_to_show;

static KNOWN: LazyLock<KnownEngines> = LazyLock::new(|| KnownEngines::shipped().expect("they are sound"));

/// Reads the definition that these bytes are.
pub fn run(data: &[u8]) {
    let Some((&head, text)) = data.split_first() else { return };
    let text = &*String::from_utf8_lossy(text);
    let complaint = match head % 4 {
        0 => file(text),
        1 => {
            let words: Vec<String> = text.split('\n').map(str::to_owned).collect();
            engine_from_words(&words).err()
        }
        2 => {
            let engines = vec![EngineDefinition::new(vec!["a".to_owned()]); 2];
            Definition::from_flags([("name", "m"), ("openings", text)], engines).err()
        }
        _ => return time(text),
    };
    if let Some(error) = complaint {
        is_fit_to_show(&error.to_string());
        let lines = text.split('\n').count();
        assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error} of {lines} lines");
    }
}

fn file(text: &str) -> Option<DefinitionError> {
    let mut definition = match Definition::parse(Path::new("t.toml"), text) {
        Ok(definition) => definition,
        Err(error) => return Some(error),
    };
    if let Err(error) = definition.complete(&KNOWN).and_then(|()| definition.check()) {
        return Some(error);
    }
    let start = definition.start_position();
    assert!(definition.variant.allows(start), "{start} in {}", definition.variant);
    for engine in 0..definition.engines.len() {
        time(&definition.time_of(engine).to_string());
        let _ = (definition.resources_of(engine).words(), definition.is_in_sandbox(engine));
    }
    None
}

/// What is read as a limit on thinking is written so that it is read as the same.
fn time(text: &str) {
    if let Ok(time) = text.parse::<TimeControl>() {
        assert_eq!(time.to_string().parse(), Ok(time), "{time}");
    }
}
