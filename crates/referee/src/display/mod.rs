//! Output while a tournament runs.

mod json;
mod live;
mod plain;

use std::io::IsTerminal as _;
use std::time::Duration;

use records::GameRecord;
use rules::Empties;
use tournament::definition::OpeningSource;
use tournament::sprt::PairTest;
use tournament::standings::Standings;

use crate::prepare::Prepared;

pub(crate) use json::verdict_event;
pub(crate) use plain::{print_line, write_line};

/// The kind of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A bar and standings on a terminal, else plain lines.
    Automatic,
    /// Nothing but the final table.
    Quiet,
    /// One JSON object a line.
    Json,
}

/// Where a tournament stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Games recorded, including those of earlier runs.
    pub recorded: u64,
    /// Games recorded by this run.
    pub fresh: u64,
    /// Games in all.
    pub games: u64,
    /// Time since this run's first game began.
    pub elapsed: Duration,
}

impl Progress {
    /// Games per second in this run.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.fresh as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// The remaining time at this rate; `None` before the first game.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let missing = self.games.saturating_sub(self.recorded) as f64;
        (self.fresh > 0).then(|| Duration::try_from_secs_f64(missing / self.rate()).ok()).flatten()
    }
}

/// Shows how a tournament goes.
pub trait Display {
    /// The tournament begins.
    fn begin(&mut self, tournament: &Prepared, slots: usize, progress: Progress);
    /// A game was recorded by this run.
    fn game(&mut self, record: &GameRecord, progress: Progress);
    /// The sequential test counted another pair.
    fn test(&mut self, _test: &PairTest) {}
    /// A game of an earlier run was read.
    fn loaded(&mut self, _record: &GameRecord) {}
    fn warning(&mut self, text: &str);
    /// Called four times a second.
    fn tick(&mut self, progress: Progress);
    /// All games have ended.
    fn end(&mut self, standings: &Standings, progress: Progress, last_words: &str);
}

/// The display for this style and this standard output.
#[must_use]
pub fn display(style: Style) -> Box<dyn Display> {
    match style {
        Style::Json => Box::new(json::Json),
        Style::Quiet => Box::new(plain::Plain::quiet()),
        Style::Automatic if std::io::stdout().is_terminal() => Box::new(live::Live::new()),
        Style::Automatic => Box::new(plain::Plain::new()),
    }
}

/// The final table, its notes, a line each, and a summary in words.
pub(crate) fn conclusion(standings: &Standings, width: Option<u16>) -> String {
    const USUAL: u16 = 100;
    let wrapped = |text: String| report::wrapped(&text, usize::from(width.unwrap_or(USUAL)));
    let notes: Vec<String> = report::notes(standings).into_iter().map(wrapped).collect();
    let mut parts = Vec::new();
    if !standings.engines.is_empty() {
        parts.push(report::table(standings, width).trim_end().to_owned());
    }
    if !notes.is_empty() {
        parts.push(notes.join("\n"));
    }
    parts.push(wrapped(report::findings(standings)));
    parts.join("\n\n")
}

/// The lines that describe the tournament.
fn heading(tournament: &Prepared, slots: usize, progress: Progress) -> Vec<String> {
    let (definition, resolved) = (&tournament.definition, &tournament.resolved);
    let openings = match definition.opening_source() {
        Ok(OpeningSource::Random(plies)) => format!("{plies} random plies"),
        Ok(OpeningSource::Every { plies, .. }) => format!("every position after {plies} plies"),
        Ok(OpeningSource::File { path, order, plies }) => {
            let first = plies.map_or_else(String::new, |plies| format!("the first {plies} plies of "));
            format!("{first}{}, {order}", path.display())
        }
        Err(error) => error.message,
    };
    let empties = match definition.empties {
        Empties::Winner => "empty squares to the winner",
        Empties::None => "discs on the board",
    };
    let side = definition.board.side();
    let mut lines = vec![
        format!(
            "{}: {} of {} engines, {} games",
            definition.name,
            definition.format,
            definition.engines.len(),
            progress.games
        ),
        format!(
            "  {} on {side}x{side}, score: {empties}; openings: {openings}; seed {}",
            definition.variant, resolved.seed
        ),
        format!(
            "  time {}, margin {}; games at once: {slots}",
            definition.time,
            clock::format_duration(definition.margin)
        ),
    ];
    for (index, (entry, engine)) in definition.engines.iter().zip(&resolved.engines).enumerate() {
        let mut line = format!("  {}", engine.name);
        if engine.calls_itself.as_ref().is_some_and(|own| *own != engine.name) {
            line += &format!(" ({})", engine.calls_itself.as_deref().unwrap_or_default());
        }
        line += &format!(": {}", entry.command.join(" "));
        let options: Vec<String> =
            entry.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !options.is_empty() {
            line += &format!(" [{}]", options.join(" "));
        }
        let time = definition.time_of(index);
        if time != definition.time {
            line += &format!(", time {time}");
        }
        lines.push(line);
    }
    if progress.recorded > 0 {
        lines.push(format!("  {} games are recorded from before", progress.recorded));
    }
    lines
}

/// A duration: `1:05:09`, `4:07`, `12 s`.
fn clock_time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest} s"),
        (0, _) => format!("{minutes}:{rest:02}"),
        _ => format!("{hours}:{minutes:02}:{rest:02}"),
    }
}

/// A progress line.
fn numbers(progress: Progress) -> String {
    let left = progress.left().map(|left| format!(", {} left", clock_time(left))).unwrap_or_default();
    format!("{}/{} games, {:.1} games/s{left}", progress.recorded, progress.games, progress.rate())
}

/// A game and how it ended, in a line.
fn game_line(record: &GameRecord) -> String {
    let score = record.score;
    let mut line =
        format!("game {}: {} - {} {}-{}", record.game, record.black, record.white, score.black, score.white);
    if let Some(offender) = record.offender {
        line += &format!(", {} by {}", record.termination, record.name(offender));
        if let Some(detail) = &record.detail {
            line += &format!(" ({})", detail.replace(char::is_control, " "));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let at = |seconds| clock_time(Duration::from_secs(seconds));
        assert_eq!([at(9), at(247), at(3909)], ["9 s", "4:07", "1:05:09"]);
    }

    #[test]
    fn the_time_left_is_by_this_runs_rate() {
        let progress = Progress { recorded: 60, fresh: 10, games: 100, elapsed: Duration::from_secs(5) };
        assert_eq!(progress.left(), Some(Duration::from_secs(20)));
        assert_eq!(numbers(progress), "60/100 games, 2.0 games/s, 20 s left");
        assert_eq!(Progress { fresh: 0, ..progress }.left(), None);
    }
}
