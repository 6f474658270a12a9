//! A progress bar with the current standings, on a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use records::GameRecord;
use tournament::sprt::PairTest;
use tournament::standings::{Standings, Tally};

use super::plain::print_line;
use super::{Display, Progress, clock_time, conclusion, game_line, heading};
use crate::prepare::Prepared;

#[derive(Debug)]
pub(super) struct Live {
    bar: ProgressBar,
    tally: Tally,
    shown: Option<Instant>,
    faults_told: u64,
    /// The state of a sequential test.
    test: Option<String>,
}

/// Faults that are printed above the bar; the reports have them all.
const MOST_FAULTS: u64 = 10;

impl Live {
    pub(super) fn new() -> Self {
        Self { bar: ProgressBar::no_length(), tally: Tally::new(), shown: None, faults_told: 0, test: None }
    }

    fn width() -> Option<u16> {
        rustix::termios::tcgetwinsize(rustix::stdio::stdout())
            .ok()
            .map(|size| size.ws_col)
            .filter(|&width| width > 0)
    }

    fn show(&mut self, progress: Progress) {
        self.shown = Some(Instant::now());
        let left = progress.left().map(|left| format!(", {} left", clock_time(left))).unwrap_or_default();
        let standings = self.tally.standings();
        let leaders = report::leader_line(&standings, Self::width());
        let test = self.test.as_ref().map(|line| format!("\n{line}")).unwrap_or_default();
        self.bar.set_message(format!("{:.1} games/s{left}\n{leaders}{test}", progress.rate()));
        self.bar.set_position(progress.recorded);
    }
}

impl Display for Live {
    fn begin(&mut self, tournament: &Prepared, slots: usize, progress: Progress) {
        heading(tournament, slots, progress).iter().for_each(|line| print_line(line));
        self.bar.set_length(progress.games);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len}  {msg}") {
            self.bar.set_style(style);
        }
        self.show(progress);
    }

    fn game(&mut self, record: &GameRecord, _progress: Progress) {
        let _ = self.tally.add(record);
        if record.offender.is_some() && self.faults_told < MOST_FAULTS {
            self.faults_told += 1;
            self.bar.println(game_line(record));
            if self.faults_told == MOST_FAULTS {
                self.bar.println("more faults are in the reports");
            }
        }
    }

    fn test(&mut self, test: &PairTest) {
        self.test = Some(test.live_line());
    }

    fn loaded(&mut self, record: &GameRecord) {
        let _ = self.tally.add(record);
    }

    fn warning(&mut self, text: &str) {
        self.bar.suspend(|| eprintln!("referee: warning: {text}"));
    }

    fn tick(&mut self, progress: Progress) {
        // The standings of a long tournament are slow to compute; they may take 5 % of the time.
        const SELDOM: Duration = Duration::from_millis(250);
        let begun = Instant::now();
        if self.shown.is_none_or(|shown| begun.duration_since(shown) >= SELDOM) {
            self.show(progress);
            let cost = begun.elapsed();
            self.shown = Some(begun + cost * 20);
        }
    }

    fn end(&mut self, standings: &Standings, _progress: Progress, last_words: &str) {
        self.bar.finish_and_clear();
        if !standings.engines.is_empty() {
            print_line(&conclusion(standings, Self::width()));
        }
        print_line(last_words);
    }
}
