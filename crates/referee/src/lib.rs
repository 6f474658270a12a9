//! The referee: spawns engines, keeps the rules and the clocks, records every game, and is left by
//! no process it started.
//!
//! The life of a tournament: [`prepare`] finds the programs and asks the engines who they are;
//! [`folder`] opens the record; [`coordinator`] hands out games, by the decisions of [`queue`], to
//! the slots of [`worker`]; each plays them by [`play`] with the engines in its [`seats`]; a game as a
//! plain value is [`game`], an engine as a dialogue with a process [`engine`], what was said in it [`evidence`]. [`guard`] sees to it
//! that nothing outlives us.
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

pub mod affinity;
pub mod check;
pub mod cli;
pub mod clock_check;
pub mod command;
pub mod coordinator;
pub mod display;
pub mod double_spawn;
pub mod engine;
pub mod engine_pool;
pub mod evaluator;
pub mod exit_code;
pub mod fd_limit;
pub mod find_program;
pub mod game;
pub mod game_log;
pub mod game_queue;
pub mod play;
pub mod prepare;
pub mod results_dir;
pub mod signals;
pub mod supervisor;
pub mod worker;
