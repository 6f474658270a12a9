//! One engine process: its pipes, its end, and the ladder by which it is stopped.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use crate::background;
use crate::cpu_sampler::{self, Sampled};
use crate::exit_status::ExitStatus;
use crate::launch::{Launch, Running, Spawned};
use crate::process_tree::{CpuSnapshot, ProcessTree, TreeTimes};
use crate::procfs;
use crate::refusal::{Refusal, RefusalPipe};
use crate::sandbox::SandboxPolicy;
use crate::stderr_tail::StderrTail;
use crate::stop::{AFTER_KILL, StopMode, StopStep, ladder};
use rustix::process::Signal;

/// A running engine, or one that has ended and was not reaped yet. [`stop`](Self::stop) it at the end: dropping it
/// kills its processes, but waits for nothing.
#[derive(Debug)]
pub struct Process {
    running: Running,
    /// The pidfd: readable when the process has ended.
    pub exit: Arc<pipe::Receiver>,
    pub input: Option<pipe::Sender>,
    pub output: pipe::Receiver,
    pub stderr: StderrTail,
    /// The times of its whole process tree, read now and then.
    pub sampled: Arc<Sampled>,
    frozen: bool,
    confinement: SandboxPolicy,
    oom_kills: Option<u64>,
    /// Behind a subreaper, until its program is known to run.
    refusals: Option<RefusalPipe>,
}

/// How a process left when it was told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShutdownReport {
    /// True if it did, and was not stopped by force.
    pub by_itself: bool,
    /// How long it took, or was given.
    pub took: Duration,
    /// How it ended.
    pub status: Option<ExitStatus>,
    /// How many processes that it had started were still there; `None` where that can't be told, since its subreaper
    /// ends them with it.
    pub left: Option<usize>,
}

impl Process {
    /// Starts the program on these cores, in the background, and listens to it in the current runtime.
    ///
    /// # Errors
    /// [`Refusal`]; nothing is left running then.
    pub async fn spawn(launch: &Launch, cores: &Arc<[usize]>) -> Result<Self, Refusal> {
        let (launch, cores) = (launch.clone(), Arc::clone(cores));
        let confinement = launch.confinement;
        let spawned = background::run(move || launch.spawn(&cores)).await;
        let spawned = spawned.map_err(|error| Refusal::new("start a thread", &error))??;
        Self::connect(spawned, confinement).await
    }

    async fn connect(spawned: Spawned, confinement: SandboxPolicy) -> Result<Self, Refusal> {
        let Spawned { running, exit, oom_kills, refusals, stdin, stdout, stderr } = spawned;
        let pipes = async {
            let input = pipe::Sender::from_owned_fd(stdin)?;
            // Until the runtime has looked at the pipe once, it takes it for full.
            input.writable().await?;
            let output = pipe::Receiver::from_owned_fd(stdout)?;
            let stderr = pipe::Receiver::from_owned_fd(stderr)?;
            Ok::<_, io::Error>((input, output, stderr, watch_exit(exit)?))
        };
        match pipes.await {
            Ok((input, output, stderr, exit)) => Ok(Self {
                sampled: cpu_sampler::register(&running.tree),
                running,
                exit: Arc::new(exit),
                input: Some(input),
                output,
                stderr: StderrTail::read(stderr),
                frozen: false,
                confinement,
                oom_kills,
                refusals,
            }),
            Err(error) => {
                let _ = background::run(move || running.end()).await;
                Err(Refusal::new("watch its pipes", &error))
            }
        }
    }

    /// True if it was killed, the system has killed a process for lack of memory since its start, and it has no limit on
    /// memory of its own.
    pub fn was_killed_for_memory(&self) -> bool {
        const SIGKILL: i32 = 9;
        self.exit_status() == Some(ExitStatus::Signal(SIGKILL))
            && self.confinement.resources.memory.is_none()
            && self.oom_kills.is_some_and(|before| procfs::oom_kills().is_some_and(|now| now > before))
    }

    /// What its start was refused, if its program never ran.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusals.as_ref()?.receive()
    }

    /// Its program runs: from now on nothing is a refusal.
    pub fn program_runs(&mut self) {
        self.refusals = None;
    }

    /// The limits and the sandbox that it is under.
    pub fn confinement(&self) -> &SandboxPolicy {
        &self.confinement
    }

    /// Its processes.
    pub fn tree(&self) -> &ProcessTree {
        &self.running.tree
    }

    /// Suspends it and all it started, until [`thaw`](Self::thaw).
    pub async fn freeze(&mut self) {
        if !self.frozen {
            self.frozen = true;
            self.on_tree(|tree| tree.signal_all(Signal::STOP)).await;
        }
    }

    /// Lets it run on if it is suspended.
    pub async fn thaw(&mut self) {
        if self.frozen {
            self.frozen = false;
            self.on_tree(|tree| tree.signal_all(Signal::CONT)).await;
        }
    }

    /// CPU time and waiting time of its processes up to now; `None` once it has ended.
    pub async fn times(&self) -> Option<TreeTimes> {
        self.on_tree(|tree| tree.times(&procfs::orphans_with_mark())).await
    }

    /// How many threads of its own process run or are ready to run at this moment.
    pub async fn runnable_threads(&self) -> u32 {
        self.on_tree(ProcessTree::runnable_threads).await
    }

    /// The CPU time that each of its processes has used up to now; `None` once it has ended.
    pub async fn usage(&self) -> Option<CpuSnapshot> {
        self.on_tree(ProcessTree::usage).await
    }

    /// How the process ended; `None` while it runs.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        ExitStatus::of(self.tree().child())
    }

    /// The process has closed its output or ended: how it ended, if it does so within a moment (a dying process closes
    /// its pipes a little before it can be waited for). A subreaper ends what is left first, which takes as long as the
    /// machine takes, so it is waited for if the engine's own process is gone.
    pub async fn exit_status_soon(&mut self) -> Option<ExitStatus> {
        const MOMENT: Duration = Duration::from_millis(200);
        const ROUNDS: u32 = 50;
        for _ in 0..ROUNDS {
            let _ = tokio::time::timeout(MOMENT, self.exit.readable()).await;
            let status = self.exit_status();
            if status.is_some() || !self.tree().is_under_subreaper() || self.engine_runs().await {
                return status;
            }
        }
        None
    }

    async fn engine_runs(&self) -> bool {
        self.on_tree(|tree| tree.engine().is_some_and(|engine| !procfs::is_gone(engine))).await
    }

    /// Waits a moment for what the engine wrote to standard error before it ended. A helper may hold that pipe open, so
    /// there may be no end of it.
    pub async fn read_last_stderr(&mut self) {
        self.stderr.drained(Duration::from_millis(50)).await;
    }

    /// Stops the process and everything it started, step by step, and returns how it ended.
    /// `goodbye` is what its protocol says to make it leave.
    pub async fn stop(&mut self, manner: StopMode, quit: Duration, goodbye: &[u8]) -> Option<ExitStatus> {
        self.thaw().await;
        for (push, grace) in ladder(manner, quit) {
            match push {
                StopStep::Quit => {
                    // An engine that does not read gets no goodbye: its pipe may be full.
                    if let Some(input) = self.input.take() {
                        let _ = input.try_write(goodbye);
                    }
                }
                StopStep::Terminate => {
                    self.input = None;
                    self.on_tree(|tree| tree.signal_engine(Signal::TERM)).await;
                }
                StopStep::Kill => self.on_tree(|tree| tree.signal_engine(Signal::KILL)).await,
            }
            if self.ends_within(grace).await {
                break;
            }
        }
        let status = self.exit_status();
        self.clean_up().await;
        if manner == StopMode::Broken {
            // Its last words may say what was wrong; nothing can write there any more.
            self.read_last_stderr().await;
        }
        status
    }

    /// Tells it to leave and sees how it does; stops it by force if it does not within `patience`.
    pub async fn leave(
        &mut self,
        goodbye: &[u8],
        close: bool,
        patience: Duration,
        quit: Duration,
    ) -> ShutdownReport {
        self.thaw().await;
        let asked = Instant::now();
        if let Some(input) = &self.input {
            let _ = input.try_write(goodbye);
        }
        if close {
            self.input = None;
        }
        let by_itself = self.ends_within(patience).await;
        let took = asked.elapsed();
        if !by_itself {
            let status = self.stop(StopMode::Broken, quit, b"").await;
            return ShutdownReport { by_itself, took, status, left: Some(0) };
        }
        let left = if self.tree().is_under_subreaper() { None } else { Some(self.what_stays().await) };
        let status = self.exit_status();
        self.clean_up().await;
        ShutdownReport { by_itself, took, status, left }
    }

    /// How many processes that it started are still there, a moment after its own end.
    async fn what_stays(&self) -> usize {
        const ROUNDS: u32 = 50;
        let mut left = 0;
        for _ in 0..ROUNDS {
            left = self.on_tree(|tree| procfs::children_with_mark(tree.mark()).len()).await;
            if left == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        left
    }

    /// Waits for the end of the process, reading away what it still writes so that it can't block.
    async fn ends_within(&mut self, grace: Duration) -> bool {
        let (mut sink, mut output_ended) = ([0; 4096], false);
        let mut over = std::pin::pin!(tokio::time::sleep(grace));
        loop {
            tokio::select! {
                biased;
                _ = self.exit.readable() => return true,
                () = &mut over => return self.exit_status().is_some(),
                read = self.output.read(&mut sink), if !output_ended => {
                    output_ended = !matches!(read, Ok(1..));
                }
            }
        }
    }

    /// Ends what is left of the process group and whatever else the engine started.
    async fn clean_up(&mut self) {
        const FOR_A_KEEPER: Duration = Duration::from_secs(2);
        const A_MOMENT: Duration = Duration::from_millis(1);
        const ROUNDS: u32 = 1_000;
        if self.exit_status().is_none() {
            self.on_tree(ProcessTree::kill).await;
            if self.tree().is_under_subreaper() && !self.ends_within(FOR_A_KEEPER).await {
                self.on_tree(ProcessTree::kill_child).await;
            }
            if !self.ends_within(AFTER_KILL).await {
                // The system holds it, for instance in the middle of a read: it is reaped at the end.
                return self.tree().give_up();
            }
        }
        for _ in 0..ROUNDS {
            if self.on_tree(ProcessTree::reap).await {
                break;
            }
            tokio::time::sleep(A_MOMENT).await;
        }
        let cell = std::mem::take(&mut self.running.cell);
        if !cell.is_empty() {
            let _ = background::run(move || drop(cell)).await;
        }
    }

    /// Does something to its processes, in the background. Without a background thread nothing is done, and what is
    /// left is killed when this is dropped.
    async fn on_tree<T: Default + Send + 'static>(
        &self,
        act: impl FnOnce(&ProcessTree) -> T + Send + 'static,
    ) -> T {
        let tree = Arc::clone(&self.running.tree);
        background::run(move || act(&tree)).await.unwrap_or_default()
    }
}

/// A pidfd, watched like a pipe: it is readable once the process has ended, and is never read.
fn watch_exit(pidfd: OwnedFd) -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd_unchecked(pidfd)
}
