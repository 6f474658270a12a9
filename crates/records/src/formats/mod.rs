//! The file formats of other Othello programs. All are read into, and written from, one [`Game`] or one [`Problem`].
//!
//! Reading and writing are streaming. A file is an iterator of [`Item`]s; each can be an error with its place in the
//! file, after which reading continues with the next item.
//!
//! ```
//! use records::formats::{Format, Settings, Writer, read};
//! let text = "f5d6c3\nf5a1\nF5 F6\n";
//! let mut out = Writer::new(Format::Ggf, Vec::new())?;
//! let mut bad = Vec::new();
//! for item in read(Format::Transcripts, text.as_bytes(), &Settings::default())? {
//!     match item {
//!         Ok(item) => out.write(item)?,
//!         Err(error) => bad.push(error.to_string()),
//!     }
//! }
//! let ggf = String::from_utf8(out.finish()?)?;
//! assert!(ggf.starts_with("(;GM[Othello]") && ggf.contains("B[F5]W[D6]B[C3];)"));
//! assert_eq!((ggf.lines().count(), bad), (2, vec!["2:3: ply 2: a1 outflanks nothing".to_owned()]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | module | job |
//! | --- | --- |
//! | `game`, `game_end` | [`Game`] with its [`End`], [`Problem`]: the types shared by all formats |
//! | `error` | [`ParseError`] and its [`Place`], [`ReadError`], [`WriteError`] |
//! | `detect` | detection of a file's format by content and by name |
//! | [`transcript`], [`ggf`], [`wthor`], [`sgf`], [`obf`], [`pgn`], [`jsonl`], [`table`] | one format each |
//! | `lines`, `property_lists`, `date` | code shared by several formats |

mod date;
mod detect;
mod error;
mod game;
mod game_end;
pub mod ggf;
pub mod jsonl;
mod lines;
pub mod obf;
pub mod pgn;
mod property_lists;
pub mod sgf;
pub mod table;
pub mod transcript;
pub mod wthor;

use std::fmt;
use std::io::{self, BufRead, Write};
use std::str::FromStr;

use rules::{BoardSize, Position};

pub use detect::{by_content, by_name};
pub use error::{ParseError, Place, ReadError, WriteError};
pub use game::{Game, Item, Played, Problem, TournamentInfo};
pub use game_end::End;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `f5d6c3...`, one game a line.
    Transcripts,
    /// The format of GGS, NBoard and NTest.
    Ggf,
    /// The game database of the French federation.
    Wthor,
    /// SGF with `GM[2]`, Othello.
    Sgf,
    /// Edax's problem files: positions.
    Obf,
    /// Tags and numbered moves.
    Pgn,
    /// Our own records, `games.jsonl`.
    Jsonl,
    /// Tables with a column `transcript`.
    Csv,
}

impl Format {
    pub const ALL: [Self; 8] =
        [Self::Transcripts, Self::Ggf, Self::Wthor, Self::Sgf, Self::Obf, Self::Pgn, Self::Jsonl, Self::Csv];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Transcripts => "transcripts",
            Self::Ggf => "ggf",
            Self::Wthor => "wthor",
            Self::Sgf => "sgf",
            Self::Obf => "obf",
            Self::Pgn => "pgn",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no format is called {text:?}; there are {names}")
        })
    }
}

/// Facts that some files do not contain.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The board size for transcripts, and for tables without a column `board`.
    pub board: BoardSize,
    /// The names that a WTHOR file refers to.
    pub names: wthor::Tables,
}

/// The items of a file, one by one.
pub type Items<'a> = Box<dyn Iterator<Item = Result<Item, ReadError>> + 'a>;

/// Reads a file or a stream.
///
/// # Errors
/// [`ReadError`] for a WTHOR file without a valid header. All other errors come as items.
pub fn read<'a>(
    format: Format,
    reader: impl BufRead + 'a,
    settings: &Settings,
) -> Result<Items<'a>, ReadError> {
    Ok(match format {
        Format::Transcripts => Box::new(transcript::Reader::new(reader, Position::start(settings.board))),
        Format::Ggf => Box::new(ggf::reader(reader)),
        Format::Wthor => Box::new(wthor::Reader::new(reader, settings.names.clone())?),
        Format::Sgf => Box::new(sgf::reader(reader)),
        Format::Obf => Box::new(obf::Reader::new(reader)),
        Format::Pgn => Box::new(pgn::Reader::new(reader)),
        Format::Jsonl => Box::new(jsonl::Reader::new(reader)),
        Format::Csv => Box::new(table::Reader::new(reader, settings.board)),
    })
}

/// Writes a file or a stream item by item, in all formats but WTHOR. That needs [`wthor::Writer`], with tables of names
/// and a file in which it can seek.
#[derive(Debug)]
pub struct Writer<W> {
    format: Format,
    out: W,
    written: u64,
    /// The board size of the transcripts written so far.
    board: Option<BoardSize>,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// [`WriteError::Io`] from `out`, and [`WriteError::Cannot`] for WTHOR.
    pub fn new(format: Format, mut out: W) -> Result<Self, WriteError> {
        match format {
            Format::Csv => table::write_header(&mut out)?,
            Format::Wthor => {
                return Err(WriteError::Cannot("WTHOR is written as a file, not as a stream".into()));
            }
            _ => {}
        }
        Ok(Self { format, out, written: 0, board: None })
    }

    /// Writes an item. A format of games gets a position as a game without moves; a format of positions gets the last
    /// position of a game.
    ///
    /// # Errors
    /// [`WriteError::Cannot`] if the format can't hold the item; then nothing is written.
    pub fn write(&mut self, item: Item) -> Result<(), WriteError> {
        let out = &mut self.out;
        match self.format {
            Format::Obf => obf::write(out, &item.into_problem()),
            Format::Transcripts => {
                let game = item.into_game();
                let (size, first) = (game.size(), self.board.unwrap_or(game.size()));
                if size != first {
                    let what = format!(
                        "transcripts do not tell their board: it is on {size}, those before on {first}"
                    );
                    return Err(WriteError::Cannot(what));
                }
                transcript::write(out, &game)?;
                self.board = Some(size);
                Ok(())
            }
            Format::Ggf => ggf::write(out, &item.into_game()),
            Format::Sgf => sgf::write(out, &item.into_game()),
            Format::Pgn => pgn::write(out, &item.into_game()),
            Format::Jsonl => jsonl::write(out, &item.into_game(), self.written),
            Format::Csv => table::write(out, &item.into_game(), self.written),
            Format::Wthor => unreachable!("refused in the beginning"),
        }?;
        self.written += 1;
        Ok(())
    }

    /// Flushes and returns the writer.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_of_one_file_are_on_one_board() {
        let mut writer = Writer::new(Format::Transcripts, Vec::new()).expect("begun");
        let mut write = |size, square: &str| {
            let mut game = Game::new(Position::start(size));
            game.push(square.parse::<rules::Ply>().expect("a square").into()).expect("legal");
            writer.write(Item::Game(game)).map_err(|error| error.to_string())
        };
        assert_eq!(write(BoardSize::Six, "e4"), Ok(()));
        let refused = write(BoardSize::Eight, "f5").expect_err("another board");
        assert!(refused.contains("it is on 8x8, those before on 6x6"), "{refused}");
        assert_eq!(write(BoardSize::Six, "c2"), Ok(()));
        assert_eq!(writer.finish().expect("to memory"), b"e4\nc2\n");
    }
}
