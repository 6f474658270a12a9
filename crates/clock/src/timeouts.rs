//! How long an engine may take where no game clock runs.

use std::time::Duration;

/// The limits that are not the game clock; each more than zero, `quit` may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the whole handshake.
    pub start: Duration,
    /// For an answer to `isready`.
    pub ready: Duration,
    /// For a search by nodes or depth, which has no clock.
    pub move_: Duration,
    /// To leave after `quit`.
    pub quit: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { start: seconds(10), ready: seconds(10), move_: seconds(60), quit: seconds(2) }
    }
}
