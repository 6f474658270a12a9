//! `standings.csv`, `pairings.csv` and `crosstable.csv`.

use std::io::Write;

use tournament::standings::Standings;

use crate::columns::{ENGINE, PairingRow, write_header, write_row};
use crate::number::points;

/// `standings.csv`: one row an engine, in rank order.
pub(crate) fn standings(standings: &Standings, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    write_header(ENGINE, out)?;
    standings.engines.iter().try_for_each(|engine| write_row(ENGINE, engine, out))
}

/// `pairings.csv`: one row for each two engines that met, in the order of the definition.
pub(crate) fn pairings(standings: &Standings, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    let columns = PairingRow::COLUMNS;
    write_header(&columns, out)?;
    PairingRow::all(standings).try_for_each(|row| write_row(&columns, &row, out))
}

/// `crosstable.csv`: the points that the row's engine won against the column's. Empty on the diagonal, and for two
/// engines that never met.
pub(crate) fn crosstable(standings: &Standings, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    let engines = &standings.engines;
    let mut won = vec![vec![None; engines.len()]; engines.len()];
    for pairing in &standings.pairings {
        won[pairing.engine][pairing.opponent] = Some(pairing.results.half_points());
        won[pairing.opponent][pairing.engine] = Some(pairing.results.mirrored().half_points());
    }
    let names = engines.iter().map(|engine| engine.name.as_str());
    out.write_record(std::iter::once("engine").chain(names))?;
    for (engine, row) in engines.iter().zip(won) {
        let fields = row.into_iter().map(|half_points| half_points.map(points).unwrap_or_default());
        out.write_record(std::iter::once(engine.name.clone()).chain(fields))?;
    }
    Ok(())
}
