//! The reports of a tournament: CSV for spreadsheets, JSON for programs, tables for people. All of them are derived
//! from the record of the games, `games.jsonl`.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("games.jsonl"), "")?;
//! // The folder holds a tournament's games.jsonl; its reports are written beside it.
//! let standings = report::write(folder.path())?.standings;
//! println!("{}", report::table(&standings, Some(80)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | module | job |
//! | --- | --- |
//! | `record_reader` | reads `games.jsonl` twice: for the counts, then game by game in their order |
//! | `columns` | the columns of the reports: name, value, digits |
//! | `standings_csv` | `standings.csv`, `pairings.csv`, `crosstable.csv` |
//! | `games_csv` | `games.csv` |
//! | `sprt_csv` | `sprt.csv` |
//! | `summary` | `summary.json` |
//! | `json` | [`json()`]: all reports as one JSON object; the engines of an event |
//! | `number` | numbers as text, absent ones as empty fields |
//! | `not_counted` | games that were not played or were dropped |
//! | `atomic_write` | replaces a file as a whole |
//! | `text_table` | [`table`] and [`leader_line`] for a terminal |
//! | `paragraph` | [`paragraph()`]: the results in plain English; its parts [`notes()`] and [`findings`] |
//! | `error` | [`ReportError`] |
//!
//! The numbers are computed by `tournament::standings` and `ratings`; here they are only written.

mod atomic_write;
mod columns;
mod error;
mod games_csv;
mod json;
mod not_counted;
mod number;
mod paragraph;
mod record_reader;
mod sprt_csv;
mod standings_csv;
mod summary;
mod text_table;

use std::io::{self, Write};
use std::path::Path;

use tournament::standings::Standings;

use atomic_write::{FillError, sync_dir, write_atomically};
use record_reader::RecordReader;
use summary::Summary;

pub use atomic_write::{remove_leftovers, replace_file};
pub use error::ReportError;
pub use json::{engines_in_event, json};
pub use paragraph::{findings, notes, paragraph, wrapped};
pub use text_table::{leader_line, table};

/// The file name of the record in a results folder.
pub const RECORD: &str = "games.jsonl";

/// The reports of a folder were written.
#[derive(Clone, Debug)]
pub struct Written {
    pub standings: Standings,
    /// What the user should know about the record.
    pub warnings: Vec<String>,
}

/// Reads the record of a results folder and writes every report beside it. Each file is replaced as a whole. No file is
/// replaced if the record has an error. The definition and the dropped games that are kept there tell which games were
/// not played, or played again.
///
/// # Errors
/// [`ReportError`] if the record can't be read, a line of it is inconsistent or holds a recorded game with another
/// content, or a report can't be written.
pub fn write(folder: &Path) -> Result<Written, ReportError> {
    remove_leftovers(folder);
    let record = RecordReader::read(&folder.join(RECORD))?;
    let definition = not_counted::definition(folder);
    let mut standings = record.tally().standings();
    standings.withdrawals = definition
        .as_ref()
        .map(|kept| not_counted::withdrawals(kept, &standings, &record))
        .transpose()?
        .flatten();
    standings.dropped = Some(not_counted::dropped(folder, &record)?);
    write_tables(folder, &standings)?;
    write_atomically(folder, "games.csv", |out| {
        as_csv(out, |csv| {
            games_csv::header(csv)?;
            for game in record.games().map_err(FillError::Read)? {
                games_csv::row(&game.map_err(FillError::Read)?, csv)?;
            }
            Ok(())
        })
    })?;
    if let Some(planned) = definition.and_then(|kept| kept.sprt) {
        write_atomically(folder, "sprt.csv", |out| {
            as_csv(out, |csv| sprt_csv::rows(&planned, &record, csv))
        })?;
    }
    sync_dir(folder)?;
    Ok(Written { standings, warnings: record.warnings() })
}

/// Writes the reports that need only the standings: all but `games.csv` and `sprt.csv`. The folder must exist.
///
/// # Errors
/// [`ReportError::Io`] if a report can't be written.
pub fn write_tables(folder: &Path, standings: &Standings) -> Result<(), ReportError> {
    write_atomically(folder, "standings.csv", |out| {
        as_csv(out, |csv| Ok(standings_csv::standings(standings, csv)?))
    })?;
    write_atomically(folder, "pairings.csv", |out| {
        as_csv(out, |csv| Ok(standings_csv::pairings(standings, csv)?))
    })?;
    write_atomically(folder, "crosstable.csv", |out| {
        as_csv(out, |csv| Ok(standings_csv::crosstable(standings, csv)?))
    })?;
    write_atomically(folder, "summary.json", |out| {
        serde_json::to_writer_pretty(&mut *out, &Summary::of(standings)).map_err(io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    })
}

/// Writes the content of `standings.csv`, an empty line, and the content of `pairings.csv`.
///
/// # Errors
/// Those of the writer.
pub fn csv(standings: &Standings, mut out: impl Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(&mut out);
    standings_csv::standings(standings, &mut table)?;
    table.flush()?;
    drop(table);
    out.write_all(b"\n")?;
    let mut table = csv::Writer::from_writer(&mut out);
    standings_csv::pairings(standings, &mut table)?;
    table.flush()
}

fn as_csv<W: Write>(
    out: W,
    fill: impl FnOnce(&mut csv::Writer<W>) -> Result<(), FillError>,
) -> Result<(), FillError> {
    let mut csv = csv::Writer::from_writer(out);
    fill(&mut csv)?;
    Ok(csv.flush()?)
}
