//! `referee report`.

use std::path::Path;

use super::CommandError;
use crate::exit_code::Exit;

/// Writes the reports anew and prints the table.
pub(super) fn rebuild(folder: &Path) -> Result<Exit, CommandError> {
    let standings = ::report::write(&crate::prepare::find_program::absolute(folder))
        .map_err(|error| CommandError::new(Exit::Failed, error))?;
    super::say(&crate::display::conclusion(&standings, None))?;
    Ok(Exit::Done)
}
