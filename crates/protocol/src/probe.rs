//! What `check` sends to an engine besides games: input that no game has, or commands that only one protocol has.
//! It is data, listed in each dialect's file.

use rules::{Ply, Position, Variant};

/// The checks that a protocol adds to those of all protocols.
#[derive(Clone, Copy, Debug)]
pub struct ProtocolChecks {
    /// Texts to send, and the replies to expect.
    pub probes: &'static [Probe],
    /// Queries about a position; `None` if the protocol has none.
    pub queries: Option<PositionQueries>,
    /// The reason why the protocol can't stop a search and get its move; `None` if it can.
    pub cannot_stop: Option<&'static str>,
    /// True if a search without limit runs until it is stopped.
    pub has_infinite: bool,
}

/// The group of checks in which a probe is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeGroup {
    /// Start and handshake.
    Start,
    /// Options.
    Options,
    /// Searches.
    Search,
    /// The rules of the game.
    Rules,
    /// Unusual input.
    Input,
}

/// A text that is sent in a new game, between two searches, and the reply to expect.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name: lower case, words joined by `-`. It stays the same from version to version.
    pub name: &'static str,
    /// Its group.
    pub group: ProbeGroup,
    /// What holds if the probe passes, as a sentence about the engine.
    pub about: &'static str,
    /// The text to send, with its line ends.
    pub send: &'static str,
    /// Judges the lines of the reply.
    pub expect: Expectation,
    /// How to repair an engine that fails.
    pub hint: &'static str,
}

/// Is called after each line of the reply, with all lines so far. Returns `None` as long as the reply is not complete,
/// then if it is right, or why not.
pub type Expectation = fn(&[String]) -> Option<Result<(), String>>;

/// Queries that ask an engine what the rules say of a position.
#[derive(Clone, Copy, Debug)]
pub struct PositionQueries {
    /// Appends the position and the queries. Returns the right answers, in order.
    pub write: fn(&QueriedPosition<'_>, &mut Vec<u8>) -> Vec<String>,
    /// Reads an answer from a line, in the form that `write` returns; `None` if the line is no answer.
    pub parse: fn(&str) -> Option<String>,
}

/// A position to query.
#[derive(Clone, Copy, Debug)]
pub struct QueriedPosition<'a> {
    /// The rules.
    pub variant: Variant,
    /// The position before the first ply.
    pub start: Position,
    /// The plies from there, passes included.
    pub plies: &'a [Ply],
    /// The position after them.
    pub end: Position,
}

/// `Some(Ok(()))` as soon as so many lines equal the word that ends a reply.
pub(crate) fn seen(lines: &[String], word: &str, times: usize) -> Option<Result<(), String>> {
    (lines.iter().filter(|line| line.trim() == word).count() >= times).then_some(Ok(()))
}
