//! Starting an engine's process.

use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::affinity;
use crate::process_tree::ProcessTree;
use crate::procfs::{self, MARK};
use crate::refusal::{Refusal, RefusalPipe};
use crate::sandbox::SandboxPolicy;
use crate::sandbox::SandboxResources;
use crate::sandbox::enter::VARIABLE;
use crate::subreaper;

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
    /// Its limits, and the sandbox.
    pub confinement: SandboxPolicy,
    /// True if a subreaper is wanted even without limits, so that no process can hide.
    pub keep: bool,
}

/// A mark that no other engine has or can guess.
fn new_mark() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Each of these is keyed by the system's random numbers.
    let random = || RandomState::new().hash_one((number, Instant::now()));
    format!("{}-{number}-{:016x}{:016x}", std::process::id(), random(), random())
}

impl Launch {
    /// A program without arguments, limits or anything else.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            arguments: Vec::new(),
            directory: None,
            env: Vec::new(),
            confinement: SandboxPolicy::default(),
            keep: false,
        }
    }

    /// True if a subreaper stands between us and its process.
    fn is_under_subreaper(&self) -> bool {
        self.keep || !self.confinement.is_none()
    }

    /// The command that starts it in this cell, but for its arguments. A refusal goes through the pipe.
    fn command(&self, cell: &SandboxResources, refusals: Option<&RefusalPipe>) -> Command {
        let variables = self.env.iter().filter(|(name, _)| name != MARK);
        if !self.is_under_subreaper() {
            let mut command = Command::new(&self.program);
            command.envs(variables.map(|(name, value)| (name, value)));
            in_own_session(&mut command);
            return command;
        }
        let mut command = Command::new("/proc/self/exe");
        command.arg0(subreaper::NAME).arg(std::process::id().to_string());
        command.process_group(0).arg(refusals.map(RefusalPipe::path).unwrap_or_default());
        command.args(cell.words(&self.confinement));
        command.envs(variables.map(|(name, value)| (format!("{VARIABLE}{name}"), value)));
        command.arg("--").arg(&self.program);
        command
    }

    /// Starts the program in a session of its own, with pipes on all three of its streams. It may run on these
    /// cores only, and so may all that it starts; an empty list stands for all cores. Blocks for about a
    /// millisecond: to be called in the background.
    ///
    /// # Errors
    /// [`Refusal`]. Behind a subreaper one may come later, through the pipe.
    pub fn spawn(&self, cores: &[usize]) -> Result<Spawned, Refusal> {
        let refused = |what: &'static str| move |error: io::Error| Refusal::new(what, &error);
        let mark = new_mark();
        let cell = SandboxResources::open(&self.confinement, &mark).map_err(refused("set up its limits"))?;
        let refusals = self.is_under_subreaper().then(RefusalPipe::open).transpose();
        let refusals = refusals.map_err(refused("open a pipe"))?;
        let mut command = self.command(&cell, refusals.as_ref());
        command
            .args(&self.arguments)
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for variable in crate::supervisor::internal_env_vars() {
            if self.is_under_subreaper() || !self.env.iter().any(|(key, _)| key == variable) {
                command.env_remove(variable);
            }
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let oom_kills = procfs::oom_kills();
        // A process inherits the cores of the thread that starts it, so it never runs anywhere else.
        let child = affinity::with_cores(cores, || command.spawn());
        let mut child = child.map_err(|error| match &self.directory {
            Some(directory) if !directory.is_dir() => Refusal {
                at_program: true,
                ..Refusal::new(&format!("enter {}", directory.display()), &error)
            },
            _ if self.is_under_subreaper() => Refusal::new("start a process", &error),
            _ => Refusal::at_program(&self.program, &error),
        })?;
        let tree = Arc::new(ProcessTree::new(Pid::from_child(&child), mark, self.is_under_subreaper()));
        let running = Running { tree, cell };
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let exit = match pidfd_open(running.tree.child(), PidfdFlags::empty()) {
            Ok(exit) => exit,
            Err(error) => {
                running.end();
                return Err(Refusal::new("watch a process", &error.into()));
            }
        };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            running.end();
            return Err(Refusal::new("reach a process", &io::Error::other("it has no pipes")));
        };
        let (stdin, stdout, stderr) = (stdin.into(), stdout.into(), stderr.into());
        Ok(Spawned { running, exit, oom_kills, refusals, stdin, stdout, stderr })
    }
}

/// Has a program begin a session of its own: it has no terminal, from which it could take Ctrl-C away, and Linux
/// shares the cores between sessions (`sched_autogroup_enabled`), so that one with many busy threads gets no more
/// than its opponent.
#[expect(unsafe_code, reason = "the standard library offers no safe call for it yet (process_setsid)")]
fn in_own_session(command: &mut Command) {
    let begin = || Ok(rustix::process::setsid().map(drop)?);
    // SAFETY: between fork and exec only one system call is made, which neither allocates nor takes a lock.
    unsafe { command.pre_exec(begin) };
}

/// A process that was started and to which nobody has listened yet.
#[derive(Debug)]
pub struct Spawned {
    pub running: Running,
    /// Its pidfd.
    pub exit: OwnedFd,
    /// How many processes had been killed for lack of memory before it was started.
    pub oom_kills: Option<u64>,
    /// Behind a subreaper: what it was refused before the program ran.
    pub refusals: Option<RefusalPipe>,
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
}

/// An engine's processes, killed when this is dropped.
#[derive(Debug)]
pub struct Running {
    pub tree: Arc<ProcessTree>,
    /// Removed when everything in it is gone, in the background.
    pub cell: SandboxResources,
}

impl Running {
    /// Ends and reaps what was only just started, and waits for that: to be called in the background.
    pub fn end(self) {
        const ROUNDS: u32 = 1_000;
        self.tree.kill_and_forget();
        for _ in 0..ROUNDS {
            if self.tree.reap() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tree.kill_and_forget();
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
            confinement: SandboxPolicy::default(),
            keep: true,
        };
        let command = launch.command(&SandboxResources::default(), None);
        let variables: Vec<_> = command.get_envs().collect();
        assert_eq!(variables, [("OUTFLANK_ENV_LD_PRELOAD".as_ref(), Some("x=y".as_ref()))]);
        let words: Vec<_> = command.get_args().skip(2).collect();
        assert_eq!(words, ["--", "/bin/true"], "where anybody could read them");
        launch.keep = false;
        assert_eq!(launch.command(&SandboxResources::default(), None).get_envs().count(), 1);
    }
}
