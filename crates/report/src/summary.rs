//! `summary.json`: the numbers of the whole pool.

use std::collections::BTreeMap;

use ratings::Fit;
use records::DropReason;
use serde::{Serialize, Serializer};
use tournament::standings::{Cycle, DroppedCounts, Standings};
use tournament::withdrawals::Withdrawal;

use crate::number::{rounded, rounded_probability};
use crate::paragraph::paragraph;

/// The summary, in the order in which it is written. A number that does not exist is null.
#[derive(Serialize)]
pub(crate) struct Summary<'a> {
    games: u64,
    /// Finished game pairs.
    pairs: u64,
    /// Null if the moves of some game are not known; so is `duplicates`.
    distinct_games: Option<u64>,
    duplicates: Option<u64>,
    clusters: u64,
    repeated_starts: u64,
    draws: u64,
    draw_rate: Option<f64>,
    /// The draw rate of two equal engines in the model.
    draw_rate_equal: Option<f64>,
    /// The advantage of moving first.
    colour_elo: Option<f64>,
    colour_elo_low: Option<f64>,
    colour_elo_high: Option<f64>,
    /// The dispersion over clusters; `phi_used` is the one in the error bars.
    phi: Option<f64>,
    phi_df: u64,
    phi_used: Option<f64>,
    /// The engine whose Elo is 0, if one was chosen.
    anchor: Option<&'a str>,
    fit: FitSummary<'a>,
    #[serde(serialize_with = "by_kind")]
    terminations: &'a Standings,
    /// The engines that were withdrawn. Absent, as `not_played`, if the schedule is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawn: Option<Vec<Withdrawn<'a>>>,
    /// Games that were not played since a player was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_played: Option<u64>,
    /// Absent if it is not known which games were dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<Dropped<'a>>,
    /// The paragraph in plain English.
    words: String,
}

/// How well one rating per engine fits.
#[derive(Serialize)]
struct FitSummary<'a> {
    pairings: u64,
    df: u64,
    chi2: Option<f64>,
    p_chi2: Option<f64>,
    f: Option<f64>,
    df2: Option<u64>,
    /// The p-value to use.
    p_f: Option<f64>,
    /// Triples of engines of which each beat the next, and the last beat the first.
    cycles: u64,
    zeta: Option<f64>,
    /// The cycles that chance does not explain.
    curl_cycles: Vec<CurlCycle<'a>>,
}

#[derive(Serialize)]
struct CurlCycle<'a> {
    engines: [&'a str; 3],
    curl: f64,
    se: f64,
    p_holm: f64,
}

/// An engine that was withdrawn, and its games.
#[derive(Serialize)]
struct Withdrawn<'a> {
    engine: &'a str,
    reason: &'a str,
    played: u64,
    not_played: u64,
}

impl<'a> Withdrawn<'a> {
    fn of(withdrawal: &'a Withdrawal) -> Self {
        Self {
            engine: &withdrawal.engine,
            reason: &withdrawal.reason,
            played: withdrawal.played,
            not_played: withdrawal.not_played,
        }
    }
}

/// Games that were dropped and played again: how many in all, and for each reason that occurred.
#[derive(Serialize)]
struct Dropped<'a> {
    games: u64,
    #[serde(flatten)]
    reasons: &'a BTreeMap<DropReason, u64>,
}

impl<'a> Dropped<'a> {
    fn of(dropped: &'a DroppedCounts) -> Self {
        Self { games: dropped.games, reasons: &dropped.reasons }
    }
}

impl<'a> Summary<'a> {
    pub(crate) fn of(standings: &'a Standings) -> Self {
        let (games, pool) = (standings.games, &standings.pool);
        let withdrawals = standings.withdrawals.as_ref();
        Self {
            games: games.played,
            pairs: standings.pairs,
            distinct_games: games.distinct,
            duplicates: games.duplicates(),
            clusters: games.clusters,
            repeated_starts: standings.repeated_starts,
            draws: standings.draws,
            draw_rate: rounded((games.played > 0).then(|| standings.draws as f64 / games.played as f64), 6),
            draw_rate_equal: rounded(pool.draw_rate_equal, 6),
            colour_elo: rounded(pool.colour.map(|colour| colour.value), 2),
            colour_elo_low: rounded(pool.colour.map(|colour| colour.lo), 2),
            colour_elo_high: rounded(pool.colour.map(|colour| colour.hi), 2),
            phi: rounded(pool.phi, 6),
            phi_df: pool.phi_df,
            phi_used: rounded(pool.phi_used, 6),
            anchor: standings.anchor.as_deref(),
            fit: FitSummary::of(&pool.fit, &pool.cycles, standings),
            terminations: standings,
            withdrawn: withdrawals.map(|withdrawals| withdrawals.engines.iter().map(Withdrawn::of).collect()),
            not_played: withdrawals.map(|withdrawals| withdrawals.not_played),
            dropped: standings.dropped.as_ref().map(Dropped::of),
            words: paragraph(standings),
        }
    }
}

impl<'a> FitSummary<'a> {
    fn of(fit: &Fit, cycles: &[Cycle], standings: &'a Standings) -> Self {
        let name = |index: usize| standings.engines[index].name.as_str();
        let named = |cycle: &Cycle| {
            Some(CurlCycle {
                engines: cycle.engines.map(name),
                curl: rounded(Some(cycle.intransitivity.elo), 2)?,
                se: rounded(Some(cycle.intransitivity.se), 2)?,
                p_holm: rounded_probability(Some(cycle.p_holm))?,
            })
        };
        Self {
            pairings: fit.pairings,
            df: fit.df,
            chi2: rounded(fit.chi2, 4),
            p_chi2: rounded_probability(fit.p_chi2),
            f: rounded(fit.f, 4),
            df2: fit.df2,
            p_f: rounded_probability(fit.p_f),
            cycles: fit.cycles,
            zeta: rounded(fit.zeta, 6),
            curl_cycles: cycles.iter().filter_map(named).collect(),
        }
    }
}

fn by_kind<S: Serializer>(standings: &&Standings, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(standings.terminations.iter().map(|(kind, count)| (kind.name(), count)))
}
