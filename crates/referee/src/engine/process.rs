//! One engine process: its pipes, its end, and the ladder by which it is stopped.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use protocol::framing::LineBuffer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpgid, waitpid};

use super::Recall;
use super::attendant::{Watch, attend, reopen};
use super::cell::Cell;
use super::confine::{Confinement, VARIABLE};
use super::exit::ExitStatus;
use super::family::Family;
use super::keeper;
use super::stop::{AFTER_KILL, Manner, Push, ladder};
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
    /// What it may take and touch.
    pub confinement: Confinement,
    /// Whether its processes have to be found whatever they do, also if it is not confined.
    pub keep: bool,
}

/// Marks everything that an engine starts: children inherit it, so a helper is known as this
/// engine's even when it left the process group and its parent has died.
pub(super) const MARK: &str = "OUTFLANK_ENGINE";

/// A mark that no other engine has or can guess.
fn new_mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Each of these is keyed by the system's random numbers.
    let random = || RandomState::new().hash_one((number, Instant::now()));
    format!("{}-{number}-{:016x}{:016x}", std::process::id(), random(), random())
}

impl Launch {
    /// Whether a keeper stands between us and its process.
    fn is_kept(&self) -> bool {
        self.keep || !self.confinement.is_none()
    }

    /// The command that starts it in this cell, but for its arguments.
    fn command(&self, cell: &Cell) -> Command {
        let variables = self.env.iter().filter(|(name, _)| name != MARK);
        if !self.is_kept() {
            let mut command = Command::new(&self.program);
            command.envs(variables.map(|(name, value)| (name, value)));
            return command;
        }
        let mut command = Command::new("/proc/self/exe");
        command.arg0(keeper::NAME).arg(std::process::id().to_string());
        command.args(self.confinement.words(cell));
        command.envs(variables.map(|(name, value)| (format!("{VARIABLE}{name}"), value)));
        command.arg("--").arg(&self.program);
        command
    }
}

/// A running engine, or one that has ended and whose end was not looked at yet. Whoever has one must
/// [`stop`](Self::stop) it: dropping it kills its processes, but waits for nothing except, for a moment, a keeper.
#[derive(Debug)]
pub(super) struct Process {
    family: Arc<Family>,
    child: Child,
    exit: Arc<OwnedFd>,
    watch: Arc<Watch>,
    /// Never blocks.
    input: Option<File>,
    /// Blocks.
    output: Arc<File>,
    output_ended: bool,
    reaped: bool,
    frozen: bool,
    confinement: Confinement,
    /// Taken down when everything in it is gone.
    _cell: Cell,
}

/// How a process left that was told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Whether it did, and was not stopped by force.
    pub by_itself: bool,
    /// How long it took, or was given.
    pub took: Duration,
    /// How it ended.
    pub status: Option<ExitStatus>,
    /// How many processes that it had started were still there; `None` where that can't be told, since its keeper
    /// ends them with it.
    pub left: Option<usize>,
}

/// What a blocking read came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// Bytes, or the blank that the attendant wakes us with.
    Something,
    /// The end of the engine's output.
    End,
}

impl Process {
    /// Starts the program in a process group of its own, with pipes on all three of its streams. Whoever waits for it
    /// is woken when `recall` is called.
    pub(super) fn spawn(launch: &Launch, recall: &Recall) -> io::Result<Self> {
        let mark = new_mark();
        let cell = Cell::open(&launch.confinement, &mark)?;
        let mut command = launch.command(&cell);
        command
            .args(&launch.arguments)
            .env(MARK, &mark)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for variable in crate::guard::private_variables() {
            if launch.is_kept() || !launch.env.iter().any(|(key, _)| key == variable) {
                command.env_remove(variable);
            }
        }
        if let Some(directory) = &launch.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        let family = Arc::new(Family::new(Pid::from_child(&child), mark, launch.is_kept()));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let connected = (|| {
            let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
                return Err(io::Error::other("the process has no pipes"));
            };
            let input = File::from(OwnedFd::from(stdin));
            rustix::io::ioctl_fionbio(&input, true)?;
            let output = Arc::new(File::from(OwnedFd::from(stdout)));
            let exit = Arc::new(pidfd_open(family.child(), PidfdFlags::empty())?);
            let watch = attend(
                Arc::clone(&family),
                recall.clone(),
                Arc::clone(&exit),
                Arc::clone(&output),
                OwnedFd::from(stderr),
            )?;
            Ok((exit, watch, input, output))
        })();
        match connected {
            Ok((exit, watch, input, output)) => Ok(Self {
                family,
                child,
                exit,
                watch,
                input: Some(input),
                output,
                output_ended: false,
                reaped: false,
                frozen: false,
                confinement: launch.confinement,
                _cell: cell,
            }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// What it may take and touch.
    pub(super) fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Its processes.
    pub(super) fn family(&self) -> &Family {
        &self.family
    }

    /// Holds it and all it started, until [`thaw`](Self::thaw).
    pub(super) fn freeze(&mut self) {
        if !self.frozen {
            self.frozen = true;
            self.family.signal_all(Signal::STOP);
        }
    }

    /// Lets it go on if it is held.
    pub(super) fn thaw(&mut self) {
        if self.frozen {
            self.frozen = false;
            self.family.signal_all(Signal::CONT);
        }
    }

    /// Waits until there is something to read, at most so long; whether there is.
    pub(super) fn has_output_within(&self, limit: Duration) -> bool {
        self.output_ended || wait_for(&mut [PollFd::new(&*self.output, PollFlags::IN)], limit)
    }

    /// What the attendant knows of it.
    pub(super) fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// Writes all of it to the engine's standard input; `false` if it was not taken before the
    /// deadline, or before we are recalled. One who closed its input or ended is told by what it writes, or does not write, not
    /// here.
    pub(super) fn write(&mut self, bytes: &[u8], deadline: Instant, recall: &Recall) -> bool {
        let Some(input) = &self.input else { return true };
        let mut rest = bytes;
        while !rest.is_empty() {
            match rustix::io::write(input, rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() || recall.is_called() {
                        return false;
                    }
                    // The attendant wakes readers only, so look up now and then.
                    const LOOK_UP: Duration = Duration::from_millis(100);
                    wait_for(&mut [PollFd::new(input, PollFlags::OUT)], left.min(LOOK_UP));
                }
                Err(_) => return true,
            }
        }
        true
    }

    /// Blocks until something has come into the buffer, or the attendant wakes us.
    pub(super) fn read(&mut self, buffer: &mut LineBuffer) -> Came {
        while !self.output_ended {
            match rustix::io::read(&*self.output, buffer.room()) {
                Ok(bytes @ 1..) => {
                    buffer.filled(bytes);
                    return Came::Something;
                }
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => self.output_ended = true,
            }
        }
        Came::End
    }

    /// Takes into the buffer what there is to read at this moment.
    pub(super) fn read_what_waits(&mut self, buffer: &mut LineBuffer) {
        if let Ok(mut output) = reopen(&self.output, OpenOptions::new().read(true))
            && let Ok(bytes @ 1..) = output.read(buffer.room())
        {
            buffer.filled(bytes);
        }
    }

    /// Whether there is something to read at this moment.
    pub(super) fn has_output(&self) -> bool {
        let mut polled = [PollFd::new(&*self.output, PollFlags::IN)];
        !self.output_ended
            && wait_for(&mut polled, Duration::ZERO)
            && polled[0].revents().contains(PollFlags::IN)
    }

    /// How the process ended; `None` while it runs.
    pub(super) fn exit_status(&self) -> Option<ExitStatus> {
        ExitStatus::of(self.family.child())
    }

    /// The process has closed its output or ended: how it ended, if it does so within a moment (a
    /// dying process closes its pipes a little before it can be waited for).
    pub(super) fn exit_status_soon(&self) -> Option<ExitStatus> {
        // A keeper ends what is left first.
        let moment = Duration::from_millis(if self.family.is_kept() { 1000 } else { 200 });
        wait_for(&mut [PollFd::new(&*self.exit, PollFlags::IN)], moment);
        self.exit_status()
    }

    /// Waits a moment for what the engine wrote to its standard error before it ended. Helpers may
    /// hold that pipe open, so there may be no end of it.
    pub(super) fn settle_errors(&self) {
        for _ in 0..50 {
            if self.watch.is_drained() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Stops the process and everything it started, step by step, and returns how it ended.
    /// `goodbye` is what its protocol says to make it leave.
    pub(super) fn stop(mut self, manner: Manner, quit: Duration, goodbye: &[u8]) -> Option<ExitStatus> {
        self.thaw();
        for (push, grace) in ladder(manner, quit) {
            match push {
                Push::Quit => {
                    // A full pipe must not hold us up: the engine that doesn't read gets no goodbye.
                    if let Some(input) = self.input.take() {
                        let _ = rustix::io::write(&input, goodbye);
                    }
                }
                Push::Terminate => {
                    self.input = None;
                    self.family.signal_engine(Signal::TERM);
                }
                Push::Kill => self.family.signal_engine(Signal::KILL),
            }
            if self.ends_within(grace) {
                break;
            }
        }
        let status = self.exit_status();
        self.clean_up();
        if manner == Manner::Broken {
            // Its last words may say what was wrong; whoever could still write there is gone.
            self.settle_errors();
        }
        status
    }

    /// Sees how it leaves when it is told to; stops it by force if it does not within `patience`.
    pub(super) fn leave(
        mut self,
        goodbye: &[u8],
        close: bool,
        patience: Duration,
        quit: Duration,
    ) -> Departure {
        self.thaw();
        let asked = Instant::now();
        if let Some(input) = &self.input {
            let _ = rustix::io::write(input, goodbye);
        }
        if close {
            self.input = None;
        }
        let by_itself = self.ends_within(patience);
        let took = asked.elapsed();
        let left = match by_itself {
            true if self.family.is_kept() => None,
            true => Some(self.what_stays()),
            false => Some(0),
        };
        if !by_itself {
            let status = self.stop(Manner::Broken, quit, b"");
            return Departure { by_itself, took, status, left };
        }
        let status = self.exit_status();
        self.clean_up();
        Departure { by_itself, took, status, left }
    }

    /// How many processes that it started are still there, a moment after its own end.
    fn what_stays(&self) -> usize {
        const ROUNDS: u32 = 50;
        let mut left = 0;
        for _ in 0..ROUNDS {
            left = strays::of_mark(self.family.mark()).len();
            if left == 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        left
    }

    /// Waits for the end of the process, reading away what it still writes so that it can't block.
    fn ends_within(&mut self, grace: Duration) -> bool {
        let deadline = Instant::now() + grace;
        let mut sink = [0; 4096];
        // The engine itself might read away what a look has found.
        let mut output = reopen(&self.output, OpenOptions::new().read(true)).ok();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut polled =
                [PollFd::new(&*self.exit, PollFlags::IN), PollFd::new(&*self.output, PollFlags::IN)];
            let watched = if self.output_ended || output.is_none() { 1 } else { 2 };
            wait_for(&mut polled[..watched], left);
            let (exited, readable) = (!polled[0].revents().is_empty(), !polled[1].revents().is_empty());
            if exited {
                return true;
            }
            if readable && let Some(output) = &mut output {
                match output.read(&mut sink) {
                    Ok(1..) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Ok(0) | Err(_) => self.output_ended = true,
                }
            }
            if left.is_zero() {
                return false;
            }
        }
    }

    /// Ends what is left of the process group and whatever else the engine started. The group is
    /// killed before its leader is reaped: until then no other group can have its number.
    fn clean_up(&mut self) {
        self.end_at_once();
        // Whom the system holds even now is left to the end of the tournament.
        if wait_for(&mut [PollFd::new(&*self.exit, PollFlags::IN)], AFTER_KILL) {
            let _ = self.child.wait();
            reap_soon(|| waitpgid(self.family.child(), WaitOptions::NOHANG).map(|_| false));
        }
        self.reaped = true;
        // A stray's own children are handed to us when it ends, so look until there is none.
        const ROUNDS: u32 = 100;
        for _ in 0..ROUNDS {
            let strays = strays::of_mark(self.family.mark());
            if strays.is_empty() {
                return;
            }
            for stray in strays {
                let _ = kill_process(stray, Signal::KILL);
                reap_soon(|| waitpid(Some(stray), WaitOptions::NOHANG).map(|found| found.is_some()));
            }
        }
    }

    /// Kills what there is. A keeper goes last, since whoever is below it is found only there: it ends by itself when the
    /// engine has, and has ended the rest.
    fn end_at_once(&self) {
        const PATIENCE: Duration = Duration::from_secs(2);
        self.family.signal_engine(Signal::KILL);
        if self.family.is_kept() {
            self.family.signal_all(Signal::KILL);
            wait_for(&mut [PollFd::new(&*self.exit, PollFlags::IN)], PATIENCE);
        }
        let _ = kill_process(self.family.child(), Signal::KILL);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.watch.dismiss();
        if !self.reaped {
            self.end_at_once();
        }
    }
}

/// Waits until one of them is ready, at most so long; whether one is.
fn wait_for(polled: &mut [PollFd<'_>], limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).ok();
    matches!(poll(polled, limit.as_ref()), Ok(1..))
}

/// Asks again until there is nothing to wait for, for at most a second: a process that was killed
/// ends within a moment, unless the system holds it.
fn reap_soon(mut gone: impl FnMut() -> Result<bool, Errno>) {
    for round in 0..1000 {
        if !matches!(gone(), Ok(false)) {
            return;
        }
        // The first rounds cost no time where several are gone already.
        if round >= 8 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_can_neither_be_guessed_nor_repeat() {
        let (one, other) = (new_mark(), new_mark());
        let random = |mark: &str| mark.rsplit('-').next().unwrap_or_default().to_owned();
        assert_ne!(random(&one), random(&other));
        assert_eq!(random(&one).len(), 32, "{one}");
    }

    #[test]
    fn the_environment_of_a_kept_engine_is_not_that_of_what_starts_it() {
        let mut launch = Launch {
            program: "/bin/true".into(),
            arguments: Vec::new(),
            directory: None,
            env: vec![("LD_PRELOAD".to_owned(), "x=y".to_owned()), (MARK.to_owned(), "z".to_owned())],
            confinement: Confinement::default(),
            keep: true,
        };
        let command = launch.command(&Cell::default());
        let variables: Vec<_> = command.get_envs().collect();
        assert_eq!(variables, [("OUTFLANK_ENV_LD_PRELOAD".as_ref(), Some("x=y".as_ref()))]);
        let words: Vec<_> = command.get_args().skip(1).collect();
        assert_eq!(words, ["--", "/bin/true"], "where anybody could read them");
        launch.keep = false;
        assert_eq!(launch.command(&Cell::default()).get_envs().count(), 1);
    }
}
