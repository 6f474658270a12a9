//! The values of a definition that are more than a number or a text.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clock::{Limits, Resources};
use ratings::{EloModel, Sprt};
use rules::{BoardSize, Position, Variant};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fields;
use super::reader::unknown_key;
use crate::schedule::Schedule;
use crate::sprt::SprtPlan;

/// The format of a tournament: who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Each engine meets each other engine.
    RoundRobin,
    /// Two engines.
    Match,
    /// The first `seeds` engines meet each of the others.
    Gauntlet {
        /// At least one, and fewer than there are engines.
        seeds: usize,
    },
}

impl Format {
    /// The schedule for this many engines and game pairs.
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
    /// This many plies of seeded random play.
    Random(u32),
    /// Every position after a number of plies.
    Every {
        /// The plies.
        plies: u32,
        /// As listed, or shuffled.
        order: OpeningOrder,
    },
    /// A file of transcripts, one a line, or of games and positions in another format.
    File {
        /// The path as written.
        path: PathBuf,
        /// As in the file, or shuffled.
        order: OpeningOrder,
        /// The plies of each game that are the opening, 1 to 59, passes counted; `None` is all.
        plies: Option<u32>,
    },
}

/// The position from which openings and games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartPosition {
    /// The standard start: both discs of a colour on a diagonal.
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
    /// The default start of a variant.
    #[must_use]
    pub fn of(variant: Variant) -> Self {
        match variant {
            Variant::Othello | Variant::Reversed => Self::Diagonal,
            Variant::Historical => Self::Empty,
        }
    }

    /// The position on this board; `None` if it is for another board.
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
    /// As in the file.
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

/// `openings`: one of the sources `random`, `every` and `file`, and its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    default,
    expecting = "{ random = PLIES }, { every = PLIES } or { file = \"FILE\" }"
)]
pub struct OpeningsDefinition {
    /// Plies of seeded random play.
    #[serde(deserialize_with = "fields::some_count::<_, _, 0, 59>", skip_serializing_if = "Option::is_none")]
    pub random: Option<u32>,
    /// Plies after which every position is an opening.
    #[serde(deserialize_with = "fields::some_count::<_, _, 0, 59>", skip_serializing_if = "Option::is_none")]
    pub every: Option<u32>,
    /// A file of transcripts, games or positions; the path as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The order of `every` and `file`.
    #[serde(
        deserialize_with = "fields::some_word",
        serialize_with = "fields::write_some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub order: Option<OpeningOrder>,
    /// The plies of each game of `file` that are the opening, passes counted; `None` is all.
    #[serde(deserialize_with = "fields::some_count::<_, _, 1, 59>", skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// True if only openings are played that a search finds balanced.
    #[serde(skip_serializing)]
    pub balanced: bool,
}

impl OpeningsDefinition {
    /// This many plies of seeded random play.
    #[must_use]
    pub fn random(plies: u32) -> Self {
        Self { random: Some(plies), ..Self::default() }
    }

    /// The source.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn source(&self) -> Result<OpeningSource, (&'static str, String)> {
        let wrong = |key, message: &str| Err((key, message.to_owned()));
        let order = self.order.unwrap_or_default();
        if self.plies.is_some() && self.file.is_none() {
            return wrong("openings.plies", "goes with `file` alone: the first plies of each of its games");
        }
        match (self.random, self.every, &self.file) {
            (None, None, None) => {
                wrong("openings", "must be { random = PLIES }, { every = PLIES } or { file = \"FILE\" }")
            }
            (Some(_), Some(_), _) => wrong("openings.every", "is one source too many; choose one"),
            (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
                wrong("openings.file", "is one source too many; choose one")
            }
            (Some(_), None, None) if self.order.is_some() => {
                wrong("openings.order", "goes with `file` or `every`, not with `random`")
            }
            (Some(plies), None, None) => Ok(OpeningSource::Random(plies)),
            (None, Some(plies), None) => Ok(OpeningSource::Every { plies, order }),
            (None, None, Some(file)) if file.as_os_str().is_empty() => {
                wrong("openings.file", "names no file")
            }
            (None, None, Some(file)) => {
                Ok(OpeningSource::File { path: file.clone(), order, plies: self.plies })
            }
        }
    }
}

/// `[sprt]`: a sequential test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct SprtDefinition {
    /// The Elo of H0.
    pub elo0: f64,
    /// The Elo of H1.
    pub elo1: f64,
    /// The rate of wrong decisions for H1.
    #[serde(default = "usual_rate")]
    pub alpha: f64,
    /// The rate of wrong decisions for H0.
    #[serde(default = "usual_rate")]
    pub beta: f64,
    /// The meaning of Elo in `elo0` and `elo1`.
    #[serde(default, deserialize_with = "fields::model", serialize_with = "fields::write_model")]
    pub model: EloModel,
    /// True if the bounds are corrected for overshoot.
    #[serde(default)]
    pub overshoot: bool,
    /// The tested engine and its opponent; the two of a match if absent.
    #[serde(default, deserialize_with = "fields::pair")]
    pub pair: Option<(String, String)>,
}

fn usual_rate() -> f64 {
    0.05
}

impl SprtDefinition {
    /// The test that this describes.
    ///
    /// # Errors
    /// A sentence on what is wrong with its numbers.
    pub fn plan(&self) -> Result<SprtPlan, String> {
        let test = Sprt::new(self.elo0, self.elo1, self.alpha, self.beta, self.model);
        let test = test.map_err(|error| error.to_string())?;
        Ok(SprtPlan { test, overshoot: self.overshoot, pair: self.pair.clone() })
    }
}

/// `[faults]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Faults {
    /// Games in a row lost by faults of any kind after which an engine is withdrawn, at least 1; only
    /// failed starts count if absent.
    #[serde(
        deserialize_with = "fields::some_count::<_, _, 1, 1_000_000>",
        skip_serializing_if = "Option::is_none"
    )]
    pub withdraw_after: Option<u32>,
    /// The treatment of an engine that fails its handshake before the first game.
    #[serde(deserialize_with = "fields::word", skip_serializing)]
    pub start: StartFault,
}

/// The treatment of an engine that fails its handshake before the first game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartFault {
    /// There is no tournament.
    #[default]
    Refuse,
    /// It loses its games until it is withdrawn, as in a class whose other programs are to play.
    Forfeit,
}

impl FromStr for StartFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "forfeit" => Ok(Self::Forfeit),
            _ => Err(format!("`{text}` is neither \"refuse\" nor \"forfeit\"")),
        }
    }
}

/// `[limits]`: the limits that are not the game clock. Only the timeouts are serialized, since an engine
/// may have resources of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineLimits {
    /// How long an engine may take where no game clock runs.
    pub timeouts: Limits,
    /// Resource limits of each engine, unless it has limits of its own.
    pub resources: Resources,
}

const TIMEOUTS: [&str; 5] = ["start", "ready", "move", "quit", "sync"];

fn timeout<'a>(timeouts: &'a mut Limits, key: &str) -> Option<&'a mut Duration> {
    match key {
        "start" => Some(&mut timeouts.start),
        "ready" => Some(&mut timeouts.ready),
        "move" => Some(&mut timeouts.move_),
        "quit" => Some(&mut timeouts.quit),
        "sync" => Some(&mut timeouts.sync),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for EngineLimits {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut limits = Self::default();
        fields::each_setting(from, |key, value| match timeout(&mut limits.timeouts, key) {
            Some(timeout) => {
                *timeout = clock::parse_duration(&value).map_err(|error| error.to_string())?;
                let may_be_zero = ["quit", "sync"].contains(&key) || !timeout.is_zero();
                if may_be_zero { Ok(()) } else { Err("must be more than zero".to_owned()) }
            }
            None if Resources::KEYS.contains(&key) => limits.resources.set(key, &value),
            None => Err(unknown_key(key, &[&TIMEOUTS[..], &Resources::KEYS].concat())),
        })?;
        Ok(limits)
    }
}

impl Serialize for EngineLimits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut timeouts = self.timeouts;
        // `sync` changes no game that was played, and earlier versions did not have it.
        to.collect_map(TIMEOUTS.iter().filter(|&&key| key != "sync").map(|&key| {
            let time = timeout(&mut timeouts, key).copied().unwrap_or_default();
            (key, clock::format_duration(time))
        }))
    }
}
