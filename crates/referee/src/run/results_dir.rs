//! The results folder: what earlier runs left in it, and the record to append to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use records::{GameLog, LogError, LogLock, read_games};
use thiserror::Error;
use tournament::resolved::Resolved;

/// The file that holds the resolved definition.
pub const DEFINITION: &str = "definition.json";

/// Why a results folder can't be used.
#[derive(Debug, Error)]
pub enum FolderError {
    /// The operating system refuses.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file is in the place of the folder.
    #[error("{} is a file, not a results folder; choose another --results folder", .0.display())]
    NotAFolder(PathBuf),
    /// The definition of the earlier run can't be read.
    #[error("{}: {message}; repair it, or start over with --fresh", path.display())]
    Definition {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// It has games but no definition.
    #[error("{} holds games, but no {DEFINITION} that says what they are; start over with --fresh, or choose another name", .0.display())]
    NoDefinition(PathBuf),
    /// Its games belong to another tournament.
    #[error("{} holds another tournament: {change}; start over with --fresh, or choose another name", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        change: String,
    },
    /// An engine's program is not the one that has played.
    #[error(
        "{engine}: {change}; put the old one back, start over with --fresh, or go on all the same with --accept"
    )]
    Program {
        /// The engine's name.
        engine: String,
        /// What has changed.
        change: String,
    },
    /// The record can't be used.
    #[error(transparent)]
    Log(#[from] LogError),
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |error| FolderError::Io { what, path, error }
}

/// The definition of the earlier run, if there was one.
///
/// # Errors
/// [`FolderError`] if the folder is a file, or its content can't be read.
pub fn earlier(folder: &Path) -> Result<Option<Resolved>, FolderError> {
    match fs::metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("look at", folder)(error)),
        Ok(data) if !data.is_dir() => return Err(FolderError::NotAFolder(folder.to_owned())),
        Ok(_) => {}
    }
    let path = folder.join(DEFINITION);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let record = folder.join(report::RECORD);
            let holds_games = record.exists() && read_games(&record)?.next().is_some();
            return if holds_games { Err(FolderError::NoDefinition(folder.to_owned())) } else { Ok(None) };
        }
        Err(error) => return Err(io_error("read", &path)(error)),
    };
    let parsed = serde_json::from_str(&text);
    parsed.map(Some).map_err(|error| FolderError::Definition { path, message: error.to_string() })
}

/// Renames an existing folder to a free name, which is returned. Its record is locked meanwhile.
///
/// # Errors
/// [`LogError::InUse`] if another referee is at work in it, [`FolderError::Io`] if it can't be renamed.
pub fn set_aside(folder: &Path) -> Result<Option<PathBuf>, FolderError> {
    if fs::symlink_metadata(folder).is_err() {
        return Ok(None);
    }
    let _lock = LogLock::of(&folder.join(report::RECORD))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let candidates = (1..).map(|number: u64| folder.with_file_name(format!("{name}.old-{number}")));
    let free = candidates.into_iter().find(|path| fs::symlink_metadata(path).is_err());
    let Some(free) = free else { return Ok(None) };
    fs::rename(folder, &free).map_err(io_error("rename", folder))?;
    Ok(Some(free))
}

/// Creates the folder if needed, opens its record for appending and writes the definition into it. Returns the record
/// and the number of bytes that were cut off as an incomplete last line.
///
/// # Errors
/// [`FolderError`], for example if the folder is read-only or in use by another referee.
pub fn open(folder: &Path, resolved: &Resolved) -> Result<(GameLog, u64), FolderError> {
    fs::create_dir_all(folder).map_err(io_error("make the folder", folder))?;
    let (log, torn) = GameLog::open(&folder.join(report::RECORD))?;
    report::remove_leftovers(folder);
    write_definition(folder, resolved)?;
    Ok((log, torn))
}

fn write_definition(folder: &Path, resolved: &Resolved) -> Result<(), FolderError> {
    let path = folder.join(DEFINITION);
    let mut text = serde_json::to_vec_pretty(resolved)
        .map_err(|error| FolderError::Definition { path: path.clone(), message: error.to_string() })?;
    text.push(b'\n');
    report::replace_file(folder, DEFINITION, &text).map_err(io_error("write", &path))
}
