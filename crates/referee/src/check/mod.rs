//! Does an engine keep to its protocol and to the rules? A list of checks, each of which stands for
//! itself: what one of them breaks is mended before the next.
//!
//! The checks are data, in a table a group; what a protocol adds to them stands in its dialect's file
//! ([`protocol::probe`]). A check talks to the engine by way of [`EngineUnderTest`] and says by its
//! [`Verdict`] what it found.

mod blocking;
mod engine_under_test;
mod hints;
mod input;
mod options;
mod passes;
mod positions;
pub mod report;
mod requests;
mod rules_knowledge;
mod sample_games;
mod search;
mod shutdown;
mod start;

use std::time::{Duration, Instant};

use protocol::probe::{Probe, ProbeGroup};
use rules::Position;

use play::engine::StopMode;

pub use engine_under_test::{EngineUnderTest, Line, Wanted};

/// When so much time has gone by, the checks that are left are skipped.
pub const LONGEST: Duration = Duration::from_secs(150);

/// Why nothing else is checked of an engine that does not answer the greeting.
const NEVER_GREETED: &str = "it never got through its greeting";

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

    fn of(group: ProbeGroup) -> Self {
        match group {
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
    work: Work,
}

#[derive(Clone, Copy, Debug)]
enum Work {
    Own(fn(&mut EngineUnderTest) -> Verdict),
    Probe(&'static Probe),
}

impl Check {
    const fn new(
        group: Group,
        name: &'static str,
        about: &'static str,
        hint: &'static str,
        work: fn(&mut EngineUnderTest) -> Verdict,
    ) -> Self {
        Self { name, group, about, hint, work: Work::Own(work) }
    }
}

/// What a check found: a remark if all is well.
pub type Verdict = Result<String, NotPassed>;

/// Why a check was not passed.
#[derive(Clone, Debug, PartialEq)]
pub enum NotPassed {
    /// The engine does not do what it should.
    Failed(Fault),
    /// There is nothing to check, for this reason.
    Skipped(String),
    /// Everything was cancelled.
    Cancelled,
}

/// What an engine did wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fault {
    /// What happened, in words.
    pub why: String,
    /// How to mend it, as far as what happened says more than the check does.
    pub hint: Option<&'static str>,
    /// The position it was about.
    pub position: Option<Position>,
}

impl NotPassed {
    /// The engine does not do what it should.
    fn failed(why: impl Into<String>) -> Self {
        Self::Failed(Fault { why: why.into(), ..Fault::default() })
    }

    /// The same, in this position.
    fn at(position: Position, why: impl Into<String>) -> Self {
        Self::Failed(Fault { why: why.into(), position: Some(position), hint: None })
    }

    fn skipped(why: impl Into<String>) -> Self {
        Self::Skipped(why.into())
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

/// All checks of an engine that speaks this protocol, by groups.
#[must_use]
pub fn checks(probes: &'static [Probe]) -> Vec<Check> {
    let own = [
        start::CHECKS,
        options::CHECKS,
        positions::CHECKS,
        passes::CHECKS,
        search::CHECKS,
        rules_knowledge::CHECKS,
        input::CHECKS,
        shutdown::CHECKS,
    ];
    let probes = probes.iter().map(|probe| Check {
        name: probe.name,
        group: Group::of(probe.group),
        about: probe.about,
        hint: probe.hint,
        work: Work::Probe(probe),
    });
    let mut all: Vec<Check> = own.into_iter().flatten().copied().chain(probes).collect();
    // Whether it answers questions about a position has to be known before many are asked.
    let last = |check: &Check| check.group == Group::Rules && matches!(check.work, Work::Own(_));
    all.sort_by_key(|check| (check.group, last(check)));
    all
}

/// A time as it is told in a remark.
fn in_millis(time: Duration) -> String {
    match u64::try_from(time.as_millis()).unwrap_or(u64::MAX) {
        0 => "under 1ms".to_owned(),
        millis => clock::format_duration(Duration::from_millis(millis)),
    }
}

/// How a run through the checks came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All were carried out, or skipped for a reason.
    Done,
    /// It never got through its greeting, so that nothing else could be checked.
    NeverGreeted,
    /// An option was to be set that it does not declare, or to a value that does not fit; says which.
    Refused(String),
    /// It was cancelled before the last.
    Cancelled,
}

/// Carries out all checks, each of which is told as it is done. The engine has been stopped afterwards.
pub fn run(subject: &mut EngineUnderTest, tell: impl FnMut(&EngineUnderTest, &Finding)) -> End {
    let end = run_through(subject, tell);
    subject.stop(if end == End::Cancelled { StopMode::Now } else { StopMode::Polite });
    end
}

fn run_through(subject: &mut EngineUnderTest, mut tell: impl FnMut(&EngineUnderTest, &Finding)) -> End {
    let begun = Instant::now();
    let greeted = start::greet(subject);
    let lost = matches!(greeted.verdict, Err(NotPassed::Failed(_)));
    if greeted.verdict == Err(NotPassed::Cancelled) {
        return subject.refused.take().map_or(End::Cancelled, End::Refused);
    }
    tell(subject, &greeted);
    let mut late = false;
    for check in checks(subject.protocol().checks().probes) {
        let since = Instant::now();
        let verdict = if lost {
            Err(NotPassed::skipped(NEVER_GREETED))
        } else if begun.elapsed() > LONGEST {
            // What was not checked must not pass for being in order.
            let why = format!("{} s are over: it took too long over what came before", LONGEST.as_secs());
            Err(if std::mem::replace(&mut late, true) {
                NotPassed::skipped(why)
            } else {
                NotPassed::failed(why)
            })
        } else {
            subject.begin_check();
            carry_out(subject, &check)
        };
        if verdict == Err(NotPassed::Cancelled) {
            return End::Cancelled;
        }
        let (exchange, left_out) = match &verdict {
            Err(NotPassed::Failed(fault)) => {
                subject.note(fault);
                subject.break_off()
            }
            _ => (Vec::new(), 0),
        };
        tell(subject, &Finding { check, verdict, exchange, left_out, took: since.elapsed() });
    }
    if lost { End::NeverGreeted } else { End::Done }
}

fn carry_out(subject: &mut EngineUnderTest, check: &Check) -> Verdict {
    match check.work {
        Work::Own(work) => work(subject),
        Work::Probe(probe) => subject.probe(probe),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use protocol::dialect::ProtocolId;

    use super::*;

    #[test]
    fn there_are_enough_checks_and_each_has_its_name() {
        for kind in ProtocolId::all() {
            let all = checks(kind.checks().probes);
            assert!(all.len() > 45, "{kind}: {}", all.len());
            let names: HashSet<&str> = all.iter().map(|check| check.name).chain(["greeting"]).collect();
            assert_eq!(names.len(), all.len() + 1, "{kind}: a name comes twice");
            for check in all {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                assert!(check.name.chars().all(plain), "{}", check.name);
                assert!(!check.about.is_empty() && !check.hint.is_empty(), "{}", check.name);
                assert!(!check.about.ends_with('.') && !check.hint.ends_with('.'), "{}", check.name);
            }
        }
    }

    #[test]
    fn each_check_is_explained() {
        let page = include_str!("../../../../docs/check.md");
        for kind in ProtocolId::all() {
            for name in checks(kind.checks().probes).iter().map(|check| check.name).chain(["greeting"]) {
                assert!(page.contains(&format!("| `{name}` |")), "docs/check.md lacks {kind}'s {name}");
            }
        }
    }
}
