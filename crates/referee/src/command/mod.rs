//! The commands, a file each.

mod check;
mod convert;
mod diagram;
mod engines;
mod game_input;
mod heading;
mod match_;
mod openings;
mod perft;
mod plan;
mod rate;
mod report;
mod run;
mod show;

use std::env;
use std::time::Duration;

use crate::cli::{Cli, Command};
use crate::exit_code::Exit;
use engine_process::exit_status::ExitStatus;
use engine_process::sandbox;
use engine_process::supervisor;

/// Why a command failed, and its exit code.
#[derive(Debug)]
pub struct CommandError {
    pub exit: Exit,
    /// One line: what, where, and what to do.
    pub message: String,
}

impl CommandError {
    fn new(exit: Exit, message: impl ToString) -> Self {
        Self { exit, message: message.to_string() }
    }
}

/// Prints a line that is the result of a command.
fn say(text: &str) -> Result<(), CommandError> {
    crate::display::write_line(text).map_err(|error| no_output(&error))
}

/// Warns the user on standard error.
fn warn(text: &str) {
    eprintln!("referee: warning: {text}");
}

fn no_output(error: &std::io::Error) -> CommandError {
    CommandError::new(Exit::Failed, format!("cannot write to standard output: {error}"))
}

/// Carries out a command.
///
/// # Errors
/// [`CommandError`] if it fails.
pub fn execute(cli: Cli) -> Result<Exit, CommandError> {
    let starts_engines =
        matches!(cli.command, Command::Run(_) | Command::Match(_) | Command::Check(_) | Command::Openings(_));
    if starts_engines && !supervisor::is_supervised() {
        let arguments = env::args_os().skip(1);
        let ended = supervisor::supervise(arguments).map_err(|error| {
            CommandError::new(Exit::Failed, format!("cannot start myself a second time: {error}"))
        })?;
        return Ok(match ended {
            ExitStatus::Code(code) => Exit::from_code(code),
            ExitStatus::Signal(signal) => {
                eprintln!(
                    "referee: killed by signal {signal}; every finished game is recorded, run again to go on"
                );
                Exit::Interrupted
            }
        });
    }
    if supervisor::is_supervised() {
        supervisor::set_process_name(c"outflank-inner");
    }
    let ended = match cli.command {
        Command::Run(args) => run::run_file(&args),
        Command::Match(args) => match_::run_match(*args),
        Command::Check(args) => check::check(&args),
        Command::Report { dir } => report::rebuild(&dir),
        Command::Rate(args) => rate::rate(&args),
        Command::Plan(args) => plan::plan(&args),
        Command::Openings(args) => openings::openings(&args),
        Command::Engines(args) => engines::list(&args),
        Command::Perft(args) => perft::count(&args),
        Command::Convert(args) => convert::convert(&args),
        Command::Show(args) => show::show(&args),
    };
    const PATIENCE: Duration = Duration::from_secs(10);
    sandbox::finish(PATIENCE);
    ended
}
