//! Events, one JSON object a line, for programs.

use records::GameRecord;
use serde_json::{Value, json};
use tournament::sprt::PairTest;
use tournament::standings::Standings;

use super::plain::print_line;
use super::{Display, Progress};
use crate::prepare::Prepared;

/// Events: `begin`, `game` (one a finished game), `sprt` (one a pair of a sequential test), `warning`, `end`,
/// and behind it `verdict` (what came of the sequential test).
#[derive(Debug)]
pub(super) struct Json;

fn tell(event: &Value) {
    print_line(&event.to_string());
}

impl Display for Json {
    fn begin(&mut self, tournament: &Prepared, slots: usize, progress: Progress) {
        tell(&json!({
            "event": "begin",
            "games": progress.games,
            "recorded": progress.recorded,
            "slots": slots,
            "definition": tournament.resolved,
        }));
    }

    fn game(&mut self, record: &GameRecord, progress: Progress) {
        tell(&json!({
            "event": "game",
            "game": record.game,
            "black": record.black,
            "white": record.white,
            "result": record.result.to_string(),
            "score": [record.score.black, record.score.white],
            "termination": record.termination.to_string(),
            "offender": record.offender.map(|offender| offender.to_string()),
            "detail": record.detail,
            "recorded": progress.recorded,
            "games": progress.games,
        }));
    }

    fn test(&mut self, test: &PairTest) {
        let (lower, upper) = test.run().bounds();
        tell(&json!({
            "event": "sprt",
            "pairs": test.run().counts().units(),
            "llr": test.run().llr(),
            "lower": lower,
            "upper": upper,
            "pentanomial": test.run().counts().0,
            "state": test.state().name(),
        }));
    }

    fn warning(&mut self, text: &str) {
        tell(&json!({ "event": "warning", "message": text }));
    }

    fn tick(&mut self, _progress: Progress) {}

    fn end(&mut self, standings: &Standings, progress: Progress, last_words: &str) {
        tell(&json!({
            "event": "end",
            "recorded": progress.recorded,
            "games": progress.games,
            "complete": progress.recorded == progress.games,
            "standings": report::engines_in_event(standings),
            "words": report::paragraph(standings),
            "message": last_words,
        }));
    }
}

/// What came of a sequential test.
pub(crate) fn verdict_event(test: &PairTest, words: &str) -> Value {
    let run = test.run();
    let estimate = run.sprt().estimate(run.counts());
    json!({
        "event": "verdict",
        "state": test.state().name(),
        "pairs": run.counts().units(),
        "elo": estimate.elo,
        "elo_low": estimate.lo,
        "elo_high": estimate.hi,
        "words": words,
    })
}
