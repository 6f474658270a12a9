//! A file for each game that was lost by a fault, or for every game if that is asked for: the whole exchange with both engines in the order in which it happened, in a file of its own.
//!
//! A file is written before its game is recorded. One whose game then is not recorded belongs to
//! nothing: it is taken away when the tournament is resumed, or replaced when the game is replayed.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use records::GameRecord;
use rules::{ByColor, Color};

use crate::engine::{Diagnostics, LogLine, Sender};

/// The folder inside a results folder.
pub const FOLDER: &str = "evidence";

/// The most that is kept in the folder, in bytes, unless evidence of every game is asked for: 256 MiB.
pub const MOST: u64 = 256 << 20;

/// A folder of evidence.
#[derive(Debug)]
pub struct LogFolder {
    folder: PathBuf,
    of_every_game: bool,
    /// Bytes in the folder.
    held: AtomicU64,
    /// Files written by this run.
    written: AtomicU64,
}

impl LogFolder {
    /// The evidence of a results folder. What is there of games that are not recorded, and what was
    /// not finished, is removed.
    ///
    /// # Errors
    /// If the folder is there but can't be read or tidied up.
    pub fn open(results: &Path, of_every_game: bool, is_recorded: impl Fn(u64) -> bool) -> io::Result<Self> {
        let folder = results.join(FOLDER);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => Some(entries),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut held = 0;
        for entry in entries.into_iter().flatten() {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let left_over = match game_of(&name) {
                Some(game) => !is_recorded(game),
                None => name.starts_with(ASIDE),
            };
            if left_over {
                fs::remove_file(entry.path())?;
            } else {
                held += entry.metadata()?.len();
            }
        }
        Ok(Self { folder, of_every_game, held: held.into(), written: 0.into() })
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many games this run has left evidence of.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// True if there is to be evidence of this game.
    #[must_use]
    pub fn wants(&self, record: &GameRecord) -> bool {
        self.of_every_game || record.termination.is_fault()
    }

    /// Keeps what was said in a game.
    ///
    /// # Errors
    /// What the user should know if it can't be kept. The game counts all the same.
    pub fn keep(&self, game: u64, text: &str) -> Result<(), String> {
        let bytes = text.len() as u64;
        if !self.of_every_game && self.held.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
            let mib = MOST >> 20;
            return Err(format!("{}: holds {mib} MiB already, no more is kept", self.folder.display()));
        }
        let kept = self.write(game, text);
        if kept.is_ok() {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        kept.map_err(|error| format!("cannot write into {}: {error}", self.folder.display()))
    }

    fn write(&self, game: u64, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        // A game is written by one slot at a time.
        let aside = self.folder.join(format!("{ASIDE}{game}"));
        let written =
            fs::write(&aside, text).and_then(|()| fs::rename(&aside, self.folder.join(file_name(game))));
        if written.is_err() {
            let _ = fs::remove_file(&aside);
        }
        written
    }

    /// Takes away what is kept of a game that turned out to count as not played.
    pub fn forget(&self, game: u64) {
        if fs::remove_file(self.folder.join(file_name(game))).is_ok() {
            // One of an earlier run may have been among them.
            let _ = self.written.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| all.checked_sub(1));
        }
    }
}

/// So begin the names of files that are being written.
const ASIDE: &str = ".game-";

fn file_name(game: u64) -> String {
    format!("game-{game:06}.log")
}

fn game_of(name: &str) -> Option<u64> {
    let number = name.strip_prefix("game-")?.strip_suffix(".log")?.parse().ok()?;
    (file_name(number) == name).then_some(number)
}

/// The text of a game's evidence: who played and how it ended, the exchange with both engines in the
/// order of time, and what they wrote to standard error. `begun` is when it began.
#[must_use]
pub fn text(record: &GameRecord, begun: Instant, told: &ByColor<Option<Box<Diagnostics>>>) -> String {
    let mut text = heading(record);
    text += "\nSeconds since the game began; B Black, W White; > sent to the engine, < heard from it.\n\n";
    for line in merged(begun, told) {
        let Line { at, side, said } = line;
        let letter = if side == Color::Black { 'B' } else { 'W' };
        // Writing into a string cannot fail.
        let _ = match said {
            Entry::Line(said) => {
                let arrow = if said.by == Sender::Engine { '<' } else { '>' };
                let cut = if said.cut > 0 { format!(" ... and {} bytes", said.cut) } else { String::new() };
                writeln!(text, "{at:>12.6} {letter} {arrow} {}{cut}", printable(said.line))
            }
            Entry::LeftOut(lines) => writeln!(text, "{at:>12} {letter}   ({lines} lines are left out here)"),
        };
    }
    for side in Color::ALL {
        if let Some(testimony) = &told[side] {
            text += &end_of(record, side, testimony);
        }
    }
    text
}

fn heading(record: &GameRecord) -> String {
    let mut text = format!(
        "Game {}, pair {}, round {}: {} (Black) against {} (White), opening {}, started {}\n",
        record.game,
        record.pair,
        record.round,
        printable(&record.black),
        printable(&record.white),
        match rules::to_transcript(&record.opening) {
            none if none.is_empty() => "none".to_owned(),
            plies => plies,
        },
        record.started,
    );
    let _ = write!(text, "Ended after {:.3} s: {}", record.seconds, record.termination);
    if let Some(offender) = record.offender {
        let _ = write!(text, " by {offender}");
    }
    if let Some(detail) = &record.detail {
        let _ = write!(text, ": {}", printable(detail));
    }
    text.push('\n');
    text
}

/// The unfinished line, the exit status and the standard error of an engine.
fn end_of(record: &GameRecord, side: Color, testimony: &Diagnostics) -> String {
    let name = printable(record.name(side));
    let mut text = format!("\n== {side}, {name}\n");
    if !testimony.unfinished.is_empty() {
        let unfinished = String::from_utf8_lossy(&testimony.unfinished);
        let _ = writeln!(text, "A line without an end: {}", printable(&unfinished));
    }
    if testimony.journal.lines_passed_over() > 0 {
        let lines = testimony.journal.lines_passed_over();
        let _ = writeln!(text, "Lines beyond 100,000 or 64 MiB in answer to one question, not kept: {lines}");
    }
    if testimony.skipped_lines > 0 {
        let _ =
            writeln!(text, "Lines longer than 64 KiB, skipped since its start: {}", testimony.skipped_lines);
    }
    let _ = match testimony.ended {
        Some(status) if testimony.stopped => writeln!(text, "The referee has stopped its process: {status}"),
        Some(status) => writeln!(text, "Its process has ended: {status}"),
        None => writeln!(text, "Its process plays on"),
    };
    let (kept, written) = (testimony.errors.len(), testimony.errors_written);
    let _ = match (kept as u64).cmp(&written) {
        std::cmp::Ordering::Less => {
            writeln!(text, "Standard error since its start, the last {kept} of {written} bytes:")
        }
        _ if kept == 0 => writeln!(text, "Standard error since its start: nothing"),
        _ => writeln!(text, "Standard error since its start, {kept} bytes:"),
    };
    for line in String::from_utf8_lossy(&testimony.errors).split_terminator('\n') {
        text += "    ";
        text += &printable(line.strip_suffix('\r').unwrap_or(line));
        text.push('\n');
    }
    text
}

/// A line of the exchange, or of what is missing from it.
struct Line<'a> {
    /// Seconds.
    at: f64,
    side: Color,
    said: Entry<'a>,
}

enum Entry<'a> {
    Line(LogLine<'a>),
    LeftOut(u64),
}

/// The lines of both engines in the order of time.
fn merged(begun: Instant, told: &ByColor<Option<Box<Diagnostics>>>) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    for side in Color::ALL {
        let Some(testimony) = &told[side] else { continue };
        let journal = &testimony.journal;
        let since = |said: LogLine<'_>| seconds(begun, journal.opened() + said.at);
        lines.extend(journal.beginning().map(|said| Line {
            at: since(said.clone()),
            side,
            said: Entry::Line(said),
        }));
        if journal.dropped() > 0 {
            let at = lines.last().map_or(0.0, |line| line.at);
            lines.push(Line { at, side, said: Entry::LeftOut(journal.dropped()) });
        }
        lines.extend(journal.end().map(|said| Line {
            at: since(said.clone()),
            side,
            said: Entry::Line(said),
        }));
    }
    // Stable: what one engine said at the same moment stays in its order.
    lines.sort_by(|one, other| one.at.total_cmp(&other.at));
    lines
}

/// From one moment to another; below zero if it lies before.
fn seconds(from: Instant, to: Instant) -> f64 {
    let span = |from: Instant, to: Instant| to.saturating_duration_since(from);
    let (after, before): (Duration, Duration) = (span(from, to), span(to, from));
    after.as_secs_f64() - before.as_secs_f64()
}

/// A line with all that could upset a terminal or break the line escaped.
fn printable(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for character in line.chars() {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}') {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_game_and_found_again() {
        for game in [0, 17, 999_999, 1_000_000, 1 << 40] {
            assert_eq!(game_of(&file_name(game)), Some(game));
        }
        assert_eq!(file_name(17), "game-000017.log");
        for other in ["game-17.log", "game-.log", "game-000017.txt", ".game-x1", "notes"] {
            assert_eq!(game_of(other), None, "{other}");
        }
    }

    #[test]
    fn what_belongs_to_no_recorded_game_is_taken_away() {
        let results = tempfile::tempdir().expect("a folder");
        let evidence = LogFolder::open(results.path(), false, |_| true).expect("opened");
        assert!(!evidence.folder().exists(), "made only when there is something to keep");
        for game in 0..3 {
            evidence.keep(game, "what was said\n").expect("kept");
        }
        evidence.keep(1, "and said again\n").expect("kept");
        fs::write(evidence.folder().join(".game-torn"), "half").expect("written");
        fs::write(evidence.folder().join("notes"), "mine").expect("written");
        evidence.forget(2);
        let again = LogFolder::open(results.path(), false, |game| game == 1).expect("opened");
        let mut left: Vec<_> = fs::read_dir(again.folder())
            .expect("the folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
            .collect();
        left.sort();
        assert_eq!(left, ["game-000001.log", "notes"]);
        assert_eq!(
            fs::read_to_string(again.folder().join("game-000001.log")).expect("read"),
            "and said again\n"
        );
    }

    #[test]
    fn the_folder_does_not_grow_for_ever() {
        let results = tempfile::tempdir().expect("a folder");
        let evidence = LogFolder::open(results.path(), false, |_| true).expect("opened");
        evidence.held.store(MOST - 3, Ordering::Relaxed);
        assert!(evidence.keep(0, "four").expect_err("too much").contains("no more is kept"));
        evidence.keep(1, "all").expect("it just fits");
        let asked_for = LogFolder::open(results.path(), true, |_| true).expect("opened");
        asked_for.held.store(MOST, Ordering::Relaxed);
        asked_for.keep(2, "who asks for everything gets it").expect("kept");
    }

    #[test]
    fn nothing_that_was_said_reaches_a_terminal_as_it_was() {
        assert_eq!(printable("a\u{1b}[31m\r\0\té\u{202e}"), "a\\u{1b}[31m\\r\\u{0}\\té\\u{202e}");
    }
}
