//! A thread that plays games: pinned together with their engines, each of its slots a task that plays one game after
//! the other. Nothing on it blocks, since all its games would wait.

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

/// What all workers are to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunState {
    /// Play on.
    Play,
    /// Begin no game any more.
    Finish,
    /// Drop the games that are running.
    Abort,
}

/// What a worker tells the coordinator.
#[derive(Debug)]
pub enum Event {
    /// Both engines of a game are up.
    Up {
        /// Which game.
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
        /// What should be told of the engines.
        warnings: Vec<String>,
    },
    /// A game was not begun, or has no record.
    Unplayed {
        /// The slot whose game it was.
        slot: usize,
        /// Which game.
        game: u64,
        /// Why.
        why: Unplayed,
        /// What should be told of the engines.
        warnings: Vec<String>,
    },
    /// A slot has stopped its engines and ends.
    Left,
}

/// What every worker needs.
#[derive(Clone, Debug)]
pub struct WorkerContext {
    /// All engines.
    pub specs: Arc<[EngineSpec]>,
    /// The limits that are not the game clock.
    pub limits: Limits,
    /// Engines a slot keeps up at the most.
    pub max_engines: usize,
    /// What all workers are to do.
    pub phase: watch::Receiver<RunState>,
    /// Cancelled when running games are to be dropped.
    pub cancel: CancelToken,
    /// Cancelled when no new games are to begin.
    pub stopping: CancelToken,
    /// What all starts of engines share.
    pub starts: Arc<Starts>,
    /// Where to report.
    pub events: mpsc::UnboundedSender<Event>,
    /// Where it is kept what was said.
    pub evidence: Option<Arc<LogFolder>>,
    /// True if it matters when the engines of a game are up.
    pub tell_up: bool,
}

/// A thread that plays games, as its coordinator sees it.
#[derive(Debug)]
pub struct Worker {
    /// For each of its slots: jobs go in here and are played in their order. A slot leaves when its sender is dropped.
    pub slots: Vec<mpsc::UnboundedSender<GameJob>>,
    /// The thread, to be joined at the end.
    pub thread: JoinHandle<()>,
}

impl Worker {
    /// Starts a thread with its slots, the first of which has this number.
    ///
    /// # Errors
    /// If the system gives no thread, or no files for its runtime.
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
                // A slot that panics has told so by leaving.
                while working.join_next().await.is_some() {}
            });
        })?;
        Ok(Self { slots, thread })
    }
}

struct Leaving(mpsc::UnboundedSender<Event>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Left);
    }
}

/// One slot.
async fn work(
    slot: usize,
    mut inbox: mpsc::UnboundedReceiver<GameJob>,
    cores: Arc<[usize]>,
    shared: WorkerContext,
) {
    // Told also if this task panics.
    let _leaving = Leaving(shared.events.clone());
    let WorkerContext { limits, cancel, stopping, starts, .. } = shared.clone();
    let spawner = Spawner { limits, cores, cancel, stopping, starts };
    let mut pool = EnginePool::new(Arc::clone(&shared.specs), spawner, shared.max_engines);
    while let Some(job) = inbox.recv().await {
        let game = job.game;
        let on_ready = || {
            if shared.tell_up {
                let _ = shared.events.send(Event::Up { game });
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
                // Every number in a record is finite by construction, so it can be written.
                let _ = record.write_line(&mut line);
                Event::Finished { slot, record: Box::new(record), line, warnings }
            }
            Err(why) => Event::Unplayed { slot, game, why, warnings },
        };
        let _ = shared.events.send(event);
    }
    pool.stop(if shared.cancel.is_cancelled() { StopMode::Broken } else { StopMode::Polite }).await;
}
