//! How a check is carried out: sends what its [`Action`] says and judges what comes back.

use std::time::Duration;

use clock::{TimeControl, format_duration};
use play::engine::{StopMode, WriteMode};
use protocol::message::Go;
use protocol::option::{OptionDecl, Setting};
use protocol::probe::Probe;
use rules::{Color, Ply, Position, Variant};

use crate::check::{Action, Check};
use crate::engine_under_test::{EngineUnderTest, LIMITS};
use crate::requests::go_of;
use crate::sample_games::{find, middle_game, random_plies, standard_start};
use crate::verdict::{NotPassed, Verdict, in_millis};

pub(crate) fn carry_out(subject: &mut EngineUnderTest, check: &Check) -> Verdict {
    match check.action {
        Action::Nothing => Ok(String::new()),
        Action::Ask(plies) => {
            let start = subject.start_position();
            Ok(subject.ask(start, &plies(start))?.to_string())
        }
        Action::AskWhere(holds) => ask_where(subject, holds),
        Action::AskWhereAndAgain(holds) => {
            let remark = ask_where(subject, holds)?;
            subject.ask(standard_start(), &[])?;
            Ok(remark)
        }
        Action::Timed { limit, opponent, within } => timed(subject, limit, opponent, within),
        Action::Limited(limits) => limited(subject, limits),
        Action::SetOptions { which, values } => set_options(subject, which, values),
        Action::Write(mode) => write(subject, mode),
        Action::Probe(probe) => send_probe(subject, probe),
        Action::Call(call) => call(subject),
    }
}

fn ask_where(subject: &mut EngineUnderTest, holds: fn(&[Ply], Position) -> bool) -> Verdict {
    let plies = find(standard_start(), holds);
    let plies = plies.ok_or_else(|| NotPassed::skipped("no such line was found"))?;
    let ply = subject.ask(standard_start(), &plies)?;
    Ok(format!("{} plies, then {ply}", plies.len()))
}

fn timed(subject: &mut EngineUnderTest, limit: TimeControl, opponent: Duration, within: Duration) -> Verdict {
    /// A busy machine may delay an answer by this much.
    const GRACE: Duration = Duration::from_millis(100);
    /// An engine that is late may try again, this often in all.
    const TRIES: u32 = 3;
    subject.require(limit)?;
    let game = middle_game();
    let go = match go_of(limit) {
        Go::Clock { mut time, increment } => {
            time[game.position.side_to_move().opposite()] = opponent;
            Go::Clock { time, increment }
        }
        other => other,
    };
    let mut slowest = Duration::ZERO;
    for _ in 0..TRIES {
        subject.set_up(&game, limit, &go)?;
        let allowance = within + subject.patience();
        let (_, answer) = subject.think(game.position, &go, allowance)?;
        if answer.spent <= within + GRACE {
            return Ok(in_millis(answer.spent));
        }
        slowest = slowest.max(answer.spent);
    }
    let (within, slowest) = (format_duration(within), in_millis(slowest));
    let why = format!("took {slowest} where {within} was given, {TRIES} times in a row");
    Err(NotPassed::failed_at(game.position, why))
}

fn limited(subject: &mut EngineUnderTest, limits: &[TimeControl]) -> Verdict {
    let game = middle_game();
    let mut remarks = Vec::new();
    for &limit in limits {
        subject.require(limit)?;
        let go = go_of(limit);
        subject.set_up(&game, limit, &go)?;
        let patience = subject.patience();
        let (_, answer) = subject.think(game.position, &go, patience)?;
        remarks.push(format!("{limit} in {}", in_millis(answer.spent)));
    }
    Ok(remarks.join(", "))
}

/// Sets the options one after the other, in a new process.
fn set_options(
    subject: &mut EngineUnderTest,
    which: &str,
    values: fn(&OptionDecl) -> Vec<String>,
) -> Verdict {
    /// Some engines declare a hundred variants.
    const MOST_VALUES: usize = 40;
    let settings_of = |option: &OptionDecl| {
        let valid = values(option).into_iter().filter_map(|value| option.setting(&value).ok());
        valid.take(MOST_VALUES).collect::<Vec<Setting>>()
    };
    let settings: Vec<Setting> = subject.declared_options()?.iter().flat_map(settings_of).collect();
    if settings.is_empty() {
        return Err(NotPassed::skipped(format!("it declares no option {which}")));
    }
    subject.stop(StopMode::Polite);
    let mut engine = subject.greeted()?;
    for setting in &settings {
        if let Err(error) = engine.configure(std::slice::from_ref(setting)) {
            return Err(subject.give_up(engine, error));
        }
    }
    subject.leave(engine, true, true, LIMITS.quit);
    Ok(format!("{} values", settings.len()))
}

fn write(subject: &mut EngineUnderTest, mode: WriteMode) -> Verdict {
    subject.stop(StopMode::Polite);
    subject.engine()?.set_write_mode(mode);
    subject.ask(standard_start(), &[])?;
    subject.ask(standard_start(), &random_plies(standard_start(), 9, 12))?;
    subject.engine()?.set_write_mode(WriteMode::Whole);
    Ok(String::new())
}

/// Sends a probe in a new game, then asks for a move in another.
fn send_probe(subject: &mut EngineUnderTest, probe: &Probe) -> Verdict {
    // A probe is about the usual start, which the historical game does not have.
    let variant = match subject.variant() {
        Variant::Historical => Variant::Othello,
        variant => variant,
    };
    let time = subject.shortest_limit()?;
    subject.new_game_of(variant, standard_start(), Color::Black, time, 1)?;
    let limit = subject.limits().ready;
    let mut heard = Vec::new();
    let judged = subject.engine()?.send_raw(probe.send.as_bytes(), limit, |line| {
        heard.push(line.to_owned());
        (probe.expect)(&heard)
    })?;
    judged.map_err(NotPassed::failed)?;
    if probe.name == "queries" {
        subject.answers_queries = true;
    }
    subject.ask(standard_start(), &[])?;
    Ok(String::new())
}
