//! One run through all checks.

use std::time::{Duration, Instant};

use play::engine::StopMode;

use crate::check::{Check, Finding, Work};
use crate::engine_under_test::EngineUnderTest;
use crate::groups::{checks, start};
use crate::verdict::{NotPassed, Verdict};

/// When so much time has gone by, the checks that are left are skipped.
pub const LONGEST: Duration = Duration::from_secs(150);

/// Why nothing else is checked of an engine that does not answer the greeting.
pub const NEVER_GREETED: &str = "it never got through its greeting";

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
