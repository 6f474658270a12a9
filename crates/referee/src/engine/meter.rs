//! Whose turn it was when an engine's processes used processor time.
//!
//! A turn begins when `go` is sent and ends when the answer has come: what is used at any other time
//! of a game is used on the opponent's time, or on nobody's. To look costs about ten microseconds, which
//! games of moves that take no time could not bear. So no more than one look is taken in a millisecond;
//! what lies between two looks is the engine's own up to the time of its own turns in between, times
//! the number of cores, and only the rest counts against it.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How far two looks are apart at least.
const APART: Duration = Duration::from_millis(1);

/// How many of a process's threads can run at the same time, at the most.
static CORES: LazyLock<u32> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
});

/// The processor time of one engine in one game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    last: Option<Look>,
    /// The time of its own turns since the last look.
    own: Duration,
    off_turn: Duration,
}

/// What was used up to a moment.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: Instant,
    used: Duration,
}

impl Meter {
    /// From now on it is the other side's turn until [`turn_begins`](Self::turn_begins). `used` is all
    /// that was used by now, `None` if that can't be known.
    pub(super) fn game_begins(now: Instant, used: Option<Duration>) -> Self {
        Self { last: used.map(|used| Look { at: now, used }), ..Self::default() }
    }

    /// The engine is asked. `look` says what was used by now.
    pub(super) fn turn_begins(&mut self, now: Instant, look: impl FnOnce() -> Option<Duration>) {
        self.look_if_due(now, look);
    }

    /// It has answered, after so long.
    pub(super) fn turn_ends(
        &mut self,
        now: Instant,
        spent: Duration,
        look: impl FnOnce() -> Option<Duration>,
    ) {
        self.own += spent;
        self.look_if_due(now, look);
    }

    /// The game is over; what was used out of turn in all, `None` if that is not known.
    pub(super) fn game_ends(
        &mut self,
        now: Instant,
        look: impl FnOnce() -> Option<Duration>,
    ) -> Option<Duration> {
        self.look_if_due(now, look);
        self.last.map(|_| Duration::from_micros(u64::try_from(self.off_turn.as_micros()).unwrap_or(u64::MAX)))
    }

    fn look_if_due(&mut self, now: Instant, look: impl FnOnce() -> Option<Duration>) {
        let Some(last) = self.last else { return };
        if now.saturating_duration_since(last.at) < APART {
            return;
        }
        // Once a process is gone, nothing more is known of it, and nothing more is used.
        let Some(used) = look() else { return };
        let between = used.saturating_sub(last.used);
        self.off_turn += between.saturating_sub(self.own.saturating_mul(*CORES));
        self.own = Duration::ZERO;
        self.last = Some(Look { at: now, used });
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
        let mut meter = Meter::game_begins(now, Some(used));
        for &(own, busy, others, pondered) in turns {
            meter.turn_begins(now, || Some(used).inspect(|_| looks += 1));
            now += own;
            used += busy;
            meter.turn_ends(now, own, || Some(used).inspect(|_| looks += 1));
            now += others;
            used += pondered;
        }
        (meter.game_ends(now, || Some(used)), looks)
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
    fn what_is_not_known_is_not_said() {
        let now = Instant::now();
        let mut meter = Meter::game_begins(now, None);
        meter.turn_ends(now + ms(9), ms(9), || Some(ms(4)));
        assert_eq!(meter.game_ends(now + ms(20), || Some(ms(9))), None);
    }
}
