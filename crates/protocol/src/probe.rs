//! What `check` tries on an engine besides playing: things that no game says, or that only this
//! protocol knows. They are data, listed in each dialect's own file.

use rules::{Ply, Position, Variant};

/// What a check of a protocol consists of, the games aside.
#[derive(Clone, Copy, Debug)]
pub struct ProtocolChecks {
    /// Things to say and what has to come of them.
    pub probes: &'static [Probe],
    /// How the engine is asked what it knows of a position; `None` if it can't be.
    pub queries: Option<PositionQueries>,
    /// Why a search can't be broken off so that its move comes at once; `None` if it can.
    pub cannot_stop: Option<&'static str>,
    /// Whether a search without a limit goes on until it is broken off.
    pub has_infinite: bool,
}

/// Which part of a check something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeGroup {
    /// Starting and greeting.
    Start,
    /// Options.
    Options,
    /// Searching.
    Search,
    /// The rules of the game.
    Rules,
    /// What may come in.
    Input,
}

/// Something that is said in a fresh game, between two searches, and what has to come of it.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Its name, which stays: lower case, words joined by `-`.
    pub name: &'static str,
    /// Where it belongs.
    pub group: ProbeGroup,
    /// What is found out, as a sentence about the engine.
    pub about: &'static str,
    /// What is said, with its line ends.
    pub send: &'static str,
    /// What comes of the lines that were heard since.
    pub expect: Expectation,
    /// How to mend an engine that fails it.
    pub hint: &'static str,
}

/// Looks at all lines heard so far, after each line. `None`: what is wanted has not come yet; else it
/// has, or it can't come any more, for this reason.
pub type Expectation = fn(&[String]) -> Option<Result<(), String>>;

/// How an engine is asked what it knows of a position.
#[derive(Clone, Copy, Debug)]
pub struct PositionQueries {
    /// Appends the position and the questions, and returns the answers that are right, in order.
    pub write: fn(&QueriedPosition<'_>, &mut Vec<u8>) -> Vec<String>,
    /// What a line answers, written as in `ask`; `None` if it is no answer.
    pub parse: fn(&str) -> Option<String>,
}

/// A position that an engine is asked about.
#[derive(Clone, Copy, Debug)]
pub struct QueriedPosition<'a> {
    /// The game.
    pub variant: Variant,
    /// Where it starts.
    pub start: Position,
    /// What was played, passes included.
    pub plies: &'a [Ply],
    /// Where that leads.
    pub end: Position,
}

/// Whether so many lines equal a word, for protocols in which it closes an answer.
pub(crate) fn seen(lines: &[String], word: &str, times: usize) -> Option<Result<(), String>> {
    (lines.iter().filter(|line| line.trim() == word).count() >= times).then_some(Ok(()))
}
