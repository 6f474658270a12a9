//! A check and what comes of it.

use std::time::Duration;

use crate::engine_under_test::{EngineUnderTest, Line};
use crate::verdict::Verdict;
use protocol::probe::{Probe, ProbeGroup};

/// The groups of checks, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Starting and greeting.
    Start,
    /// Options.
    Options,
    /// Positions.
    Positions,
    /// Passes.
    Passes,
    /// Searching.
    Search,
    /// Agreement on the rules.
    Rules,
    /// What comes in.
    Input,
    /// Leaving.
    Leave,
}

impl Group {
    /// Its name in JSON, which stays.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Options => "options",
            Self::Positions => "positions",
            Self::Passes => "passes",
            Self::Search => "search",
            Self::Rules => "rules",
            Self::Input => "input",
            Self::Leave => "leave",
        }
    }

    /// What it is about, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Start => "starts and greets",
            Self::Options => "options",
            Self::Positions => "positions",
            Self::Passes => "passes",
            Self::Search => "searching",
            Self::Rules => "the rules",
            Self::Input => "what may come in",
            Self::Leave => "leaving",
        }
    }

    pub(crate) fn of(area: ProbeGroup) -> Self {
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
    /// Its name, which stays: lower case, words joined by `-`.
    pub name: &'static str,
    /// Where it belongs.
    pub group: Group,
    /// What is found out, as a sentence about the engine.
    pub about: &'static str,
    /// How to mend an engine that fails it.
    pub hint: &'static str,
    pub(crate) work: Work,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Own(fn(&mut EngineUnderTest) -> Verdict),
    Probe(&'static Probe),
}

impl Check {
    pub(crate) const fn new(
        group: Group,
        name: &'static str,
        about: &'static str,
        hint: &'static str,
        work: fn(&mut EngineUnderTest) -> Verdict,
    ) -> Self {
        Self { name, group, about, hint, work: Work::Own(work) }
    }
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// What it found.
    pub verdict: Verdict,
    /// The end of what was said, if it failed.
    pub exchange: Vec<Line>,
    /// How many lines before that are left out.
    pub left_out: u64,
    /// How long it took.
    pub took: Duration,
}
