//! The reports of a tournament, all of them from its `games.jsonl`.

mod aside;
mod error;
mod games;
mod number;
mod people;
mod record;
mod tables;

use std::io::Write;
use std::path::Path;

use tournament::standings::Standings;

use aside::{Stopped, replace, sync_folder};
use record::Record;

pub use error::ReportError;
pub use people::{leader_line, table};

/// The name of the record within a results folder.
pub const RECORD: &str = "games.jsonl";

/// Reads the record of a results folder and writes every report beside it. Each file is replaced as
/// a whole, and only after the whole record was found sound.
///
/// # Errors
/// [`ReportError`] if the record can't be read or a line of it does not hold together, or a report
/// can't be written.
pub fn write(folder: &Path) -> Result<Standings, ReportError> {
    let record = Record::read(&folder.join(RECORD))?;
    let standings = record.tally().standings();
    replace(folder, "standings.csv", |out| as_csv(out, |csv| Ok(tables::standings(&standings, csv)?)))?;
    replace(folder, "pairings.csv", |out| as_csv(out, |csv| Ok(tables::pairings(&standings, csv)?)))?;
    replace(folder, "crosstable.csv", |out| as_csv(out, |csv| Ok(tables::crosstable(&standings, csv)?)))?;
    replace(folder, "games.csv", |out| {
        as_csv(out, |csv| {
            games::header(csv)?;
            for game in record.games().map_err(Stopped::Reading)? {
                games::row(&game.map_err(Stopped::Reading)?, csv)?;
            }
            Ok(())
        })
    })?;
    replace(folder, "summary.json", |out| {
        serde_json::to_writer_pretty(&mut *out, &tables::summary(&standings))
            .map_err(std::io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    })?;
    sync_folder(folder)?;
    Ok(standings)
}

fn as_csv<W: Write>(
    out: W,
    fill: impl FnOnce(&mut csv::Writer<W>) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let mut csv = csv::Writer::from_writer(out);
    fill(&mut csv)?;
    Ok(csv.flush()?)
}
