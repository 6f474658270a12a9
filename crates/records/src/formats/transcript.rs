//! Transcripts, `f5d6c3...`: one game a line.

use std::fmt;
use std::io::{BufRead, Write};

use rules::{IllegalPly, Ply, Position, Square, TranscriptError, parse_plies};

use super::error::{ReadError, WriteError};
use super::game::{Game, Item, Played};
use super::game_end::StatedResult;
use super::lines::Lines;

/// What is wrong with a line of moves. The message names the ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MovesError {
    /// A word is not a ply.
    Word(TranscriptError),
    /// A ply is illegal.
    Illegal {
        /// Its number, from 1. All passes count, even those that the text leaves out.
        ply: usize,
        /// The byte column, from 1, at which its word begins.
        column: usize,
        why: IllegalPly,
    },
}

impl MovesError {
    /// The byte column, from 1, of the wrong word.
    #[must_use]
    pub fn column(&self) -> usize {
        match self {
            Self::Word(error) => error.column(),
            Self::Illegal { column, .. } => *column,
        }
    }

    /// The message without the column, for use after a place that names it.
    fn without_column(&self) -> String {
        let text = self.to_string();
        let column = format!(", column {}", self.column());
        text.replacen(&column, "", 1)
    }
}

impl fmt::Display for MovesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(error) => error.fmt(f),
            Self::Illegal { ply, why, .. } => write!(f, "ply {ply}: {why}"),
        }
    }
}

/// Plays one line of moves. Squares are in either case, joined or separated; forced passes are written (`pass`, `pa`,
/// `ps`, `--`) or left out; move numbers are skipped. `#` and `;` begin a remark, and so does a tab after the moves if no
/// further moves follow. A line without moves gives a game without plies.
///
/// # Errors
/// [`MovesError`] at the first wrong word.
pub fn play_line(line: &str, start: Position) -> Result<Game, MovesError> {
    let mut game = Game::new(start);
    if play_simple(line.as_bytes(), &mut game) {
        return Ok(game);
    }
    let moves = &line[..line.find(['#', ';']).unwrap_or(line.len())];
    let plies = parse_plies(moves).or_else(|error| match before_tab(moves) {
        Some(before) => parse_plies(before).map_err(|_| error),
        None => Err(error),
    });
    let mut game = Game::new(start);
    for (ply, column) in plies.map_err(MovesError::Word)? {
        let played = game.push(ply.into());
        played.map_err(|why| MovesError::Illegal { ply: game.plies().len() + 1, column, why })?;
    }
    Ok(game)
}

/// The fast way for a line of squares and separators only, as nearly all are. True if it is one, and legal.
fn play_simple(line: &[u8], game: &mut Game) -> bool {
    let mut rest = line;
    loop {
        rest = match *rest {
            [] | [b'#' | b';', ..] => return true,
            [b' ' | b',' | b'\t', ref rest @ ..] => rest,
            [column, row, ref rest @ ..] => {
                let square = Square::new((column | 0x20).wrapping_sub(b'a'), row.wrapping_sub(b'1'));
                match square {
                    Some(square) if game.push(Ply::Place(square).into()).is_ok() => rest,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
}

/// The text before the first tab after the moves. Scores and names often stand after a tab.
fn before_tab(moves: &str) -> Option<&str> {
    let begin = moves.len() - moves.trim_start().len();
    let tab = moves[begin..].find('\t')?;
    Some(&moves[..begin + tab])
}

/// Transcripts, read line by line.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    start: Position,
}

impl<R: BufRead> Reader<R> {
    /// Games that begin at `start`, since the file does not say it.
    pub fn new(reader: R, start: Position) -> Self {
        Self { lines: Lines::new(reader), start }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        while self.lines.advance()? {
            let text = self.lines.text().map_err(ReadError::BadItem)?;
            if matches!(text.trim_ascii_start().bytes().next(), None | Some(b'#' | b';')) {
                continue;
            }
            let played = play_line(text, self.start);
            let mut game = played.map_err(|error| {
                ReadError::BadItem(self.lines.error_at(error.column() - 1, error.without_column()))
            })?;
            game.set_end(StatedResult::Nothing, None);
            return Ok(Some(Item::Game(game)));
        }
        Ok(None)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Writes one game as a line: squares joined, in lower case, passes left out.
///
/// # Errors
/// [`WriteError::Cannot`] for a game without moves or from a start that is not the standard one.
pub(super) fn write(out: &mut impl Write, game: &Game) -> Result<(), WriteError> {
    if !game.is_standard() {
        return Err(WriteError::Cannot("a transcript can't hold the unusual start of this game".into()));
    }
    // Room for two bytes for each square of the board and a line end.
    let mut line = [0; 2 * 64 + 1];
    let length = squares(game.plies(), &mut line);
    if length == 0 {
        return Err(WriteError::Cannot("a transcript can't hold a game without moves".into()));
    }
    line[length] = b'\n';
    out.write_all(&line[..=length])?;
    Ok(())
}

/// Writes the squares of the plies into `line`. Returns the number of bytes.
fn squares(plies: &[Played], line: &mut [u8]) -> usize {
    let mut at = 0;
    for square in plies.iter().filter_map(|played| played.ply.square()) {
        line[at] = b'a' + square.column();
        line[at + 1] = b'1' + square.row();
        at += 2;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    fn items(text: &str) -> Vec<Result<String, String>> {
        let reader = Reader::new(text.as_bytes(), Position::start(BoardSize::Eight));
        let line = |item: Item| {
            let mut out = Vec::new();
            write(&mut out, &item.into_game()).expect("to memory");
            String::from_utf8(out).expect("ASCII").trim_end().to_owned()
        };
        reader.map(|item| item.map(line).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn every_writing_is_read() {
        let text = "\u{feff}# list\r\nF5 D6,c3\r\n\n \t f5d6c3 # x\nf5d6c3;+2\nf5 d6 c3\t+2 Tiger\nf5d6\tc3\n1. f5 d6 2. c3";
        assert_eq!(items(text), vec![Ok("f5d6c3".to_owned()); 6]);
    }

    #[test]
    fn a_bad_line_costs_itself_only() {
        let text = "f5d6\n  f5 i9\nf5passd6\nf5 f6 d3 g5 h5 h4 f7 h6 pass pass\n\nf5d6c3";
        let expected = [
            Ok("f5d6".to_owned()),
            Err("2:6: ply 2: `i9` is no square".to_owned()),
            Err("3:3: ply 2: pass with moves at hand".to_owned()),
            Err("4:30: ply 10: pass with moves at hand".to_owned()),
            Ok("f5d6c3".to_owned()),
        ];
        assert_eq!(items(text), expected);
    }

    #[test]
    fn what_a_transcript_cannot_hold_is_refused() {
        let mut out = Vec::new();
        let standard = Position::start(BoardSize::Eight);
        assert!(write(&mut out, &Game::new(standard)).is_err());
        let mut game = Game::new(Position::parallel(BoardSize::Eight));
        game.push("d3".parse::<Ply>().expect("d3").into()).expect("legal");
        assert!(write(&mut out, &game).is_err() && out.is_empty());
    }
}
