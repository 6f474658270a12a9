//! One game between two engines, whatever they do: the dialogue with their processes, the clock, the verdict, the record.
//!
//! - [`engine`]: an engine as a dialogue with a process. [`engine::Spawner`] starts it, [`engine::Engine`] asks it
//! - [`game`]: a game as a plain value: it says what comes next and judges answers, without processes or clocks
//! - [`engine_pool`]: the engines that are kept running from game to game
//! - [`play()`]: the loop that puts these together and returns a record
//! - [`game_log`]: what was said in a game, as a file
//!
//! A whole game between two programs, as `examples/one_game.rs`:
//!
//! ```no_run
#![doc = include_str!("../examples/one_game.rs")]
//! ```

#![warn(missing_docs)]

pub mod engine;
pub mod engine_pool;
pub mod game;
pub mod game_log;
mod play;

pub use play::{GameJob, Unplayed, now, play};
