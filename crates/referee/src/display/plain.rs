//! Plain lines, each flushed at once: for files, pipes and logs.

use std::io::{self, Write as _};
use std::time::Duration;

use records::GameRecord;
use tournament::sprt::PairTest;
use tournament::standings::Standings;

use super::{Display, Progress, conclusion, game_line, heading, numbers};
use crate::prepare::Prepared;

/// Prints faults as they happen, and progress every second at first and less often later.
#[derive(Debug, Default)]
pub(super) struct Plain {
    quiet: bool,
    told_at: Duration,
    faults_told: u64,
    /// The state of a sequential test, if it has changed since it was printed.
    test: Option<String>,
}

/// Faults that are printed; the reports have them all.
const MOST_FAULTS: u64 = 200;

impl Plain {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn quiet() -> Self {
        Self { quiet: true, ..Self::default() }
    }

    fn line(&self, text: &str) {
        if !self.quiet {
            print_line(text);
        }
    }
}

/// Prints a line and flushes it. A failure is ignored, since it is no reason to stop playing.
pub(crate) fn print_line(text: &str) {
    let _ = write_line(text);
}

/// The same where the line is the result of a command: failures count, but for a reader that has gone away.
pub(crate) fn write_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

impl Display for Plain {
    fn begin(&mut self, tournament: &Prepared, slots: usize, progress: Progress) {
        heading(tournament, slots, progress).iter().for_each(|line| self.line(line));
    }

    fn game(&mut self, record: &GameRecord, progress: Progress) {
        if record.offender.is_some() && self.faults_told < MOST_FAULTS {
            self.faults_told += 1;
            self.line(&game_line(record));
            if self.faults_told == MOST_FAULTS {
                self.line("more faults are in the reports");
            }
        }
        self.tick(progress);
    }

    fn test(&mut self, test: &PairTest) {
        self.test = Some(test.live_line());
    }

    fn warning(&mut self, text: &str) {
        eprintln!("referee: warning: {text}");
    }

    fn tick(&mut self, progress: Progress) {
        // Once a second at first, then whenever the elapsed time has grown by a tenth.
        let due = self.told_at + (self.told_at / 10).max(Duration::from_secs(1));
        if progress.elapsed >= due {
            self.told_at = progress.elapsed;
            self.line(&numbers(progress));
            if let Some(test) = self.test.take() {
                self.line(&test);
            }
        }
    }

    fn end(&mut self, standings: &Standings, _progress: Progress, last_words: &str) {
        if !standings.engines.is_empty() {
            print_line(&conclusion(standings, None));
        }
        print_line(last_words);
    }
}
