//! Time controls, clocks and resource limits of engines, as plain values.
//!
//! No code here reads the time. The caller measures how long a ply took and charges it to a [`Clock`],
//! which says if that was in time. So every verdict on time can be tested without waiting.
//!
//! ```
//! use clock::{Clock, TimeControl};
//! use std::time::Duration;
//!
//! let control: TimeControl = "60s+0.5s".parse()?;
//! let mut clock = Clock::new(control, Duration::from_millis(20));
//! clock.charge(Duration::from_secs(2)).expect("two seconds of sixty");
//! assert_eq!(clock.remaining(), Some(Duration::from_millis(58_500)));
//! # Ok::<(), clock::TimeError>(())
//! ```
//!
//! - [`TimeControl`]: the limit on thinking, as text and back
//! - [`Clock`]: one player's time in one game
//! - [`Limits`]: timeouts where no game clock runs
//! - [`Resources`]: limits on memory, CPU time, processes and files
//! - [`parse_duration`], [`format_duration`], [`brief_duration`]: durations as text

#![warn(missing_docs)]

mod clock;
mod control;
mod duration;
mod resources;
mod timeouts;

pub use clock::{Clock, TimeOut};
pub use control::TimeControl;
pub use duration::{TimeError, brief_duration, format_duration, parse_duration};
pub use resources::Resources;
pub use timeouts::Limits;
