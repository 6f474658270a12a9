//! Files that are replaced as a whole: a reader sees the old text or the new one, never a part.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::ReportError;

/// Writes a file under a temporary name in the same folder, syncs it to the disk, then renames it.
pub(crate) fn write_atomically(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), FillError>,
) -> Result<(), ReportError> {
    let path = folder.join(name);
    let failed = |error| ReportError::Io { what: "write", path: path.clone(), error };
    let mut aside = create(folder, name).map_err(failed)?;
    let mut out = BufWriter::new(aside.as_file_mut());
    fill(&mut out).map_err(|stopped| match stopped {
        FillError::Read(error) => error,
        FillError::Write(error) => failed(error),
    })?;
    out.flush().map_err(failed)?;
    drop(out);
    aside.as_file().sync_all().map_err(failed)?;
    aside.persist(&path).map_err(|refused| failed(refused.error))?;
    Ok(())
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
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| ReportError::Io { what: "write", path: folder.to_owned(), error })?;
    }
    Ok(())
}

fn create(folder: &Path, name: &str) -> io::Result<NamedTempFile> {
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    // Permissions as for any new file: the umask decides.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
