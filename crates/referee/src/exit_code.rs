//! The exit codes of the commands.

use std::process::ExitCode;

/// The documented exit codes. Where several hold, the largest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: done, and the answer is no; or an engine was withdrawn, every game was forfeited, something was skipped.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_manual_and_the_largest_wins() {
        let all = [Exit::Done, Exit::False, Exit::Usage, Exit::Interrupted, Exit::Failed];
        assert_eq!(all.map(Exit::code), [0, 1, 2, 3, 4]);
        for (exit, other) in all.iter().zip(&all[1..]) {
            assert_eq!(Exit::from_code(exit.code().into()), *exit);
            assert_eq!(exit.max(other), other);
        }
        assert_eq!(Exit::False.max(Exit::Interrupted), Exit::Interrupted);
    }
}
