//! The `referee` command.

use std::process::ExitCode;

use clap::Parser as _;
use referee::cli::Cli;
use referee::command::execute;

fn main() -> ExitCode {
    if let Some(code) = referee::double_spawn::run() {
        return code;
    }
    match execute(Cli::parse()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            eprintln!("referee: {}", error.message);
            error.exit.into()
        }
    }
}
