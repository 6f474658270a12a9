//! The engine `random` on standard input and output.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine_kit::run::<random::Random>()
}
