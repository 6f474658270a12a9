//! The referee: spawns engines, keeps the rules and the clocks, records every game, and is left by
//! no process it started.
//!
//! The life of a tournament: [`prepare`] finds the programs and asks each engine for its name and options.
//! [`run`] opens the record, and hands out games to the slots of its workers. [`play`] plays a game with the engines
//! of an [`engine_pool`]. A game as a plain value is [`game`], the dialogue with a process [`engine`], the file of what
//! was said in a game [`game_log`]. [`supervisor`](engine_process::supervisor) ends whatever is left, and [`machine`] knows cores and signals.
//!
//! What is decided is decided in plain functions, here or in `tournament`: the commands in
//! [`command`] put them together.
//!
//! ```no_run
//! use clap::Parser as _;
//! use referee::{cli::Cli, command::execute};
//!
//! let exit = execute(Cli::parse_from(["referee", "run", "tournaments/quick.toml"]));
//! assert!(exit.is_ok());
//! ```

pub mod check;
pub mod cli;
pub mod command;
pub mod display;
pub mod double_spawn;
pub mod engine;
pub mod engine_pool;
pub mod exit_code;
pub mod game;
pub mod game_log;
pub mod machine;
pub mod play;
pub mod prepare;
pub mod run;
