//! How a command ends, as the shell sees it.

use std::process::ExitCode;

/// The documented exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: done, but what was asked turned out false.
    False,
    /// 2: usage, or a bad definition.
    Usage,
    /// 3: interrupted; can be resumed.
    Interrupted,
    /// 4: could not go on.
    Failed,
}

impl Exit {
    /// The number.
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

    /// From a number; one that is not documented means that it could not go on.
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
