//! Everything in one JSON object, for programs.

use serde_json::{Value, json};
use tournament::standings::{EngineStanding, Faults, Pairing, Standings};

use crate::number::{decimals, digits, elo, share};
use crate::summary::Summary;

/// An object with `summary` (as in `summary.json`), `engines` in rank order and `pairings`, with the names of the
/// columns of the CSV files. A number that does not exist is null.
#[must_use]
pub fn json(standings: &Standings) -> Value {
    let engines = (1..).zip(&standings.engines).map(|(rank, engine)| of_engine(rank, engine));
    let pairings = standings.pairings.iter().map(|pairing| of_pairing(standings, pairing));
    json!({
        "summary": Summary::of(standings),
        "engines": engines.collect::<Vec<_>>(),
        "pairings": pairings.collect::<Vec<_>>(),
    })
}

fn of_engine(rank: usize, engine: &EngineStanding) -> Value {
    let EngineStanding { results, faults, .. } = engine;
    let faults = |of: fn(Faults) -> u64| faults.map(of);
    let ms = |time: Option<std::time::Duration>| time.and_then(|time| decimals(time.as_secs_f64() * 1e3, 6));
    json!({
        "rank": rank,
        "engine": engine.name,
        "games": results.games(),
        "wins": results.wins,
        "draws": results.draws,
        "losses": results.losses,
        "points": results.half_points() as f64 / 2.0,
        "score": share(results.score()),
        "elo": elo(engine.elo),
        "elo_low": elo(engine.elo_low),
        "elo_high": elo(engine.elo_high),
        "disc_diff": elo(engine.disc_diff),
        "timeouts": faults(|faults| faults.timeouts),
        "illegal_moves": faults(|faults| faults.illegal_moves),
        "crashes": faults(|faults| faults.crashes),
        "other_faults": faults(|faults| faults.others),
        "mean_move_ms": ms(engine.mean_move),
        "max_move_ms": ms(engine.max_move),
        "extreme": engine.extreme,
        "component": engine.component,
        "off_turn_cpu_ms": ms(engine.off_turn),
    })
}

fn of_pairing(standings: &Standings, pairing: &Pairing) -> Value {
    let Pairing { results, pairs, head_to_head: h, discs, .. } = pairing;
    let name = |index: usize| standings.engines[index].name.as_str();
    let [ll, ld, even, wd, ww] = pairs.0;
    json!({
        "engine": name(pairing.engine),
        "opponent": name(pairing.opponent),
        "games": results.games(),
        "wins": results.wins,
        "draws": results.draws,
        "losses": results.losses,
        "score": share(results.score()),
        "pairs": pairs.units(),
        "ll": ll,
        "ld": ld,
        "dd_wl": even,
        "wd": wd,
        "ww": ww,
        "elo": elo(h.elo),
        "elo_low": elo(h.elo_lo),
        "elo_high": elo(h.elo_hi),
        "los": h.los.and_then(digits),
        "disc_diff": elo(discs.mean),
        "disc_diff_low": elo(discs.lo),
        "disc_diff_high": elo(discs.hi),
        "p_value": h.p_equal.and_then(digits),
        "p_holm": pairing.p_holm.and_then(digits),
        "nelo": elo(pairing.nelo.map(|nelo| nelo.value)),
        "pair_var_ratio": share(pairing.pair_var_ratio),
        "distinct_games": pairing.games.distinct,
        "clusters": pairing.games.clusters,
    })
}
