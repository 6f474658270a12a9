//! `games.jsonl`: one line for each finished game, appended when it ends and never rewritten.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
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
    /// The file is not as we left it, although we hold its lock.
    #[error("{} {change} while the tournament was running", path.display())]
    Changed {
        path: PathBuf,
        /// What happened to it.
        change: &'static str,
    },
    /// Two lines hold the same game with different contents.
    #[error("{}:{line}: game {game} was recorded before, in line {first}, with another content", path.display())]
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

/// Reads the games of a file one by one, in the order of the file. A last line without a line end counts if it is a
/// game; else it was not written to its end and is skipped. Games that were not played, which earlier versions
/// recorded, are skipped too.
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

    /// The next game with its line, from 1; `None` after the last. A last line without a line end is skipped unless it
    /// is a game.
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
            let is_last = self.text.last() != Some(&b'\n');
            let text = self.text.trim_ascii();
            if text.is_empty() {
                if is_last {
                    return Ok(false);
                }
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
                Err(_) if is_last => Ok(false),
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

/// Finds games that a file holds more than once. The same game with the same content counts once: two copies of a
/// record were joined. With different contents nobody knows which one is right.
#[derive(Debug, Default)]
pub struct RepeatedGames {
    /// The games seen, as a bit set: 64 games a word.
    seen: HashMap<u64, u64>,
    repeated: BTreeSet<u64>,
    lines: u64,
}

impl RepeatedGames {
    /// True if this game was not seen before. Else its line is to be passed over.
    pub fn is_new(&mut self, game: u64) -> bool {
        let (word, bit) = (self.seen.entry(game / 64).or_default(), 1 << (game % 64));
        if *word & bit == 0 {
            *word |= bit;
            return true;
        }
        self.repeated.insert(game);
        self.lines += 1;
        false
    }

    /// To be called after the last game. Compares the repeated games, for which it reads the file again, and returns the
    /// number of lines passed over.
    ///
    /// # Errors
    /// [`LogError::Twice`] if two lines of a game differ; errors of reading.
    pub fn compare(&self, path: &Path) -> Result<u64, LogError> {
        if self.repeated.is_empty() {
            return Ok(0);
        }
        let mut first: HashMap<u64, Located> = HashMap::new();
        for located in read_games(path)? {
            let located = located?;
            let (line, game) = (located.line, located.record.game);
            if !self.repeated.contains(&game) {
                continue;
            }
            match first.get(&game) {
                None => drop(first.insert(game, located)),
                Some(first) if first.record == located.record => {}
                Some(first) => {
                    return Err(LogError::Twice { path: path.to_owned(), line, first: first.line, game });
                }
            }
        }
        Ok(self.lines)
    }
}

/// The warning about lines that were passed over since they repeat a game; `None` if there are none.
#[must_use]
pub fn repeats_warning(path: &Path, lines: u64) -> Option<String> {
    let shown = path.display();
    match lines {
        0 => None,
        1 => Some(format!("{shown}: one line repeats a game with the same content; it counts once")),
        lines => {
            Some(format!("{shown}: {lines} lines repeat games with the same content; each game counts once"))
        }
    }
}

/// A record file open for appending. It is locked, so that no second referee can open it.
#[derive(Debug)]
pub struct GameLog {
    file: File,
    path: PathBuf,
    length: u64,
}

/// Keeps referees out of a record file as long as it lives.
#[derive(Debug)]
pub struct LogLock {
    /// The lock belongs to the open file.
    _file: File,
}

impl LogLock {
    /// Locks a record file; `None` if there is none.
    ///
    /// # Errors
    /// [`LogError::InUse`] if another process holds the lock, else [`LogError::Io`].
    pub fn of(path: &Path) -> Result<Option<Self>, LogError> {
        let opened = OpenOptions::new().read(true).append(true).open(path);
        // A file that may only be read can be locked too, except on some network file systems.
        let opened = opened.or_else(|error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => File::open(path),
            _ => Err(error),
        });
        match opened {
            Ok(file) => {
                lock(&file, path)?;
                Ok(Some(Self { _file: file }))
            }
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => Ok(None),
                _ => Err(io_error("open", path, error)),
            },
        }
    }
}

fn lock(file: &File, path: &Path) -> Result<(), LogError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => LogError::InUse { path: path.to_owned() },
        TryLockError::Error(error) => io_error("lock", path, error),
    })
}

impl GameLog {
    /// Opens the file, or creates it. A last line without a line end gets one if it is a game; else it is cut off. Also
    /// returns the number of bytes cut off.
    ///
    /// # Errors
    /// [`LogError::InUse`] if another process holds the lock, else [`LogError::Io`].
    pub fn open(path: &Path) -> Result<(Self, u64), LogError> {
        let failed = |what| move |error| io_error(what, path, error);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed("open"))?;
        lock(&file, path)?;
        let found = file.metadata().map_err(failed("look at"))?.len();
        let whole = end_of_last_line(&mut file, found).map_err(failed("read"))?;
        let mut log = Self { file, path: path.to_owned(), length: found };
        if whole == found {
            return log.unchanged().map(|()| (log, 0));
        }
        if log.is_game(whole, found).map_err(failed("read"))? {
            log.append(b"\n")?;
            return Ok((log, 0));
        }
        log.file.set_len(whole).map_err(failed("cut the torn last line off"))?;
        log.length = whole;
        log.unchanged().map(|()| (log, found - whole))
    }

    /// True if the bytes from `start` to `end` are a game.
    fn is_game(&mut self, start: u64, end: u64) -> io::Result<bool> {
        if end - start > LONGEST {
            return Ok(false);
        }
        self.file.seek(SeekFrom::Start(start))?;
        let mut text = Vec::new();
        (&mut self.file).take(end - start).read_to_end(&mut text)?;
        Ok(std::str::from_utf8(&text).is_ok_and(|text| GameRecord::parse(text).is_ok()))
    }

    /// Compares the file with what was written to it.
    ///
    /// # Errors
    /// [`LogError::Changed`] if it was deleted, renamed, replaced, cut off or written to by another program, else
    /// [`LogError::Io`].
    pub fn unchanged(&self) -> Result<(), LogError> {
        let failed = |error| io_error("look at", &self.path, error);
        let changed = |change| Err(LogError::Changed { path: self.path.clone(), change });
        let ours = self.file.metadata().map_err(failed)?;
        let there = match fs::metadata(&self.path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return changed("was deleted or renamed");
            }
            there => there.map_err(failed)?,
        };
        if !is_same_file(&ours, &there) {
            return changed("was replaced by another file");
        }
        match ours.len() {
            length if length < self.length => changed("was cut off"),
            length if length > self.length => changed("was written to by another program"),
            _ => Ok(()),
        }
    }

    /// Appends one or more lines, with their line ends, in one write. After an error nothing of them stays in the
    /// file.
    ///
    /// # Errors
    /// [`LogError::Io`], for example on a full disk; [`LogError::Changed`] if the file is not as we left it.
    pub fn append(&mut self, line: &[u8]) -> Result<(), LogError> {
        self.unchanged()?;
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
        self.file.sync_data().map_err(|error| self.not_synced(error))
    }

    /// The error of a sync, also of one through a second [`handle`](Self::handle).
    #[must_use]
    pub fn not_synced(&self, error: io::Error) -> LogError {
        io_error("write to the disk", &self.path, error)
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

/// True if both are the same file. Where the system does not say, it is taken to be.
fn is_same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    }
    #[cfg(not(unix))]
    {
        a.is_file() == b.is_file()
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

    #[test]
    fn a_last_line_that_lacks_only_its_end_counts_and_gets_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.jsonl");
        std::fs::write(&path, LINE).expect("written");
        assert_eq!(read_games(&path).expect("there").filter(Result::is_ok).count(), 1);
        let (mut log, torn) = GameLog::open(&path).expect("opened");
        assert_eq!(torn, 0);
        log.append(&LINE.as_bytes()[..9]).expect("appended");
        drop(log);
        let (_log, torn) = GameLog::open(&path).expect("opened");
        assert_eq!(torn, 9);
        assert_eq!(std::fs::read_to_string(&path).expect("there"), format!("{LINE}\n"));
    }

    #[test]
    fn a_file_that_changes_under_the_log_is_not_appended_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.jsonl");
        let other = folder.path().join("other");
        let changes: [(&str, &dyn Fn()); 4] = [
            ("was deleted or renamed", &|| std::fs::remove_file(&path).expect("removed")),
            ("was replaced by another file", &|| {
                std::fs::copy(&path, &other).expect("copied");
                std::fs::rename(&other, &path).expect("renamed");
            }),
            ("was cut off", &|| std::fs::write(&path, "").expect("written")),
            ("was written to by another program", &|| {
                std::fs::write(&path, format!("{LINE}\n{LINE}\n")).expect("written");
            }),
        ];
        for (expected, change) in changes {
            let _ = std::fs::remove_file(&path);
            let (mut log, _) = GameLog::open(&path).expect("opened");
            log.append(format!("{LINE}\n").as_bytes()).expect("appended");
            change();
            let error = log.append(format!("{LINE}\n").as_bytes()).expect_err("it changed");
            assert!(matches!(&error, LogError::Changed { change, .. } if *change == expected), "{error}");
        }
    }

    #[test]
    fn the_same_game_twice_counts_once_or_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.jsonl");
        let compare = |text: String| {
            std::fs::write(&path, text).expect("written");
            let mut repeated = RepeatedGames::default();
            let games = read_games(&path).expect("there").map(|game| game.expect("a game").record.game);
            let new = games.filter(|&game| repeated.is_new(game)).count();
            (new, repeated.compare(&path))
        };
        let other = LINE.replace("\"seconds\":0.5", "\"seconds\":0.25");
        let eighth = LINE.replace("\"game\":7", "\"game\":8");
        assert!(matches!(compare(format!("{LINE}\n{eighth}\n")), (2, Ok(0))));
        assert!(matches!(compare(format!("{LINE}\n{eighth}\n{LINE}\n{LINE}\n")), (2, Ok(2))));
        let (_, refused) = compare(format!("{LINE}\n{eighth}\n{other}\n"));
        assert!(matches!(refused, Err(LogError::Twice { line: 3, first: 1, game: 7, .. })), "{refused:?}");
    }
}
