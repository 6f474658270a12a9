//! A game slot: a thread with a runtime of its own, pinned together with its engines, that plays one
//! game after the other.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use records::GameRecord;
use tokio::sync::{mpsc, watch};

use crate::engine::{EngineSpec, Limits, Manner};
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
    /// Where to report.
    pub events: mpsc::UnboundedSender<Event>,
    /// Whether it matters when the engines of a game are up.
    pub tell_up: bool,
}

/// A worker as its coordinator sees it. It plays the jobs it is sent, in their order, and leaves
/// when the sender is dropped.
#[derive(Debug)]
pub struct Worker {
    /// Jobs go in here.
    pub jobs: mpsc::UnboundedSender<Job>,
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
        let (jobs, inbox) = mpsc::unbounded_channel();
        let thread = std::thread::Builder::new().name(format!("slot-{number}")).stack_size(STACK).spawn(
            move || {
                // Told also if this thread panics.
                let _leaving = Leaving(shared.events.clone());
                pinning::keep_to(&cores);
                match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => runtime.block_on(work(number, inbox, shared)),
                    Err(error) => eprintln!("referee: slot {number} cannot begin: {error}"),
                }
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

async fn work(number: usize, mut inbox: mpsc::UnboundedReceiver<Job>, mut shared: Shared) {
    let mut seats = Seats::new(Arc::clone(&shared.specs), shared.limits, shared.most_up);
    let mut manner = Manner::Polite;
    while let Some(job) = inbox.recv().await {
        let game = job.fixture.game;
        if *shared.phase.borrow() != Phase::Play {
            let _ = shared.events.send(Event::Dropped { worker: number, game });
            continue;
        }
        let up = || {
            if shared.tell_up {
                let _ = shared.events.send(Event::Up { game });
            }
        };
        let played = tokio::select! {
            biased;
            record = play(&job, &mut seats, up) => Some(record),
            _ = shared.phase.wait_for(|phase| *phase == Phase::Abort) => None,
        };
        let event = match played {
            Some(record) => {
                let mut line = Vec::with_capacity(4096);
                match record.write_line(&mut line) {
                    Ok(()) => Event::Finished {
                        worker: number,
                        record: Box::new(record),
                        line,
                        warnings: seats.take_warnings(),
                    },
                    // Every number in a record is finite by construction.
                    Err(_) => Event::Dropped { worker: number, game },
                }
            }
            None => {
                manner = Manner::Broken;
                Event::Dropped { worker: number, game }
            }
        };
        let _ = shared.events.send(event);
    }
    if *shared.phase.borrow() == Phase::Abort {
        manner = Manner::Broken;
    }
    seats.stop(manner).await;
}
