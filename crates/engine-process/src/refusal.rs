//! What the system refused before an engine's own program ran, and what to do then.
//!
//! Such a refusal is nobody's loss: no game is lost by it. An error on our side of the start is known at once. One
//! that a subreaper or the sandbox meets is sent back through a pipe that the engine's program never sees, so nothing is
//! guessed from exit codes or from text.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clock::Resources;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use thiserror::Error;

/// The system refused something that the start of an engine needs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot {what}: {why}")]
pub struct Refusal {
    /// What could not be done, as in "start a process".
    pub what: String,
    /// The reason in words.
    pub why: String,
    /// The system's error number; `None` where the reason is another one, such as a kernel without a sandbox.
    pub errno: Option<i32>,
    /// True if everything was prepared, and the program itself could not be executed.
    pub at_program: bool,
}

/// What to do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The machine may have what is needed again in a moment.
    Retry,
    /// The engine's own limit of this name is too small for its start.
    RaiseLimit(&'static str),
    /// The program, its interpreter or its directory is wrong.
    MendCommand,
}

impl Refusal {
    /// Something other than the program could not be had.
    pub fn new(what: &str, error: &io::Error) -> Self {
        Self { what: what.to_owned(), why: error.to_string(), errno: errno(error), at_program: false }
    }

    /// The program could not be executed.
    pub fn at_program(program: &Path, error: &io::Error) -> Self {
        Self { at_program: true, ..Self::new(&format!("start {}", program.display()), error) }
    }

    /// What to do about it. `has_started` says if this program was started before in this run: then it is there, and
    /// is only away for a moment, as while it is built again. `limits` are the engine's own.
    #[must_use]
    pub fn remedy(&self, has_started: bool, limits: &Resources) -> Remedy {
        let errno = self.errno.map(Errno::from_raw_os_error);
        match errno {
            Some(Errno::NOMEM) if self.at_program && limits.memory.is_some() => Remedy::RaiseLimit("memory"),
            Some(Errno::AGAIN) if self.at_program && limits.processes.is_some() => {
                Remedy::RaiseLimit("processes")
            }
            Some(Errno::MFILE) if self.at_program && limits.files.is_some() => Remedy::RaiseLimit("files"),
            Some(
                Errno::AGAIN
                | Errno::NOMEM
                | Errno::MFILE
                | Errno::NFILE
                | Errno::NOSPC
                | Errno::DQUOT
                | Errno::ROFS
                | Errno::IO
                | Errno::INTR
                | Errno::TXTBSY,
            ) => Remedy::Retry,
            // Half-written programs cannot be executed either.
            _ if self.at_program && !has_started => Remedy::MendCommand,
            _ => Remedy::Retry,
        }
    }

    /// What the machine is short of, in words.
    #[must_use]
    pub fn lack(&self) -> &'static str {
        match self.errno.map(Errno::from_raw_os_error) {
            Some(Errno::AGAIN) => "no room for another process or thread (ulimit -u, pids.max)",
            Some(Errno::NOMEM) => "no memory for another process",
            Some(Errno::MFILE) => "too few open files for this program (ulimit -n)",
            Some(Errno::NFILE) => "too few open files in the whole system (fs.file-max)",
            Some(Errno::NOSPC | Errno::DQUOT) => {
                "no space, inodes or file watches left (df, df -i, fs.epoll.max_user_watches)"
            }
            Some(Errno::ROFS) => "the file system is read-only",
            Some(Errno::TXTBSY) => "the program is being written to",
            Some(Errno::NOENT) => "the program is gone",
            _ if self.at_program => "the program cannot be executed",
            _ => "the system refuses",
        }
    }

    fn to_line(&self) -> String {
        let errno = self.errno.unwrap_or_default();
        let clean = |text: &str| text.replace(char::is_control, " ");
        format!("{errno}\t{}\t{}\t{}\n", u8::from(self.at_program), clean(&self.what), clean(&self.why))
    }

    fn from_line(line: &str) -> Option<Self> {
        let [errno, at_program, what, why] = line.trim_end().splitn(4, '\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let errno = Some(errno.parse().ok()?).filter(|&errno| errno != 0);
        Some(Self { what: what.to_owned(), why: why.to_owned(), errno, at_program: at_program == "1" })
    }
}

/// The system's number of an error. An error that another library has wrapped has lost it, but not its kind.
fn errno(error: &io::Error) -> Option<i32> {
    let by_kind = match error.kind() {
        io::ErrorKind::NotFound => Errno::NOENT,
        io::ErrorKind::StorageFull => Errno::NOSPC,
        io::ErrorKind::QuotaExceeded => Errno::DQUOT,
        io::ErrorKind::ReadOnlyFilesystem => Errno::ROFS,
        io::ErrorKind::OutOfMemory => Errno::NOMEM,
        io::ErrorKind::WouldBlock => Errno::AGAIN,
        _ => return error.raw_os_error(),
    };
    error.raw_os_error().or(Some(by_kind.raw_os_error()))
}

/// The referee's end of the pipe for a refusal: held until the engine has said its first word.
#[derive(Debug)]
pub struct RefusalPipe {
    read: OwnedFd,
    /// Never written to here: the process that starts the engine opens it by [`path`](Self::path).
    write: OwnedFd,
}

impl RefusalPipe {
    /// A new one.
    ///
    /// # Errors
    /// The system's, if it gives no pipe.
    pub fn open() -> io::Result<Self> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { read, write })
    }

    /// Where another process of this user opens it for writing.
    pub fn path(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.write.as_raw_fd()).into()
    }

    /// The refusal that was sent, if one was.
    pub fn receive(&self) -> Option<Refusal> {
        let mut line = [0; 2048];
        let bytes = rustix::io::read(&self.read, &mut line).ok()?;
        Refusal::from_line(&String::from_utf8_lossy(&line[..bytes]))
    }
}

/// The other end, in a process that is about to become the engine. It closes when that happens.
#[derive(Debug)]
pub struct RefusalSender(Option<File>);

impl RefusalSender {
    /// Opens it. The system may be short of files just now, so this is tried for a second.
    pub fn open(path: Option<&Path>) -> Self {
        const ROUNDS: u32 = 100;
        let open = |path: &Path| {
            for _ in 0..ROUNDS {
                if let Ok(file) = OpenOptions::new().write(true).open(path) {
                    return Some(file);
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            None
        };
        Self(path.and_then(open))
    }

    /// Sends what was refused.
    pub fn send(mut self, refusal: &Refusal) {
        if let Some(pipe) = &mut self.0 {
            let _ = pipe.write_all(refusal.to_line().as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(errno: Errno, at_program: bool) -> Refusal {
        let error = io::Error::from(errno);
        if at_program { Refusal::at_program(Path::new("/x"), &error) } else { Refusal::new("fork", &error) }
    }

    #[test]
    fn each_error_has_its_remedy() {
        let mut tight = Resources::default();
        for (key, value) in [("memory", "1MiB"), ("processes", "1"), ("files", "3")] {
            tight.set(key, value).expect("a limit");
        }
        let loose = Resources::default();
        for errno in [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE, Errno::NOSPC, Errno::ROFS] {
            for (at_program, started) in [(false, false), (false, true), (true, false), (true, true)] {
                assert_eq!(refusal(errno, at_program).remedy(started, &loose), Remedy::Retry, "{errno}");
            }
            assert_eq!(refusal(errno, false).remedy(false, &tight), Remedy::Retry, "{errno}");
        }
        for (errno, key) in [(Errno::NOMEM, "memory"), (Errno::AGAIN, "processes"), (Errno::MFILE, "files")] {
            assert_eq!(refusal(errno, true).remedy(true, &tight), Remedy::RaiseLimit(key), "{errno}");
        }
        for errno in [Errno::NOENT, Errno::ACCESS, Errno::NOEXEC] {
            assert_eq!(refusal(errno, true).remedy(false, &tight), Remedy::MendCommand, "{errno}");
            assert_eq!(refusal(errno, true).remedy(true, &tight), Remedy::Retry, "{errno}");
        }
        assert_eq!(refusal(Errno::TXTBSY, true).remedy(false, &tight), Remedy::Retry);
        let no_sandbox = Refusal { errno: None, ..refusal(Errno::IO, false) };
        assert_eq!(no_sandbox.remedy(false, &tight), Remedy::Retry);
    }

    #[test]
    fn the_number_is_known_of_wrapped_errors_too() {
        let missing = tempfile::tempdir_in("/no/such/folder").expect_err("there is no such folder");
        assert_eq!(Refusal::new("x", &missing).errno, Some(Errno::NOENT.raw_os_error()));
        assert_eq!(Refusal::new("x", &io::Error::other("no number")).errno, None);
    }

    #[test]
    fn a_refusal_comes_through_the_pipe() {
        let pipe = RefusalPipe::open().expect("a pipe");
        assert_eq!(pipe.receive(), None);
        for sent in [
            refusal(Errno::AGAIN, false),
            refusal(Errno::NOENT, true),
            Refusal { errno: None, ..refusal(Errno::IO, false) },
        ] {
            RefusalSender::open(Some(&pipe.path())).send(&sent);
            assert_eq!(pipe.receive(), Some(sent));
        }
        RefusalSender::open(None).send(&refusal(Errno::AGAIN, false));
        assert_eq!(pipe.receive(), None);
    }
}
