//! The exit codes of the commands.

use std::process::ExitCode;

/// The documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: done, and the answer is no.
    False,
    /// 2: wrong usage, or a bad definition.
    Usage,
    /// 3: interrupted; can be resumed.
    Interrupted,
    /// 4: failed.
    Failed,
}

impl Exit {
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::False => 1,
            Self::Usage => 2,
            Self::Interrupted => 3,
            Self::Failed => 4,
        }
    }

    /// From a number; one that is not documented counts as [`Exit::Failed`].
    #[must_use]
    pub fn from_code(code: i32) -> Self {
        match code {
            0 => Self::Done,
            1 => Self::False,
            2 => Self::Usage,
            3 => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
