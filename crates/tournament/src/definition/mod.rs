//! What is to be played: the definition, from a file or from the command line.

mod error;
mod file;
pub(crate) mod reader;
mod words;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clock::{Limits, Resources, TimeControl};
use protocol::dialect::{ClockStyle, ProtocolChoice};
use rules::{BoardSize, Empties, Position, Variant};

use crate::schedule::Schedule;
use crate::sprt::SprtPlan;

pub use error::DefinitionError;
pub(crate) use file::{check_clock, read_command};
pub use words::{derived_name, engine_from_words, openings_from_words};

/// Everything that decides what is played and how. Defaults are those of [`Definition::new`].
#[derive(Clone, Debug)]
pub struct Definition {
    /// Names the results folder: letters, digits, `-` and `_`.
    pub name: String,
    /// Who meets whom.
    pub format: Format,
    /// Colour-swapped game pairs an encounter, at least 1.
    pub pairs: u64,
    /// Everything random derives from it; drawn if absent. Below 2^53.
    pub seed: Option<u64>,
    /// Games at once; what fits the cores if absent.
    pub concurrency: Option<usize>,
    /// Othello or one of its relatives.
    pub variant: Variant,
    /// The board.
    pub board: BoardSize,
    /// Whether empty squares count for the winner.
    pub empties: Empties,
    /// How thinking is limited, unless an engine has a limit of its own.
    pub time: TimeControl,
    /// The reserve on clocks and move times.
    pub margin: Duration,
    /// Whether clocks count the processor time of an engine's processes, not the time on the wall.
    pub cpu_clock: bool,
    /// Whether the processes of an engine are held while it is not its turn.
    pub freeze: bool,
    /// Whether each game slot keeps to cores of its own.
    pub pin: bool,
    /// What the games start from.
    pub openings: OpeningSource,
    /// Whether only openings are taken that a search finds nearly even.
    pub balanced: bool,
    /// The position before the openings; the variant's own if absent.
    pub start: Option<StartPosition>,
    /// The limits that are not the game clock.
    pub limits: Limits,
    /// What each engine's processes may take from the machine, unless an engine has limits of its own.
    pub resources: Resources,
    /// Whether engines have no network and write nowhere but into temporary folders of their own.
    pub sandbox: bool,
    /// Games in a row lost by faults of any kind after which an engine is withdrawn, at least 1; only
    /// failed starts count if absent.
    pub withdraw_after: Option<u32>,
    /// A sequential test that ends the tournament when it is decided.
    pub sprt: Option<SprtPlan>,
    /// The entrants, at least two.
    pub engines: Vec<EngineDefinition>,
    /// Where all this was written.
    pub origin: Origin,
    /// The lines of the keys that are not an engine's, for error messages.
    pub lines: BTreeMap<String, usize>,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// Two engines.
    Match,
    /// So many engines, the first of the definition, meet each of the others.
    Gauntlet {
        /// At least one, and fewer than there are engines.
        seeds: usize,
    },
}

impl Format {
    /// Who meets whom among so many engines.
    #[must_use]
    pub fn schedule(self, engines: usize, pairs: u64) -> Schedule {
        match self {
            Self::RoundRobin | Self::Match => Schedule::round_robin(engines, pairs),
            Self::Gauntlet { seeds } => Schedule::gauntlet(engines, seeds, pairs),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => f.write_str("round-robin"),
            Self::Match => f.write_str("match"),
            Self::Gauntlet { seeds: 1 } => f.write_str("gauntlet"),
            Self::Gauntlet { seeds } => write!(f, "gauntlet of {seeds}"),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "round-robin" => Ok(Self::RoundRobin),
            "match" => Ok(Self::Match),
            "gauntlet" => Ok(Self::Gauntlet { seeds: 1 }),
            _ => Err(format!("`{text}` is not a format; there is round-robin, match, gauntlet")),
        }
    }
}

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// So many plies of seeded random play.
    Random(u32),
    /// Every position after so many plies.
    Every {
        /// The plies.
        plies: u32,
        /// Whether they are shuffled.
        order: OpeningOrder,
    },
    /// A file of transcripts, one a line, or of games and positions in another format; the path as it was written.
    File {
        /// As written.
        path: PathBuf,
        /// Whether its lines are shuffled.
        order: OpeningOrder,
        /// How many plies of each game are the opening, 1 to 59, passes counted; all of them if absent.
        plies: Option<u32>,
    },
}

/// The position from which openings and games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartPosition {
    /// The usual one: both discs of a colour on a diagonal.
    #[default]
    Diagonal,
    /// Both discs of a colour side by side.
    Parallel,
    /// No discs: the start of the historical game.
    Empty,
    /// Any other.
    Custom(Position),
}

impl StartPosition {
    /// Where a variant begins unless another start is chosen.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        match variant {
            Variant::Othello | Variant::Reversed => Self::Diagonal,
            Variant::Historical => Self::Empty,
        }
    }

    /// The position on this board; none if it is another board's.
    #[must_use]
    pub fn on(self, board: BoardSize) -> Option<Position> {
        match self {
            Self::Diagonal => Some(Position::start(board)),
            Self::Parallel => Some(Position::parallel(board)),
            Self::Empty => Some(Position::empty_board(board)),
            Self::Custom(position) => (position.size() == board).then_some(position),
        }
    }
}

impl FromStr for StartPosition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "diagonal" => Ok(Self::Diagonal),
            "parallel" => Ok(Self::Parallel),
            "empty" => Ok(Self::Empty),
            _ => match text.parse::<Position>() {
                Ok(position) if position.is_over() => Err("nobody can move in this position".to_owned()),
                Ok(position) => Ok(Self::Custom(position)),
                Err(error) => Err(format!(
                    "is neither \"diagonal\", \"parallel\" nor \"empty\", nor a position (squares from a1 row by row and the side, as in \"-OX-... X\"): {error}"
                )),
            },
        }
    }
}

impl fmt::Display for StartPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagonal => f.write_str("diagonal"),
            Self::Parallel => f.write_str("parallel"),
            Self::Empty => f.write_str("empty"),
            Self::Custom(position) => position.fmt(f),
        }
    }
}

/// The order in which the openings of a file are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpeningOrder {
    /// As they stand in the file.
    #[default]
    Sequential,
    /// Shuffled by the tournament's seed.
    Random,
}

impl FromStr for OpeningOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sequential" => Ok(Self::Sequential),
            "random" => Ok(Self::Random),
            _ => Err(format!("`{text}` is not an order; there is sequential, random")),
        }
    }
}

impl fmt::Display for OpeningOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
        })
    }
}

/// One entrant.
#[derive(Clone, Debug)]
pub struct EngineDefinition {
    /// What reports call it; what it calls itself if absent.
    pub name: Option<String>,
    /// The known engine whose settings fill in what is left open.
    pub known: Option<String>,
    /// The known engine's level.
    pub level: Option<u32>,
    /// The program and its arguments, as written; empty only if a known engine has it.
    pub command: Vec<String>,
    /// Options to set, in the order written, with their values as text.
    pub options: Vec<(String, String)>,
    /// Cores it may use, at least 1.
    pub threads: u32,
    /// What it speaks.
    pub protocol: ProtocolChoice,
    /// How it is told its time.
    pub clock: ClockStyle,
    /// Working directory of the process, as written; the referee's own if absent.
    pub directory: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// How its thinking is limited, where that differs.
    pub time: Option<TimeControl>,
    /// Whether each game starts it anew.
    pub restart: bool,
    /// What its processes may take from the machine, where that differs.
    pub resources: Resources,
    /// Whether it is in the sandbox, where that differs.
    pub sandbox: Option<bool>,
    /// The line of the definition at which each of its keys stands; 0 on the command line.
    pub lines: BTreeMap<String, usize>,
}

/// Where a definition was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In this file; its paths start from the file's folder.
    File(PathBuf),
    /// On the command line; its paths start from the working directory.
    CommandLine,
}

impl EngineDefinition {
    /// An engine started by this command, all else as by default.
    #[must_use]
    pub fn new(command: Vec<String>) -> Self {
        Self {
            name: None,
            known: None,
            level: None,
            command,
            options: Vec::new(),
            threads: 1,
            protocol: ProtocolChoice::default(),
            clock: ClockStyle::default(),
            directory: None,
            env: BTreeMap::new(),
            time: None,
            restart: false,
            resources: Resources::default(),
            sandbox: None,
            lines: BTreeMap::new(),
        }
    }

    /// The file name of its program: what it is called as long as it has no name.
    #[must_use]
    pub fn program_name(&self) -> String {
        let program = self.command.first().or(self.known.as_ref()).map(Path::new);
        let name = program.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.and_then(|name| protocol::message::clean_name(&name)).unwrap_or_else(|| "engine".to_owned())
    }
}

impl Definition {
    /// A definition with these engines, everything else as by default.
    #[must_use]
    pub fn new(name: String, engines: Vec<EngineDefinition>, origin: Origin) -> Self {
        Self {
            name,
            format: Format::RoundRobin,
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
            openings: OpeningSource::Random(8),
            balanced: false,
            start: None,
            limits: Limits::default(),
            resources: Resources::default(),
            sandbox: false,
            withdraw_after: None,
            sprt: None,
            engines,
            origin,
            lines: BTreeMap::new(),
        }
    }

    /// Reads a definition file's text.
    ///
    /// # Errors
    /// [`DefinitionError`] at the first thing that is wrong, with file, line and key.
    pub fn parse(file: &Path, text: &str) -> Result<Self, DefinitionError> {
        file::parse(file, text)
    }

    /// The folder from which the definition's paths start; the working directory if `None`.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(file) => file.parent(),
            Origin::CommandLine => None,
        }
    }

    /// A path of the definition, seen from the working directory.
    #[must_use]
    pub fn path(&self, written: &Path) -> PathBuf {
        self.folder().map_or_else(|| written.to_owned(), |folder| folder.join(written))
    }

    /// The start as it was chosen, or the variant's own.
    #[must_use]
    pub fn start(&self) -> StartPosition {
        self.start.unwrap_or_else(|| StartPosition::of(self.variant))
    }

    /// The position from which openings and games begin.
    #[must_use]
    pub fn start_position(&self) -> Position {
        self.start().on(self.board).unwrap_or_else(|| self.variant.start(self.board))
    }

    /// How this engine's thinking is limited.
    #[must_use]
    pub fn time_of(&self, engine: usize) -> TimeControl {
        self.engines[engine].time.unwrap_or(self.time)
    }

    /// What this engine's processes may take from the machine.
    #[must_use]
    pub fn resources_of(&self, engine: usize) -> Resources {
        self.engines[engine].resources.or(self.resources)
    }

    /// Whether this engine has no network and writes nowhere but into a temporary folder.
    #[must_use]
    pub fn is_in_sandbox(&self, engine: usize) -> bool {
        self.engines[engine].sandbox.unwrap_or(self.sandbox)
    }

    /// A complaint about the whole, placed at a key; one within a table at the table.
    #[must_use]
    pub fn whole_error(&self, key: &str, message: impl Into<String>) -> DefinitionError {
        match &self.origin {
            Origin::File(file) => {
                let line = key.split('.').next().and_then(|word| self.lines.get(word)).copied();
                DefinitionError { line, key: Some(key.to_owned()), ..DefinitionError::in_file(file, message) }
            }
            Origin::CommandLine => DefinitionError::on_command_line(key, message),
        }
    }

    /// A complaint about an engine, placed at the key of its definition.
    #[must_use]
    pub fn engine_error(&self, engine: usize, key: &str, message: impl Into<String>) -> DefinitionError {
        let lines = &self.engines[engine].lines;
        match &self.origin {
            Origin::File(file) => DefinitionError {
                file: Some(file.clone()),
                line: lines.get(key).or_else(|| lines.get("")).copied(),
                key: Some(format!("engine[{}].{key}", engine + 1)),
                message: message.into(),
            },
            Origin::CommandLine => {
                let entry = &self.engines[engine];
                let command =
                    if entry.command.is_empty() { entry.program_name() } else { entry.command.join(" ") };
                DefinitionError::on_command_line(format!("engine `{command}`, {key}"), message)
            }
        }
    }

    /// Checks what can be checked of a whole definition without starting an engine.
    ///
    /// # Errors
    /// [`DefinitionError`], for example if there are fewer than two engines or two with one name.
    pub fn check(&self) -> Result<(), DefinitionError> {
        let whole = |key: &str, message: String| self.whole_error(key, message);
        if !is_folder_name(&self.name) {
            return Err(whole(
                "name",
                format!("{:?} cannot name a folder; use letters, digits, - and _", self.name),
            ));
        }
        match self.start().on(self.board) {
            None => {
                let message = format!("is a position on another board than {}", self.board);
                return Err(whole("start", message));
            }
            Some(start) if !self.variant.allows(start) => {
                let message = "has an open centre, which is filled first in the historical game alone: variant = \"historical\"";
                return Err(whole("start", message.to_owned()));
            }
            Some(_) => {}
        }
        if self.engines.len() < 2 {
            return Err(whole(
                "engine",
                format!("a tournament needs two engines or more, not {}", self.engines.len()),
            ));
        }
        match self.format {
            Format::Match if self.engines.len() != 2 => {
                let message = format!("a match is between two engines, not {}", self.engines.len());
                return Err(whole("format", message));
            }
            Format::Gauntlet { seeds } if seeds >= self.engines.len() => {
                let message = format!(
                    "{seeds} leaves nobody to play against; there are {} engines",
                    self.engines.len()
                );
                return Err(whole("seeds", message));
            }
            _ => {}
        }
        if let Some(SprtPlan { pair: None, .. }) = self.sprt
            && self.engines.len() != 2
        {
            let message = "among more than two engines name those that are tested: pair = [\"NEW\", \"OLD\"]";
            return Err(whole("sprt", message.to_owned()));
        }
        for (index, engine) in self.engines.iter().enumerate() {
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

/// Letters, digits, `-` and `_`, at least one and at most 100, in no more bytes than a file system
/// takes.
#[must_use]
pub fn is_folder_name(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    (1..=100).contains(&name.chars().count()) && name.len() <= 200 && name.chars().all(allowed)
}
