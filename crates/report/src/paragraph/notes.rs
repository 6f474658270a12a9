//! What decides a table besides play: forfeits, withdrawn engines, games that were dropped.

use records::DropReason;
use tournament::standings::{DroppedCounts, EngineStanding, Standings};
use tournament::withdrawal_tracker::WithdrawalCause;
use tournament::withdrawals::{Withdrawal, Withdrawals};

use super::phrase::{name_list, thousands};
use crate::text_table::printable;

/// Up to this many engines have a sentence of their own; the rest is counted.
const MAX_ENGINES: usize = 5;

/// What the table alone does not show, a sentence each: if every game was forfeited, which engines were withdrawn or
/// lost games by failing at their start, which games were dropped. None where nothing of that happened.
#[must_use]
pub fn notes(standings: &Standings) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(all_forfeited(standings));
    notes.extend(standings.withdrawals.as_ref().map(withdrawals).unwrap_or_default());
    notes.extend(failed_starts(standings));
    notes.extend(standings.dropped.as_ref().map(dropped).unwrap_or_default());
    notes
}

fn all_forfeited(standings: &Standings) -> Option<String> {
    let games = match standings.games.played {
        1 => "The only game was forfeited".to_owned(),
        many => format!("All {} games were forfeited", thousands(many)),
    };
    let moved = standings.engines.iter().any(|engine| engine.mean_move.is_some());
    let end = if moved { " to its end" } else { "" };
    standings.all_forfeited().then(|| format!("{games}: nothing was played{end}."))
}

fn withdrawals(withdrawals: &Withdrawals) -> Vec<String> {
    let engines = &withdrawals.engines;
    let mut notes = bounded(engines.iter().map(withdrawal).collect(), "was withdrawn", "were withdrawn");
    if engines.len() > 1 && withdrawals.not_played > 0 {
        notes.push(format!("In all {} not played.", games_were(withdrawals.not_played)));
    }
    notes
}

fn withdrawal(withdrawal: &Withdrawal) -> String {
    let why = match withdrawal.cause {
        WithdrawalCause::FailedStarts(3) => "failed to start three times".to_owned(),
        WithdrawalCause::FailedStarts(starts) => format!("failed to start {starts} times"),
        WithdrawalCause::LostGames(1) => "lost a game by a fault".to_owned(),
        WithdrawalCause::LostGames(games) => {
            format!("lost {} games in a row by faults", thousands(games.into()))
        }
    };
    let not_played = match withdrawal.not_played {
        0 => "none of its games was left".to_owned(),
        not_played => {
            let all = withdrawal.played + not_played;
            let verb = if not_played == 1 { "was" } else { "were" };
            format!("{} of its {} {verb} not played", thousands(not_played), games(all))
        }
    };
    format!("{} {why} and was withdrawn: {not_played}.", printable(&withdrawal.engine))
}

/// Engines that lost games by failing at their start, unless their withdrawal says so already.
fn failed_starts(standings: &Standings) -> Vec<String> {
    let withdrawn = standings.withdrawals.as_ref().map_or(&[][..], |withdrawals| &withdrawals.engines);
    let told = |engine: &EngineStanding| match withdrawn.iter().find(|found| found.engine == engine.name) {
        Some(Withdrawal { cause: WithdrawalCause::FailedStarts(starts), .. }) => u64::from(*starts),
        _ => 0,
    };
    let failed = standings.engines.iter().filter(|engine| engine.failed_starts > told(engine));
    let sentence = |engine: &EngineStanding| {
        let (name, all) = (printable(&engine.name), engine.results.games());
        let lost = match engine.failed_starts {
            1 if all == 1 => "its only game".to_owned(),
            failed if failed == all => format!("all its {}", games(all)),
            failed => format!("{} of its {}", thousands(failed), games(all)),
        };
        format!("{name} lost {lost} by failing at its start.")
    };
    bounded(
        failed.map(sentence).collect(),
        "lost games by failing at its start",
        "lost games by failing at their start",
    )
}

fn dropped(dropped: &DroppedCounts) -> Vec<String> {
    if dropped.games == 0 {
        return Vec::new();
    }
    let again = match dropped.played_again {
        all if all == dropped.games => " and played again".to_owned(),
        0 => " and not played again so far".to_owned(),
        some => format!(", {} of them played again so far", thousands(some)),
    };
    let reasons: Vec<String> = dropped
        .reasons
        .iter()
        .map(|(&reason, &games)| format!("{} {}", thousands(games), because(reason)))
        .collect();
    let mut notes = vec![format!("{} dropped{again}: {}.", games_were(dropped.games), reasons.join(", "))];
    let suspended: Vec<String> = dropped.suspended.iter().map(|name| printable(name)).collect();
    if !suspended.is_empty() {
        let (verb, whose) = if suspended.len() == 1 { ("was", "its") } else { ("were", "their") };
        notes.push(format!(
            "{} {verb} suspended in the turns of {whose} opponents from then on, since {whose} processes took the cores of a player that was late.",
            name_list(&suspended)
        ));
    }
    notes
}

/// Behind the number of games.
fn because(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Stopped => "while the run was being stopped",
        DropReason::Paused => "while the machine or the referee stood still",
        DropReason::OutOfMemory => "since the machine was out of memory",
        DropReason::NoCore => "since the opponent's processes took the cores",
    }
}

/// At most [`MAX_ENGINES`] of the sentences; the rest is counted.
fn bounded(mut sentences: Vec<String>, one: &str, many: &str) -> Vec<String> {
    let more = sentences.len().saturating_sub(MAX_ENGINES);
    if more > 0 {
        sentences.truncate(MAX_ENGINES);
        sentences.push(match more {
            1 => format!("One more engine {one}."),
            more => format!("{} more engines {many}.", thousands(more as u64)),
        });
    }
    sentences
}

fn games(count: u64) -> String {
    if count == 1 { "1 game".to_owned() } else { format!("{} games", thousands(count)) }
}

fn games_were(count: u64) -> String {
    format!("{} {}", games(count), if count == 1 { "was" } else { "were" })
}
