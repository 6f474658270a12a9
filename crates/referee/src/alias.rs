//! Programs that this program is when it is called by another name: nothing else has to be found or
//! installed for them.

use std::process::ExitCode;

use crate::calibration;
use crate::engine::{confine, keeper};

/// What this process is by its name; `None` if it is the referee. To be called first in `main`.
///
/// The names are [`confine::NAME`] (which does not return unless it failed), `outflank-keeper` and [`calibration::NAME`].
#[must_use]
pub fn run() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    let name = words.next()?;
    if name == confine::NAME {
        return Some(confine::become_engine(words));
    }
    if name == keeper::NAME {
        return Some(keeper::keep(words));
    }
    (name == calibration::NAME).then(calibration::answer)
}
