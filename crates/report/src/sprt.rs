//! `sprt.csv`: how a sequential test went, pair by pair.

use std::fs;
use std::io::Write;
use std::path::Path;

use ratings::{SprtState, head_to_head};
use tournament::resolved::{Resolved, ResolvedSprt};
use tournament::sprt::PairTest;

use crate::aside::Stopped;
use crate::number::fixed;
use crate::record::Record;

/// The test that the tournament of this folder was played for, if it says so.
pub(crate) fn planned(folder: &Path) -> Option<ResolvedSprt> {
    let text = fs::read_to_string(folder.join("definition.json")).ok()?;
    serde_json::from_str::<Resolved>(&text).ok()?.sprt
}

/// A row for each pair that the test has seen, up to its verdict.
pub(crate) fn rows<W: Write>(
    planned: &ResolvedSprt,
    record: &Record,
    csv: &mut csv::Writer<W>,
) -> Result<(), Stopped> {
    csv.write_record(["pairs", "llr", "lower", "upper", "elo", "elo_low", "elo_high", "state"])?;
    let Some(plan) = planned.plan() else { return Ok(()) };
    let mut test = PairTest::new(&plan, 0, 1);
    let names = (planned.pair.0.as_str(), planned.pair.1.as_str());
    for game in record.games().map_err(Stopped::Reading)? {
        if !test.take_by_name(names, &game.map_err(Stopped::Reading)?) {
            continue;
        }
        let run = test.run();
        let (lower, upper) = run.bounds();
        let head = head_to_head(&(*run.counts()).into());
        let elo = |value: Option<f64>| value.map(|elo| fixed(elo, 2)).unwrap_or_default();
        csv.write_record([
            run.counts().units().to_string(),
            fixed(run.llr(), 4),
            fixed(lower, 4),
            fixed(upper, 4),
            elo(head.elo),
            elo(head.elo_lo),
            elo(head.elo_hi),
            match run.state() {
                SprtState::Continue => "continue",
                SprtState::H0 => "H0",
                SprtState::H1 => "H1",
            }
            .to_owned(),
        ])?;
        if test.is_decided() {
            break;
        }
    }
    Ok(())
}
