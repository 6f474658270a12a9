//! What is asked of an engine and what it answers, in any protocol.

use std::time::Duration;

use clock::TimeControl;
use rules::{ByColor, Color, Ply, Position, Variant};

use crate::option::{OptionDecl, OptionError, Setting};

/// What the referee wants of an engine. Each dialect has its own words for it.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// Say who you are and what can be set. Asked once, first.
    Handshake,
    /// Take these options, in this order, and say when you are ready. Asked once, after the greeting.
    SetOptions(&'a [Setting]),
    /// Forget the last game and get ready for this one.
    NewGame(&'a NewGame<'a>),
    /// This is the game so far; say when you have it.
    Position {
        /// Every ply since the start.
        played: &'a [PlayedPly],
        /// How long the move that is about to be asked for may take.
        go: &'a Go,
    },
    /// Choose a move.
    Go(&'a Go),
    /// Choose at once.
    Stop,
    /// Leave.
    Quit,
}

/// A game that is about to begin, as one of its players needs to know it.
#[derive(Clone, Debug)]
pub struct NewGame<'a> {
    /// Othello or one of its relatives.
    pub variant: Variant,
    /// The position before the first ply.
    pub start: Position,
    /// The game's own seed, below 2^53.
    pub seed: u64,
    /// The colour of the engine that is told.
    pub color: Color,
    /// Both players' names.
    pub names: ByColor<&'a str>,
    /// How each player's thinking is limited.
    pub time: ByColor<TimeControl>,
}

/// A ply that was played, and how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedPly {
    /// A move, or a pass.
    pub ply: Ply,
    /// Wall time charged to the mover; zero for passes and openings.
    pub spent: Duration,
}

/// How long to think about one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// By clocks for the whole game.
    Clock {
        /// What each side has left.
        time: ByColor<Duration>,
        /// What each side gets after each of its moves.
        increment: ByColor<Duration>,
    },
    /// So long for this move.
    MoveTime(Duration),
    /// So many nodes.
    Nodes(u64),
    /// So many plies deep.
    Depth(u32),
    /// Until told to stop.
    Infinite,
}

impl Go {
    /// Whether it is time that limits this search.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        matches!(self, Self::Clock { .. } | Self::MoveTime(_))
    }
}

/// Whether a question is answered at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectsReply {
    /// The engine says something back; wait for it.
    Yes,
    /// Nothing comes back.
    No,
}

/// What a line of an engine's output means to the one who waits.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// Nothing: a banner, an empty line, words that no one knows.
    Ignored,
    /// SearchInfo about the search that is going on.
    Info(SearchInfo),
    /// What was asked is done.
    Done,
    /// The move that was asked for, not yet known to be legal.
    Move(Ply),
    /// The engine gives the game up, in a protocol that knows how to.
    Resigned,
    /// An answer that can't be read; says what is wrong with it.
    Unreadable(String),
    /// An answer that nobody waited for: one too many, or too late. It counts for nothing.
    Unexpected,
}

/// What an engine says about its own search. Every field is the engine's claim, absent where it
/// made none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchInfo {
    /// Expected final disc difference, from the mover's view.
    pub score: Option<f64>,
    /// Plies searched.
    pub depth: Option<u32>,
    /// Positions searched.
    pub nodes: Option<u64>,
}

impl SearchInfo {
    /// Takes over what `newer` says; what it leaves out stays.
    pub fn update(&mut self, newer: SearchInfo) {
        self.score = newer.score.or(self.score);
        self.depth = newer.depth.or(self.depth);
        self.nodes = newer.nodes.or(self.nodes);
    }
}

/// Who an engine says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its name, at most 100 printable characters.
    pub name: Option<String>,
    /// Its version, where the protocol tells it apart from the name.
    pub version: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// The options it declared, in order; of two with one name, the first.
    pub options: Vec<OptionDecl>,
    /// How many bytes the texts of those take.
    pub(crate) text: usize,
}

impl Identity {
    /// More options than any engine has: what comes beyond is not kept.
    pub const MAX_OPTIONS: usize = 1000;

    /// And their texts take no more bytes than this: 256 KiB.
    const MAX_TEXT_BYTES: usize = 256 << 10;

    /// Takes a name over; of several the first counts.
    pub(crate) fn take_name(&mut self, name: &str) {
        self.name = self.name.take().or_else(|| clean_name(name));
    }

    /// Takes an author over; of several the first counts.
    pub(crate) fn take_author(&mut self, author: &str) {
        self.author = self.author.take().or_else(|| clean_name(author));
    }

    /// Takes a declaration over; of two with one name the first counts.
    pub(crate) fn take_option(&mut self, option: OptionDecl) {
        let text = self.text + option.text_bytes();
        let fits = self.options.len() < Self::MAX_OPTIONS && text <= Self::MAX_TEXT_BYTES;
        if fits && self.option(&option.name).is_none() {
            self.text = text;
            self.options.push(option);
        }
    }

    /// The declared option of this name, upper and lower case being the same.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&OptionDecl> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The setting to send so that option `name` has this value.
    ///
    /// # Errors
    /// [`OptionError`] if the option was not declared or the value does not fit it.
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

/// A name as an engine gave it, fit for reports: control characters out, white space at the ends
/// cut off, at most 100 characters. `None` if nothing is left.
#[must_use]
pub fn clean_name(text: &str) -> Option<String> {
    let printable: String = text.chars().filter(|c| !c.is_control()).collect();
    let short: String = printable.trim().chars().take(100).collect();
    let name = short.trim_end();
    (!name.is_empty()).then(|| name.to_owned())
}
