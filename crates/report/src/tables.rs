//! The reports with one row an engine or a pairing, as CSV.

use std::io::Write;

use tournament::standings::{EngineStanding, Faults, Pairing, Standings};

use crate::number::{hundredths, milliseconds, points, probability, score};

/// `standings.csv`: one row an engine, in rank order.
pub(crate) fn standings(standings: &Standings, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    out.write_record([
        "rank",
        "engine",
        "games",
        "wins",
        "draws",
        "losses",
        "points",
        "score",
        "elo",
        "elo_low",
        "elo_high",
        "disc_diff",
        "timeouts",
        "illegal_moves",
        "crashes",
        "other_faults",
        "mean_move_ms",
        "max_move_ms",
        "extreme",
        "component",
        "off_turn_cpu_ms",
    ])?;
    for (rank, engine) in (1..).zip(&standings.engines) {
        out.write_record(engine_row(rank, engine))?;
    }
    Ok(())
}

fn engine_row(rank: usize, engine: &EngineStanding) -> [String; 21] {
    let EngineStanding { results, .. } = engine;
    let faults =
        |of: fn(Faults) -> u64| engine.faults.map(|faults| of(faults).to_string()).unwrap_or_default();
    [
        rank.to_string(),
        engine.name.clone(),
        results.games().to_string(),
        results.wins.to_string(),
        results.draws.to_string(),
        results.losses.to_string(),
        points(results.half_points()),
        score(results.score()),
        hundredths(engine.elo),
        hundredths(engine.elo_low),
        hundredths(engine.elo_high),
        hundredths(engine.disc_diff),
        faults(|faults| faults.timeouts),
        faults(|faults| faults.illegal_moves),
        faults(|faults| faults.crashes),
        faults(|faults| faults.others),
        engine.mean_move.map(milliseconds).unwrap_or_default(),
        engine.max_move.map(milliseconds).unwrap_or_default(),
        engine.extreme.to_string(),
        engine.component.to_string(),
        engine.off_turn.map(milliseconds).unwrap_or_default(),
    ]
}

/// `pairings.csv`: one row for each two engines that met, in the order of the definition.
pub(crate) fn pairings(standings: &Standings, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    out.write_record([
        "engine",
        "opponent",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "pairs",
        "ll",
        "ld",
        "dd_wl",
        "wd",
        "ww",
        "elo",
        "elo_low",
        "elo_high",
        "los",
        "disc_diff",
        "disc_diff_low",
        "disc_diff_high",
        "p_value",
        "p_holm",
        "nelo",
        "pair_var_ratio",
        "distinct_games",
        "clusters",
    ])?;
    for pairing in &standings.pairings {
        let name = |index: usize| standings.engines[index].name.clone();
        out.write_record(pairing_row(name(pairing.engine), name(pairing.opponent), pairing))?;
    }
    Ok(())
}

fn pairing_row(engine: String, opponent: String, pairing: &Pairing) -> [String; 26] {
    let Pairing { results, pairs, head_to_head, discs, .. } = pairing;
    let [ll, ld, even, wd, ww] = pairs.0.map(|count| count.to_string());
    [
        engine,
        opponent,
        results.games().to_string(),
        results.wins.to_string(),
        results.draws.to_string(),
        results.losses.to_string(),
        score(results.score()),
        pairs.units().to_string(),
        ll,
        ld,
        even,
        wd,
        ww,
        hundredths(head_to_head.elo),
        hundredths(head_to_head.elo_lo),
        hundredths(head_to_head.elo_hi),
        probability(head_to_head.los),
        hundredths(discs.mean),
        hundredths(discs.lo),
        hundredths(discs.hi),
        probability(head_to_head.p_equal),
        probability(pairing.p_holm),
        hundredths(pairing.nelo.map(|nelo| nelo.value)),
        score(pairing.pair_var_ratio),
        pairing.games.distinct.map(|distinct| distinct.to_string()).unwrap_or_default(),
        pairing.games.clusters.to_string(),
    ]
}

/// `crosstable.csv`: the points that the row's engine won against the column's; empty on the diagonal
/// and where two never met.
pub(crate) fn crosstable(standings: &Standings, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    let engines = &standings.engines;
    let mut won = vec![vec![None; engines.len()]; engines.len()];
    for pairing in &standings.pairings {
        won[pairing.engine][pairing.opponent] = Some(pairing.results.half_points());
        won[pairing.opponent][pairing.engine] = Some(pairing.results.mirrored().half_points());
    }
    let names = engines.iter().map(|engine| engine.name.as_str());
    out.write_record(std::iter::once("engine").chain(names))?;
    for (engine, row) in engines.iter().zip(won) {
        let fields = row.into_iter().map(|half_points| half_points.map(points).unwrap_or_default());
        out.write_record(std::iter::once(engine.name.clone()).chain(fields))?;
    }
    Ok(())
}
