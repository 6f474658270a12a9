//! `summary.json`: what belongs to the pool and not to an engine.

use serde::{Serialize, Serializer};
use tournament::standings::Standings;

/// The summary, in the order in which it is written. A number that does not exist is null.
#[derive(Serialize)]
pub(crate) struct Summary<'a> {
    games: u64,
    /// Finished game pairs.
    pairs: u64,
    distinct_games: u64,
    duplicates: u64,
    clusters: u64,
    draws: u64,
    draw_rate: Option<f64>,
    /// What moving first is worth.
    colour_elo: Option<f64>,
    colour_elo_low: Option<f64>,
    colour_elo_high: Option<f64>,
    #[serde(serialize_with = "by_kind")]
    terminations: &'a Standings,
}

impl<'a> Summary<'a> {
    pub(crate) fn of(standings: &'a Standings) -> Self {
        let games = standings.games;
        Self {
            games: games.played,
            pairs: standings.pairs,
            distinct_games: games.distinct,
            duplicates: games.duplicates(),
            clusters: games.clusters,
            draws: standings.draws,
            draw_rate: (games.played > 0).then(|| rounded(standings.draws as f64 / games.played as f64, 6)),
            colour_elo: standings.colour.map(|colour| rounded(colour.value, 2)),
            colour_elo_low: standings.colour.map(|colour| rounded(colour.lo, 2)),
            colour_elo_high: standings.colour.map(|colour| rounded(colour.hi, 2)),
            terminations: standings,
        }
    }
}

fn by_kind<S: Serializer>(standings: &&Standings, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(standings.terminations.iter().map(|(kind, count)| (kind.name(), count)))
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    // Adding zero turns minus zero into zero.
    (value * scale).round() / scale + 0.0
}
