//! `games.jsonl`: one line for each finished game, appended when it ends and never rewritten.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::fast_json;
use crate::game::{GameRecord, RecordError};

/// Bytes read at once.
const BUFFER: usize = 256 * 1024;

/// The length limit of a line, in bytes. No game needs more; a longer line is no record and may have no end.
const LONGEST: u64 = 16 << 20;

/// Why a record file can't be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The operating system refuses.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// The verb: what was tried.
        what: &'static str,
        path: PathBuf,
        error: io::Error,
    },
    /// Another process is appending to it.
    #[error("{} is in use by another referee; wait for it to end, or choose another --results folder", path.display())]
    InUse { path: PathBuf },
    /// A line is not a game record, or contradicts itself.
    #[error("{}:{line}: {error}", path.display())]
    Line {
        path: PathBuf,
        /// From 1.
        line: u64,
        error: RecordError,
    },
    /// Two lines hold the same game.
    #[error("{}:{line}: game {game} was recorded before, in line {first}", path.display())]
    Twice {
        path: PathBuf,
        /// The later line, from 1.
        line: u64,
        /// The earlier line, from 1.
        first: u64,
        /// The game's index.
        game: u64,
    },
}

/// A game and its place in the file.
#[derive(Debug)]
pub struct Located {
    /// The line, from 1.
    pub line: u64,
    /// The byte at which the line begins, from 0.
    pub offset: u64,
    pub record: GameRecord,
}

/// Reads the games of a file one by one, in the order of the file. A last line without a line end was not written
/// to its end; it is skipped. So are games that were not played, which earlier versions recorded.
///
/// # Errors
/// [`LogError`] if the file can't be opened. Each line can be an error of its own.
pub fn read_games(path: &Path) -> Result<impl Iterator<Item = Result<Located, LogError>> + use<>, LogError> {
    let mut reader = GameReader::open(path)?;
    Ok(std::iter::from_fn(move || match reader.read() {
        Ok(true) => {
            let record = std::mem::replace(&mut reader.record, fast_json::blank());
            Some(Ok(Located { line: reader.line, offset: reader.begin, record }))
        }
        Ok(false) => None,
        Err(error) => Some(Err(error)),
    }))
}

/// A record file, read game by game into memory that is reused.
#[derive(Debug)]
pub struct GameReader {
    reader: BufReader<File>,
    path: PathBuf,
    line: u64,
    begin: u64,
    offset: u64,
    text: Vec<u8>,
    /// True if the last line was too long and its rest is still to be skipped. It may have no end, so it is skipped
    /// only when the next game is wanted.
    overlong: bool,
    record: GameRecord,
}

impl GameReader {
    /// Opens a record file.
    ///
    /// # Errors
    /// [`LogError::Io`] if it can't be opened.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = File::open(path).map_err(|error| io_error("open", path, error))?;
        Ok(Self {
            reader: BufReader::with_capacity(BUFFER, file),
            path: path.to_owned(),
            line: 0,
            begin: 0,
            offset: 0,
            text: Vec::new(),
            overlong: false,
            record: fast_json::blank(),
        })
    }

    /// The next game with its line, from 1; `None` after the last. A last line without a line end is skipped.
    ///
    /// # Errors
    /// [`LogError`] if the line is not a game; the next call reads the line after it.
    pub fn next_game(&mut self) -> Result<Option<(u64, &GameRecord)>, LogError> {
        Ok(if self.read()? { Some((self.line, &self.record)) } else { None })
    }

    fn read(&mut self) -> Result<bool, LogError> {
        if std::mem::take(&mut self.overlong) {
            let skipped = skip_line(&mut self.reader).map_err(|error| io_error("read", &self.path, error))?;
            self.offset += skipped;
        }
        loop {
            self.text.clear();
            let read = self.reader.by_ref().take(LONGEST).read_until(b'\n', &mut self.text);
            let read = read.map_err(|error| io_error("read", &self.path, error))?;
            self.begin = self.offset;
            self.offset += self.text.len() as u64;
            self.line += 1;
            if read as u64 == LONGEST && self.text.last() != Some(&b'\n') {
                self.overlong = true;
                let error = RecordError::Json(serde::de::Error::custom("the line is longer than 16 MiB"));
                return Err(LogError::Line { path: self.path.clone(), line: self.line, error });
            }
            if self.text.last() != Some(&b'\n') {
                return Ok(false);
            }
            let text = self.text.trim_ascii();
            if text.is_empty() {
                continue;
            }
            let read = match std::str::from_utf8(text) {
                Ok(text) => self.record.read(text),
                Err(_) => Err(RecordError::Json(serde::de::Error::custom("the line is not UTF-8"))),
            };
            let line = self.line;
            return match read {
                Ok(()) if !self.record.was_played() => continue,
                Ok(()) => Ok(true),
                Err(error) => Err(LogError::Line { path: self.path.clone(), line, error }),
            };
        }
    }
}

/// Skips the rest of the line. Returns the number of bytes skipped.
pub(crate) fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let end = memchr::memchr(b'\n', buffer);
        let length = end.map_or(buffer.len(), |at| at + 1);
        reader.consume(length);
        skipped += length as u64;
        if end.is_some() || length == 0 {
            return Ok(skipped);
        }
    }
}

fn io_error(what: &'static str, path: &Path, error: io::Error) -> LogError {
    LogError::Io { what, path: path.to_owned(), error }
}

/// A record file open for appending. It is locked, so that no second referee can open it.
#[derive(Debug)]
pub struct GameLog {
    file: File,
    path: PathBuf,
    length: u64,
}

impl GameLog {
    /// Opens the file, or creates it, and cuts off a last line that has no line end. Also returns the number of bytes
    /// cut off.
    ///
    /// # Errors
    /// [`LogError::InUse`] if another process holds the lock, else [`LogError::Io`].
    pub fn open(path: &Path) -> Result<(Self, u64), LogError> {
        let failed = |what| move |error| io_error(what, path, error);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed("open"))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => LogError::InUse { path: path.to_owned() },
            TryLockError::Error(error) => io_error("lock", path, error),
        })?;
        let found = file.metadata().map_err(failed("look at"))?.len();
        let length = end_of_last_line(&mut file, found).map_err(failed("read"))?;
        if length < found {
            file.set_len(length).map_err(failed("cut the torn last line off"))?;
        }
        Ok((Self { file, path: path.to_owned(), length }, found - length))
    }

    /// Appends one or more lines, with their line ends, in one write. After an error nothing of them stays in the
    /// file.
    ///
    /// # Errors
    /// [`LogError::Io`], for example on a full disk.
    pub fn append(&mut self, line: &[u8]) -> Result<(), LogError> {
        if let Err(error) = self.file.write_all(line) {
            // A part of the line may have been written. If cutting it off fails too, the next `open` does it.
            let _ = self.file.set_len(self.length);
            return Err(io_error("append to", &self.path, error));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Waits until all that was appended is on the disk.
    ///
    /// # Errors
    /// [`LogError::Io`].
    pub fn sync(&self) -> Result<(), LogError> {
        self.file.sync_data().map_err(|error| io_error("write", &self.path, error))
    }

    /// A second handle of the file, so that another thread can sync it.
    ///
    /// # Errors
    /// [`LogError::Io`] if there are too many open files.
    pub fn handle(&self) -> Result<File, LogError> {
        self.file.try_clone().map_err(|error| io_error("open", &self.path, error))
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The byte after the last line end.
fn end_of_last_line(file: &mut File, length: u64) -> io::Result<u64> {
    const STEP: u64 = 64 * 1024;
    let mut end = length;
    let mut piece = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(start))?;
        piece.clear();
        (&mut *file).take(end - start).read_to_end(&mut piece)?;
        if let Some(at) = piece.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"format":1,"game":7,"pair":3,"round":3,"opening":[],"start":"startpos","variant":"othello","board":8,"empties":"winner","black":"a","white":"b","seed":1,"moves":[],"result":"black","discs":[2,2],"score":[64,0],"termination":"timeout","offender":"white","detail":null,"started":"2026-11-29T21:00:00Z","seconds":0.5}"#;

    #[test]
    fn a_line_that_is_too_long_costs_itself_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.jsonl");
        let long = "x".repeat(LONGEST as usize + 3 * BUFFER);
        std::fs::write(&path, format!("{long}\n{LINE}\n")).expect("written");
        let games: Vec<_> = read_games(&path).expect("there").collect();
        assert_eq!(games.len(), 2);
        assert!(matches!(games[0], Err(LogError::Line { line: 1, .. })), "{:?}", games[0]);
        let game = games[1].as_ref().expect("a game");
        assert_eq!((game.line, game.offset, game.record.game), (2, long.len() as u64 + 1, 7));
    }
}
