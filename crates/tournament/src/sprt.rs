//! A sequential test of one encounter, as its game pairs finish.
//!
//! The test uses the longest gap-free prefix of the encounter's pairs, in schedule order. The pairs that finish
//! first are no fair sample: short games differ from long ones. So the verdict comes at the same pair at any
//! concurrency and after any interruption.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ratings::{EloModel, Sprt, SprtRun, SprtState, head_to_head, normalized_elo};
use records::GameRecord;
use rules::Color;

use crate::schedule::Fixture;

/// A sequential test, as the definition describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SprtPlan {
    /// Hypotheses, error rates and bounds.
    pub test: Sprt,
    /// True if the bounds are corrected for overshoot: a pair steps past a bound, not onto it.
    pub overshoot: bool,
    /// The names of the tested engine and its opponent; `None` is the two of a match, the first against the
    /// second.
    pub pair: Option<(String, String)>,
}

/// The model's name in definitions.
#[must_use]
pub fn model_name(model: EloModel) -> &'static str {
    match model {
        EloModel::Normalized => "normalized",
        EloModel::Logistic => "logistic",
    }
}

/// The model of this name.
///
/// # Errors
/// A sentence that lists the models.
pub fn model_by_name(name: &str) -> Result<EloModel, String> {
    [EloModel::Normalized, EloModel::Logistic]
        .into_iter()
        .find(|model| model_name(*model) == name)
        .ok_or_else(|| format!("`{name}` is not a model; there is normalized, logistic"))
}

/// A running test.
#[derive(Clone, Debug)]
pub struct PairTest {
    /// The tested engine, by index in the definition.
    tested: usize,
    opponent: usize,
    run: SprtRun<5>,
    /// Half points of the tested engine in the games of rounds from `next` on, by round.
    waiting: BTreeMap<u64, [Option<u8>; 2]>,
    /// The first round whose pair the test has not used.
    next: u64,
}

impl PairTest {
    /// A test before its first pair.
    #[must_use]
    pub fn new(plan: &SprtPlan, tested: usize, opponent: usize) -> Self {
        let run = SprtRun::new(plan.test, plan.overshoot);
        Self { tested, opponent, run, waiting: BTreeMap::new(), next: 0 }
    }

    /// Adds a finished game, in any order. Returns true if the test could use a further pair. After its verdict it
    /// uses none.
    pub fn add_game(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        let (Some(side), Some(_)) = (fixture.color_of(self.tested), fixture.color_of(self.opponent)) else {
            return false;
        };
        self.note(fixture.round, side, record.result.half_points(side))
    }

    /// The same by the names of the players, without a fixture.
    pub fn add_game_by_name(&mut self, names: (&str, &str), record: &GameRecord) -> bool {
        let side = match (record.black.as_str(), record.white.as_str()) {
            players if players == names => Color::Black,
            (black, white) if (white, black) == names => Color::White,
            _ => return false,
        };
        self.note(record.round, side, record.result.half_points(side))
    }

    fn note(&mut self, round: u64, side: Color, half_points: u8) -> bool {
        if self.state() != SprtState::Continue || round < self.next {
            return false;
        }
        let games = self.waiting.entry(round).or_default();
        games[usize::from(side == Color::White)] = Some(half_points);
        let before = self.next;
        while let Some([Some(black), Some(white)]) = self.waiting.get(&self.next) {
            let pair = usize::from(black + white);
            self.waiting.remove(&self.next);
            self.next += 1;
            if self.run.push(pair) != SprtState::Continue {
                self.waiting.clear();
            }
        }
        self.next > before
    }

    /// The state of the test.
    #[must_use]
    pub fn state(&self) -> SprtState {
        self.run.state()
    }

    /// True if there is a verdict.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.state() != SprtState::Continue
    }

    /// The tested engine and its opponent, by index in the definition.
    #[must_use]
    pub fn players(&self) -> (usize, usize) {
        (self.tested, self.opponent)
    }

    /// The test itself: counts, LLR, bounds.
    #[must_use]
    pub fn run(&self) -> &SprtRun<5> {
        &self.run
    }

    /// The state in one line, in the words of fastchess.
    #[must_use]
    pub fn live_line(&self) -> String {
        let run = &self.run;
        let (llr, counts, (lower, upper)) = (run.llr(), run.counts(), run.bounds());
        let bound = if llr < 0.0 { lower } else { upper };
        let mut line = format!("LLR {llr:.2} ({:.0} %) [{lower:.2}, {upper:.2}]", 100.0 * llr / bound);
        let head = head_to_head(&(*counts).into());
        match (head.elo, head.elo_lo, head.elo_hi) {
            (Some(elo), Some(low), Some(high)) => {
                let _ = write!(line, "  Elo {elo:+.1} +/- {:.1} so far", (high - low) / 2.0);
            }
            (Some(elo), ..) => {
                let _ = write!(line, "  Elo {elo:+.1} so far");
            }
            _ => {}
        }
        if let Some(normalized) = normalized_elo(counts) {
            let _ = write!(line, "  nElo {:+.1}", normalized.value);
        }
        if let Some(los) = head.los {
            let _ = write!(line, "  LOS {:.1} %", 100.0 * los);
        }
        let [ll, ld, dd, wd, ww] = counts.0;
        let _ = write!(line, "  pairs {}  Ptnml [{ll}, {ld}, {dd}, {wd}, {ww}]", counts.units());
        line
    }

    /// The verdict in words. `names` are those of the tested engine and its opponent.
    #[must_use]
    pub fn verdict(&self, names: (&str, &str)) -> String {
        let (run, test) = (&self.run, self.run.sprt());
        let unit = match test.model() {
            EloModel::Normalized => "normalised Elo",
            EloModel::Logistic => "Elo",
        };
        let pairs = match run.counts().units() {
            1 => "1 pair".to_owned(),
            several => format!("{several} pairs"),
        };
        let (elo0, elo1) = (test.elo0(), test.elo1());
        let asked = format!("{} against {}, {elo0} against {elo1} {unit}", names.0, names.1);
        let mut text = match run.state() {
            SprtState::H1 => {
                format!("SPRT of {asked}: H1 accepted after {pairs}, the gain is above {elo0} {unit}")
            }
            SprtState::H0 => {
                format!("SPRT of {asked}: H0 accepted after {pairs}, the gain does not reach {elo1} {unit}")
            }
            SprtState::Continue => format!("SPRT of {asked}: no decision in {pairs}"),
        };
        let estimate = test.estimate(run.counts());
        if let Some(elo) = estimate.elo {
            let _ = write!(text, "; median-unbiased estimate {elo:+.1} Elo");
            if let (Some(low), Some(high)) = (estimate.lo, estimate.hi) {
                let _ = write!(text, ", 95 % interval {low:+.1} to {high:+.1}");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Schedule;
    use proptest::prelude::*;

    fn plan(elo1: f64) -> SprtPlan {
        let test = Sprt::new(0.0, elo1, 0.05, 0.05, EloModel::Normalized).expect("a test");
        SprtPlan { test, overshoot: false, pair: None }
    }

    /// A record of which only the result matters here.
    fn record(fixture: &Fixture, half_points_of_black: u8) -> GameRecord {
        let line = format!(
            r#"{{"format":1,"game":{},"pair":{},"round":{},"opening":[],"start":"startpos","variant":"othello","board":8,
            "empties":"winner","black":"{}","white":"{}","seed":0,"moves":[],"result":"{}","discs":[2,2],"score":[0,0],
            "termination":"adjudicated","offender":null,"detail":null,"started":"","seconds":0}}"#,
            fixture.game,
            fixture.pair,
            fixture.round,
            fixture.players.black,
            fixture.players.white,
            ["white", "draw", "black"][usize::from(half_points_of_black)]
        );
        GameRecord::parse(&line).expect("a record")
    }

    proptest! {
        /// In whatever order games finish, the verdict falls at the same pair, with the same numbers.
        #[test]
        fn the_order_of_finishing_does_not_matter(
            results in prop::collection::vec(0u8..3, 120),
            order in Just((0..120u64).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let schedule = Schedule::round_robin(2, 60);
            let mut in_order = PairTest::new(&plan(80.0), 0, 1);
            let mut shuffled = in_order.clone();
            let mut by_name = in_order.clone();
            for game in 0..120 {
                let fixture = schedule.fixture(game).expect("scheduled");
                in_order.add_game(&fixture, &record(&fixture, results[game as usize]));
            }
            for game in order {
                let fixture = schedule.fixture(game).expect("scheduled");
                let record = record(&fixture, results[game as usize]);
                shuffled.add_game(&fixture, &record);
                by_name.add_game_by_name(("0", "1"), &record);
            }
            prop_assert_eq!(shuffled.run(), in_order.run());
            prop_assert_eq!(by_name.run(), in_order.run());
            prop_assert!(!in_order.live_line().contains("NaN") && !in_order.live_line().contains("inf"));
        }
    }

    #[test]
    fn an_engine_that_wins_everything_is_stronger() {
        let schedule = Schedule::round_robin(2, 100);
        let mut test = PairTest::new(&plan(50.0), 1, 0);
        for game in 0..200 {
            let fixture = schedule.fixture(game).expect("scheduled");
            let wins_as = fixture.color_of(1).expect("it plays");
            test.add_game(&fixture, &record(&fixture, if wins_as == Color::Black { 2 } else { 0 }));
        }
        assert_eq!(test.state(), SprtState::H1);
        assert!(test.run().counts().units() < 20, "{:?}", test.run().counts());
        let words = test.verdict(("new", "old"));
        assert!(
            words.starts_with("SPRT of new against old, 0 against 50 normalised Elo: H1 accepted after"),
            "{words}"
        );
    }

    #[test]
    fn before_the_first_pair_there_are_no_numbers() {
        let test = PairTest::new(&plan(5.0), 0, 1);
        assert_eq!(test.live_line(), "LLR 0.00 (0 %) [-2.94, 2.94]  pairs 0  Ptnml [0, 0, 0, 0, 0]");
        assert!(test.verdict(("a", "b")).ends_with("no decision in 0 pairs"));
    }
}
