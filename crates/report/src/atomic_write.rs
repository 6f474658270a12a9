//! Files that are replaced as a whole: a reader sees the old text or the new one, never a part.
//!
//! A file is written under a temporary name first, one fixed name for each: `.standings.csv.tmp`. The temporary file is
//! locked while it is written, so that two programs never write the same one, and [`remove_leftovers`] can tell one
//! that is being written from one that a killed program has left.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::ReportError;

/// The files that are written in this way.
const FILES: [&str; 7] = [
    "standings.csv",
    "pairings.csv",
    "crosstable.csv",
    "games.csv",
    "sprt.csv",
    "summary.json",
    "definition.json",
];

/// Writes a file under a temporary name in the same folder, syncs it to the disk, then renames it.
pub(crate) fn write_atomically(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut BufWriter<&File>) -> Result<(), FillError>,
) -> Result<(), ReportError> {
    let path = folder.join(name);
    let failed = |error| ReportError::Io { what: "write", path: path.clone(), error };
    let temporary = TemporaryFile::create(folder, name).map_err(failed)?;
    let mut out = BufWriter::new(&temporary.file);
    fill(&mut out).map_err(|stopped| match stopped {
        FillError::Read(error) => error,
        FillError::Write(error) => failed(error),
    })?;
    out.flush().map_err(failed)?;
    drop(out);
    temporary.persist(&path).map_err(failed)
}

/// Replaces a file by one with this content, on the disk too. `name` is a report's or `definition.json`.
///
/// # Errors
/// Those of the system; the old file is still there then.
pub fn replace_file(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let temporary = TemporaryFile::create(folder, name)?;
    (&temporary.file).write_all(content)?;
    temporary.persist(&folder.join(name))?;
    sync_folder(folder)
}

/// Removes the temporary files that killed programs have left in a results folder, also those with the names of earlier
/// versions. One that can't be removed stays: it is in nobody's way.
pub fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !entry.file_name().to_str().is_some_and(is_temporary) {
            continue;
        }
        let path = entry.path();
        let Ok(file) = OpenOptions::new().write(true).open(&path) else { continue };
        let is_free = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if is_free && is_at(&file, &path) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// True for `.NAME.tmp`, and for `.NAME.XXXXXX.tmp` and `.tmpXXXXXX` of earlier versions, the `X` random.
fn is_temporary(name: &str) -> bool {
    let is_random = |text: &str| text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if name.strip_prefix(".tmp").is_some_and(is_random) {
        return true;
    }
    let Some(inner) = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp")) else { return false };
    let earlier = inner.rsplit_once('.').filter(|(_, random)| is_random(random)).map(|(name, _)| name);
    FILES.contains(&inner) || earlier.is_some_and(|name| FILES.contains(&name))
}

/// A temporary file, locked. It is removed when dropped.
struct TemporaryFile {
    file: File,
    path: PathBuf,
    is_persisted: bool,
}

impl TemporaryFile {
    /// Waits until no other program writes the same file.
    fn create(folder: &Path, name: &str) -> io::Result<Self> {
        let path = folder.join(format!(".{name}.tmp"));
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
            match file.lock() {
                Err(error) if error.kind() != ErrorKind::Unsupported => return Err(error),
                _ => {}
            }
            // Another program may have renamed or removed it while we waited.
            if is_at(&file, &path) {
                file.set_len(0)?;
                return Ok(Self { file, path, is_persisted: false });
            }
        }
    }

    /// Syncs it to the disk and gives it its name.
    fn persist(mut self, to: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, to)?;
        self.is_persisted = true;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.is_persisted {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// True if this path leads to this file. Where the system does not say, it does.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (ours.dev(), ours.ino()) == (there.dev(), there.ino())
    }
    #[cfg(not(unix))]
    {
        ours.is_file() == there.is_file()
    }
}

/// Why the content of a file could not be written.
pub(crate) enum FillError {
    /// The record could not be read.
    Read(ReportError),
    /// The file could not be written.
    Write(io::Error),
}

impl From<io::Error> for FillError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<csv::Error> for FillError {
    fn from(error: csv::Error) -> Self {
        Self::Write(error.into())
    }
}

/// Syncs the names in a folder to the disk. Only on Unix.
pub(crate) fn sync_dir(folder: &Path) -> Result<(), ReportError> {
    let failed = |error| ReportError::Io { what: "write", path: folder.to_owned(), error };
    sync_folder(folder).map_err(failed)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_removed_unless_they_are_being_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let left = [".games.csv.tmp", ".games.csv.aB3dE6.tmp", ".tmpAbCdE1", ".definition.json.tmp"];
        let kept = [".mine.tmp", "games.csv", ".tmp-of-mine", ".standings.csv.tmp"];
        for name in left.iter().chain(&kept) {
            fs::write(path(name), "x").expect("written");
        }
        let writing = TemporaryFile::create(folder.path(), "standings.csv").expect("created");
        remove_leftovers(folder.path());
        for name in left {
            assert!(!path(name).exists(), "{name}");
        }
        for name in kept {
            assert!(path(name).exists(), "{name}");
        }
        drop(writing);
        assert!(!path(".standings.csv.tmp").exists());
    }

    #[test]
    fn writers_of_one_file_wait_for_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|threads| {
            for letter in b'a'..b'e' {
                let folder = folder.path();
                threads.spawn(move || {
                    for _ in 0..20 {
                        let content = vec![letter; 10_000];
                        replace_file(folder, "summary.json", &content).expect("written");
                        remove_leftovers(folder);
                    }
                });
            }
        });
        let last = fs::read(folder.path().join("summary.json")).expect("it is there");
        assert!(last.len() == 10_000 && last.iter().all(|byte| *byte == last[0]));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    }
}
