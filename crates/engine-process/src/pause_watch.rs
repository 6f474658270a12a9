//! Finds out that this process stood still: stopped by a signal, in a paused container or virtual machine, or in a
//! suspended computer. Times that were measured meanwhile say nothing about an engine.
//!
//! A thread of its own beats every 50 ms. A beat that comes half a second late was a pause, unless the thread waited
//! for a core for as long (the second number in `/proc/PID/task/TID/schedstat`). So was a stretch by which the clock that
//! counts suspends (`CLOCK_BOOTTIME`) ran ahead of the one that does not. A pause that no beat has noticed yet is seen by
//! the age of the last beat.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::getpid;
use rustix::thread::gettid;

use crate::affinity;
use crate::procfs;

const BEAT: Duration = Duration::from_millis(50);

/// A beat that is so late was a pause.
const LATE: Duration = Duration::from_millis(500);

/// The beats, and the pauses between them.
#[derive(Debug)]
struct Beats {
    last: Instant,
    /// How far the clock that counts suspends was ahead at the last beat.
    suspended: Duration,
    /// How long the thread had waited for a core at the last beat.
    waited: Duration,
    /// When the last pause ended.
    pause: Option<Instant>,
}

static BEATS: LazyLock<Mutex<Beats>> = LazyLock::new(|| {
    let thread = std::thread::Builder::new().name("pause-watch".to_owned()).stack_size(128 << 10);
    // Without a thread every pause since the start goes unnoticed.
    let _ = thread.spawn(|| {
        affinity::keep_to(&affinity::allowed_cores());
        loop {
            let waited = waited_for_a_core();
            beats().beat(Instant::now(), suspended(), waited);
            std::thread::sleep(BEAT);
        }
    });
    Mutex::new(Beats { last: Instant::now(), suspended: suspended(), waited: Duration::ZERO, pause: None })
});

fn beats() -> MutexGuard<'static, Beats> {
    BEATS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to watch. A pause before the first call is not noticed.
pub fn start() {
    drop(beats());
}

/// True if this process was paused at some time since this moment.
#[must_use]
pub fn paused_since(moment: Instant) -> bool {
    let beats = beats();
    beats.pause.is_some_and(|ended| ended >= moment) || beats.is_overdue(Instant::now(), suspended())
}

impl Beats {
    fn beat(&mut self, now: Instant, suspended: Duration, waited: Duration) {
        let late = now.saturating_duration_since(self.last).saturating_sub(BEAT);
        let without_core = waited.saturating_sub(self.waited);
        if late.saturating_sub(without_core) >= LATE || suspended.saturating_sub(self.suspended) >= LATE {
            self.pause = Some(now);
        }
        (self.last, self.suspended, self.waited) = (now, suspended, waited);
    }

    /// True if the next beat is so late that it shows a pause. If the thread only waits for a core this is wrong for a
    /// moment, and a game is played once more.
    fn is_overdue(&self, now: Instant, suspended: Duration) -> bool {
        now.saturating_duration_since(self.last) >= BEAT + LATE
            || suspended.saturating_sub(self.suspended) >= LATE
    }
}

/// How long this computer has been suspended in all.
#[cfg(target_os = "linux")]
fn suspended() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let now = |clock| {
        let time = clock_gettime(clock);
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    };
    // Read in this order the difference is never too large.
    let all = now(ClockId::Boottime);
    all.saturating_sub(now(ClockId::Monotonic))
}

#[cfg(not(target_os = "linux"))]
fn suspended() -> Duration {
    Duration::ZERO
}

fn waited_for_a_core() -> Duration {
    procfs::Thread::new(getpid(), gettid()).ran_and_waited().unwrap_or_default().1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_beat_is_a_pause_unless_there_was_no_core() {
        let ms = Duration::from_millis;
        let begun = Instant::now();
        let zero = Duration::ZERO;
        for (after, suspended, waited, pause) in [
            (ms(50), zero, zero, false),
            (ms(400), zero, zero, false),
            (ms(550), zero, zero, true),
            (ms(2050), zero, ms(1900), false),
            (ms(2050), zero, ms(900), true),
            (ms(50), ms(3000), zero, true),
        ] {
            let mut beats = Beats { last: begun, suspended: zero, waited: zero, pause: None };
            let now = begun + after;
            let overdue = beats.is_overdue(now, suspended);
            beats.beat(now, suspended, waited);
            assert_eq!(beats.pause.is_some(), pause, "after {after:?}, {suspended:?}, {waited:?}");
            assert!(overdue || !pause);
            assert!(!beats.is_overdue(now + ms(60), suspended));
        }
    }
}
