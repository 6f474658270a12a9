//! Reads `games.jsonl` twice: once in the order of the file for the counts, then in the order of the games, one at a
//! time.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use records::{GameRecord, LogError, RecordError, RepeatedGames, read_games, repeats_warning};
use tournament::standings::Tally;

use crate::ReportError;

/// A record file that was read once: every line is consistent. A game that occurs twice with the same content
/// counts once.
pub(crate) struct RecordReader {
    path: PathBuf,
    tally: Tally,
    /// The number of lines that repeat a game.
    repeats: u64,
    /// In the order of the games.
    locations: Vec<GameLocation>,
}

/// The line and the byte offset of a game in the file.
struct GameLocation {
    game: u64,
    line: u64,
    offset: u64,
}

impl RecordReader {
    pub(crate) fn read(path: &Path) -> Result<Self, LogError> {
        let mut record =
            Self { path: path.to_owned(), tally: Tally::new(), repeats: 0, locations: Vec::new() };
        let mut repeated = RepeatedGames::default();
        for located in read_games(path)? {
            let located = located?;
            if !repeated.is_new(located.record.game) {
                continue;
            }
            let (line, offset) = (located.line, located.offset);
            record.tally.add(&located.record).map_err(|error| record.line_error(line, error))?;
            record.locations.push(GameLocation { game: located.record.game, line, offset });
        }
        record.locations.sort_by_key(|location| (location.game, location.line));
        record.repeats = repeated.compare(path)?;
        Ok(record)
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        repeats_warning(&self.path, self.repeats).into_iter().collect()
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// True if the file has a game of this index.
    pub(crate) fn contains(&self, game: u64) -> bool {
        self.locations.binary_search_by_key(&game, |location| location.game).is_ok()
    }

    /// Reads the games again, in their order.
    pub(crate) fn games(&self) -> Result<impl Iterator<Item = Result<GameRecord, ReportError>>, ReportError> {
        let failed = |error| ReportError::Io { what: "read", path: self.path.clone(), error };
        let mut reader = BufReader::new(File::open(&self.path).map_err(failed)?);
        let mut at = 0;
        let mut text = String::new();
        Ok(self.locations.iter().map(move |location| {
            // The file is nearly in this order, so that the next game is mostly in the buffer already.
            reader.seek_relative(distance(at, location.offset)).map_err(failed)?;
            text.clear();
            let length = reader.read_line(&mut text).map_err(failed)?;
            at = location.offset + length as u64;
            let parsed = GameRecord::parse(&text);
            parsed.map_err(|error| self.line_error(location.line, error).into())
        }))
    }

    fn line_error(&self, line: u64, error: RecordError) -> LogError {
        LogError::Line { path: self.path.clone(), line, error }
    }
}

/// `to` − `from`, which may be negative. Files have fewer than 2^63 bytes.
fn distance(from: u64, to: u64) -> i64 {
    to.wrapping_sub(from).cast_signed()
}
