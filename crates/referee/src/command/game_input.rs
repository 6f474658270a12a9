//! Opens a file of games or positions in any format, for `convert` and `show`.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use records::formats::wthor::{self, Header, Tables};
use records::formats::{Format, Items, ReadError, Settings, by_content, by_name, read};
use rules::BoardSize;

use super::CommandError;
use crate::exit_code::Exit;
use crate::prepare::find_program::absolute;

/// The size of the input buffer in bytes.
const BUFFER: usize = 256 * 1024;

/// The options of the input on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InputArgs<'a> {
    /// The format; `None` to detect it.
    pub(super) format: Option<Format>,
    /// The board size of transcripts and tables.
    pub(super) board: BoardSize,
    /// The WTHOR files of names; `None` for those beside the file.
    pub(super) players: Option<&'a Path>,
    pub(super) tournaments: Option<&'a Path>,
}

/// An open input.
pub(super) struct Input {
    /// Its name in messages.
    pub(super) path: PathBuf,
    /// Its format.
    pub(super) format: Format,
    /// Its games and positions.
    pub(super) items: Items<'static>,
    /// The header of a WTHOR file.
    pub(super) header: Option<Header>,
    /// The names for a WTHOR file, from beside it or from the command line.
    pub(super) names: Tables,
}

impl Input {
    /// Opens a file, standard input (`-`), or the record of a results folder. The format is the one requested, else that
    /// of the content, else that of the file name, else transcripts.
    pub(super) fn open(path: &Path, wanted: InputArgs<'_>) -> Result<Self, CommandError> {
        let standard = path == Path::new("-");
        let (path, mut reader) = if standard {
            let reader: Box<dyn BufRead> = Box::new(BufReader::with_capacity(BUFFER, io::stdin()));
            (PathBuf::from("standard input"), reader)
        } else {
            let path = record_of(path)?;
            let file = File::open(&path).map_err(|error| unopened(&path, &error))?;
            let reader: Box<dyn BufRead> = Box::new(BufReader::with_capacity(BUFFER, file));
            (path, reader)
        };
        let unreadable = |error: ReadError| unreadable(&path, &error);
        let beginning = reader.fill_buf().map_err(|error| unreadable(error.into()))?;
        let found = wanted.format.or_else(|| by_content(beginning));
        let promised = if standard { None } else { by_name(&path) };
        let format = found.or(promised).unwrap_or(Format::Transcripts);
        let names = names(&path, format, standard, wanted)?;
        let (items, header): (Items<'static>, _) = if format == Format::Wthor {
            let games = wthor::Reader::new(reader, names.clone()).map_err(unreadable)?;
            let header = games.header();
            (Box::new(games), Some(header))
        } else {
            let settings = Settings { board: wanted.board, names: Tables::default() };
            (read(format, reader, &settings).map_err(unreadable)?, None)
        };
        Ok(Self { path, format, items, header, names })
    }
}

/// The names requested, or those beside the file.
fn names(path: &Path, format: Format, standard: bool, wanted: InputArgs<'_>) -> Result<Tables, CommandError> {
    let beside = if format == Format::Wthor && !standard { Tables::beside(path) } else { (None, None) };
    let players = wanted.players.map(absolute).or(beside.0);
    let tournaments = wanted.tournaments.map(absolute).or(beside.1);
    open_names(players.as_deref(), tournaments.as_deref())
}

pub(super) fn open_names(players: Option<&Path>, tournaments: Option<&Path>) -> Result<Tables, CommandError> {
    Tables::open(players, tournaments).map_err(|(path, error)| unreadable(&path, &error))
}

/// The file to read; for a results folder its record.
pub(super) fn record_of(path: &Path) -> Result<PathBuf, CommandError> {
    let path = absolute(path);
    let data = fs::metadata(&path).map_err(|error| unopened(&path, &error))?;
    Ok(if data.is_dir() { path.join(report::RECORD) } else { path })
}

/// True if both are the same file, which must not be read and written at once.
pub(super) fn is_same(input: &Path, output: &Path) -> bool {
    let number = |path: &Path| {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| (data.dev(), data.ino()))
    };
    number(input).is_some_and(|input| number(output) == Some(input))
}

fn unopened(path: &Path, error: &io::Error) -> CommandError {
    failed(format!("cannot open {}: {error}", path.display()))
}

/// The message for a file that can't be read.
pub(super) fn unreadable(path: &Path, error: &ReadError) -> CommandError {
    failed(match error {
        ReadError::Io(error) => format!("cannot read {}: {error}", path.display()),
        ReadError::BadItem(error) | ReadError::BadFile(error) => error.in_file(path),
    })
}

pub(super) fn failed(message: String) -> CommandError {
    CommandError::new(Exit::Failed, message)
}
