//! PGN as Edax writes it: tags, then numbered moves. The first player is Black, and `1-0` is a win of Black.
//!
//! A comment after a move may hold its evaluation and time in the form of other referees: `{+1.50/9 0.049s}` is 1.5
//! discs at depth 9, in 49 ms.

mod fen;
mod movetext;
mod results_only;
mod writer;

use std::borrow::Cow;
use std::io::BufRead;

use rules::{BoardSize, ByColor, Color, Position, Variant};

use super::date::Day;
use super::error::{ParseError, ReadError, quoted};
use super::game::{Game, Item, name_or_empty};
use super::game_end::StatedResult;
use super::lines::Lines;
use crate::results::parse_outcome;
use crate::verdict::{Outcome, Termination};
use movetext::{Line, Movetext};
pub use results_only::write_result;
pub(super) use writer::write;

/// PGN's names of terminations. Those without one are written with our own.
const TERMINATIONS: [(Termination, &str); 5] = [
    (Termination::Normal, "normal"),
    (Termination::Timeout, "time forfeit"),
    (Termination::IllegalMove, "rules infraction"),
    (Termination::Crash, "abandoned"),
    (Termination::Adjudicated, "adjudication"),
];

/// A result as it stands after the moves and in the tag `Result`.
fn result_text(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Color::Black) => "1-0",
        Outcome::Win(Color::White) => "0-1",
        Outcome::Draw => "1/2-1/2",
    }
}

/// PGN, read game by game.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    line: Line,
    /// The byte of the line from which on it is still to be read; `None` if all of it was read.
    at: Option<usize>,
}

impl<R: BufRead> Reader<R> {
    /// The games of a file or a stream.
    pub fn new(reader: R) -> Self {
        Self { lines: Lines::new(reader), line: Line::default(), at: None }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        let mut draft = Draft::new();
        loop {
            let at = match self.at.take() {
                Some(at) => at,
                None if self.lines.advance()? => {
                    self.line.set(self.lines.bytes(), self.lines.number());
                    0
                }
                None => break,
            };
            let (text, number) = (self.line.text(), self.line.number());
            let in_comment = draft.moves.as_ref().is_some_and(Movetext::in_comment);
            // A line of a comment may begin with a bracket, but hardly with a tag that begins a game.
            if at == 0 && text.starts_with('[') && (!in_comment || begins_game(text)) {
                if draft.moves.is_some() {
                    self.at = Some(0);
                    break;
                }
                draft.read_tag(text, number);
            } else if draft.moves.is_some() || !(text[at..].trim().is_empty() || text.starts_with('%')) {
                let moves = draft.moves.get_or_insert_default();
                if let Some(end) = moves.read_line(&mut draft.game, &self.line, at) {
                    self.at = Some(end).filter(|&end| !text[end..].trim().is_empty());
                    break;
                }
            }
        }
        if draft.begin == 0 && draft.moves.is_none() {
            return Ok(None);
        }
        draft.finish().map(|game| Some(Item::Game(game))).map_err(ReadError::BadItem)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// A game while it is read.
struct Draft {
    /// The line of its first tag; 0 if there is none.
    begin: u64,
    game: Game,
    variant: Option<Variant>,
    result: Option<Outcome>,
    termination: Option<Termination>,
    moves: Option<Movetext>,
    error: Option<ParseError>,
}

impl Draft {
    fn new() -> Self {
        Self {
            begin: 0,
            game: Game::new(Position::start(BoardSize::Eight)),
            variant: None,
            result: None,
            termination: None,
            moves: None,
            error: None,
        }
    }

    fn read_tag(&mut self, line: &str, number: u64) {
        if self.begin == 0 {
            self.begin = number;
        }
        let taken = match parse_tag(line) {
            Some((name, value)) => self.set(name, &value),
            None => Err("expected a tag, such as [Black \"name\"]".to_owned()),
        };
        if let (Err(what), None) = (taken, &self.error) {
            self.error = Some(ParseError::new(number, 1, what));
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "Black" => name_or_empty(value).clone_into(&mut self.game.names.black),
            "White" => name_or_empty(value).clone_into(&mut self.game.names.white),
            "BlackElo" => self.game.ratings.black = value.parse().ok(),
            "WhiteElo" => self.game.ratings.white = value.parse().ok(),
            "Event" => name_or_empty(value).clone_into(&mut self.game.event),
            "Site" => name_or_empty(value).clone_into(&mut self.game.site),
            // Edax writes a second tag `Date`, which holds no date.
            "Date" if self.game.date.is_empty() => {
                self.game.date = Day::parse_start(value).map(Day::iso).unwrap_or_default();
            }
            "Variant" => {
                let variant = value.to_ascii_lowercase().parse();
                self.variant = Some(variant.map_err(|error: rules::ParseError| error.to_string())?);
            }
            "FEN" => self.game.set_start(fen::read(value)?),
            "Result" if value != "*" => {
                let wrong = || format!("expected 1-0, 0-1, 1/2-1/2 or *, found {}", quoted(value));
                self.result = Some(parse_outcome(value).ok_or_else(wrong)?);
            }
            "Termination" => {
                let known = TERMINATIONS.into_iter().find(|(_, word)| value.eq_ignore_ascii_case(word));
                self.termination = known.map(|(how, _)| how).or_else(|| value.parse().ok());
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Game, ParseError> {
        let mut moves = self.moves.unwrap_or_default();
        moves.finish();
        if let Some(error) = self.error.or(moves.error) {
            return Err(error);
        }
        let mut game = self.game;
        game.set_variant(self.variant).map_err(|what| ParseError::new(self.begin, 1, what))?;
        if let (Some(tag), Some((word, line, column))) = (self.result, moves.result)
            && tag != word
        {
            return Err(ParseError::new(line, column, "expected the result that the tag Result has"));
        }
        let outcome = self.result.or(moves.result.map(|(outcome, ..)| outcome));
        match (outcome, moves.score) {
            (None, _) => game.set_end(StatedResult::Nothing, None),
            // The winner's discs come first.
            (Some(outcome), Some((first, second))) => {
                let white_first = outcome == Outcome::Win(Color::White);
                let score = ByColor::new(first, second);
                game.set_end(
                    StatedResult::Score(if white_first { score.swap() } else { score }),
                    self.termination,
                );
                if game.end.as_ref().is_none_or(|end| end.outcome != outcome) {
                    game.set_end(StatedResult::Outcome(outcome), self.termination);
                }
            }
            (Some(outcome), None) => game.set_end(StatedResult::Outcome(outcome), self.termination),
        }
        Ok(game)
    }
}

/// True if a line is one of the tags that games begin with.
fn begins_game(line: &str) -> bool {
    parse_tag(line).is_some_and(|(name, _)| {
        matches!(name, "Event" | "Site" | "Date" | "Round" | "White" | "Black" | "Result")
    })
}

/// The name and value of `[Name "value"]`.
fn parse_tag(line: &str) -> Option<(&str, Cow<'_, str>)> {
    let (name, value) =
        line.trim_end().strip_prefix('[')?.strip_suffix(']')?.trim_end().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    if !value.contains('\\') {
        return Some((name, Cow::Borrowed(value)));
    }
    let mut plain = String::with_capacity(value.len());
    let mut escaped = false;
    for character in value.chars() {
        escaped = character == '\\' && !escaped;
        if !escaped {
            plain.push(character);
        }
    }
    Some((name, Cow::Owned(plain)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many plies each game has, or what is wrong with it.
    fn games(text: &str) -> Vec<Result<usize, String>> {
        let plies = |item: Item| item.into_game().plies().len();
        Reader::new(text.as_bytes()).map(|item| item.map(plies).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn what_is_not_closed_costs_its_own_game_only() {
        let sound = "[Event \"a\"]\n\n1. f5 {+1.00} d6 (f6 {x} (c3)) {a wins 40-24} 1-0\n\n";
        assert_eq!(games(&sound.repeat(2)), [Ok(2), Ok(2)]);
        for (moves, place, closing) in [
            ("1. f5 {+1.00 d6 {a wins 40-24} 1-0", "8:7", "`}` before the next comment"),
            ("{ 1. f5 d6 1-0", "8:1", "`}` before the end"),
            ("1. f5\nd6 {what 1-0\n\n more", "9:4", "`}` before the end"),
            ("1. f5 (f6 (c3) 1-0", "8:7", "`)` before the end"),
            ("1. f5 ((f6 {x} 1-0", "8:7", "`)` before the end"),
            ("1. f5 (f6 {x) 1-0", "8:11", "`}` before the end"),
        ] {
            for behind in [sound, ""] {
                let all = games(&format!("{sound}[Event \"b\"]\n\n\n{moves}\n\n{behind}"));
                assert_eq!(all.len(), if behind.is_empty() { 2 } else { 3 }, "{moves}: {all:?}");
                assert!(all.iter().enumerate().all(|(index, game)| index == 1 || *game == Ok(2)), "{all:?}");
                let told = all[1].as_ref().expect_err("not closed");
                assert!(told.starts_with(&format!("{place}: expected {closing}")), "{moves}: {told}");
            }
        }
    }
}
