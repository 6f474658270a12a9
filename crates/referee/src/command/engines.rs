//! `referee engines`: the engines whose settings are known, and whether they are installed.

use std::env;
use std::path::PathBuf;

use serde_json::json;
use tournament::definition::DefinitionError;
use tournament::known::{KnownEngine, KnownEngines};

use super::{CommandError, say};
use crate::cli::EnginesArgs;
use crate::exit_code::Exit;
use crate::prepare::find_program::locate;

/// The environment variable that names the folder of the user's own files.
const FOLDER: &str = "OUTFLANK_ENGINES";

/// The known engines: those of this program and the user's own.
///
/// # Errors
/// [`DefinitionError`] if the folder of the user's files can't be read.
pub(crate) fn known() -> Result<KnownEngines, DefinitionError> {
    let mut known = KnownEngines::shipped()?;
    if let Some(folder) = folder() {
        known.add_folder(&folder)?;
    }
    Ok(known)
}

/// The folder of the user's own files, which may not exist.
fn folder() -> Option<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = || given("XDG_CONFIG_HOME").or_else(|| given("HOME").map(|home| home.join(".config")));
    given(FOLDER).or_else(|| config().map(|config| config.join("outflank/engines")))
}

/// The path of the engine's program, if it is installed.
fn place(engine: &KnownEngine) -> Option<PathBuf> {
    locate(&engine.command[0], engine.file.as_deref().and_then(|file| file.parent())).ok()
}

pub(super) fn list(args: &EnginesArgs) -> Result<Exit, CommandError> {
    let known = known().map_err(|error| CommandError::new(Exit::Usage, error))?;
    let mut text = String::new();
    for engine in known.iter() {
        let place = place(engine);
        if args.json {
            let line = json!({
                "engine": engine.name,
                "about": engine.about,
                "command": engine.command,
                "protocol": engine.protocol.to_string(),
                "clock": engine.clock.to_string(),
                "level": engine.level,
                "threads": engine.threads,
                "limited_by": engine.limited_by,
                "note": engine.note,
                "file": engine.file.as_ref().map(|file| file.display().to_string()),
                "program": place.map(|place| place.display().to_string()),
            });
            text += &format!("{line}\n");
            continue;
        }
        text += &format!("{}: {}\n", engine.name, engine.about);
        text += &format!("  {} ({})\n", engine.command.join(" "), engine.protocol);
        let here =
            place.map_or_else(|| "not found here".to_owned(), |place| format!("found: {}", place.display()));
        text += &format!("  {here}\n");
        if let Some(by) = &engine.limited_by {
            text += &format!("  is not told its time; limited by {by}\n");
        }
        if !engine.level.is_empty() {
            text += &format!("  level = N is {}\n", engine.level.join(" ").replace("{}", "N"));
        }
        if let Some(note) = &engine.note {
            text += &format!("  {note}\n");
        }
    }
    if !args.json {
        let folder = folder()
            .map_or_else(|| format!("the folder {FOLDER} names"), |folder| folder.display().to_string());
        text += &format!(
            "\nUse one as engine = \"edax\" under [[engine]], or as --engine engine=edax level=10.\nAdd your own: a file NAME.toml with about, command and protocol in {folder}\n"
        );
    }
    say(text.trim_end_matches('\n'))?;
    for error in known.broken() {
        eprintln!("referee: {error}");
    }
    Ok(if known.broken().next().is_some() { Exit::Usage } else { Exit::Done })
}
