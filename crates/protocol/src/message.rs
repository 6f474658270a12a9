//! Requests to an engine and its responses, in no particular protocol.

use std::time::Duration;

use clock::TimeControl;
use rules::{ByColor, Color, Ply, Position, Variant};

use crate::option::{OptionDecl, OptionError, Setting};

/// A request to an engine. Each dialect writes it in the commands of its protocol.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// State your name and your options. Sent once, first.
    Handshake,
    /// Set these options, in this order, and say when you are ready. Sent once, after the handshake.
    SetOptions(&'a [Setting]),
    /// Forget the last game and get ready for this one.
    NewGame(&'a NewGame<'a>),
    /// Set up the game so far, and say when you are ready.
    Position {
        /// Every ply since the start.
        played: &'a [PlayedPly],
        /// The limit on the search that comes next, for protocols that send clocks before `go`.
        go: &'a Go,
    },
    /// Search and answer with a move.
    Go(&'a Go),
    /// End the search and answer with a move at once.
    Stop,
    /// Exit.
    Quit,
}

/// A game that is about to begin, for one of its players.
#[derive(Clone, Debug)]
pub struct NewGame<'a> {
    /// The rules: Othello or a variant of it.
    pub variant: Variant,
    /// The position before the first ply.
    pub start: Position,
    /// The random seed of this game, below 2^53.
    pub seed: u64,
    /// The colour of the engine that gets this request.
    pub color: Color,
    /// Both players' names.
    pub names: ByColor<&'a str>,
    /// Both players' time controls.
    pub time: ByColor<TimeControl>,
}

/// A ply of the game so far, and the time that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedPly {
    /// A move or a pass.
    pub ply: Ply,
    /// Wall time charged to the player who moved; zero for passes and opening moves.
    pub spent: Duration,
}

/// The limit on one search, as in UCI's `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Clocks for the whole game.
    Clock {
        /// The time that each side has left.
        time: ByColor<Duration>,
        /// The time that each side gets after each of its moves.
        increment: ByColor<Duration>,
    },
    /// Time for this move.
    MoveTime(Duration),
    /// Number of nodes.
    Nodes(u64),
    /// Depth in plies.
    Depth(u32),
    /// No limit: the search ends at [`Request::Stop`].
    Infinite,
}

impl Go {
    /// True if time is the limit, not nodes or depth.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        matches!(self, Self::Clock { .. } | Self::MoveTime(_))
    }
}

/// Says if the engine replies to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectsReply {
    /// A reply comes: wait for it.
    Yes,
    /// No reply comes.
    No,
}

/// The meaning of a line of an engine's output.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// None: a banner, an empty line, or words that the protocol does not have.
    Ignored,
    /// Statistics of the running search.
    Info(SearchInfo),
    /// The request is done.
    Done,
    /// The requested move. It may be illegal.
    Move(Ply),
    /// The engine resigns, in protocols that have a word for it.
    Resigned,
    /// A reply that can't be read, with a message that says why.
    Unreadable(String),
    /// A reply without a request: the second one, or one that came too late. It is not used.
    Unexpected,
}

/// Statistics of a search, as the engine reports them. `None` where it reported nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchInfo {
    /// Expected final disc difference, from the mover's view.
    pub score: Option<f64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Positions searched.
    pub nodes: Option<u64>,
}

impl SearchInfo {
    /// Takes over the fields that `newer` has; the others stay.
    pub fn update(&mut self, newer: SearchInfo) {
        self.score = newer.score.or(self.score);
        self.depth = newer.depth.or(self.depth);
        self.nodes = newer.nodes.or(self.nodes);
    }
}

/// Name and options of an engine, as it reported them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its name, at most 100 printable characters.
    pub name: Option<String>,
    /// Its version, where the protocol has one beside the name.
    pub version: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// Its options in the order in which it declared them. Of two with the same name, the first.
    pub options: Vec<OptionDecl>,
    /// Bytes of text in `options`.
    pub(crate) text: usize,
}

impl Identity {
    /// Options after so many are dropped, so that an engine can't fill the memory.
    pub const MAX_OPTIONS: usize = 1000;

    /// Options are dropped also where their texts would exceed this: 256 KiB.
    const MAX_TEXT_BYTES: usize = 256 << 10;

    /// Sets the name, once: later names are ignored.
    pub(crate) fn take_name(&mut self, name: &str) {
        self.name = self.name.take().or_else(|| clean_name(name));
    }

    /// Sets the author, once: later ones are ignored.
    pub(crate) fn take_author(&mut self, author: &str) {
        self.author = self.author.take().or_else(|| clean_name(author));
    }

    /// Adds an option, unless there is one with its name or the limits are reached.
    pub(crate) fn take_option(&mut self, option: OptionDecl) {
        let text = self.text + option.text_bytes();
        let fits = self.options.len() < Self::MAX_OPTIONS && text <= Self::MAX_TEXT_BYTES;
        if fits && self.option(&option.name).is_none() {
            self.text = text;
            self.options.push(option);
        }
    }

    /// The option with this name; upper and lower case are the same.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&OptionDecl> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The setting that gives option `name` this value.
    ///
    /// # Errors
    /// [`OptionError`] if the engine did not declare the option, or the value does not fit it.
    pub fn setting(&self, name: &str, value: &str) -> Result<Setting, OptionError> {
        match self.option(name) {
            Some(option) => option.setting(value),
            None => Err(OptionError::Undeclared {
                name: name.to_owned(),
                known: self.options.iter().map(|option| option.name.clone()).collect(),
            }),
        }
    }
}

/// An engine's name for use in reports: without control characters and white space at the ends, at most 100
/// characters. `None` if nothing is left.
#[must_use]
pub fn clean_name(text: &str) -> Option<String> {
    let printable: String = text.chars().filter(|c| !c.is_control()).collect();
    let short: String = printable.trim().chars().take(100).collect();
    let name = short.trim_end();
    (!name.is_empty()).then(|| name.to_owned())
}
