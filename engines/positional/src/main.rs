//! The engine `positional` on standard input and output.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine_kit::run::<positional::Positional>()
}
