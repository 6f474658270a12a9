//! How a process ended, told apart.

use std::fmt;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// It left by itself with this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl ExitStatus {
    /// How a child of ours ended; `None` while it runs. It is not reaped: its number stays its own.
    pub fn of(pid: Pid) -> Option<Self> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(pid), options).ok().flatten()?;
        let code = status.exit_status().map(Self::Code);
        code.or_else(|| status.terminating_signal().map(Self::Signal))
    }
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exit status {code}"),
            Self::Signal(number) => match signal_name(number) {
                Some(name) => write!(f, "killed by signal {number} ({name})"),
                None => write!(f, "killed by signal {number}"),
            },
        }
    }
}

/// The signals that end programs, by their numbers on Linux.
fn signal_name(number: i32) -> Option<&'static str> {
    const NAMES: [(i32, &str); 15] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (31, "SIGSYS"),
    ];
    NAMES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_in_words() {
        assert_eq!(ExitStatus::Code(3).to_string(), "exit status 3");
        assert_eq!(ExitStatus::Signal(11).to_string(), "killed by signal 11 (SIGSEGV)");
        assert_eq!(ExitStatus::Signal(40).to_string(), "killed by signal 40");
    }
}
