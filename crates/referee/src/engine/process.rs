//! One engine process: its pipes, its end, and the ladder by which it is stopped.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use protocol::framing::LineBuffer;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::net::unix::pipe;

use super::exit::{ExitStatus, ExitWatch};
use super::stderr::StderrTail;
use super::stop::{Manner, Push, ladder};
use super::strays;

/// How to start an engine. The program is an absolute path that was found to be executable.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its working directory; the referee's own if `None`.
    pub directory: Option<PathBuf>,
    /// Added to its environment.
    pub env: Vec<(String, String)>,
}

/// Marks everything that an engine starts: children inherit it, so a helper is known as this
/// engine's even when it left the process group and its parent has died.
pub(super) const MARK: &str = "OUTFLANK_ENGINE";

static NEXT_MARK: AtomicU64 = AtomicU64::new(0);

/// A running engine, or one that has ended and whose end was not looked at yet. Whoever has one must
/// [`stop`](Self::stop) it: dropping it kills its process group, but waits for nothing.
#[derive(Debug)]
pub(super) struct Process {
    pid: Pid,
    child: Child,
    exit: ExitWatch,
    input: Option<pipe::Sender>,
    output: pipe::Receiver,
    output_ended: bool,
    errors: StderrTail,
    mark: String,
    reaped: bool,
}

impl Process {
    /// Starts the program in a process group of its own, with pipes on all three of its streams.
    pub(super) fn spawn(launch: &Launch) -> io::Result<Self> {
        let mark = format!("{}-{}", std::process::id(), NEXT_MARK.fetch_add(1, Ordering::Relaxed));
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.arguments)
            .envs(launch.env.iter().map(|(key, value)| (key, value)))
            .env(MARK, &mark)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for variable in crate::guard::private_variables() {
            if !launch.env.iter().any(|(key, _)| key == variable) {
                command.env_remove(variable);
            }
        }
        if let Some(directory) = &launch.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let connected = (|| {
            let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
                return Err(io::Error::other("the process has no pipes"));
            };
            Ok((
                ExitWatch::new(pid)?,
                pipe::Sender::from_owned_fd(OwnedFd::from(stdin))?,
                pipe::Receiver::from_owned_fd(OwnedFd::from(stdout))?,
                StderrTail::drain(pipe::Receiver::from_owned_fd(OwnedFd::from(stderr))?),
            ))
        })();
        match connected {
            Ok((exit, input, output, errors)) => Ok(Self {
                pid,
                child,
                exit,
                input: Some(input),
                output,
                output_ended: false,
                errors,
                mark,
                reaped: false,
            }),
            Err(error) => {
                let _ = kill_process_group(pid, Signal::KILL);
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Writes all of it to the engine's standard input, however long that takes: the caller bounds it.
    ///
    /// # Errors
    /// If the engine has closed its input or ended.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(input) = &self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut rest = bytes;
        while !rest.is_empty() {
            match input.try_write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => input.writable().await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what the engine has written into the buffer. Ready with `false` at the end of its output.
    pub(super) fn poll_read(&mut self, buffer: &mut LineBuffer, cx: &mut Context<'_>) -> Poll<bool> {
        if self.output_ended {
            return Poll::Ready(false);
        }
        let mut room = ReadBuf::new(buffer.room());
        match Pin::new(&mut self.output).poll_read(cx, &mut room) {
            Poll::Ready(Ok(())) => {
                let bytes = room.filled().len();
                buffer.filled(bytes);
                self.output_ended = bytes == 0;
                Poll::Ready(bytes > 0)
            }
            Poll::Ready(Err(_)) => {
                self.output_ended = true;
                Poll::Ready(false)
            }
            Poll::Pending => Poll::Pending,
        }
    }

    /// Reads what is in the pipe at this moment, at most one buffer full, without waiting.
    pub(super) fn read_now(&mut self, buffer: &mut LineBuffer) {
        if !self.output_ended
            && let Ok(bytes) = rustix::io::read(&self.output, buffer.room())
        {
            buffer.filled(bytes);
        }
    }

    /// Ready when the engine's process has ended.
    pub(super) fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.exit.poll(cx)
    }

    /// How the process ended; `None` while it runs.
    pub(super) fn exit_status(&self) -> Option<ExitStatus> {
        self.exit.status()
    }

    /// The process has closed its output or ended: how it ended, if it does so within a moment (a
    /// dying process closes its pipes a little before it can be waited for).
    pub(super) async fn exit_status_soon(&mut self) -> Option<ExitStatus> {
        const MOMENT: Duration = Duration::from_millis(200);
        let ended = std::future::poll_fn(|cx| self.exit.poll(cx));
        let _ = tokio::time::timeout(MOMENT, ended).await;
        self.exit_status()
    }

    /// Waits a moment for what the engine wrote to its standard error before it ended.
    pub(super) async fn settle_errors(&mut self) {
        self.errors.finish().await;
    }

    /// The end of what the engine wrote to its standard error.
    pub(super) fn errors(&self) -> &StderrTail {
        &self.errors
    }

    /// Stops the process and everything it started, step by step, and returns how it ended.
    /// `goodbye` is what its protocol says to make it leave.
    pub(super) async fn stop(mut self, manner: Manner, quit: Duration, goodbye: &[u8]) -> Option<ExitStatus> {
        for (push, grace) in ladder(manner, quit) {
            match push {
                Push::Quit => {
                    // A full pipe must not hold us up: the engine that doesn't read gets no goodbye.
                    if let Some(input) = self.input.take() {
                        let _ = input.try_write(goodbye);
                    }
                }
                Push::Terminate => {
                    self.input = None;
                    let _ = kill_process_group(self.pid, Signal::TERM);
                }
                Push::Kill => {
                    let _ = kill_process_group(self.pid, Signal::KILL);
                }
            }
            if tokio::time::timeout(grace, self.ended()).await.is_ok() {
                break;
            }
        }
        let status = self.exit_status();
        self.errors.finish().await;
        self.clean_up().await;
        status
    }

    /// Waits for the end of the process, reading away what it still writes so that it can't block.
    async fn ended(&mut self) {
        let mut sink = LineBuffer::default();
        std::future::poll_fn(|cx| {
            while let Poll::Ready(true) = self.poll_read(&mut sink, cx) {
                while sink.next_line().is_some() {}
            }
            self.exit.poll(cx)
        })
        .await;
    }

    /// Ends what is left of the process group and whatever else the engine started. The group is
    /// killed before its leader is reaped: until then no other group can have its number.
    async fn clean_up(&mut self) {
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = self.child.wait();
        self.reaped = true;
        self.reap_group().await;
        // A stray's own children are handed to us when it ends, so look until there is none.
        const ROUNDS: u32 = 100;
        for _ in 0..ROUNDS {
            let strays = strays::of_mark(&self.mark);
            if strays.is_empty() {
                break;
            }
            for stray in strays {
                let _ = kill_process(stray, Signal::KILL);
                reap_soon(|| waitpid(Some(stray), WaitOptions::NOHANG).map(|found| found.is_some())).await;
            }
        }
    }

    async fn reap_group(&self) {
        let group = self.pid;
        reap_soon(|| match rustix::process::waitpgid(group, WaitOptions::NOHANG) {
            // One is gone, there may be more.
            Ok(Some(_)) => Ok(false),
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        })
        .await;
    }
}

/// Asks again until there is nothing to wait for, for at most a second: a process that was killed
/// ends within a moment, unless the system holds it.
async fn reap_soon(mut gone: impl FnMut() -> Result<bool, Errno>) {
    for round in 0..1000 {
        if !matches!(gone(), Ok(false)) {
            return;
        }
        // The first rounds cost no time where several are gone already.
        if round >= 8 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }
}
