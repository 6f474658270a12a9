//! Timeouts where no game clock runs.

use std::time::Duration;

/// Timeouts beside the game clock. Each is more than zero; only `quit` may be zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the whole handshake.
    pub start: Duration,
    /// For the answer to `isready` or its like.
    pub ready: Duration,
    /// For a search limited by nodes or depth.
    pub move_: Duration,
    /// For the process to exit after `quit`.
    pub quit: Duration,
    /// From the writing of a position until the engine is ready for it, so much is charged to nobody. What goes beyond it
    /// is charged to the engine's clock.
    pub sync: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        let sync = Duration::from_millis(50);
        Self { start: seconds(10), ready: seconds(10), move_: seconds(60), quit: seconds(2), sync }
    }
}
