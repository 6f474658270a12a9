//! `referee plan`: how many games an experiment needs, and how long they take.

use std::num::NonZero;
use std::time::Duration;

use clock::TimeControl;
use ratings::{EloModel, Sprt, pair_var_default, pairs_for_width, pairs_needed};
use serde_json::{Value, json};

use super::{CommandError, say};
use crate::cli::PlanArgs;
use crate::exit_code::Exit;

/// The moves of a game that fills the board.
const MOVES: u32 = 60;

/// The answer.
#[derive(Debug)]
struct Plan {
    variance: f64,
    /// Pairs for a test with a fixed number of games.
    fixed: u64,
    /// Pairs for an interval of ± `--elo`.
    width: u64,
    /// For a sequential test, if the true difference is 0, half of `--elo`, and `--elo`: the expected pairs and the
    /// probability that it accepts.
    sequential: [(f64, f64); 3],
    games_at_once: usize,
    /// The longest time for a game; `None` without a clock.
    game: Option<Duration>,
}

pub(super) fn plan(args: &PlanArgs) -> Result<Exit, CommandError> {
    let plan = Plan::of(args).map_err(|message| CommandError::new(Exit::Usage, message))?;
    if args.json {
        say(&plan.json(args).to_string())?;
    } else {
        say(&plan.lines(args).join("\n"))?;
    }
    Ok(Exit::Done)
}

impl Plan {
    fn of(args: &PlanArgs) -> Result<Self, String> {
        let variance = pair_var_default(args.elo, args.draw_rate, args.correlation)
            .filter(|variance| *variance > 0.0)
            .ok_or_else(|| format!("--draw-rate {} is impossible at {} Elo", args.draw_rate, args.elo))?;
        let beta = 1.0 - args.power;
        let too_far = || format!("nothing can be planned for {} Elo", args.elo);
        let sprt = Sprt::new(0.0, args.elo, args.alpha, beta, EloModel::Logistic)
            .map_err(|error| format!("--elo, --alpha, --power: {error}"))?;
        let expected = |share: f64| {
            let expected = sprt.expected(share * args.elo, variance).ok_or_else(too_far)?;
            Ok::<_, String>((expected.pairs, expected.p_h1))
        };
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        Ok(Self {
            variance,
            fixed: pairs_needed(args.elo, args.alpha, beta, true, variance).ok_or_else(too_far)?,
            width: pairs_for_width(args.elo, 0.95, variance).ok_or_else(too_far)?,
            sequential: [expected(0.0)?, expected(0.5)?, expected(1.0)?],
            games_at_once: args.concurrency.unwrap_or_else(cores),
            game: args.time.and_then(game_length),
        })
    }

    /// The longest time for this many pairs.
    fn time(&self, pairs: f64) -> Option<Duration> {
        let seconds = self.game?.as_secs_f64() * (2.0 * pairs / self.games_at_once as f64).ceil();
        Duration::try_from_secs_f64(seconds).ok()
    }

    fn lines(&self, args: &PlanArgs) -> Vec<String> {
        let percent = |share: f64| format!("{} %", rounded(100.0 * share));
        let elo = args.elo;
        let row = |what: String, pairs: f64| {
            let time = self.time(pairs).map(|time| format!("  {:>12}", in_words(time))).unwrap_or_default();
            format!("  {what:<62}{:>10} pairs {:>10} games{time}", pairs.ceil(), 2.0 * pairs.ceil())
        };
        let mut lines = vec![
            format!("To see a difference of {elo} Elo:"),
            row(
                format!(
                    "a fixed number, found with {}, false alarm {}",
                    percent(args.power),
                    percent(args.alpha)
                ),
                self.fixed as f64,
            ),
            row(format!("an interval (95 %) of +/- {elo} Elo"), self.width as f64),
            format!(
                "With a sequential test (SPRT) of 0 against {elo} Elo, false alarm {}, miss {}, on average:",
                percent(args.alpha),
                percent(1.0 - args.power)
            ),
        ];
        for ((pairs, accepted), truth) in self.sequential.into_iter().zip([0.0, 0.5, 1.0]) {
            let truth = truth * args.elo;
            let accepted = percent(accepted);
            lines.push(row(format!("if the difference is {truth} Elo (accepted with {accepted})"), pairs));
        }
        lines.push(format!(
            "Assumed: {} drawn games, correlation {} in a pair, so a variance of {} a pair.",
            percent(args.draw_rate),
            rounded(args.correlation),
            format_args!("{:.4}", self.variance)
        ));
        match (self.game, args.time) {
            (Some(game), _) => lines.push(format!(
                "Time: {MOVES} moves a game, both sides use all their time ({} a game), {} at once. Most take less.",
                in_words(game),
                self.games_at_once
            )),
            (None, Some(time)) => {
                lines.push(format!("How long that takes is not known: {time} has no clock."));
            }
            (None, None) => {}
        }
        lines
    }

    fn json(&self, args: &PlanArgs) -> Value {
        let part = |pairs: f64| json!({ "pairs": pairs.ceil(), "seconds": self.time(pairs).map(|time| time.as_secs_f64()) });
        let test = |(pairs, accepted): (f64, f64)| {
            let mut test = part(pairs);
            test["accepted"] = json!(accepted);
            test
        };
        json!({
            "elo": args.elo,
            "power": args.power,
            "alpha": args.alpha,
            "draw_rate": args.draw_rate,
            "correlation": args.correlation,
            "variance": self.variance,
            "fixed": part(self.fixed as f64),
            "width": part(self.width as f64),
            "sprt": {
                "elo0": 0.0,
                "elo1": args.elo,
                "at_elo0": test(self.sequential[0]),
                "halfway": test(self.sequential[1]),
                "at_elo1": test(self.sequential[2]),
            },
            "time": args.time.map(|time| time.to_string()),
            "concurrency": self.games_at_once,
            "seconds_a_game": self.game.map(|game| game.as_secs_f64()),
        })
    }
}

/// The length of a game in which both sides use all their time; `None` without a clock.
fn game_length(time: TimeControl) -> Option<Duration> {
    match time {
        TimeControl::Game { main, increment } => {
            (main.checked_mul(2)?).checked_add(increment.checked_mul(MOVES)?)
        }
        TimeControl::MoveTime(time) => time.checked_mul(MOVES),
        TimeControl::Nodes(_) | TimeControl::Depth(_) => None,
    }
}

/// At most two decimals, without trailing zeros.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

/// `3.5 s`, `12 min`, `5.1 h`, `3.2 days`.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let one = |value: f64, unit: &str| {
        if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
    };
    match seconds {
        _ if seconds < 100.0 => one(seconds, "s"),
        _ if seconds < 6000.0 => one(seconds / 60.0, "min"),
        _ if seconds < 172_800.0 => one(seconds / 3600.0, "h"),
        _ => one(seconds / 86_400.0, "days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_takes_all_the_time_there_is() {
        let length = |text: &str| game_length(text.parse().expect(text)).map(|time| time.as_secs_f64());
        assert_eq!(length("60s+0.5s"), Some(150.0));
        assert_eq!(length("movetime=100ms"), Some(6.0));
        assert_eq!((length("nodes=100"), length("depth=3")), (None, None));
    }

    #[test]
    fn times_in_words() {
        let words = |seconds| in_words(Duration::from_secs_f64(seconds));
        assert_eq!([words(3.54), words(99.0), words(600.0)], ["3.5 s", "99 s", "10 min"]);
        assert_eq!([words(20_000.0), words(400_000.0)], ["5.6 h", "4.6 days"]);
    }
}
