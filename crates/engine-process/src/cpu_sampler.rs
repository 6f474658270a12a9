//! Reads the times of the process trees of all engines that are in a game, in one place.
//!
//! Reading what an engine has started takes 10 µs and more, too much for every move of fast games, and too much for a
//! thread on which other games wait. So a thread of its own reads all of them, 25 ms apart, or less often where
//! that would take more than 1 % of a core. A reading is used at the engine's next turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::process_tree::{ProcessTree, TreeTimes};
use crate::procfs;

/// The least time between two readings.
const INTERVAL: Duration = Duration::from_millis(25);
/// A reading may take one of so many parts of the time.
const SHARE: u32 = 100;

/// The times of one engine, as they were read last.
#[derive(Debug)]
pub struct Sampled {
    tree: Weak<ProcessTree>,
    in_game: AtomicBool,
    last: Mutex<Option<Sample>>,
}

/// Times, and when they were read.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub at: Instant,
    pub times: TreeTimes,
}

impl Sampled {
    /// From now on its times are read, or not any more.
    pub fn set_in_game(&self, in_game: bool) {
        self.in_game.store(in_game, Ordering::Relaxed);
    }

    /// The last reading.
    pub fn last(&self) -> Option<Sample> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static SAMPLER: LazyLock<Option<mpsc::Sender<Weak<Sampled>>>> = LazyLock::new(|| {
    let (sender, engines) = mpsc::channel();
    let thread = std::thread::Builder::new().name("cpu-sampler".to_owned()).stack_size(256 << 10);
    thread.spawn(move || sample(&engines)).ok().map(|_| sender)
});

/// Has the times of these processes read for as long as what it returns is held. Without a thread for it they never
/// are, and stay unknown.
pub fn register(tree: &Arc<ProcessTree>) -> Arc<Sampled> {
    let sampled = Arc::new(Sampled {
        tree: Arc::downgrade(tree),
        in_game: AtomicBool::new(false),
        last: Mutex::new(None),
    });
    if let Some(sampler) = &*SAMPLER {
        let _ = sampler.send(Arc::downgrade(&sampled));
    }
    sampled
}

fn sample(fresh: &mpsc::Receiver<Weak<Sampled>>) {
    crate::affinity::keep_to(&crate::affinity::allowed_cores());
    let mut engines: Vec<Weak<Sampled>> = Vec::new();
    let mut due = Instant::now();
    loop {
        if engines.is_empty() {
            let Ok(engine) = fresh.recv() else { return };
            engines.push(engine);
        }
        match fresh.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(engine) => engines.push(engine),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {
                let begun = Instant::now();
                read_all(&mut engines);
                due = begun + INTERVAL.max(begun.elapsed() * SHARE);
            }
        }
    }
}

fn read_all(engines: &mut Vec<Weak<Sampled>>) {
    let mut orphans = None;
    engines.retain(|engine| {
        let Some(engine) = engine.upgrade() else { return false };
        if engine.in_game.load(Ordering::Relaxed)
            && let Some(tree) = engine.tree.upgrade()
        {
            let at = Instant::now();
            // Of an engine that has ended the last reading stays.
            if let Some(times) = tree.times(orphans.get_or_insert_with(procfs::orphans_with_mark)) {
                *engine.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Sample { at, times });
            }
        }
        true
    });
}
