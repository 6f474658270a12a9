//! Time controls: how a definition limits a player's thinking.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::duration::{TimeError, format_duration, parse_duration};

/// The limit on a player's thinking, for the whole game or for each move.
///
/// It is read from text and written as text: `60s+0.5s`, `60s`, `movetime=100ms`, `nodes=2000`, `depth=6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeControl {
    /// Time for the whole game, and an increment after each move.
    Game {
        /// Time on the clock at the start of the game; more than zero.
        main: Duration,
        /// Time added after each move that was in time; may be zero.
        increment: Duration,
    },
    /// Time for each move; more than zero.
    MoveTime(Duration),
    /// Nodes for each move, at least 1. No clock runs.
    Nodes(u64),
    /// Search depth in plies, at least 1. No clock runs.
    Depth(u32),
}

impl TimeControl {
    /// True if wall time is the limit, not nodes or depth.
    #[must_use]
    pub fn has_clock(self) -> bool {
        matches!(self, Self::Game { .. } | Self::MoveTime(_))
    }
}

impl FromStr for TimeControl {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let more_than_zero = |duration: Duration| {
            if duration.is_zero() { Err(TimeError::NoTime(text.to_owned())) } else { Ok(duration) }
        };
        if let Some((kind, value)) = text.split_once('=') {
            let value = value.trim();
            let not_a_count = || TimeError::NotACount(text.to_owned());
            return match kind.trim() {
                "movetime" => Ok(Self::MoveTime(more_than_zero(parse_duration(value)?)?)),
                "nodes" => match value.parse() {
                    Ok(nodes @ 1..) => Ok(Self::Nodes(nodes)),
                    _ => Err(not_a_count()),
                },
                "depth" => match value.parse() {
                    Ok(depth @ 1..) => Ok(Self::Depth(depth)),
                    _ => Err(not_a_count()),
                },
                _ => Err(TimeError::UnknownKind(text.to_owned())),
            };
        }
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        let main = more_than_zero(parse_duration(main)?)?;
        Ok(Self::Game { main, increment: parse_duration(increment)? })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Game { main, increment } if increment.is_zero() => f.write_str(&format_duration(main)),
            Self::Game { main, increment } => {
                write!(f, "{}+{}", format_duration(main), format_duration(increment))
            }
            Self::MoveTime(time) => write!(f, "movetime={}", format_duration(time)),
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_is_read() {
        let ms = Duration::from_millis;
        for (text, control) in [
            ("60s+0.5s", TimeControl::Game { main: ms(60_000), increment: ms(500) }),
            ("60+0.5", TimeControl::Game { main: ms(60_000), increment: ms(500) }),
            ("1m", TimeControl::Game { main: ms(60_000), increment: ms(0) }),
            ("movetime=100ms", TimeControl::MoveTime(ms(100))),
            ("nodes=2000", TimeControl::Nodes(2000)),
            ("depth = 6", TimeControl::Depth(6)),
        ] {
            assert_eq!(text.parse(), Ok(control), "{text}");
        }
    }

    #[test]
    fn what_leaves_no_time_or_says_nothing_is_refused() {
        for text in [
            "0",
            "0+0.1",
            "0s+0s",
            "-5",
            "movetime=0",
            "nodes=0",
            "nodes=1.5",
            "depth=-1",
            "dept=6",
            "",
            "60s+",
        ] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    fn any_control() -> impl Strategy<Value = TimeControl> {
        let time = || (1u64..=1_000_000_000_000).prop_map(Duration::from_nanos);
        prop_oneof![
            (time(), 0u64..=10_000_000_000).prop_map(|(main, increment)| TimeControl::Game {
                main,
                increment: Duration::from_nanos(increment)
            }),
            time().prop_map(TimeControl::MoveTime),
            (1u64..).prop_map(TimeControl::Nodes),
            (1u32..).prop_map(TimeControl::Depth),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(control in any_control()) {
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }
    }
}
