//! A check, and what came of it.

use std::time::Duration;

use clock::TimeControl;
use play::engine::WriteMode;
use protocol::option::OptionDecl;
use protocol::probe::{Probe, ProbeGroup};
use rules::{Ply, Position};

use crate::engine_under_test::{EngineUnderTest, Line};
use crate::verdict::Verdict;

/// The groups of checks, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Starting and greeting.
    Start,
    /// Options.
    Options,
    /// Positions.
    Positions,
    /// Passes.
    Passes,
    /// Searching, its limits and `stop`.
    Search,
    /// The rules of the game.
    Rules,
    /// Input in any form.
    Input,
    /// Quitting.
    Leave,
}

impl Group {
    /// Its name in JSON, which stays the same.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.name_and_title().0
    }

    /// Its heading, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.name_and_title().1
    }

    fn name_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Start => ("start", "starts and greets"),
            Self::Options => ("options", "options"),
            Self::Positions => ("positions", "positions"),
            Self::Passes => ("passes", "passes"),
            Self::Search => ("search", "searching"),
            Self::Rules => ("rules", "the rules"),
            Self::Input => ("input", "what may come in"),
            Self::Leave => ("leave", "leaving"),
        }
    }
}

impl From<ProbeGroup> for Group {
    fn from(area: ProbeGroup) -> Self {
        match area {
            ProbeGroup::Start => Self::Start,
            ProbeGroup::Options => Self::Options,
            ProbeGroup::Search => Self::Search,
            ProbeGroup::Rules => Self::Rules,
            ProbeGroup::Input => Self::Input,
        }
    }
}

/// One check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name, which stays the same: lower case, words joined by `-`.
    pub name: &'static str,
    /// What is found out, as a sentence about the engine.
    pub about: &'static str,
    /// How to mend an engine that fails it.
    pub hint: &'static str,
    pub(crate) action: Action,
}

impl Check {
    /// A check that does nothing yet.
    pub(crate) const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, hint: "", action: Action::Nothing }
    }

    pub(crate) const fn does(self, action: Action) -> Self {
        Self { action, ..self }
    }

    pub(crate) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }
}

impl From<&'static Probe> for Check {
    fn from(probe: &'static Probe) -> Self {
        let Probe { name, about, hint, .. } = *probe;
        Self { name, about, hint, action: Action::Probe(probe) }
    }
}

/// What a check sends and what it expects. Wherever a move is asked for, it has to be legal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// Passes.
    Nothing,
    /// Sends the plies that this makes of the start of the variant, and asks for a move.
    Ask(fn(Position) -> Vec<Ply>),
    /// Sends the first of the sample lines for which this holds, and asks for a move.
    AskWhere(fn(&[Ply], Position) -> bool),
    /// The same, then asks for the first move of another game.
    AskWhereAndAgain(fn(&[Ply], Position) -> bool),
    /// Asks for a move in the middle of a game, which has to come in time.
    Timed {
        /// The time for the move, or the engine's own clock.
        limit: TimeControl,
        /// The opponent's clock.
        opponent: Duration,
        /// The longest time that is in time.
        within: Duration,
    },
    /// Asks for a move in the middle of a game under each of these limits, which are not about time.
    Limited(&'static [TimeControl]),
    /// Sets each option to each of these values, which the engine has to take.
    SetOptions {
        /// Which options have such values, in words.
        which: &'static str,
        /// The values of an option.
        values: fn(&OptionDecl) -> Vec<String>,
    },
    /// Asks for two moves with everything that is sent written like this.
    Write(WriteMode),
    /// Sends lines that only this protocol has; [`Probe::expect`] says what has to come.
    Probe(&'static Probe),
    /// All that does not fit above.
    Call(fn(&mut EngineUnderTest) -> Verdict),
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The group it belongs to.
    pub group: Group,
    /// The check.
    pub check: Check,
    /// Its result.
    pub verdict: Verdict,
    /// The end of the dialogue, if it failed.
    pub exchange: Vec<Line>,
    /// The number of lines before that.
    pub left_out: u64,
    /// How long it took.
    pub took: Duration,
}
