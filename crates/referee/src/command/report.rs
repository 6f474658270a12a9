//! `referee report`.

use std::path::Path;

use super::CommandError;
use crate::exit_code::Exit;

/// Writes the reports anew and prints the table.
pub(super) fn rebuild(folder: &Path) -> Result<Exit, CommandError> {
    let written = ::report::write(&crate::prepare::find_program::absolute(folder))
        .map_err(|error| CommandError::new(Exit::Failed, error))?;
    written.warnings.iter().for_each(|text| super::warn(text));
    super::say(&crate::display::conclusion(&written.standings, None))?;
    Ok(Exit::Done)
}
