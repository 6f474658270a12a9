//! Engines and openings as words of the command line.

use std::path::PathBuf;

use protocol::message::clean_name;

use super::error::DefinitionError;
use super::file::{LEVEL_WITHOUT_ENGINE, check_clock, check_option, no_options, parse_time, split_command};
use super::{EngineDefinition, OpeningOrder, OpeningSource, is_folder_name};

/// An engine from the words behind `--engine`: its command, then settings `key=value` with the keys
/// of a definition file (`name=flat option.Corners=0 env.OMP_NUM_THREADS=1 time=100ms`). A known
/// engine stands for a command as `engine=edax`.
///
/// # Errors
/// [`DefinitionError`] that names the word.
pub fn engine_from_words(words: &[String]) -> Result<EngineDefinition, DefinitionError> {
    let wrong =
        |word: &str, message: String| DefinitionError::on_command_line(format!("engine `{word}`"), message);
    let Some((command, settings)) = words.split_first() else {
        return Err(DefinitionError::on_command_line("engine", "names no program"));
    };
    let known = command.strip_prefix("engine=");
    let parts = match known {
        None => split_command(command).map_err(|message| wrong(command, message))?,
        Some(_) => Vec::new(),
    };
    if known.unwrap_or_else(|| parts.first().map_or("", String::as_str)).is_empty() {
        return Err(wrong(command, "names no program".to_owned()));
    }
    let mut engine = EngineDefinition::new(parts);
    engine.known = known.map(str::to_owned);
    for word in settings {
        let Some((key, value)) = word.split_once('=') else {
            let message = format!("`{word}` is not key=value; quote a command that has arguments");
            return Err(wrong(command, message));
        };
        let refused = |message: String| wrong(command, format!("{key}: {message}"));
        let yes_or_no =
            |what: &str| value.parse::<bool>().map_err(|_| refused(format!("{what} takes true or false")));
        engine.lines.insert(key.to_owned(), 0);
        match key.split_once('.') {
            Some(("option" | "options", option)) => {
                check_option(option, value).map_err(|message| refused(message.to_owned()))?;
                engine.options.push((option.to_owned(), value.to_owned()))
            }
            Some(("env", variable)) => {
                engine.env.insert(variable.to_owned(), value.to_owned());
            }
            Some(("limits", limit)) => engine.resources.set(limit, value).map_err(refused)?,
            None if key == "sandbox" => engine.sandbox = Some(yes_or_no("sandbox")?),
            None if key == "engine" && known.is_none() => engine.known = Some(value.to_owned()),
            None if key == "name" => {
                if clean_name(value).as_deref() != Some(value) {
                    return Err(refused("must be 1 to 100 printable characters".to_owned()));
                }
                engine.name = Some(value.to_owned());
            }
            None if key == "time" => engine.time = Some(parse_time(value).map_err(refused)?),
            None if key == "threads" => {
                let count = value.parse().ok().filter(|threads| (1..=4096).contains(threads));
                engine.threads =
                    count.ok_or_else(|| refused("takes a whole number from 1 to 4096".to_owned()))?;
            }
            None if key == "protocol" => engine.protocol = value.parse().map_err(refused)?,
            None if key == "clock" => engine.clock = value.parse().map_err(refused)?,
            None if key == "level" => {
                if engine.known.is_none() {
                    return Err(refused(LEVEL_WITHOUT_ENGINE.to_owned()));
                }
                let level = value.parse().ok().filter(|level| *level <= 1000);
                let wanted = || refused("takes a whole number from 0 to 1000".to_owned());
                engine.level = Some(level.ok_or_else(wanted)?);
            }
            None if key == "directory" => engine.directory = Some(PathBuf::from(value)),
            None if key == "restart" => engine.restart = yes_or_no("restart")?,
            _ => {
                let known = "name, engine, time, threads, protocol, clock, level, directory, restart, sandbox, \
                             limits.NAME, option.NAME, env.NAME";
                return Err(refused(format!("unknown key; known here: {known}")));
            }
        }
    }
    // What a known engine speaks is not known here.
    if engine.known.is_some() {
        return Ok(engine);
    }
    if !engine.options.is_empty() && !engine.protocol.may_have_options() {
        return Err(wrong(command, no_options(&engine.protocol)));
    }
    check_clock(engine.protocol, engine.clock)
        .map_err(|message| wrong(command, format!("clock: {message}")))?;
    Ok(engine)
}

/// Openings from a word: `random=8`, `every=6` or a file name. Behind the latter two may stand `:random` or
/// `:sequential`, behind a file `:plies=N` (the first N plies of each game), behind all `:balanced`, in any order.
/// With it whether only balanced ones are taken.
///
/// # Errors
/// [`DefinitionError`] if a count is not one, or something stands behind a source that it does not go with.
pub fn openings_from_words(word: &str) -> Result<(OpeningSource, bool), DefinitionError> {
    let wrong = |message: &str| DefinitionError::on_command_line("--openings", format!("`{word}` {message}"));
    let count = |count: &str, key: &str, least: u32| match count.parse() {
        Ok(plies) if (least..=59).contains(&plies) => Ok(plies),
        _ => Err(wrong(&format!("takes a whole number from {least} to 59 after `{key}=`"))),
    };
    let (mut rest, mut balanced, mut order, mut first) = (word, false, None, None);
    while let Some((before, last)) = rest.rsplit_once(':') {
        match (last, last.strip_prefix("plies=")) {
            ("balanced", _) => balanced = true,
            ("random", _) if order.is_none() => order = Some(OpeningOrder::Random),
            ("sequential", _) if order.is_none() => order = Some(OpeningOrder::Sequential),
            (_, Some(plies)) if first.is_none() => first = Some(count(plies, "plies", 1)?),
            _ => break,
        }
        rest = before;
    }
    let listed = rest.strip_prefix("random=").or(rest.strip_prefix("every="));
    if listed.is_some() && first.is_some() {
        return Err(wrong("has `plies`, which goes with a file alone: the first plies of each of its games"));
    }
    if let Some(plies) = rest.strip_prefix("random=") {
        if order.is_some() {
            return Err(wrong("has an order, which goes with a file or `every`"));
        }
        return Ok((OpeningSource::Random(count(plies, "random", 0)?), balanced));
    }
    let order = order.unwrap_or_default();
    if let Some(plies) = rest.strip_prefix("every=") {
        return Ok((OpeningSource::Every { plies: count(plies, "every", 0)?, order }, balanced));
    }
    let path = rest.strip_prefix("file=").unwrap_or(rest);
    if path.is_empty() {
        Err(wrong("names no file"))
    } else {
        Ok((OpeningSource::File { path: path.into(), order, plies: first }, balanced))
    }
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
