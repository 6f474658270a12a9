//! Tables of results: CSV with a header that has the columns `black`, `white` and `result`.
//!
//! A result is `black`, `white` or `draw`; or, as chess programs write it, `1-0`, `0-1` or `1/2-1/2` with the points of
//! the first player, Black, first. Letter case and blanks around a field do not matter. Unknown columns are ignored.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use rules::Color;
use thiserror::Error;

use crate::csv_rows::{Row, RowError, Rows};
use crate::verdict::Outcome;

/// Bytes read at once.
const BUFFER: usize = 64 * 1024;

/// Why a table of results can't be read. One line that names the file and the line.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The operating system refuses.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// The verb: what was tried.
        what: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// The header lacks a required column.
    #[error("{}:1: there is no column {column:?}; black, white and result are needed, separated by commas", path.display())]
    NoColumn { path: PathBuf, column: &'static str },
    /// Two columns have the same name.
    #[error("{}:1: there are two columns {column:?}; rename one of them", path.display())]
    TwoColumns { path: PathBuf, column: &'static str },
    /// A line is not a result.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        path: PathBuf,
        /// From 1.
        line: u64,
        what: String,
    },
}

/// One game of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultRow<'a> {
    pub black: &'a str,
    pub white: &'a str,
    pub outcome: Outcome,
    /// An identifier of its game pair among those of the same two engines, if the table has one.
    pub pair: Option<&'a str>,
    /// Its opening, if the table has one.
    pub opening: Option<&'a str>,
    /// All its moves, if the table has them.
    pub transcript: Option<&'a str>,
}

/// A table, read row by row in constant memory.
#[derive(Debug)]
pub struct ResultTable {
    path: PathBuf,
    rows: Rows<BufReader<File>>,
    columns: Columns,
}

/// The numbers of the columns, from 0.
#[derive(Clone, Copy, Debug)]
struct Columns {
    black: usize,
    white: usize,
    result: usize,
    pair: Option<usize>,
    opening: Option<usize>,
    transcript: Option<usize>,
}

impl ResultTable {
    /// Opens a table and reads its header.
    ///
    /// # Errors
    /// [`ResultsError`] if it can't be read, lacks a column or has one twice.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        let failed = |error| ResultsError::Io { what: "open", path: path.to_owned(), error };
        let file = File::open(path).map_err(failed)?;
        let mut rows = Rows::new(BufReader::with_capacity(BUFFER, file));
        let names = rows.header().map_err(|error| error.at(path))?.unwrap_or_default();
        let find = |column: &'static str| {
            let mut found =
                names.iter().enumerate().filter(|(_, name)| *name == column).map(|(place, _)| place);
            match (found.next(), found.next()) {
                (_, Some(_)) => Err(ResultsError::TwoColumns { path: path.to_owned(), column }),
                (found, None) => Ok(found),
            }
        };
        let need = |column: &'static str| {
            find(column)?.ok_or_else(|| ResultsError::NoColumn { path: path.to_owned(), column })
        };
        let columns = Columns {
            black: need("black")?,
            white: need("white")?,
            result: need("result")?,
            pair: find("pair")?,
            opening: find("opening")?,
            transcript: find("transcript")?,
        };
        Ok(Self { path: path.to_owned(), rows, columns })
    }

    /// The next game, `None` after the last.
    ///
    /// # Errors
    /// [`ResultsError`] if the row is not a game.
    pub fn read(&mut self) -> Result<Option<ResultRow<'_>>, ResultsError> {
        if !self.rows.advance().map_err(|error| error.at(&self.path))? {
            return Ok(None);
        }
        let row = self.rows.row().map_err(|error| error.at(&self.path))?;
        let columns = self.columns;
        match columns.required_fields(&row) {
            // Built in place of the return value, since a move costs more than reading the row.
            Ok((black, white, outcome)) => Ok(Some(ResultRow {
                black,
                white,
                outcome,
                pair: optional(&row, columns.pair),
                opening: optional(&row, columns.opening),
                transcript: optional(&row, columns.transcript),
            })),
            Err(what) => Err(self.refused(what)),
        }
    }

    /// An error in the row read last.
    #[must_use]
    #[cold]
    pub fn refused(&self, what: String) -> ResultsError {
        ResultsError::Line { path: self.path.clone(), line: self.rows.line(), what }
    }
}

impl RowError {
    fn at(self, path: &Path) -> ResultsError {
        let path = path.to_owned();
        match self {
            Self::Io(error) => ResultsError::Io { what: "read", path, error },
            Self::Text { line, what, .. } => ResultsError::Line { path, line, what: what.to_owned() },
        }
    }
}

impl Columns {
    #[inline]
    fn required_fields<'a>(&self, row: &Row<'a>) -> Result<(&'a str, &'a str, Outcome), String> {
        let missing = |name: &str| format!("the row has no field {name}");
        let black = row.get(self.black).ok_or_else(|| missing("black"))?.trim_ascii();
        let white = row.get(self.white).ok_or_else(|| missing("white"))?.trim_ascii();
        if black.is_empty() || white.is_empty() {
            return Err(format!("{} has no name", if black.is_empty() { "black" } else { "white" }));
        }
        Ok((black, white, outcome(row.get(self.result).ok_or_else(|| missing("result"))?)?))
    }
}

#[inline]
fn optional<'a>(row: &Row<'a>, column: Option<usize>) -> Option<&'a str> {
    row.get(column?).map(str::trim_ascii).filter(|text| !text.is_empty())
}

fn outcome(text: &str) -> Result<Outcome, String> {
    parse_outcome(text).ok_or_else(|| format!("{text:?} is not a result; it is {OUTCOME_WORDS}"))
}

/// The ways to write a result, for messages.
pub(crate) const OUTCOME_WORDS: &str = "black, white or draw, or 1-0, 0-1 or 1/2-1/2";

/// Reads a result. The usual texts are distinguished without a branch: results come in random order, so that a branch
/// would be mispredicted often.
pub(crate) fn parse_outcome(text: &str) -> Option<Outcome> {
    const KNOWN: [Option<Outcome>; 4] =
        [None, Some(Outcome::Win(Color::Black)), Some(Outcome::Win(Color::White)), Some(Outcome::Draw)];
    let written = word(text.as_bytes());
    let is = |long: &[u8], short: &[u8]| usize::from((written == word(long)) | (written == word(short)));
    let known = is(b"black", b"1-0") + 2 * is(b"white", b"0-1") + 3 * is(b"draw", b"1/2-1/2");
    KNOWN[known].or_else(|| parse_unusual_outcome(text))
}

/// A text of at most 7 bytes as a number, with its length in the highest byte; 0 for longer ones. No two short texts
/// have the same number.
#[inline]
fn word(text: &[u8]) -> u64 {
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    let length = text.len();
    let letters = match (length, text.first_chunk(), text.last_chunk()) {
        (4..=7, Some(first), Some(last)) => half(first) | half(last) << (8 * (length - 4)),
        (0..=3, ..) => text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        _ => return 0,
    };
    letters | (length as u64) << 56
}

#[cold]
fn parse_unusual_outcome(text: &str) -> Option<Outcome> {
    let plain = text.trim_ascii().to_ascii_lowercase();
    if plain == text { None } else { parse_outcome(&plain) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<(String, String, Outcome)>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        std::fs::write(&path, text).expect("written");
        let shown =
            |error: ResultsError| error.to_string().replace(&format!("{}/", folder.path().display()), "");
        let mut table = ResultTable::open(&path).map_err(shown)?;
        let mut rows = Vec::new();
        while let Some(row) = table.read().map_err(shown)? {
            rows.push((row.black.to_owned(), row.white.to_owned(), row.outcome));
        }
        Ok(rows)
    }

    #[test]
    fn columns_in_any_order_and_both_ways_of_writing() {
        let text =
            "\u{feff}White,note,Result,black\nb,x,1-0,a\n\"c, d\",,white,a\r\na,,1/2-1/2,b\na,,draw,b\n";
        let row = |black: &str, white: &str, outcome| (black.to_owned(), white.to_owned(), outcome);
        let expected = [
            row("a", "b", Outcome::Win(Color::Black)),
            row("a", "c, d", Outcome::Win(Color::White)),
            row("b", "a", Outcome::Draw),
            row("b", "a", Outcome::Draw),
        ];
        assert_eq!(rows(text), Ok(expected.to_vec()));
        assert_eq!(rows("black,white,result\n"), Ok(Vec::new()));
        let by_hand = "Black, White, Result\n a , b, Black\na,b,DRAW\na,b, 0-1\n";
        let results = [Outcome::Win(Color::Black), Outcome::Draw, Outcome::Win(Color::White)];
        assert_eq!(rows(by_hand), Ok(results.map(|outcome| row("a", "b", outcome)).to_vec()));
    }

    #[test]
    fn what_is_no_result_is_said_with_its_line() {
        for (text, message) in [
            (
                "black,white\na,b\n",
                "r.csv:1: there is no column \"result\"; black, white and result are needed, separated by commas",
            ),
            (
                "black;white;result\na;b;black\n",
                "r.csv:1: there is no column \"black\"; black, white and result are needed, separated by commas",
            ),
            (
                "",
                "r.csv:1: there is no column \"black\"; black, white and result are needed, separated by commas",
            ),
            ("white,black,result,White\n", "r.csv:1: there are two columns \"white\"; rename one of them"),
            ("black,white,result\na, ,draw\n", "r.csv:2: white has no name"),
            (
                "black,white,result\na,b,black\na,b,*\n",
                "r.csv:3: \"*\" is not a result; it is black, white or draw, or 1-0, 0-1 or 1/2-1/2",
            ),
            ("black,white,result\r\n\r\n\r\na,b\r\n", "r.csv:4: the row has no field result"),
            ("black,white,result\n\na,b\n", "r.csv:3: the row has no field result"),
            ("black,white,result\n\"a\nb\",b,draw\na,b\n", "r.csv:4: the row has no field result"),
            ("black,white,result\na,\"b,draw\n", "r.csv:2: a quotation mark is not closed"),
            (
                "black,white,result\na,b,draw,\na,b,draw,c\n",
                "r.csv:3: the row has more fields than the header has columns",
            ),
            ("black,white,result\n,b,draw\n", "r.csv:2: black has no name"),
            (
                "black,white,result\na,b,1-0\0\n",
                "r.csv:2: \"1-0\\0\" is not a result; it is black, white or draw, or 1-0, 0-1 or 1/2-1/2",
            ),
            (
                "black,white,result\na,b,blackdraw\n",
                "r.csv:2: \"blackdraw\" is not a result; it is black, white or draw, or 1-0, 0-1 or 1/2-1/2",
            ),
            (
                "black,white,result\na,b,\n",
                "r.csv:2: \"\" is not a result; it is black, white or draw, or 1-0, 0-1 or 1/2-1/2",
            ),
        ] {
            assert_eq!(rows(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_known_besides() {
        let text = "black,white,result,pair,opening,transcript\na,b,draw,0,f5d6,\n";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        std::fs::write(&path, text).expect("written");
        let mut table = ResultTable::open(&path).expect("a header");
        let row = table.read().expect("a game").expect("one");
        assert_eq!((row.pair, row.opening, row.transcript), (Some("0"), Some("f5d6"), None));
    }
}
