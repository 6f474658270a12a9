//! The standings as tables for a terminal: plain text without control characters, cut to a width.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, presets};
use tournament::standings::{EngineStanding, Pairing, Results, Standings};

use crate::number::{fixed, signed};

/// With more pairings than this, their table is left out; `pairings.csv` has them.
const MAX_PAIRINGS: usize = 10;
/// A name is not cut below this width; columns are dropped instead.
const MIN_NAME_WIDTH: usize = 12;
const GAP: u16 = 2;

/// The final table: a row an engine, and below it a row a pairing if they are few. No line is wider than `width`
/// (columns of the terminal) unless even the ratings do not fit: names are cut, then the less important columns are
/// dropped.
#[must_use]
pub fn table(standings: &Standings, width: Option<u16>) -> String {
    let engines = || standings.engines.iter();
    let numbers = |of: &dyn Fn(&EngineStanding) -> String| engines().map(of).collect::<Vec<_>>();
    let mut text = render(
        vec![
            TextColumn {
                shrink: Shrink::Never,
                ..TextColumn::new("#", 0, numbers(&|engine| engine.rank.to_string()))
            },
            TextColumn::name("engine", numbers(&|engine| printable(&engine.name))),
            TextColumn::new("games", 0, numbers(&|engine| engine.results.games().to_string())),
            TextColumn::new("+W =D -L", 2, numbers(&|engine| results(engine.results))),
            TextColumn::new("score", 3, numbers(&|engine| percent(engine.results))),
            TextColumn { shrink: Shrink::Never, ..TextColumn::new("Elo", 0, numbers(&elo)) },
            TextColumn::new("discs", 1, numbers(&|engine| engine.disc_diff.map(discs).unwrap_or_default())),
            TextColumn::new("faults", 4, numbers(&faults)),
        ],
        width,
    );
    if (1..=MAX_PAIRINGS).contains(&standings.pairings.len()) {
        text.push_str("\n\n");
        text.push_str(&pairings(standings, width));
    }
    text
}

fn pairings(standings: &Standings, width: Option<u16>) -> String {
    let numbers = |of: &dyn Fn(&Pairing) -> String| standings.pairings.iter().map(of).collect::<Vec<_>>();
    let names =
        |of: &dyn Fn(&Pairing) -> usize| numbers(&|pairing| printable(&standings.engines[of(pairing)].name));
    render(
        vec![
            TextColumn::name("engine", names(&|pairing| pairing.engine)),
            TextColumn::name("opponent", names(&|pairing| pairing.opponent)),
            TextColumn::new("+W =D -L", 1, numbers(&|pairing| results(pairing.results))),
            TextColumn::new("score", 2, numbers(&|pairing| percent(pairing.results))),
            TextColumn { shrink: Shrink::Never, ..TextColumn::new("Elo", 0, numbers(&pairing_elo)) },
            TextColumn::new(
                "discs",
                0,
                numbers(&|pairing| pairing.discs.mean.map(discs).unwrap_or_default()),
            ),
            TextColumn::new(
                "p (Holm)",
                3,
                numbers(&|pairing| pairing.p_holm.map(p_value).unwrap_or_default()),
            ),
        ],
        width,
    )
}

/// The leaders in one line, as many as fit: `1 mcts +123 2 positional +98`.
#[must_use]
pub fn leader_line(standings: &Standings, width: Option<u16>) -> String {
    let rated = |engine: &EngineStanding| match engine.elo {
        Some(elo) => format!("{} {} {}", engine.rank, printable(&engine.name), signed(elo, 0)),
        None => format!("{} {}", engine.rank, printable(&engine.name)),
    };
    let leaders: Vec<String> = standings.engines.iter().map(rated).collect();
    let room = width.map_or(usize::MAX, usize::from);
    let mut end = 0;
    let fitting = leaders.iter().take_while(|leader| {
        let begin = if end == 0 { 0 } else { end + usize::from(GAP) };
        end = begin + display_width(leader);
        end <= room
    });
    leaders[..fitting.count()].join("  ")
}

struct TextColumn {
    head: &'static str,
    cells: Vec<String>,
    shrink: Shrink,
    left: bool,
}

/// What happens to a column if the table is too wide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shrink {
    /// It is dropped, the least number first.
    Drop(u8),
    /// Its cells are cut.
    Truncate,
    /// Nothing.
    Never,
}

impl TextColumn {
    fn new(head: &'static str, importance: u8, cells: Vec<String>) -> Self {
        Self { head, cells, shrink: Shrink::Drop(importance), left: false }
    }

    fn name(head: &'static str, cells: Vec<String>) -> Self {
        Self { head, cells, shrink: Shrink::Truncate, left: true }
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| display_width(cell)).chain([self.head.len()]).max().unwrap_or(0)
    }
}

fn render(mut columns: Vec<TextColumn>, width: Option<u16>) -> String {
    if let Some(room) = width {
        let needed = |column: &TextColumn| match column.shrink {
            Shrink::Truncate => column.width().min(MIN_NAME_WIDTH),
            _ => column.width(),
        };
        let total = |columns: &[TextColumn]| {
            columns.iter().map(|column| needed(column) + usize::from(GAP)).sum::<usize>()
        };
        while total(&columns) > usize::from(room) + usize::from(GAP)
            && let Some((least, _)) = columns
                .iter()
                .enumerate()
                .filter(|(_, column)| matches!(column.shrink, Shrink::Drop(_)))
                .min_by_key(|(_, column)| column.shrink)
        {
            columns.remove(least);
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        // The gap behind the last column is trimmed at the end.
        table.set_width(width.saturating_add(GAP));
    }
    let mut head = Row::from(columns.iter().map(|column| column.head));
    head.max_height(1);
    table.set_header(head);
    for row in 0..columns.first().map_or(0, |column| column.cells.len()) {
        let mut row = Row::from(columns.iter().map(|column| Cell::new(&column.cells[row])));
        row.max_height(1);
        table.add_row(row);
    }
    for (column, laid_out) in columns.iter().zip(table.column_iter_mut()) {
        laid_out.set_padding((0, GAP));
        if !column.left {
            laid_out.set_cell_alignment(CellAlignment::Right);
        }
        if column.shrink != Shrink::Truncate {
            laid_out.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.trim_fmt()
}

/// The width of a text in columns of the terminal: some characters take two.
pub(crate) fn display_width(text: &str) -> usize {
    let mut table = Table::new();
    table.add_row([text]);
    table.column_max_content_widths().into_iter().map(usize::from).sum()
}

/// A name without control characters, which a terminal would obey.
pub(crate) fn printable(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

fn results(results: Results) -> String {
    format!("+{} ={} -{}", results.wins, results.draws, results.losses)
}

fn percent(results: Results) -> String {
    results.score().map(|score| format!("{} %", fixed(100.0 * score, 1))).unwrap_or_default()
}

fn discs(difference: f64) -> String {
    signed(difference, 1)
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

fn faults(engine: &EngineStanding) -> String {
    engine.faults.map(|faults| faults.total().to_string()).unwrap_or_default()
}

fn pairing_elo(pairing: &Pairing) -> String {
    let h = &pairing.head_to_head;
    match (h.elo, h.elo_lo, h.elo_hi) {
        (Some(elo), Some(low), Some(high)) => {
            format!("{} ({} .. {})", signed(elo, 0), signed(low, 0), signed(high, 0))
        }
        (Some(elo), ..) => signed(elo, 0),
        (None, Some(low), None) => format!("(from {})", signed(low, 0)),
        (None, None, Some(high)) => format!("(up to {})", signed(high, 0)),
        _ => String::new(),
    }
}

fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { fixed(p, 4) }
}
