//! The loop an engine author works inside. You write one [`Engine`]; the kit greets, takes
//! options, follows the game, limits the search and leaves when the referee does.
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
//! | `engine` | [`Engine`], what an author writes |
//! | `options` | [`Options`] an engine declares, [`Settings`] it gets |
//! | `search` | [`Search`], one `go`: counts nodes, says when to stop, takes reports |
//! | `budget` | how much of the time left a move may take; a plain function |
//! | `game` | the game so far, as `position` lines tell it |
//! | `session` | what each command does: [`run`] over standard input and output, [`run_with`] over others |
//! | `dialogue` | lines in, answers out; what comes in the midst of a search |
//! | `input` | [`Input`]: bytes, and whether some have come |
//! | `seed` | [`seed_at`], for players that choose at random |
//! | `now` | the only place that reads a clock |

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

/// The engine in Rust that the page shows compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/write-an-engine.md")]
struct WriteAnEngine;
