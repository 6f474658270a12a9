//! The levels that tests run on. Tests of other crates that use levels take this file in, too.

use std::io::{self, Write as _};
use std::sync::Once;

use rules::SimdLevel;

/// The levels of this machine, the slowest first. Those that it lacks are named once a test binary: on
/// standard error itself, since the test harness keeps what a test that passes prints.
pub(crate) fn simd_levels() -> impl Iterator<Item = SimdLevel> {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for level in SimdLevel::ALL.into_iter().filter(|level| !level.is_available()) {
            // Nothing hangs on it, should this not be read.
            _ = writeln!(io::stderr(), "{}: skipped: this machine has no {level}", env!("CARGO_CRATE_NAME"));
        }
    });
    SimdLevel::ALL.into_iter().filter(|level| level.is_available())
}
