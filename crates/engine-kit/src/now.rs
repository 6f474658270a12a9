//! The only function of the kit that reads a clock.

use std::time::Instant;

/// The current time.
#[expect(clippy::disallowed_methods, reason = "an engine has to know how long it has been thinking")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
