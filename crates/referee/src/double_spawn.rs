//! Helper programs. They are this same binary started under another name, so nothing else has to be installed.

use std::process::ExitCode;

use crate::machine::clock_check;
use engine_process::sandbox::enter;
use engine_process::subreaper;

/// Runs the helper that this process was started as; `None` if it is the referee. Must be called first in `main`.
///
/// The names are `outflank-confine` (returns only if it failed), `outflank-keeper` and [`clock_check::NAME`].
#[must_use]
pub fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let name = words.next()?;
    if name == enter::NAME {
        return Some(enter::enter_and_exec(words));
    }
    if name == subreaper::NAME {
        return Some(subreaper::run(words));
    }
    (name == clock_check::NAME).then(clock_check::answer)
}
