//! The command `referee`: runs tournaments, records every game, and leaves no process behind.
//!
//! A tournament: [`prepare`] finds the programs and asks each engine for its name and options. [`run`] opens the record
//! and hands out games to the slots of its workers. The crate [`play`] plays each game, [`engine_process`] has the
//! processes, and [`engine_check`] checks a single engine. [`machine`] knows cores and signals.
//!
//! Decisions are plain functions, here or in `tournament`. The commands in [`command`] put them together.
//!
//! ```no_run
//! use clap::Parser as _;
//! use referee::{cli::Cli, command::execute};
//!
//! let exit = execute(Cli::parse_from(["referee", "run", "tournaments/quick.toml"]));
//! assert!(exit.is_ok());
//! ```

pub mod cli;
pub mod command;
pub mod display;
pub mod double_spawn;
pub mod exit_code;
pub mod machine;
pub mod prepare;
pub mod run;
