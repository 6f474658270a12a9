//! Definitions of tournaments, from a file or from the command line.
//!
//! **A new key** is one field of [`Definition`], with its default in `Default` below, or of
//! [`EngineDefinition`]. The reader, the list of known keys, the definition kept with the results and the comparison of
//! a resumed run are made from the structs. A key of `match` is also a flag in `cli.rs`.

mod cli_args;
mod error;
pub(crate) mod fields;
pub(crate) mod reader;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clock::{Resources, TimeControl};
use protocol::dialect::{ClockStyle, ProtocolChoice};
use rules::{BoardSize, Empties, Position, Variant};
use serde::{Deserialize, Serialize};

use crate::sprt::SprtPlan;
use reader::Lines;

pub use cli_args::{derived_name, engine_from_words};
pub use error::DefinitionError;
pub use values::{
    EngineLimits, Faults, Format, OpeningOrder, OpeningSource, OpeningsDefinition, SprtDefinition,
    StartFault, StartPosition,
};

/// Everything that decides what is played and how. A field is the key of the same name in a file.
///
/// It is serialized as it is kept with the results ([`Resolved`](crate::resolved::Resolved)): what changes
/// no game is left out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Definition {
    /// Names the results folder: letters, digits, `-` and `_`.
    pub name: String,
    /// The format: who meets whom.
    #[serde(deserialize_with = "fields::word", serialize_with = "fields::write_text")]
    pub format: Format,
    /// How many engines, the first ones, meet the others in a gauntlet; once read it is part of `format`.
    #[serde(deserialize_with = "fields::some_count::<_, _, 1, 10_000>", skip_serializing)]
    seeds: Option<usize>,
    /// Colour-swapped game pairs an encounter, at least 1. More could not be numbered within 2^53.
    #[serde(deserialize_with = "fields::count::<_, _, 1, 1_000_000_000>")]
    pub pairs: u64,
    /// Everything random derives from it; drawn if absent. Below 2^53.
    #[serde(deserialize_with = "fields::some_count::<_, _, 0, 0x1f_ffff_ffff_ffff>", skip_serializing)]
    pub seed: Option<u64>,
    /// Games at once; what fits the cores if absent.
    #[serde(deserialize_with = "fields::some_count::<_, _, 1, 10_000>", skip_serializing)]
    pub concurrency: Option<usize>,
    /// Othello or one of its relatives.
    #[serde(deserialize_with = "fields::word", serialize_with = "fields::write_text")]
    pub variant: Variant,
    /// The board.
    #[serde(deserialize_with = "fields::board", serialize_with = "fields::write_board")]
    pub board: BoardSize,
    /// Who gets the empty squares when discs are counted.
    #[serde(deserialize_with = "fields::word", serialize_with = "fields::write_text")]
    pub empties: Empties,
    /// The time control of engines without one of their own.
    #[serde(deserialize_with = "fields::time", serialize_with = "fields::write_text")]
    pub time: TimeControl,
    /// The margin on clocks and move times.
    #[serde(deserialize_with = "fields::duration", serialize_with = "fields::write_duration")]
    pub margin: Duration,
    /// True if clocks count the CPU time of an engine's processes, not wall time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cpu_clock: bool,
    /// True if the processes of an engine are suspended while it is not its turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub freeze: bool,
    /// True if each game slot keeps to cores of its own.
    #[serde(skip_serializing)]
    pub pin: bool,
    /// The source of the openings.
    pub openings: OpeningsDefinition,
    /// The position before the openings; the variant's own if absent.
    #[serde(
        deserialize_with = "fields::some_word",
        serialize_with = "fields::write_some_text",
        skip_serializing_if = "is_usual_start"
    )]
    pub start: Option<StartPosition>,
    /// The limits that are not the game clock.
    pub limits: EngineLimits,
    /// True if each game starts an engine anew, unless the engine says otherwise.
    #[serde(skip_serializing)]
    pub restart: bool,
    /// True if engines have no network and write nowhere but into temporary folders of their own, unless an
    /// engine says otherwise.
    #[serde(skip_serializing)]
    pub sandbox: bool,
    /// When an engine is withdrawn.
    #[serde(skip_serializing)]
    pub faults: Faults,
    /// A sequential test that ends the tournament when it is decided.
    #[serde(skip_serializing)]
    pub sprt: Option<SprtDefinition>,
    /// The entrants, at least two.
    #[serde(rename = "engine", deserialize_with = "fields::engines", skip_serializing)]
    pub engines: Vec<EngineDefinition>,
    /// The place of the definition.
    #[serde(skip)]
    pub origin: Origin,
    /// The lines of the keys, for error messages.
    #[serde(skip)]
    lines: Lines,
}

impl Default for Definition {
    fn default() -> Self {
        Self {
            name: String::new(),
            format: Format::RoundRobin,
            seeds: None,
            pairs: 1,
            seed: None,
            concurrency: None,
            variant: Variant::Othello,
            board: BoardSize::Eight,
            empties: Empties::Winner,
            time: TimeControl::MoveTime(Duration::from_millis(50)),
            margin: Duration::from_millis(20),
            cpu_clock: false,
            freeze: false,
            pin: true,
            openings: OpeningsDefinition::random(8),
            start: None,
            limits: EngineLimits::default(),
            restart: false,
            sandbox: false,
            faults: Faults::default(),
            sprt: None,
            engines: Vec::new(),
            origin: Origin::CommandLine,
            lines: Lines::new(),
        }
    }
}

fn is_usual_start(start: &Option<StartPosition>) -> bool {
    matches!(start, None | Some(StartPosition::Diagonal))
}

/// One entrant. A field is the key of the same name under `[[engine]]`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct EngineDefinition {
    /// Its name in reports; `None` is the name that it gives itself.
    #[serde(deserialize_with = "fields::engine_name", skip_serializing)]
    pub name: Option<String>,
    /// The known engine with the settings for the keys that are left out.
    #[serde(rename = "engine", skip_serializing)]
    pub known: Option<String>,
    /// The known engine's level.
    #[serde(deserialize_with = "fields::some_count::<_, _, 0, 1000>", skip_serializing)]
    pub level: Option<u32>,
    /// The program and its arguments, as written; empty only if a known engine has it.
    #[serde(deserialize_with = "fields::command")]
    pub command: Vec<String>,
    /// Its protocol; [`EngineDefinition::protocol`] has the default.
    #[serde(deserialize_with = "fields::some_word", serialize_with = "fields::write_some_text")]
    pub protocol: Option<ProtocolChoice>,
    /// The commands that tell it its clock; [`EngineDefinition::clock`] has the default.
    #[serde(
        deserialize_with = "fields::some_word",
        serialize_with = "fields::write_some_text",
        skip_serializing_if = "is_usual_clock"
    )]
    pub clock: Option<ClockStyle>,
    /// Options to set, in the order written, with their values as text.
    #[serde(deserialize_with = "fields::options")]
    pub options: Vec<(String, String)>,
    /// Cores it may use, at least 1, which is the default.
    #[serde(deserialize_with = "fields::some_count::<_, _, 1, 4096>")]
    pub threads: Option<u32>,
    /// Working directory of the process, as written; the referee's own if absent.
    pub directory: Option<PathBuf>,
    /// Variables added to its environment.
    #[serde(deserialize_with = "fields::env")]
    pub env: BTreeMap<String, String>,
    /// Its time control, where it differs.
    #[serde(deserialize_with = "fields::some_time", serialize_with = "fields::write_some_text")]
    pub time: Option<TimeControl>,
    /// True if each game starts it anew, where that differs.
    pub restart: Option<bool>,
    /// False if it can't take a position and the request for a move together, where no clock runs.
    #[serde(skip_serializing)]
    pub pipelined: Option<bool>,
    /// Its resource limits, where they differ.
    #[serde(
        deserialize_with = "fields::resources",
        serialize_with = "fields::write_resources",
        skip_serializing_if = "is_unlimited"
    )]
    pub limits: Resources,
    /// True if it is in the sandbox, where that differs.
    #[serde(skip_serializing_if = "is_not_set")]
    pub sandbox: Option<bool>,
}

fn is_usual_clock(clock: &Option<ClockStyle>) -> bool {
    clock.unwrap_or_default() == ClockStyle::default()
}

fn is_unlimited(resources: &Resources) -> bool {
    *resources == Resources::default()
}

fn is_not_set(flag: &Option<bool>) -> bool {
    *flag != Some(true)
}

/// The place of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This file. Paths start from its folder.
    File(PathBuf),
    /// The command line. Paths start from the working directory.
    CommandLine,
}

impl EngineDefinition {
    /// An engine started by this command, everything else by default.
    #[must_use]
    pub fn new(command: Vec<String>) -> Self {
        Self { command, ..Self::default() }
    }

    /// The file name of its program: its name until it gives one.
    #[must_use]
    pub fn program_name(&self) -> String {
        let program = self.command.first().or(self.known.as_ref()).map(Path::new);
        let name = program.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.and_then(|name| protocol::message::clean_name(&name)).unwrap_or_else(|| "engine".to_owned())
    }

    /// Its protocol.
    #[must_use]
    pub fn protocol(&self) -> ProtocolChoice {
        self.protocol.unwrap_or_default()
    }

    /// The commands that tell it its clock.
    #[must_use]
    pub fn clock(&self) -> ClockStyle {
        self.clock.unwrap_or_default()
    }

    /// Cores it may use.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.threads.unwrap_or(1)
    }

    /// Checks what depends on several keys, as far as the protocol is known.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn check(&self) -> Result<(), (String, String)> {
        let wrong = |key: &str, message: &str| Err((key.to_owned(), message.to_owned()));
        if self.command.is_empty() && self.known.is_none() {
            return wrong("command", "is missing: the program to start");
        }
        if self.known.is_some() {
            return Ok(());
        }
        if self.level.is_some() {
            return wrong("level", "goes with a known engine, such as engine = \"edax\"; use arguments");
        }
        if let (Some((name, _)), false) = (self.options.first(), self.protocol().may_have_options()) {
            let message = format!("protocol {} has no options; use arguments", self.protocol());
            return wrong(&format!("options.{name}"), &message);
        }
        check_clock(self.protocol(), self.clock()).or_else(|message| wrong("clock", &message))
    }
}

/// Checks that the engine's protocol knows this way to tell it its time.
pub(crate) fn check_clock(protocol: ProtocolChoice, clock: ClockStyle) -> Result<(), String> {
    if protocol.allows_clock_style(clock) {
        Ok(())
    } else {
        Err(format!("protocol {protocol} does not tell the clock in the way `{clock}`; leave it out"))
    }
}

impl Definition {
    /// A definition with these engines, everything else by default.
    #[must_use]
    pub fn new(name: String, engines: Vec<EngineDefinition>, origin: Origin) -> Self {
        Self { name, engines, origin, ..Self::default() }
    }

    /// Reads a definition file's text.
    ///
    /// # Errors
    /// [`DefinitionError`] at the first thing that is wrong, with file, line and key.
    pub fn parse(file: &Path, text: &str) -> Result<Self, DefinitionError> {
        let (mut definition, lines): (Self, Lines) = reader::read_file(file, text)?;
        definition.origin = Origin::File(file.to_owned());
        definition.lines = lines;
        definition.settle()?;
        Ok(definition)
    }

    /// Makes `seeds` a part of `format`, and checks the whole.
    fn settle(&mut self) -> Result<(), DefinitionError> {
        match (self.seeds, &mut self.format) {
            (None, _) => {}
            (Some(number), Format::Gauntlet { seeds }) => *seeds = number,
            (Some(_), _) => return Err(self.error("seeds", "goes with format = \"gauntlet\"")),
        }
        self.check()
    }

    /// The folder from which paths start; `None` is the working directory.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(file) => file.parent(),
            Origin::CommandLine => None,
        }
    }

    /// A path of the definition, relative to the working directory.
    #[must_use]
    pub fn path(&self, written: &Path) -> PathBuf {
        self.folder().map_or_else(|| written.to_owned(), |folder| folder.join(written))
    }

    /// The start that was chosen, or the default of the variant.
    #[must_use]
    pub fn start(&self) -> StartPosition {
        self.start.unwrap_or_else(|| StartPosition::of(self.variant))
    }

    /// The position from which openings and games begin.
    #[must_use]
    pub fn start_position(&self) -> Position {
        self.start().on(self.board).unwrap_or_else(|| self.variant.start(self.board))
    }

    /// The time control of this engine.
    #[must_use]
    pub fn time_of(&self, engine: usize) -> TimeControl {
        self.engines[engine].time.unwrap_or(self.time)
    }

    /// The resource limits of this engine.
    #[must_use]
    pub fn resources_of(&self, engine: usize) -> Resources {
        self.engines[engine].limits.or(self.limits.resources)
    }

    /// True if this engine has no network and writes nowhere but into a temporary folder.
    #[must_use]
    pub fn is_in_sandbox(&self, engine: usize) -> bool {
        self.engines[engine].sandbox.unwrap_or(self.sandbox)
    }

    /// True if each game starts this engine anew.
    #[must_use]
    pub fn restarts(&self, engine: usize) -> bool {
        self.engines[engine].restart.unwrap_or(self.restart)
    }

    /// The sequential test, if there is to be one.
    ///
    /// # Errors
    /// [`DefinitionError`] if its numbers describe none, which [`check`](Self::check) rules out.
    pub fn sprt_plan(&self) -> Result<Option<SprtPlan>, DefinitionError> {
        let plan = self.sprt.as_ref().map(SprtDefinition::plan).transpose();
        plan.map_err(|message| self.error("sprt", message))
    }

    /// Where openings come from.
    ///
    /// # Errors
    /// [`DefinitionError`] if there is no one source, which [`check`](Self::check) rules out.
    pub fn opening_source(&self) -> Result<OpeningSource, DefinitionError> {
        self.openings.source().map_err(|(key, message)| self.error(key, message))
    }

    /// An error at a key, such as `openings.file` or `engine[2].name`: with its line, or with the line of the table
    /// that lacks it.
    #[must_use]
    pub fn error(&self, key: &str, message: impl Into<String>) -> DefinitionError {
        let Origin::File(file) = &self.origin else { return DefinitionError::on_command_line(key, message) };
        let mut place = Some(key);
        let line = loop {
            let Some(path) = place else { break None };
            if let Some(line) = self.lines.get(path) {
                break Some(*line);
            }
            place = path.rfind(['.', '[']).map(|end| &path[..end]);
        };
        DefinitionError { line, key: Some(key.to_owned()), ..DefinitionError::in_file(file, message) }
    }

    /// An error at a key of an engine.
    #[must_use]
    pub fn engine_error(&self, engine: usize, key: &str, message: impl Into<String>) -> DefinitionError {
        match &self.origin {
            Origin::File(_) => self.error(&format!("engine[{}].{key}", engine + 1), message),
            Origin::CommandLine => {
                let entry = &self.engines[engine];
                let command =
                    if entry.command.is_empty() { entry.program_name() } else { entry.command.join(" ") };
                DefinitionError::on_command_line(format!("engine `{command}`, {key}"), message)
            }
        }
    }

    /// The error for a required key, with line 1 if there is no better place.
    fn missing(&self, key: &str, what: &str) -> DefinitionError {
        let error = self.error(key, format!("is missing: {what}"));
        DefinitionError { line: error.line.or(error.file.as_ref().map(|_| 1)), ..error }
    }

    /// Checks everything that needs no engine to run.
    ///
    /// # Errors
    /// [`DefinitionError`], for example if there are fewer than two engines or two with one name.
    pub fn check(&self) -> Result<(), DefinitionError> {
        if self.name.is_empty() && !self.lines.contains_key("name") {
            return Err(self.missing("name", "the name of the results folder"));
        }
        if !is_folder_name(&self.name) {
            let message = format!("{:?} cannot name a folder; use letters, digits, - and _", self.name);
            return Err(self.error("name", message));
        }
        self.opening_source()?;
        match self.start().on(self.board) {
            None => {
                let message = format!("is a position on another board than {}", self.board);
                return Err(self.error("start", message));
            }
            Some(start) if !self.variant.allows(start) => {
                let message = "has an open centre, which is filled first in the historical game alone: variant = \"historical\"";
                return Err(self.error("start", message.to_owned()));
            }
            Some(_) => {}
        }
        if self.engines.len() < 2 {
            let wanted = "a tournament needs two [[engine]] or more";
            return Err(if self.lines.contains_key("engine") {
                self.error("engine", wanted)
            } else {
                self.missing("engine", wanted)
            });
        }
        match self.format {
            Format::Match if self.engines.len() != 2 => {
                let message = format!("a match is between two engines, not {}", self.engines.len());
                return Err(self.error("format", message));
            }
            Format::Gauntlet { seeds } if seeds >= self.engines.len() => {
                let message = format!(
                    "{seeds} leaves nobody to play against; there are {} engines",
                    self.engines.len()
                );
                return Err(self.error("seeds", message));
            }
            _ => {}
        }
        if let Some(SprtPlan { pair: None, .. }) = self.sprt_plan()?
            && self.engines.len() != 2
        {
            let message = "among more than two engines name those that are tested: pair = [\"NEW\", \"OLD\"]";
            return Err(self.error("sprt", message.to_owned()));
        }
        for (index, engine) in self.engines.iter().enumerate() {
            engine.check().map_err(|(key, message)| self.engine_error(index, &key, message))?;
            let Some(name) = &engine.name else { continue };
            let first = self.engines[..index].iter().position(|other| other.name.as_ref() == Some(name));
            if let Some(first) = first {
                let message =
                    format!("{name:?} is also the name of engine[{}]; names must differ", first + 1);
                return Err(self.engine_error(index, "name", message));
            }
        }
        Ok(())
    }
}

/// True for 1 to 100 letters, digits, `-` and `_` in at most 200 bytes (file systems take 255).
#[must_use]
pub fn is_folder_name(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    (1..=100).contains(&name.chars().count()) && name.len() <= 200 && name.chars().all(allowed)
}
