//! A thread for what may take long and nobody has to wait for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

type Task = Box<dyn FnOnce() + Send>;

static SWEEPER: Sweeper = Sweeper::new();

/// Has it done by and by, behind all that was asked for before. Where no thread can be had it is done here and now.
pub(super) fn later(task: impl FnOnce() + Send + 'static) {
    SWEEPER.take(Box::new(task));
}

/// Waits until all is done, at most so long; whether it is.
pub(super) fn finish(patience: Duration) -> bool {
    SWEEPER.finish(patience)
}

struct Sweeper {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<Task>,
    /// How many wait or are being done.
    open: usize,
    has_thread: bool,
}

impl Sweeper {
    const fn new() -> Self {
        let state = State { waiting: VecDeque::new(), open: 0, has_thread: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&'static self, task: Task) {
        let mut state = self.state();
        if !state.has_thread {
            let thread = thread::Builder::new().name("sweeper".to_owned());
            state.has_thread = thread.spawn(|| self.work()).is_ok();
        }
        if !state.has_thread {
            drop(state);
            return task();
        }
        state.waiting.push_back(task);
        state.open += 1;
        self.changed.notify_all();
    }

    fn work(&self) {
        // Engines that play meanwhile go first. This is the priority of one thread (setpriority(2), BUGS).
        const LEAST: i32 = 19;
        let _ = rustix::process::setpriority_process(None, LEAST);
        loop {
            let nothing = |state: &mut State| state.waiting.is_empty();
            let woken = self.changed.wait_while(self.state(), nothing);
            let task = woken.unwrap_or_else(PoisonError::into_inner).waiting.pop_front();
            task.into_iter().for_each(|task| task());
            self.state().open -= 1;
            self.changed.notify_all();
        }
    }

    fn finish(&self, patience: Duration) -> bool {
        let busy = |state: &mut State| state.open > 0;
        let (state, _) = self
            .changed
            .wait_timeout_while(self.state(), patience, busy)
            .unwrap_or_else(PoisonError::into_inner);
        state.open == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn tasks_are_done_in_order_and_waited_for_no_longer_than_told() {
        static OWN: Sweeper = Sweeper::new();
        let (tell, told) = channel();
        let (release, held) = channel();
        assert!(OWN.finish(Duration::ZERO), "nothing is asked for yet");
        OWN.take(Box::new(move || held.recv().expect("its release")));
        for number in 0..3 {
            let tell = tell.clone();
            OWN.take(Box::new(move || {
                let name = thread::current().name().map(str::to_owned);
                tell.send((number, name)).expect("a listener");
            }));
        }
        assert!(!OWN.finish(Duration::from_millis(1)));
        release.send(()).expect("the one who waits");
        assert!(OWN.finish(Duration::from_secs(60)));
        let done: Vec<_> = told.try_iter().collect();
        assert_eq!(done, [0, 1, 2].map(|number| (number, Some("sweeper".to_owned()))));
    }
}
