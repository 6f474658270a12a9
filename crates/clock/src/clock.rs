//! One player's time in one game.

use std::time::Duration;

use thiserror::Error;

use crate::control::TimeControl;
use crate::duration::brief_duration;

/// A move came too late.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{} over the time limit{}", brief_duration(*over_by), margin_note(*margin))]
pub struct TimeOut {
    /// Time used beyond the limit; the margin is not part of the limit.
    pub over_by: Duration,
    /// The margin on top of the limit; it was exceeded as well.
    pub margin: Duration,
}

fn margin_note(margin: Duration) -> String {
    if margin.is_zero() { String::new() } else { format!(", margin {}", brief_duration(margin)) }
}

/// One player's thinking time. The caller measures each ply and charges it; this type reads no clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    limit: Limit,
    margin: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Limit {
    Game {
        /// In nanoseconds. At least minus the margin: a debt that increments pay back.
        remaining: i128,
        increment: Duration,
    },
    Move(Duration),
    None,
}

fn nanos(duration: Duration) -> i128 {
    i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX)
}

fn duration(nanos: i128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
}

impl Clock {
    /// A clock for one game. A game clock may go below zero by `margin` in all; a move time may be exceeded
    /// by `margin` at every move.
    #[must_use]
    pub fn new(control: TimeControl, margin: Duration) -> Self {
        let limit = match control {
            TimeControl::Game { main, increment } => Limit::Game { remaining: nanos(main), increment },
            TimeControl::MoveTime(time) => Limit::Move(time),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => Limit::None,
        };
        Self { limit, margin }
    }

    /// The time that is sent to the engine, without the margin: what is left on a game clock (zero if it is in
    /// debt), or the time for one move. `None` without a clock.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        match self.limit {
            Limit::Game { remaining, .. } => Some(duration(remaining)),
            Limit::Move(time) => Some(time),
            Limit::None => None,
        }
    }

    /// The time that each move adds to a game clock; zero without one.
    #[must_use]
    pub fn increment(&self) -> Duration {
        match self.limit {
            Limit::Game { increment, .. } => increment,
            Limit::Move(_) | Limit::None => Duration::ZERO,
        }
    }

    /// The longest time in which the next move is in time, margin included. `None` without a clock.
    #[must_use]
    pub fn allowance(&self) -> Option<Duration> {
        match self.limit {
            Limit::Game { remaining, .. } => Some(duration(remaining + nanos(self.margin))),
            Limit::Move(time) => Some(time + self.margin),
            Limit::None => None,
        }
    }

    /// Charges one move, then adds the increment. A clock at exactly minus the margin is in time. Do not charge
    /// a forced pass: it takes no time and earns no increment.
    ///
    /// # Errors
    /// [`TimeOut`] if `spent` is more than the [`allowance`](Self::allowance); the clock is then unchanged.
    pub fn charge(&mut self, spent: Duration) -> Result<(), TimeOut> {
        let margin = self.margin;
        match &mut self.limit {
            Limit::Game { remaining, increment } => {
                let left = *remaining - nanos(spent);
                if left < -nanos(margin) {
                    return Err(TimeOut { over_by: duration(-left), margin });
                }
                *remaining = left + nanos(*increment);
            }
            Limit::Move(time) => {
                if spent > *time + margin {
                    return Err(TimeOut { over_by: spent - *time, margin });
                }
            }
            Limit::None => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn game(main: u64, increment: u64, margin: u64) -> Clock {
        Clock::new(TimeControl::Game { main: MS(main), increment: MS(increment) }, MS(margin))
    }

    #[test]
    fn a_late_move_without_margin() {
        let mut clock = game(100, 0, 0);
        assert_eq!(clock.charge(MS(101)), Err(TimeOut { over_by: MS(1), margin: MS(0) }));
        assert_eq!(clock, game(100, 0, 0), "a refused charge changes nothing");
        assert_eq!(clock.charge(MS(100)), Ok(()));
        assert_eq!(clock.allowance(), Some(Duration::ZERO));
    }

    #[test]
    fn the_margin_is_a_debt_that_increments_pay_back() {
        let mut clock = game(100, 15, 20);
        assert_eq!(clock.charge(MS(120)), Ok(()), "exactly minus the margin is in time");
        assert_eq!(clock.remaining(), Some(Duration::ZERO), "20 ms of debt, 15 paid back");
        assert_eq!(clock.allowance(), Some(MS(15)));
        assert!(clock.charge(MS(16)).is_err(), "the margin is granted once, not at every move");
        assert_eq!(clock.charge(MS(0)), Ok(()));
        assert_eq!(clock.remaining(), Some(MS(10)));
    }

    #[test]
    fn the_time_is_out_before_the_increment_comes() {
        let mut clock = game(100, 50, 0);
        assert!(clock.charge(MS(120)).is_err());
    }

    #[test]
    fn a_move_time_may_be_overrun_by_the_margin_each_move() {
        let mut clock = Clock::new(TimeControl::MoveTime(MS(50)), MS(20));
        for _ in 0..3 {
            assert_eq!(clock.charge(MS(70)), Ok(()));
        }
        assert_eq!(clock.charge(MS(71)), Err(TimeOut { over_by: MS(21), margin: MS(20) }));
        assert_eq!(clock.remaining(), Some(MS(50)));
    }

    #[test]
    fn a_search_by_nodes_has_no_clock() {
        let mut clock = Clock::new(TimeControl::Nodes(10), MS(20));
        assert_eq!((clock.remaining(), clock.allowance()), (None, None));
        assert_eq!(clock.charge(Duration::from_secs(1_000_000)), Ok(()));
    }

    #[test]
    fn a_timeout_says_by_how_much() {
        let late = TimeOut { over_by: MS(700), margin: MS(20) };
        assert_eq!(late.to_string(), "700ms over the time limit, margin 20ms");
    }

    proptest! {
        /// A move is in time if and only if it is within the allowance, and the sum of all charges is right.
        #[test]
        fn the_allowance_is_the_limit(main in 1u64..10_000, increment in 0u64..500, margin in 0u64..500,
                                      moves in prop::collection::vec(0u64..800, 0..80)) {
            let mut clock = game(main, increment, margin);
            let mut expected = i128::from(main);
            for spent in moves {
                let allowed = clock.allowance().expect("a game clock has a limit");
                let charged = clock.charge(MS(spent));
                prop_assert_eq!(charged.is_ok(), MS(spent) <= allowed);
                if charged.is_ok() {
                    expected += i128::from(increment) - i128::from(spent);
                }
                prop_assert!(expected >= -i128::from(margin));
                prop_assert_eq!(clock.remaining().map(|left| left.as_millis()), Some(expected.max(0) as u128));
            }
        }
    }
}
