//! The columns of the reports. Each stands here once, with its name, its value and its digits: CSV, JSON and the
//! events of a run are written from these lists.

use std::io::Write;
use std::time::Duration;

use ratings::{HeadToHead, SprtRun};
use serde_json::{Value, json};
use tournament::standings::{EngineStanding, Pairing, Standings};

use crate::number::{field, fixed, milliseconds, points, probability, rounded, rounded_probability};
use Cell::{Count, Decimals, Flag, HalfPoints, Milliseconds, Probability, Share, Text};

/// A column of a report with one row for each `T`.
pub(crate) struct Column<T> {
    pub(crate) name: &'static str,
    value: fn(&T) -> Cell,
}

/// A value, and how many digits of it a report shows. `None` is an empty field in CSV and null in JSON.
enum Cell {
    Text(String),
    Flag(bool),
    Count(Option<u64>),
    /// Written as points.
    HalfPoints(u64),
    /// A number, rounded to this number of decimals.
    Decimals(Option<f64>, usize),
    /// A score or another ratio: 4 decimals in CSV, 6 in JSON.
    Share(Option<f64>),
    /// 4 significant digits; in CSV at least 4 decimals.
    Probability(Option<f64>),
    /// Exact to the nanosecond: 6 decimals of a millisecond.
    Milliseconds(Option<Duration>),
}

/// One row an engine, in rank order: `standings.csv`.
pub(crate) const ENGINE: &[Column<EngineStanding>] = &[
    column("rank", |engine| count(engine.rank as u64)),
    column("engine", |engine| Text(engine.name.clone())),
    column("games", |engine| count(engine.results.games())),
    column("wins", |engine| count(engine.results.wins)),
    column("draws", |engine| count(engine.results.draws)),
    column("losses", |engine| count(engine.results.losses)),
    column("points", |engine| HalfPoints(engine.results.half_points())),
    column("score", |engine| Share(engine.results.score())),
    column("elo", |engine| Decimals(engine.elo, 2)),
    column("elo_low", |engine| Decimals(engine.elo_low, 2)),
    column("elo_high", |engine| Decimals(engine.elo_high, 2)),
    column("disc_diff", |engine| Decimals(engine.disc_diff, 2)),
    column("timeouts", |engine| Count(engine.faults.map(|faults| faults.timeouts))),
    column("illegal_moves", |engine| Count(engine.faults.map(|faults| faults.illegal_moves))),
    column("crashes", |engine| Count(engine.faults.map(|faults| faults.crashes))),
    column("other_faults", |engine| Count(engine.faults.map(|faults| faults.others))),
    column("mean_move_ms", |engine| Milliseconds(engine.mean_move)),
    column("max_move_ms", |engine| Milliseconds(engine.max_move)),
    column("extreme", |engine| Flag(engine.extreme)),
    column("component", |engine| count(engine.component as u64)),
    column("off_turn_cpu_ms", |engine| Milliseconds(engine.off_turn)),
];

/// The columns of [`ENGINE`] that the event at the end of a run also has.
pub(crate) const ENGINE_IN_EVENT: [&str; 7] =
    ["rank", "engine", "games", "points", "elo", "elo_low", "elo_high"];

/// Two engines that met, with their names.
pub(crate) struct PairingRow<'a> {
    engine: &'a str,
    opponent: &'a str,
    pairing: &'a Pairing,
}

impl<'a> PairingRow<'a> {
    /// One row for each two engines that met, in the order of the definition: `pairings.csv`.
    pub(crate) const COLUMNS: [Column<Self>; 26] = [
        column("engine", |row| Text(row.engine.to_owned())),
        column("opponent", |row| Text(row.opponent.to_owned())),
        column("games", |row| count(row.pairing.results.games())),
        column("wins", |row| count(row.pairing.results.wins)),
        column("draws", |row| count(row.pairing.results.draws)),
        column("losses", |row| count(row.pairing.results.losses)),
        column("score", |row| Share(row.pairing.results.score())),
        column("pairs", |row| count(row.pairing.pairs.units())),
        column("ll", |row| count(row.pairing.pairs.0[0])),
        column("ld", |row| count(row.pairing.pairs.0[1])),
        column("dd_wl", |row| count(row.pairing.pairs.0[2])),
        column("wd", |row| count(row.pairing.pairs.0[3])),
        column("ww", |row| count(row.pairing.pairs.0[4])),
        column("elo", |row| Decimals(row.pairing.head_to_head.elo, 2)),
        column("elo_low", |row| Decimals(row.pairing.head_to_head.elo_lo, 2)),
        column("elo_high", |row| Decimals(row.pairing.head_to_head.elo_hi, 2)),
        column("los", |row| Probability(row.pairing.head_to_head.los)),
        column("disc_diff", |row| Decimals(row.pairing.discs.mean, 2)),
        column("disc_diff_low", |row| Decimals(row.pairing.discs.lo, 2)),
        column("disc_diff_high", |row| Decimals(row.pairing.discs.hi, 2)),
        column("p_value", |row| Probability(row.pairing.head_to_head.p_equal)),
        column("p_holm", |row| Probability(row.pairing.p_holm)),
        column("nelo", |row| Decimals(row.pairing.nelo.map(|nelo| nelo.value), 2)),
        column("pair_var_ratio", |row| Share(row.pairing.pair_var_ratio)),
        column("distinct_games", |row| Count(row.pairing.games.distinct)),
        column("clusters", |row| count(row.pairing.games.clusters)),
    ];

    /// The rows of a report.
    pub(crate) fn all(standings: &'a Standings) -> impl Iterator<Item = Self> {
        let name = |index: usize| standings.engines[index].name.as_str();
        standings.pairings.iter().map(move |pairing| Self {
            engine: name(pairing.engine),
            opponent: name(pairing.opponent),
            pairing,
        })
    }
}

/// A sequential test after a pair of games.
pub(crate) struct SprtRow {
    run: SprtRun<5>,
    head_to_head: HeadToHead,
}

impl SprtRow {
    pub(crate) fn of(run: &SprtRun<5>) -> Self {
        Self { run: run.clone(), head_to_head: ratings::head_to_head(&(*run.counts()).into()) }
    }
}

/// One row for each pair that the test has seen: `sprt.csv`.
pub(crate) const SPRT: &[Column<SprtRow>] = &[
    column("pairs", |row| count(row.run.counts().units())),
    column("llr", |row| Decimals(Some(row.run.llr()), 4)),
    column("lower", |row| Decimals(Some(row.run.bounds().0), 4)),
    column("upper", |row| Decimals(Some(row.run.bounds().1), 4)),
    column("elo", |row| Decimals(row.head_to_head.elo, 2)),
    column("elo_low", |row| Decimals(row.head_to_head.elo_lo, 2)),
    column("elo_high", |row| Decimals(row.head_to_head.elo_hi, 2)),
    column("state", |row| Text(row.run.state().name().to_owned())),
];

/// Writes the names of the columns.
pub(crate) fn write_header<T>(columns: &[Column<T>], out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    out.write_record(columns.iter().map(|column| column.name))
}

/// Writes a row.
pub(crate) fn write_row<T>(
    columns: &[Column<T>],
    row: &T,
    out: &mut csv::Writer<impl Write>,
) -> csv::Result<()> {
    out.write_record(columns.iter().map(|column| (column.value)(row).into_csv()))
}

/// A row as a JSON object.
pub(crate) fn to_json<'a, T: 'a>(columns: impl IntoIterator<Item = &'a Column<T>>, row: &T) -> Value {
    let pairs = columns.into_iter().map(|column| (column.name.to_owned(), (column.value)(row).into_json()));
    Value::Object(pairs.collect())
}

const fn column<T>(name: &'static str, value: fn(&T) -> Cell) -> Column<T> {
    Column { name, value }
}

fn count(count: u64) -> Cell {
    Count(Some(count))
}

impl Cell {
    fn into_csv(self) -> String {
        match self {
            Text(text) => text,
            Flag(flag) => flag.to_string(),
            Count(count) => count.map(|count| count.to_string()).unwrap_or_default(),
            HalfPoints(half_points) => points(half_points),
            Decimals(value, decimals) => field(value, |value| fixed(value, decimals)),
            Share(value) => field(value, |value| fixed(value, 4)),
            Probability(value) => field(value, probability),
            Milliseconds(time) => time.map(milliseconds).unwrap_or_default(),
        }
    }

    fn into_json(self) -> Value {
        match self {
            Text(text) => json!(text),
            Flag(flag) => json!(flag),
            Count(count) => json!(count),
            HalfPoints(half_points) => json!(half_points as f64 / 2.0),
            Decimals(value, decimals) => json!(rounded(value, decimals)),
            Share(value) => json!(rounded(value, 6)),
            Probability(value) => json!(rounded_probability(value)),
            Milliseconds(time) => json!(rounded(time.map(|time| time.as_secs_f64() * 1e3), 6)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_docs_name_every_column() {
        let page = include_str!("../../../docs/statistics.md");
        let engine = ENGINE.iter().map(|column| column.name);
        let pairing = PairingRow::COLUMNS.map(|column| column.name);
        for name in engine.chain(pairing) {
            assert!(page.contains(&format!("`{name}`")), "docs/statistics.md lacks {name}");
        }
    }
}
