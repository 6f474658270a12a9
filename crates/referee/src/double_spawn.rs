//! Programs that this program is when it is called by another name: nothing else has to be found or
//! installed for them.

use std::process::ExitCode;

use crate::machine::clock_check;
use engine_process::sandbox::enter;
use engine_process::subreaper;

/// What this process is by its name; `None` if it is the referee. To be called first in `main`.
///
/// The names are `outflank-confine` (which does not return unless it failed), `outflank-keeper` and [`clock_check::NAME`].
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
