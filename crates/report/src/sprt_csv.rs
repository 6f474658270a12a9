//! `sprt.csv`: the course of a sequential test, pair by pair.

use std::io::Write;

use tournament::definition::SprtDefinition;
use tournament::sprt::PairTest;

use crate::atomic_write::FillError;
use crate::columns::{SPRT, SprtRow, write_header, write_row};
use crate::record_reader::RecordReader;

/// A row for each pair that the test has seen, up to its verdict.
pub(crate) fn rows<W: Write>(
    planned: &SprtDefinition,
    record: &RecordReader,
    csv: &mut csv::Writer<W>,
) -> Result<(), FillError> {
    write_header(SPRT, csv)?;
    let (Ok(plan), Some(pair)) = (planned.plan(), &planned.pair) else { return Ok(()) };
    let mut test = PairTest::new(&plan, 0, 1);
    let names = (pair.0.as_str(), pair.1.as_str());
    for game in record.games().map_err(FillError::Read)? {
        if test.add_game_by_name(names, &game.map_err(FillError::Read)?) {
            write_row(SPRT, &SprtRow::of(test.run()), csv)?;
        }
        if test.is_decided() {
            break;
        }
    }
    Ok(())
}
