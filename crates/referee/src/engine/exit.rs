//! The end of a process: noticed at once, and told apart.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};

use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, pidfd_open, waitid};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// It left by itself with this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
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
    const NAMES: [(i32, &str); 14] = [
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
        (31, "SIGSYS"),
    ];
    NAMES.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// Watches a child process without reaping it, so that its number stays its own.
#[derive(Debug)]
pub(super) struct ExitWatch {
    pid: Pid,
    handle: AsyncFd<OwnedFd>,
}

impl ExitWatch {
    pub(super) fn new(pid: Pid) -> io::Result<Self> {
        let handle = pidfd_open(pid, PidfdFlags::empty())?;
        #[expect(
            deprecated,
            reason = "the other constructor is unsafe for the sake of types that give their descriptor away; an OwnedFd keeps it"
        )]
        let handle = AsyncFd::with_interest(handle, Interest::READABLE)?;
        Ok(Self { pid, handle })
    }

    /// Ready, from then on always, when the process has ended.
    pub(super) fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.handle.poll_read_ready(cx).map(|_| ())
    }

    /// How it ended; `None` while it runs.
    pub(super) fn status(&self) -> Option<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options).ok().flatten()?;
        let code = status.exit_status().map(ExitStatus::Code);
        code.or_else(|| status.terminating_signal().map(ExitStatus::Signal))
    }
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
