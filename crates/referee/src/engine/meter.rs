//! Whose turn it was when an engine's processes used processor time.
//!
//! A turn begins when `go` is sent and ends when the answer has come: what is used at any other time
//! of a game is used on the opponent's time, or on nobody's. To look costs a third of a microsecond for
//! the engine's process, and about ten, more on a busy machine, for all that it started, which games of
//! moves that take no time could not bear. So looks are some time apart; what lies between two is the
//! engine's own up to the time of its own turns in between, times the number of cores, and only
//! the rest counts against it.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::family::Usage;
use super::process::Process;

/// How far two looks at the engine's own process are apart at least.
const APART: Duration = Duration::from_millis(1);
/// How far two looks at what it started are apart at least.
const FAR_APART: Duration = Duration::from_millis(25);

/// How many of a process's threads can run at the same time, at the most.
static CORES: LazyLock<u32> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
});

/// The processor time of one engine in one game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meters {
    own: Meter,
    others: Meter,
}

impl Meters {
    /// From now on it is the other side's turn until [`turn_begins`](Self::turn_begins).
    pub(super) fn game_begins(now: Instant, process: &Process) -> Self {
        Self {
            own: Meter::game_begins(APART, now, process.family().own_time()),
            // Many games are over before this would be looked at.
            others: Meter::game_begins(FAR_APART, now, None),
        }
    }

    /// The engine is asked.
    pub(super) fn turn_begins(&mut self, now: Instant, process: &Process) {
        self.own.look_if_due(now, || process.family().own_time());
        self.others.look_if_due(now, || process.family().others_time());
    }

    /// It has answered, after so long.
    pub(super) fn turn_ends(&mut self, now: Instant, spent: Duration, process: &Process) {
        self.own.turn_ends(now, spent, || process.family().own_time());
        self.others.turn_ends(now, spent, || process.family().others_time());
    }

    /// The game is over; what was used out of turn in all, `None` if that is not known.
    pub(super) fn game_ends(&mut self, now: Instant, process: &Process) -> Option<Duration> {
        self.turn_begins(now, process);
        self.own.used?;
        let all = self.own.off_turn + self.others.off_turn;
        Some(Duration::from_micros(u64::try_from(all.as_micros()).unwrap_or(u64::MAX)))
    }
}

/// The processor time that one search may use.
#[derive(Debug)]
pub(super) struct Ration {
    most: Duration,
    used: Duration,
    /// At the last look.
    usage: Usage,
}

impl Ration {
    /// So much from now on; `None` if the system does not tell what is used.
    pub(super) fn new(most: Duration, process: &Process) -> Option<Self> {
        Some(Self { most, used: Duration::ZERO, usage: process.family().usage()? })
    }

    /// What may still be used. Who has ended used nothing since the last look, as far as anybody knows.
    pub(super) fn left(&mut self, process: &Process) -> Duration {
        if let Some(usage) = process.family().usage() {
            self.used += usage.since(&self.usage);
            self.usage = usage;
        }
        self.most.saturating_sub(self.used)
    }

    /// What was used in all.
    pub(super) fn used(mut self, process: &Process) -> Duration {
        self.left(process);
        self.used
    }
}

/// How long an engine's threads waited for a core. That is asked where an answer was late, to tell a slow engine from a
/// busy machine; how long it was before, at most so often as the processor time of what an engine started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// When it was looked at last.
    looked: Option<Instant>,
    before: Duration,
}

impl Waits {
    /// The engine is asked.
    pub(super) fn turn_begins(&mut self, now: Instant, process: &Process) {
        if self.looked.is_none_or(|looked| now.saturating_duration_since(looked) >= FAR_APART) {
            *self = Self { looked: Some(now), before: process.family().waited_for_a_core() };
        }
    }

    /// What was waited since the engine was asked, or since a moment shortly before.
    pub(super) fn since(&self, process: &Process) -> Duration {
        process.family().waited_for_a_core().saturating_sub(self.before)
    }
}

/// The processor time of some processes in one game.
#[derive(Clone, Copy, Debug, Default)]
struct Meter {
    apart: Duration,
    /// When they were looked at last, or the game began.
    looked: Option<Instant>,
    /// What was used up to the last look, if there was one.
    used: Option<Duration>,
    /// The time of the engine's own turns since the last look.
    own: Duration,
    off_turn: Duration,
}

impl Meter {
    /// `used` is all that was used by now; where it is `None`, it is counted from the first look on.
    fn game_begins(apart: Duration, now: Instant, used: Option<Duration>) -> Self {
        Self { apart, looked: Some(now), used, ..Self::default() }
    }

    /// The engine's turn ends, after so long. `look` says what was used by now.
    fn turn_ends(&mut self, now: Instant, spent: Duration, look: impl FnOnce() -> Option<Duration>) {
        self.own += spent;
        self.look_if_due(now, look);
    }

    fn look_if_due(&mut self, now: Instant, look: impl FnOnce() -> Option<Duration>) {
        let is_due = |looked| now.saturating_duration_since(looked) >= self.apart;
        if !self.looked.is_some_and(is_due) {
            return;
        }
        // Once a process is gone, nothing more is known of it, and nothing more is used.
        let Some(used) = look() else { return };
        if let Some(before) = self.used {
            let between = used.saturating_sub(before);
            self.off_turn += between.saturating_sub(self.own.saturating_mul(*CORES));
        }
        (self.looked, self.used, self.own) = (Some(now), Some(used), Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A game of turns: own time, processor time in it, the opponent's time, processor time in that.
    fn measured(turns: &[(Duration, Duration, Duration, Duration)]) -> (Option<Duration>, u32) {
        let (mut now, mut used, mut looks) = (Instant::now(), ms(5), 0);
        let mut meter = Meter::game_begins(APART, now, Some(used));
        for &(own, busy, others, pondered) in turns {
            meter.look_if_due(now, || Some(used).inspect(|_| looks += 1));
            now += own;
            used += busy;
            meter.turn_ends(now, own, || Some(used).inspect(|_| looks += 1));
            now += others;
            used += pondered;
        }
        meter.look_if_due(now, || Some(used));
        (meter.used.map(|_| meter.off_turn), looks)
    }

    #[test]
    fn what_is_used_on_the_others_time_is_counted() {
        assert_eq!(measured(&[(ms(50), ms(50), ms(50), ms(0)); 20]).0, Some(ms(0)));
        assert_eq!(measured(&[(ms(50), ms(50), ms(50), ms(30)); 20]).0, Some(ms(600)));
        // Several threads in its own turn.
        assert_eq!(measured(&[(ms(50), ms(50) * *CORES, ms(50), ms(1)); 20]).0, Some(ms(20)));
    }

    #[test]
    fn who_answers_at_once_after_thinking_on_the_others_time_is_found_out() {
        let at_once = Duration::from_micros(20);
        let turn = (at_once, at_once, ms(50), ms(50));
        let (found, _) = measured(&[turn; 20]);
        assert!(found.is_some_and(|found| found > ms(950) && found <= ms(1000)), "{found:?}");
    }

    #[test]
    fn games_that_take_no_time_are_hardly_looked_at() {
        let at_once = Duration::from_micros(5);
        let (found, looks) = measured(&[(at_once, at_once, at_once, Duration::ZERO); 1000]);
        assert_eq!(found, Some(Duration::ZERO));
        assert!(looks <= 10, "{looks} looks in 10 ms");
    }

    #[test]
    fn without_a_beginning_it_is_counted_from_the_first_look_on() {
        let now = Instant::now();
        let mut meter = Meter::game_begins(APART, now, None);
        meter.look_if_due(now, || panic!("too early"));
        meter.turn_ends(now + ms(9), ms(9), || Some(ms(40)));
        assert_eq!(meter.off_turn, ms(0));
        meter.look_if_due(now + ms(20), || Some(ms(49)));
        assert_eq!(meter.off_turn, ms(9));
        meter.look_if_due(now + ms(30), || None);
        assert_eq!(meter.off_turn, ms(9));
    }
}
