//! The standings as people read them on a terminal: plain text, no control characters.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use tournament::standings::{EngineStanding, Standings};

use crate::number::fixed;

/// The final table.
#[must_use]
pub fn table(standings: &Standings, width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        table.set_width(width);
    }
    table.set_header(["#", "engine", "games", "+W =D -L", "score", "Elo", "discs", "faults"]);
    for (rank, engine) in (1..).zip(&standings.engines) {
        table.add_row(row(rank, engine));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn row(rank: usize, engine: &EngineStanding) -> [String; 8] {
    let results = engine.results;
    [
        rank.to_string(),
        engine.name.clone(),
        results.games().to_string(),
        format!("+{} ={} -{}", results.wins, results.draws, results.losses),
        results.score().map(|score| fixed(100.0 * score, 1) + " %").unwrap_or_default(),
        elo(engine),
        engine.disc_diff.map(|discs| signed(discs, 1)).unwrap_or_default(),
        engine.faults.total().to_string(),
    ]
}

fn elo(engine: &EngineStanding) -> String {
    let Some(elo) = engine.elo else { return String::new() };
    match engine.elo_high {
        _ if engine.extreme && engine.results.losses == 0 => format!("at least {}", signed(elo, 0)),
        _ if engine.extreme => format!("at most {}", signed(elo, 0)),
        Some(high) => format!("{} ± {}", signed(elo, 0), fixed(high - elo, 0)),
        None => signed(elo, 0),
    }
}

fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if zero || text.starts_with('-') { text } else { format!("+{text}") }
}

/// The leaders in one line, `1 mcts +123  2 positional +98`: as many as fit the width, at least one.
#[must_use]
pub fn leader_line(standings: &Standings, width: Option<u16>) -> String {
    let leaders: Vec<String> = (1..)
        .zip(&standings.engines)
        .map(|(rank, engine)| {
            let elo = engine.elo.map(|elo| signed(elo, 0)).unwrap_or_default();
            format!("{rank} {} {elo}", engine.name).trim_end().to_owned()
        })
        .collect();
    let room = usize::from(width.unwrap_or(u16::MAX));
    let mut used = 0;
    let fits = leaders.iter().take_while(|leader| {
        used += leader.chars().count() + 2;
        used <= room + 2
    });
    let fitting = fits.count().max(1).min(leaders.len());
    leaders[..fitting].join("  ")
}
