//! The tiers that tests run on. Tests of other crates that use tiers take this file in, too.

use std::io::{self, Write as _};
use std::sync::Once;

use rules::Tier;

/// The tiers of this machine, the slowest first. Those that it lacks are named once a test binary: on
/// standard error itself, since the test harness keeps what a test that passes prints.
pub(crate) fn simd_levels() -> impl Iterator<Item = Tier> {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for tier in Tier::ALL.into_iter().filter(|tier| !tier.is_available()) {
            // Nothing hangs on it, should this not be read.
            _ = writeln!(io::stderr(), "{}: skipped: this machine has no {tier}", env!("CARGO_CRATE_NAME"));
        }
    });
    Tier::ALL.into_iter().filter(|tier| tier.is_available())
}
