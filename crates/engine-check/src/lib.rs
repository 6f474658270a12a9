//! Does an engine keep to its protocol and to the rules? A list of checks, each of which stands for itself: what one of
//! them breaks is mended before the next.
//!
//! - [`run()`]: one run through all checks; each [`Finding`] is told as it comes
//! - [`checks`]: the checks of a protocol, as data, in a table a group; what only one protocol has stands in its dialect's
//!   file ([`protocol::probe`])
//! - [`EngineUnderTest`]: the engine, kept running from check to check, and started anew where it did something wrong

mod blocking_engine;
mod check;
mod engine_under_test;
mod groups;
mod hints;
mod requests;
mod run;
mod sample_games;
mod verdict;

pub use check::{Check, Finding, Group};
pub use engine_under_test::{EngineUnderTest, Line, Target};
pub use groups::checks;
pub use run::{End, LONGEST, NEVER_GREETED, run};
pub use verdict::{Fault, NotPassed, Verdict};
