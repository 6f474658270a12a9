//! All reports in one JSON object, and what an event of a run has of them.

use serde_json::{Value, json};
use tournament::standings::Standings;

use crate::columns::{ENGINE, ENGINE_IN_EVENT, PairingRow, to_json};
use crate::summary::Summary;

/// An object with `summary` (as in `summary.json`), `engines` in rank order and `pairings`, with the names of the
/// columns of the CSV files. A number that does not exist is null.
#[must_use]
pub fn json(standings: &Standings) -> Value {
    let engines = standings.engines.iter().map(|engine| to_json(ENGINE, engine));
    let columns = PairingRow::COLUMNS;
    let pairings = PairingRow::all(standings).map(|row| to_json(&columns, &row));
    json!({
        "summary": Summary::of(standings),
        "engines": engines.collect::<Vec<_>>(),
        "pairings": pairings.collect::<Vec<_>>(),
    })
}

/// The engines in rank order for the event at the end of a run: some columns of `standings.csv`, and `faults`, the
/// number of games lost by any fault.
#[must_use]
pub fn engines_in_event(standings: &Standings) -> Value {
    let engines = standings.engines.iter().map(|engine| {
        let shown = ENGINE.iter().filter(|column| ENGINE_IN_EVENT.contains(&column.name));
        let mut event = to_json(shown, engine);
        event["faults"] = json!(engine.faults.map(|faults| faults.total()));
        event
    });
    engines.collect()
}
