//! `referee match`: a definition from the command line.

use tournament::definition::{
    Definition, DefinitionError, EngineDefinition, derived_name, engine_from_words,
};

use super::{CommandError, run};
use crate::cli::{DefinitionFlags, MatchArgs};
use crate::exit_code::Exit;

pub(super) fn run_match(args: MatchArgs) -> Result<Exit, CommandError> {
    let definition = definition(&args).map_err(|error| CommandError::new(Exit::Usage, error))?;
    run::run(definition, &args.how)
}

fn definition(args: &MatchArgs) -> Result<Definition, DefinitionError> {
    let plain = args.engines.iter().map(|command| engine_from_words(std::slice::from_ref(command)));
    let mut engines = plain.collect::<Result<Vec<EngineDefinition>, _>>()?;
    for words in occurrences() {
        engines.push(engine_from_words(&words)?);
    }
    let mut flags = given(&args.flags);
    if args.flags.name.is_none() {
        flags.push(("name".to_owned(), derived_name(&engines)));
    }
    Definition::from_flags(flags.iter().map(|(flag, value)| (flag.as_str(), value.as_str())), engines)
}

/// The flags that have a value, by name.
fn given(flags: &DefinitionFlags) -> Vec<(String, String)> {
    let Ok(serde_json::Value::Object(flags)) = serde_json::to_value(flags) else { return Vec::new() };
    let text = |value: serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Bool(true) => Some("true".to_owned()),
        _ => None,
    };
    flags.into_iter().filter_map(|(flag, value)| Some((flag, text(value)?))).collect()
}

/// The words behind each `--engine`, kept apart, which the derived type does not do.
fn occurrences() -> Vec<Vec<String>> {
    use clap::CommandFactory as _;
    let matches = crate::cli::Cli::command().get_matches();
    let Some(("match", matches)) = matches.subcommand() else { return Vec::new() };
    let found = matches.get_occurrences::<String>("configured");
    found.map(|each| each.map(|words| words.cloned().collect()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn the_defaults_of_the_flags_are_those_of_a_file() {
        let Command::Match(args) = Cli::parse_from(["referee", "match", "a", "b"]).command else {
            panic!("it is a match");
        };
        let resolved = |flags: Vec<(String, String)>| {
            let flags = flags.iter().map(|(flag, value)| (flag.as_str(), value.as_str()));
            let engines = vec![EngineDefinition::new(vec!["a".to_owned()]); 2];
            let definition = Definition::from_flags(flags.chain([("name", "m")]), engines).expect("sound");
            assert!(definition.pin);
            tournament::resolved::Resolved::new(&definition, 1, &["a".to_owned(), "b".to_owned()], &[])
        };
        assert_eq!(resolved(given(&args.flags)), resolved(Vec::new()));
    }
}
