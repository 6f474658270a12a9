//! Thinking time and resources as plain values: what an engine may use, and what is left of it.
//!
//! Nothing here reads a clock. A [`Clock`] is told how long a ply took and answers whether that
//! was in time, so that every question of time can be tested without waiting.
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
//! - [`TimeControl`]: what the definition says, as text and back
//! - [`Clock`]: one player's time in one game
//! - [`Limits`]: how long an engine may take where no game clock runs
//! - [`Resources`]: how much memory, CPU time, processes and files it may use
//! - [`parse_duration`], [`format_duration`], [`brief_duration`]: durations as text

#![warn(missing_docs)]

mod control;
mod duration;
mod player;
mod resources;
mod timeouts;

pub use control::TimeControl;
pub use duration::{TimeError, brief_duration, format_duration, parse_duration};
pub use player::{Clock, TimeOut};
pub use resources::Resources;
pub use timeouts::Limits;
