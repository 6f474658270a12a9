//! The main loop of an engine. You write one [`Engine`]; the kit speaks UGI with the referee, reads
//! options, follows the game, limits the search and ends when the input ends.
//!
//! A complete engine, which plays the first legal move:
//!
//! ```no_run
//! use engine_kit::{Engine, Options, Search, Settings};
//! use rules::{Move, Moves, Position};
//!
//! struct First;
//!
//! impl Engine for First {
//!     const NAME: &'static str = "first";
//!     const AUTHOR: &'static str = "you";
//!
//!     fn options() -> Options {
//!         Options::new().variant().board_size()
//!     }
//!
//!     fn new_game(_settings: &Settings) -> Self {
//!         First
//!     }
//!
//!     fn choose(&mut self, _position: Position, moves: Moves, _search: &mut Search<'_>) -> Move {
//!         moves.first()
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     engine_kit::run::<First>()
//! }
//! ```
//!
//! # Map
//!
//! | module | job |
//! | --- | --- |
//! | `engine` | [`Engine`], the trait that an author implements |
//! | `options` | [`Options`] that an engine declares, [`Settings`] that it gets |
//! | `search` | [`Search`], one `go`: counts nodes, tells when to stop, sends `info` lines |
//! | `budget` | the soft and hard time limit of a move, a plain function |
//! | `game` | the game so far, from `position` lines |
//! | `session` | the effect of each command: [`run`] over standard input and output, [`run_with`] over others |
//! | `dialogue` | lines in, answers out; commands that arrive during a search |
//! | `input` | [`Input`]: bytes, and a check if any have arrived |
//! | `seed` | [`seed_at`], for players that choose at random |
//! | `now` | the only function that reads a clock |

#![warn(missing_docs)]

mod budget;
mod dialogue;
mod engine;
mod game;
mod input;
mod now;
mod options;
mod search;
mod seed;
mod session;

pub use engine::Engine;
pub use input::Input;
pub use options::{Options, Settings};
pub use protocol::option::{OptionDecl, OptionError, OptionKind};
pub use protocol::ugi::Limits;
pub use search::{Search, Stopped};
pub use seed::seed_at;
pub use session::{run, run_with};

/// A test: the engine in Rust on that page compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/write-an-engine.md")]
struct WriteAnEngine;
