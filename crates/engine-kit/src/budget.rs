//! The time that a move may take.

use std::time::Duration;

use protocol::ugi::Limits;
use rules::Color;

/// The time limits of one move, counted from `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Soft limit: the time that the move should take.
    pub(crate) soft: Duration,
    /// Hard limit: the move must not take longer.
    pub(crate) hard: Duration,
    /// True if time saved now is available for later moves.
    pub(crate) carries_over: bool,
}

/// Reserve for each later move: pipes and the scheduler take time too.
const OVERHEAD: Duration = Duration::from_millis(2);

impl Budget {
    /// The limits of one move of `side` with this many `empty` squares; `None` if there is no time limit.
    pub(crate) fn new(limits: &Limits, side: Color, empty: u32) -> Option<Self> {
        if limits.infinite {
            return None;
        }
        let movetime = limits.movetime.map(from_movetime);
        let clock =
            limits.time[side].map(|left| from_clock(left, limits.increment[side].unwrap_or_default(), empty));
        match (movetime, clock) {
            (Some(a), Some(b)) => {
                Some(Self { soft: a.soft.min(b.soft), hard: a.hard.min(b.hard), carries_over: true })
            }
            (one, other) => one.or(other),
        }
    }
}

/// The whole `movetime` less a reserve of 1 to 20 ms for the answer to arrive.
fn from_movetime(time: Duration) -> Budget {
    let reserve = (time / 25).clamp(Duration::from_millis(1), Duration::from_millis(20));
    let use_up = time.saturating_sub(reserve).max(time / 2);
    Budget { soft: use_up, hard: use_up, carries_over: false }
}

/// An even share of the time left, and a little more while many moves remain, because the last moves
/// need hardly any time.
fn from_clock(left: Duration, increment: Duration, empty: u32) -> Budget {
    let moves = empty.div_ceil(2).max(1);
    let share = (moves * 3 / 4).max(2);
    let usable = left.saturating_sub(OVERHEAD * moves).saturating_sub(left / 20);
    let soft = usable / share + increment * 3 / 4;
    // Never more than a third of the time left: the increment comes only after the move.
    let most = usable / 3;
    Budget { soft: soft.min(most), hard: (soft * 3).min(most), carries_over: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rules::ByColor;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clock(left: u64, increment: u64) -> Limits {
        Limits {
            time: ByColor::new(Some(ms(left)), None),
            increment: ByColor::new(Some(ms(increment)), None),
            ..Limits::default()
        }
    }

    #[test]
    fn a_fixed_time_is_used_up_but_for_a_reserve() {
        let limit = |time| {
            let limits = Limits { movetime: Some(ms(time)), ..Limits::default() };
            Budget::new(&limits, Color::Black, 60).unwrap().hard
        };
        assert_eq!(limit(1), Duration::from_micros(500));
        assert_eq!(limit(10), ms(9));
        assert_eq!(limit(50), ms(48));
        assert_eq!(limit(1000), ms(980));
        assert_eq!(limit(60_000), ms(59_980));
        assert_eq!(limit(0), ms(0));
    }

    #[test]
    fn only_a_clock_of_ones_own_limits_time() {
        assert_eq!(Budget::new(&Limits { nodes: Some(5), ..Limits::default() }, Color::Black, 60), None);
        assert_eq!(Budget::new(&clock(1000, 0), Color::White, 60), None);
        let endless = Limits { infinite: true, ..clock(1000, 0) };
        assert_eq!(Budget::new(&endless, Color::Black, 60), None);
    }

    #[test]
    fn a_minute_is_spread_over_the_game() {
        let first = Budget::new(&clock(60_000, 0), Color::Black, 60).unwrap();
        assert!(first.soft > ms(1500) && first.soft < ms(4000), "{first:?}");
    }

    proptest! {
        /// A player who always takes the most it may, and 1 ms on top, never runs out of time.
        #[test]
        fn a_game_never_runs_out_of_time(left in 400u64..600_000, increment in 0u64..5000) {
            let mut left = ms(left);
            for empty in (1..=60).rev().step_by(2) {
                let limits = clock(u64::try_from(left.as_millis()).unwrap(), increment);
                let spent = Budget::new(&limits, Color::Black, empty).unwrap().hard + ms(1);
                prop_assert!(spent <= left, "{spent:?} of {left:?} with {empty} empty");
                left = left - spent + ms(increment);
            }
        }
    }
}
