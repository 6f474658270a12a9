//! From an entry of a definition to what starts the engine.

use clock::Resources;
use protocol::dialect::ProtocolId;
use protocol::message::Identity;
use protocol::option::Setting;
use tournament::definition::{Definition, DefinitionError};

use crate::prepare::find_program::{absolute, locate};
use engine_process::sandbox;
use engine_process::sandbox::SandboxPolicy;
use play::engine::Launch;

/// How an engine is started: its program found, its folder there, its limits possible.
///
/// # Errors
/// [`DefinitionError`] with the key that is wrong.
pub(crate) fn launch(definition: &Definition, engine: usize) -> Result<Launch, DefinitionError> {
    let entry = &definition.engines[engine];
    let program = locate(&entry.command[0], definition.folder())
        .map_err(|error| definition.engine_error(engine, "command", error.to_string()))?;
    let directory = match &entry.directory {
        None => None,
        Some(written) => {
            let path = absolute(&definition.path(written));
            if !path.is_dir() {
                let message = format!("{} is not a folder", path.display());
                return Err(definition.engine_error(engine, "directory", message));
            }
            Some(path)
        }
    };
    let confinement = SandboxPolicy {
        resources: definition.resources_of(engine),
        sandbox: definition.is_in_sandbox(engine),
    };
    if let Err(why) = sandbox::probe(&confinement) {
        let key = if confinement.resources == Resources::default() { "sandbox" } else { "limits" };
        let message = format!("this system cannot confine the engine so: {why}");
        return Err(definition.engine_error(engine, key, message));
    }
    Ok(Launch {
        confinement,
        program,
        arguments: entry.command[1..].to_vec(),
        directory,
        env: entry.env.clone().into_iter().collect(),
        keep: definition.freeze || definition.cpu_clock,
    })
}

/// The options to send, each checked against what the engine declares.
///
/// # Errors
/// [`DefinitionError`] with the option that is wrong.
pub(crate) fn settings(
    definition: &Definition,
    engine: usize,
    identity: &Identity,
    protocol: ProtocolId,
) -> Result<Vec<Setting>, DefinitionError> {
    let entry = &definition.engines[engine];
    let mut settings = Vec::new();
    if let ([(name, _), ..], false) = (&entry.options[..], protocol.has_options()) {
        let message = format!("it speaks {protocol}, which has no options; use arguments");
        return Err(definition.engine_error(engine, &format!("options.{name}"), message));
    }
    for (name, value) in &entry.options {
        let setting = identity.setting(name, value);
        settings.push(setting.map_err(|error| {
            definition.engine_error(engine, &format!("options.{name}"), error.to_string())
        })?);
    }
    let names_threads = entry.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    if entry.threads() > 1 && !names_threads && identity.option("Threads").is_some() {
        let setting = identity.setting("Threads", &entry.threads().to_string());
        settings
            .push(setting.map_err(|error| definition.engine_error(engine, "threads", error.to_string()))?);
    }
    Ok(settings)
}
