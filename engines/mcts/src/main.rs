//! The engine `mcts` on standard input and output.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine_kit::run::<mcts::Mcts>()
}
