//! The only place that reads a clock.

use std::time::Instant;

/// The present moment.
#[expect(clippy::disallowed_methods, reason = "an engine has to know how long it has been thinking")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
