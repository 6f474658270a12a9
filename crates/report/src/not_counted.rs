//! Games that the standings do not count: those of withdrawn engines, which were not played, and those that were dropped.

use std::fs;
use std::path::Path;

use records::dropped::{DROPPED, read_dropped};
use tournament::resolved::Resolved;
use tournament::standings::{DroppedCounts, Standings};
use tournament::withdrawals::{WithdrawalFinder, Withdrawals};

use crate::ReportError;
use crate::record_reader::RecordReader;

/// The definition that is kept with the results, if it can be read.
pub(crate) fn definition(folder: &Path) -> Option<Resolved> {
    let text = fs::read_to_string(folder.join("definition.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// Who was withdrawn. `None` if the definition is not that of the record.
pub(crate) fn withdrawals(
    definition: &Resolved,
    standings: &Standings,
    record: &RecordReader,
) -> Result<Option<Withdrawals>, ReportError> {
    let Some(mut finder) = WithdrawalFinder::new(definition) else { return Ok(None) };
    // Most tournaments need not be read once more.
    let mut faults = standings.engines.iter().filter_map(|engine| engine.faults);
    if faults.all(|faults| faults.total() < WithdrawalFinder::fewest_faults(definition)) {
        return Ok(Some(Withdrawals::default()));
    }
    for game in record.games()? {
        if !finder.add(&game?) {
            return Ok(None);
        }
    }
    Ok(Some(finder.find()))
}

/// The games that were dropped.
pub(crate) fn dropped(folder: &Path, record: &RecordReader) -> Result<DroppedCounts, ReportError> {
    let dropped = read_dropped(folder).map_err(|error| ReportError::Io {
        what: "read",
        path: folder.join(DROPPED),
        error,
    })?;
    Ok(DroppedCounts::new(&dropped, |game| record.contains(game)))
}
