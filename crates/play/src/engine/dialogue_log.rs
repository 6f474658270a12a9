//! Every line to and from an engine, with its time, in bounded memory.

use std::time::{Duration, Instant};

/// Of each line so many bytes are kept.
const LONGEST_LINE: usize = 4096;
/// So much is kept of how a game began...
const HEAD: usize = 32 << 10;
/// ...and at least so much, at most twice that, of how it went on.
const TAIL: usize = 64 << 10;

/// The sender of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// We.
    Referee,
    /// The engine.
    Engine,
}

/// A line as it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// Since the journal was opened.
    pub at: Duration,
    /// By whom.
    pub by: Sender,
    /// The line without its end, cut to 4 KiB; what is not UTF-8 was replaced when it was read.
    pub line: &'a str,
    /// How many bytes of it were cut off.
    pub cut: usize,
}

/// The exchange with one engine since its current game began.
#[derive(Clone, Debug)]
pub struct DialogueLog {
    opened: Instant,
    head: Vec<u8>,
    older: Vec<u8>,
    newer: Vec<u8>,
    dropped: u64,
    passed_over: u64,
}

impl DialogueLog {
    /// An empty one, opened now.
    pub(super) fn new() -> Self {
        Self {
            opened: Instant::now(),
            head: Vec::new(),
            older: Vec::new(),
            newer: Vec::new(),
            dropped: 0,
            passed_over: 0,
        }
    }

    /// Forgets everything and begins anew.
    pub(super) fn reopen(&mut self) {
        self.opened = Instant::now();
        self.head.clear();
        self.older.clear();
        self.newer.clear();
        self.dropped = 0;
        self.passed_over = 0;
    }

    /// When it was opened.
    #[must_use]
    pub fn opened(&self) -> Instant {
        self.opened
    }

    /// Notes the lines of a text that was sent.
    pub(super) fn sent(&mut self, text: &[u8], at: Instant) {
        for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            // Questions are UTF-8; a line that is not is left out of the log only.
            self.note(Sender::Referee, std::str::from_utf8(line).unwrap_or(""), at);
        }
    }

    /// Notes a line that was heard.
    pub(super) fn heard(&mut self, line: &str, at: Instant) {
        self.note(Sender::Engine, line, at);
    }

    /// Counts a line that is one of too many.
    pub(super) fn passed_over(&mut self) {
        self.passed_over += 1;
    }

    fn note(&mut self, by: Sender, line: &str, at: Instant) {
        let end = (0..=LONGEST_LINE.min(line.len())).rev().find(|&end| line.is_char_boundary(end));
        let kept = &line[..end.unwrap_or(0)];
        let place = if self.older.is_empty() && self.newer.is_empty() && self.head.len() < HEAD {
            &mut self.head
        } else {
            if self.newer.len() >= TAIL {
                self.dropped += count(&self.older);
                std::mem::swap(&mut self.older, &mut self.newer);
                self.newer.clear();
            }
            &mut self.newer
        };
        let nanos = u64::try_from(at.saturating_duration_since(self.opened).as_nanos()).unwrap_or(u64::MAX);
        place.extend_from_slice(&nanos.to_le_bytes());
        place.extend_from_slice(&u32::try_from(kept.len()).unwrap_or(0).to_le_bytes());
        place.extend_from_slice(&u32::try_from(line.len() - kept.len()).unwrap_or(u32::MAX).to_le_bytes());
        place.push(u8::from(by == Sender::Engine));
        place.extend_from_slice(kept.as_bytes());
    }

    /// How the exchange began, in order.
    pub fn beginning(&self) -> impl Iterator<Item = LogLine<'_>> {
        Lines(&self.head)
    }

    /// How many lines between beginning and end were not kept.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// How many lines were not even looked at, after too many in answer to one question. They stood
    /// behind all others of that answer.
    #[must_use]
    pub fn lines_passed_over(&self) -> u64 {
        self.passed_over
    }

    /// How it went on, in order.
    pub fn end(&self) -> impl Iterator<Item = LogLine<'_>> {
        Lines(&self.older).chain(Lines(&self.newer))
    }
}

/// The lines that stand in a buffer.
struct Lines<'a>(&'a [u8]);

/// Moment, length, bytes cut off, speaker.
const HEADER: usize = 8 + 4 + 4 + 1;

impl<'a> Iterator for Lines<'a> {
    type Item = LogLine<'a>;

    fn next(&mut self) -> Option<LogLine<'a>> {
        let (nanos, rest) = self.0.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (cut, rest) = rest.split_first_chunk()?;
        let (by, rest) = rest.split_first()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (line, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(LogLine {
            at: Duration::from_nanos(u64::from_le_bytes(*nanos)),
            by: if *by == 1 { Sender::Engine } else { Sender::Referee },
            line: std::str::from_utf8(line).unwrap_or(""),
            cut: usize::try_from(u32::from_le_bytes(*cut)).unwrap_or(usize::MAX),
        })
    }
}

fn count(mut buffer: &[u8]) -> u64 {
    let mut lines = 0;
    while let Some(length) = buffer.get(8..12).and_then(|bytes| bytes.first_chunk()) {
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        lines += 1;
        buffer = buffer.get(HEADER.saturating_add(length)..).unwrap_or_default();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_read_back() {
        let mut journal = DialogueLog::new();
        let at = journal.opened() + Duration::from_micros(1500);
        journal.sent(b"position startpos\nisready\n", at);
        journal.heard("readyok", at);
        let said: Vec<_> = journal.beginning().collect();
        assert_eq!(
            said.iter().map(|each| each.line).collect::<Vec<_>>(),
            ["position startpos", "isready", "readyok"]
        );
        assert_eq!(
            (said[0].at, said[0].by, said[2].by),
            (Duration::from_micros(1500), Sender::Referee, Sender::Engine)
        );
        assert_eq!((journal.end().count(), journal.dropped()), (0, 0));
        journal.reopen();
        assert_eq!(journal.beginning().count(), 0);
    }

    #[test]
    fn a_flood_leaves_beginning_and_end() {
        let mut journal = DialogueLog::new();
        let at = journal.opened();
        let lines = 100_000_u64;
        for number in 0..lines {
            journal.heard(&format!("line {number}"), at);
        }
        let (beginning, end) = (journal.beginning().count() as u64, journal.end().count() as u64);
        assert_eq!(beginning + journal.dropped() + end, lines);
        assert_eq!(journal.beginning().next().map(|said| said.line.to_owned()), Some("line 0".to_owned()));
        assert_eq!(
            journal.end().last().map(|said| said.line.to_owned()),
            Some(format!("line {}", lines - 1))
        );
        assert!(end > 1000 && journal.head.len() + journal.older.len() + journal.newer.len() < 4 * TAIL);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let mut journal = DialogueLog::new();
        let at = journal.opened();
        let line = "é".repeat(4000);
        journal.heard(&line, at);
        let said = journal.beginning().next().expect("a line");
        assert_eq!((said.line.len(), said.cut), (4096, 8000 - 4096));
    }
}
