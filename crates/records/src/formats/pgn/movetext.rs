//! The moves of a game in PGN, with comments and variations.

use std::cell::Cell;
use std::time::Duration;

use rules::Ply;

use super::super::error::{ParseError, quoted};
use super::super::game::{Game, Played};
use super::super::lines::latin1;
use crate::results::parse_outcome;
use crate::verdict::Outcome;

/// A line of the file.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    number: u64,
    is_latin1: bool,
    /// The last byte that [`column`](Self::column) was called for, and the number of characters before it.
    counted: Cell<(usize, usize)>,
}

impl Line {
    /// Sets the text of the line. Text that is not UTF-8 is read as Latin-1.
    pub(super) fn set(&mut self, bytes: &[u8], number: u64) {
        self.text.clear();
        self.is_latin1 = match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.text.push_str(text);
                false
            }
            Err(_) => {
                self.text.push_str(&latin1(bytes));
                true
            }
        };
        self.number = number;
        self.counted.take();
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The number of the line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The column in the file, from 1, of a byte of the text: in Latin-1 each character was one byte. Calls must be in
    /// ascending order of `at`.
    fn column(&self, at: usize) -> usize {
        if !self.is_latin1 {
            return at + 1;
        }
        let (before, characters) = self.counted.get();
        let characters = characters + self.text[before..at].chars().count();
        self.counted.set((at, characters));
        characters + 1
    }
}

/// The moves of a game, read line by line.
#[derive(Debug, Default)]
pub(super) struct Movetext {
    /// The result after the moves, with its line and column.
    pub(super) result: Option<(Outcome, u64, usize)>,
    /// The score in the last comment: the winner's discs, then the loser's.
    pub(super) score: Option<(u8, u8)>,
    /// The first error.
    pub(super) error: Option<ParseError>,
    /// The open comment, and line and column of its brace.
    comment: Option<(String, u64, usize)>,
    /// The number of open variations. Their moves are skipped.
    variations: u32,
    /// Line and column of the parenthesis that opens the outermost variation.
    variation: (u64, usize),
}

impl Movetext {
    pub(super) fn in_comment(&self) -> bool {
        self.comment.is_some()
    }

    /// Ends the moves. An open comment or variation is an error, since it may have hidden moves.
    pub(super) fn finish(&mut self) {
        if let Some(&(_, line, column)) = self.comment.as_ref() {
            self.unclosed(
                line,
                column,
                "expected `}` before the end of the game: the comment that begins here",
            );
        }
        if self.variations > 0 {
            let (line, column) = self.variation;
            self.unclosed(
                line,
                column,
                "expected `)` before the end of the game: the variation that begins here",
            );
        }
    }

    /// Sets the error for a comment or variation that is not closed, unless there is an earlier error.
    fn unclosed(&mut self, line: u64, column: usize, what: &str) {
        self.error.get_or_insert_with(|| ParseError::new(line, column, format!("{what} is not closed")));
    }

    /// Reads a line from the byte `at` on and plays its moves. Returns the byte at which the game ended, if it did.
    pub(super) fn read_line(&mut self, game: &mut Game, line: &Line, at: usize) -> Option<usize> {
        let (text, number) = (line.text(), line.number());
        let mut at = at;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            if let Some((comment, line, column)) = &mut self.comment {
                let end = rest.find(['{', '}']);
                comment.push_str(&rest[..end.unwrap_or(rest.len())]);
                match end {
                    // Comments do not nest. The closing brace is missing, and the comment may hold moves.
                    Some(end) if rest[end..].starts_with('{') => {
                        let (line, column) = (*line, *column);
                        let what = "expected `}` before the next comment: the one that begins here";
                        self.unclosed(line, column, what);
                        self.comment = None;
                        at += end;
                        continue;
                    }
                    Some(end) => {
                        self.end_comment(game);
                        at += end + 1;
                        continue;
                    }
                    None => break,
                }
            }
            match first {
                '{' => {
                    self.comment = Some((String::new(), number, line.column(at)));
                    at += 1;
                }
                ';' => return None,
                '(' => {
                    if self.variations == 0 {
                        self.variation = (number, line.column(at));
                    }
                    self.variations = self.variations.saturating_add(1);
                    at += 1;
                }
                ')' => {
                    self.variations = self.variations.saturating_sub(1);
                    at += 1;
                }
                first if first.is_whitespace() => at += first.len_utf8(),
                _ => {
                    let length = word_length(rest);
                    let ends = self.variations == 0
                        && self.read_word(game, &rest[..length], number, line.column(at));
                    at += length;
                    if ends {
                        return Some(at);
                    }
                }
            }
        }
        if let Some((comment, ..)) = &mut self.comment {
            comment.push(' ');
        }
        None
    }

    /// Reads a word. True if it ends the game.
    fn read_word(&mut self, game: &mut Game, word: &str, line: u64, column: usize) -> bool {
        if word == "*" {
            return true;
        }
        if let Some(outcome) = parse_outcome(word) {
            self.result = Some((outcome, line, column));
            return true;
        }
        if word.starts_with('$') || self.error.is_some() {
            return false;
        }
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && word[digits..].bytes().all(|byte| byte == b'.') {
            return false;
        }
        let plain = word.trim_end_matches(['!', '?']);
        let what = match plain.parse::<Ply>().map(|ply| game.push(ply.into())) {
            Ok(Ok(())) => return false,
            Ok(Err(why)) => format!("ply {}: {why}", game.plies().len() + 1),
            Err(_) => format!("expected a square (a1 to h8), `pass` or a result, found {}", quoted(word)),
        };
        self.error = Some(ParseError::new(line, column, what));
        false
    }

    /// Reads the comment: `NAME wins 40-24` after the last move, `+1.50/9 0.049s` after any move.
    fn end_comment(&mut self, game: &mut Game) {
        let comment = self.comment.take().map_or_else(String::new, |(comment, ..)| comment);
        if self.variations > 0 {
            return;
        }
        let last = comment.split_whitespace().next_back().unwrap_or("");
        if let Some((first, second)) = last.split_once('-')
            && let (Ok(first), Ok(second)) = (first.parse(), second.parse())
        {
            self.score = Some((first, second));
            return;
        }
        if let Some(said) = parse_annotation(&comment) {
            game.annotate(said);
        }
    }
}

/// The length of the word at the start of `text`. A move number with its full stops is one word.
fn word_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let stops = text.bytes().skip(digits).take_while(|&byte| byte == b'.').count();
    if digits > 0 && stops > 0 {
        return digits + stops;
    }
    let ends =
        |character: char| character.is_whitespace() || matches!(character, '{' | '}' | ';' | '(' | ')');
    let first = text.chars().next().map_or(0, char::len_utf8);
    text[first..].find(ends).map_or(text.len(), |end| first + end)
}

/// Reads the annotation of a move: `+1.50/9 0.049s`, `+1.50`, `0.049s`, `+1.50/9`.
fn parse_annotation(comment: &str) -> Option<Played> {
    let mut said = Played::from(Ply::Pass);
    for word in comment.split_whitespace() {
        if let Some(seconds) = word.strip_suffix('s').and_then(|seconds| seconds.parse().ok()) {
            said.spent = Some(Duration::try_from_secs_f64(seconds).ok()?);
            continue;
        }
        let (score, depth) = word.split_once('/').map_or((word, None), |(score, depth)| (score, Some(depth)));
        if said.score.is_some() || !score.starts_with(['+', '-', '0']) {
            return None;
        }
        said.score = Some(score.parse().ok().filter(|score: &f64| score.is_finite())?);
        said.depth = depth.map(str::parse).transpose().ok()?;
    }
    (said.score.is_some() || said.spent.is_some()).then_some(said)
}
