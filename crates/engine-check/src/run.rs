//! One run through all checks.

use std::time::{Duration, Instant};

use play::engine::StopMode;

use crate::actions::carry_out;
use crate::check::{Check, Finding, Group};
use crate::engine_under_test::EngineUnderTest;
use crate::groups::{checks, start};
use crate::verdict::{NotPassed, Verdict};

/// After this time the remaining checks are skipped.
const LONGEST: Duration = Duration::from_secs(150);

/// Why all checks are skipped for an engine that does not answer the greeting.
pub const NEVER_GREETED: &str = "it never got through its greeting";

/// How a run through the checks ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All were carried out, or skipped for a reason.
    Done,
    /// The engine did not answer the greeting, so nothing else could be checked.
    NeverGreeted,
    /// An option to be set is not declared, or does not take the value; the text says which.
    Refused(String),
    /// The run was cancelled.
    Cancelled,
}

/// Carries out all checks and hands each finding to `on_finding` as it comes. Stops the engine at the end.
pub fn run(subject: &mut EngineUnderTest, on_finding: impl FnMut(&EngineUnderTest, &Finding)) -> End {
    let end = run_through(subject, on_finding);
    subject.stop(if end == End::Cancelled { StopMode::Now } else { StopMode::Polite });
    end
}

fn run_through(subject: &mut EngineUnderTest, mut on_finding: impl FnMut(&EngineUnderTest, &Finding)) -> End {
    let begun = Instant::now();
    let verdict = carry_out(subject, &start::GREETING);
    let Some(greeting) = conclude(subject, (Group::Start, start::GREETING), verdict, begun) else {
        return subject.refused.take().map_or(End::Cancelled, End::Refused);
    };
    let is_greeted = greeting.verdict.is_ok();
    on_finding(subject, &greeting);
    let mut is_late = false;
    for (group, check) in checks(subject.protocol()) {
        let since = Instant::now();
        let verdict = if !is_greeted {
            Err(NotPassed::skipped(NEVER_GREETED))
        } else if begun.elapsed() > LONGEST {
            // One check fails, so that an engine too slow to be checked does not pass.
            let why = format!("{} s are over: it took too long over what came before", LONGEST.as_secs());
            let is_first = !std::mem::replace(&mut is_late, true);
            Err(if is_first { NotPassed::failed(why) } else { NotPassed::skipped(why) })
        } else {
            subject.begin_check();
            carry_out(subject, &check)
        };
        let Some(finding) = conclude(subject, (group, check), verdict, since) else {
            return End::Cancelled;
        };
        on_finding(subject, &finding);
    }
    if is_greeted { End::Done } else { End::NeverGreeted }
}

/// Replaces the engine if it failed. `None` if the run was cancelled.
fn conclude(
    subject: &mut EngineUnderTest,
    (group, check): (Group, Check),
    verdict: Verdict,
    since: Instant,
) -> Option<Finding> {
    let (exchange, left_out) = match &verdict {
        Err(NotPassed::Cancelled) => return None,
        Err(NotPassed::Failed(fault)) => subject.break_off(fault),
        _ => Default::default(),
    };
    Some(Finding { group, check, verdict, exchange, left_out, took: since.elapsed() })
}
