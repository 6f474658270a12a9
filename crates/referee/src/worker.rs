//! A game slot: a thread, pinned together with its engines, that plays one game after the other. It
//! simply blocks while an engine thinks.

use std::io;
use std::sync::{Arc, mpsc as jobs};
use std::thread::JoinHandle;

use records::GameRecord;
use tokio::sync::{mpsc, watch};

use crate::engine::{EngineSpec, Limits, Manner, Recall};
use crate::evidence::Evidence;
use crate::pinning;
use crate::play::{Job, play};
use crate::seats::Seats;

/// What all workers are to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
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
        /// Who played it.
        worker: usize,
        /// Its record.
        record: Box<GameRecord>,
        /// The record as a line of the record file.
        line: Vec<u8>,
        /// What should be told of the engines.
        warnings: Vec<String>,
    },
    /// A game was not begun, or dropped.
    Dropped {
        /// Whose game it was.
        worker: usize,
        /// Which game.
        game: u64,
    },
    /// The worker has stopped its engines and ends.
    Left,
}

/// What every worker needs.
#[derive(Clone, Debug)]
pub struct Shared {
    /// All engines.
    pub specs: Arc<[EngineSpec]>,
    /// The limits that are not the game clock.
    pub limits: Limits,
    /// Engines a worker keeps up at the most.
    pub most_up: usize,
    /// What all workers are to do.
    pub phase: watch::Receiver<Phase>,
    /// Called when running games are to be dropped.
    pub recall: Recall,
    /// Where to report.
    pub events: mpsc::UnboundedSender<Event>,
    /// Where it is kept what was said.
    pub evidence: Option<Arc<Evidence>>,
    /// Whether it matters when the engines of a game are up.
    pub tell_up: bool,
}

/// A worker as its coordinator sees it. It plays the jobs it is sent, in their order, and leaves
/// when the sender is dropped.
#[derive(Debug)]
pub struct Worker {
    /// Jobs go in here.
    pub jobs: jobs::Sender<Job>,
    /// The thread, to be joined at the end.
    pub thread: JoinHandle<()>,
}

impl Worker {
    /// Starts a worker that keeps to these cores.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(number: usize, cores: Vec<usize>, shared: Shared) -> io::Result<Self> {
        const STACK: usize = 1 << 20;
        let (jobs, inbox) = jobs::channel();
        let thread = std::thread::Builder::new().name(format!("slot-{number}")).stack_size(STACK).spawn(
            move || {
                // Told also if this thread panics.
                let _leaving = Leaving(shared.events.clone());
                pinning::keep_to(&cores);
                work(number, &inbox, &shared);
            },
        )?;
        Ok(Self { jobs, thread })
    }
}

struct Leaving(mpsc::UnboundedSender<Event>);

impl Drop for Leaving {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Left);
    }
}

fn work(number: usize, inbox: &jobs::Receiver<Job>, shared: &Shared) {
    let mut seats =
        Seats::new(Arc::clone(&shared.specs), shared.limits, shared.recall.clone(), shared.most_up);
    while let Ok(job) = inbox.recv() {
        let game = job.fixture.game;
        let up = || {
            if shared.tell_up {
                let _ = shared.events.send(Event::Up { game });
            }
        };
        let playing = *shared.phase.borrow() == Phase::Play;
        let record = playing.then(|| play(&job, &mut seats, shared.evidence.as_deref(), up)).flatten();
        let mut line = Vec::with_capacity(4096);
        let event = match record {
            // Every number in a record is finite by construction, so it can be written.
            Some(record) if record.write_line(&mut line).is_ok() => Event::Finished {
                worker: number,
                record: Box::new(record),
                line,
                warnings: seats.take_warnings(),
            },
            _ => Event::Dropped { worker: number, game },
        };
        let _ = shared.events.send(event);
    }
    seats.stop(if shared.recall.is_called() { Manner::Broken } else { Manner::Polite });
}
