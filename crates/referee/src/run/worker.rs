//! A thread that plays games. It is pinned together with its engines; each of its slots is a task that plays one game
//! after the other. Nothing on it may block, since all its games would wait.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use records::GameRecord;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::machine::slots::SlotThread;
use engine_process::affinity;
use play::engine::{CancelToken, EngineSpec, Limits, Spawner, Starts, StopMode};
use play::engine_pool::EnginePool;
use play::game_log::LogFolder;
use play::{GameJob, Unplayed, play};

/// The state of a run, as all workers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunState {
    /// Games are played.
    Play,
    /// No new games begin.
    Finish,
    /// Running games are dropped.
    Abort,
}

/// What a worker reports to the coordinator.
#[derive(Debug)]
pub enum Event {
    /// Both engines of a game have started.
    Ready {
        /// The index of the game.
        game: u64,
    },
    /// A game is finished.
    Finished {
        /// The slot that played it.
        slot: usize,
        /// Its record.
        record: Box<GameRecord>,
        /// The record as a line of the record file.
        line: Vec<u8>,
        /// Warnings about its engines.
        warnings: Vec<String>,
    },
    /// A game was not begun, or has no record.
    Unplayed {
        /// The slot that had it.
        slot: usize,
        /// The index of the game.
        game: u64,
        /// The reason.
        why: Unplayed,
        /// Warnings about its engines.
        warnings: Vec<String>,
    },
    /// A slot has ended.
    SlotEnded,
}

/// What all workers share.
#[derive(Clone, Debug)]
pub struct WorkerContext {
    pub specs: Arc<[EngineSpec]>,
    /// The limits that are not the game clock.
    pub limits: Limits,
    /// The most engines that a slot keeps running.
    pub max_engines: usize,
    /// The state of a run, as all workers see it.
    pub phase: watch::Receiver<RunState>,
    /// Cancelled to drop running games.
    pub cancel: CancelToken,
    /// Cancelled to begin no new games.
    pub stopping: CancelToken,
    /// Shared by all starts of engines.
    pub starts: Arc<Starts>,
    pub events: mpsc::UnboundedSender<Event>,
    /// The folder for game logs.
    pub evidence: Option<Arc<LogFolder>>,
    /// True if workers report [`Event::Ready`].
    pub report_ready: bool,
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    /// Takes the jobs of each slot, which plays them in order. A slot ends when its sender is dropped.
    pub slots: Vec<mpsc::UnboundedSender<GameJob>>,
    /// The thread, which ends after its last slot.
    pub thread: JoinHandle<()>,
}

impl Worker {
    /// Starts a thread whose slots are numbered from `first`.
    ///
    /// # Errors
    /// If the system refuses a thread, or files for its runtime.
    pub fn start(first: usize, place: &SlotThread, shared: &WorkerContext) -> io::Result<Self> {
        const STACK: usize = 1 << 20;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (slots, inboxes): (Vec<_>, Vec<_>) = (0..place.slots).map(|_| mpsc::unbounded_channel()).unzip();
        let (cores, shared) = (place.cores.clone(), shared.clone());
        let thread = std::thread::Builder::new().name(format!("games-{first}")).stack_size(STACK);
        let thread = thread.spawn(move || {
            affinity::keep_to(&cores);
            affinity::take_short_turns();
            let cores: Arc<[usize]> = cores.into();
            runtime.block_on(async {
                let slots = (first..).zip(inboxes);
                let mut working: JoinSet<()> = slots
                    .map(|(slot, inbox)| work(slot, inbox, Arc::clone(&cores), shared.clone()))
                    .collect();
                // A slot that panics has sent `Event::SlotEnded`.
                while working.join_next().await.is_some() {}
            });
        })?;
        Ok(Self { slots, thread })
    }
}

struct EndReport(mpsc::UnboundedSender<Event>);

impl Drop for EndReport {
    fn drop(&mut self) {
        let _ = self.0.send(Event::SlotEnded);
    }
}

/// Plays the jobs of one slot.
async fn work(
    slot: usize,
    mut inbox: mpsc::UnboundedReceiver<GameJob>,
    cores: Arc<[usize]>,
    shared: WorkerContext,
) {
    // Sent also if this task panics.
    let _end_report = EndReport(shared.events.clone());
    let WorkerContext { limits, cancel, stopping, starts, .. } = shared.clone();
    let spawner = Spawner { limits, cores, cancel, stopping, starts };
    let mut pool = EnginePool::new(Arc::clone(&shared.specs), spawner, shared.max_engines);
    while let Some(job) = inbox.recv().await {
        let game = job.game;
        let on_ready = || {
            if shared.report_ready {
                let _ = shared.events.send(Event::Ready { game });
            }
        };
        let playing = *shared.phase.borrow() == RunState::Play;
        let played = match playing {
            true => play(&job, &mut pool, shared.evidence.as_ref(), on_ready).await,
            false => Err(Unplayed::Cancelled),
        };
        let warnings = pool.take_warnings();
        let event = match played {
            Ok(record) => {
                let mut line = Vec::with_capacity(4096);
                // Always true: all numbers in a record are finite.
                let _ = record.write_line(&mut line);
                Event::Finished { slot, record: Box::new(record), line, warnings }
            }
            Err(why) => Event::Unplayed { slot, game, why, warnings },
        };
        let _ = shared.events.send(event);
    }
    pool.stop(if shared.cancel.is_cancelled() { StopMode::Broken } else { StopMode::Polite }).await;
}
