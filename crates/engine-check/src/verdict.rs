//! What a check found.

use std::time::Duration;

use play::engine::{EngineError, Failure};
use records::Termination;
use rules::Position;

use crate::hints;

/// The result of a check; `Ok` with a remark, which may be empty.
pub type Verdict = Result<String, NotPassed>;

/// Why a check was not passed.
#[derive(Clone, Debug, PartialEq)]
pub enum NotPassed {
    /// The engine did something wrong.
    Failed(Fault),
    /// The check does not apply to this engine, for this reason.
    Skipped(String),
    /// The run was cancelled.
    Cancelled,
}

/// What an engine did wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fault {
    /// What happened, in words.
    pub why: String,
    /// How to mend it, beside the hint of the check.
    pub hint: Option<&'static str>,
    /// The position in which it happened.
    pub position: Option<Position>,
}

impl NotPassed {
    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self::Failed(Fault { why: why.into(), ..Fault::default() })
    }

    pub(crate) fn failed_at(position: Position, why: impl Into<String>) -> Self {
        Self::Failed(Fault { why: why.into(), position: Some(position), hint: None })
    }

    pub(crate) fn skipped(why: impl Into<String>) -> Self {
        Self::Skipped(why.into())
    }
}

impl From<EngineError> for NotPassed {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Cancelled => Self::Cancelled,
            EngineError::Refused(refusal) => {
                Self::Failed(Fault { why: refusal.to_string(), hint: None, position: None })
            }
            EngineError::Failed(Failure { termination, detail }) => {
                let hint = match termination {
                    Termination::Stall => Some(hints::SILENT),
                    Termination::Crash => Some(hints::GONE),
                    _ => None,
                };
                Self::Failed(Fault { why: detail, hint, position: None })
            }
        }
    }
}

/// A time as remarks give it, in whole milliseconds.
pub(crate) fn in_millis(time: Duration) -> String {
    match u64::try_from(time.as_millis()).unwrap_or(u64::MAX) {
        0 => "under 1ms".to_owned(),
        millis => clock::format_duration(Duration::from_millis(millis)),
    }
}
