//! Checks that an engine keeps to its protocol and to the rules. Each check stands for itself: an engine that fails one
//! is stopped, and the next check starts it anew.
//!
//! - [`run()`]: one run through all checks, which hands over each [`Finding`] as it comes
//! - [`checks`]: the checks of a protocol, in a table a group. Most are data: what is sent and what is expected. What only
//!   one protocol has stands in its dialect ([`protocol::probe`])
//! - [`EngineUnderTest`]: the engine that is checked, made of a [`Target`]
//!
//! ```
//! use engine_check::{End, EngineUnderTest, NotPassed, Target, run};
//! use play::engine::{CancelToken, Launch};
//! use protocol::dialect::ProtocolId;
//!
//! let target = Target::new(Launch::new("/bin/true".into()), ProtocolId::all().collect());
//! let mut engine = EngineUnderTest::new(target, CancelToken::default())?;
//! let end = run(&mut engine, |_, finding| match &finding.verdict {
//!     Ok(remark) => println!("ok       {} ({remark})", finding.check.name),
//!     Err(NotPassed::Failed(fault)) => println!("FAILED   {}: {}", finding.check.name, fault.why),
//!     Err(_) => println!("skipped  {}", finding.check.name),
//! });
//! assert_eq!(end, End::NeverGreeted, "`true` is no engine");
//! # Ok::<(), std::io::Error>(())
//! ```

mod actions;
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
pub use engine_under_test::{EngineUnderTest, LimitedBy, Line, Target};
pub use groups::checks;
pub use run::{End, NEVER_GREETED, run};
pub use verdict::{Fault, NotPassed, Verdict};
