//! Why reports can't be written.

use std::io;
use std::path::PathBuf;

use records::LogError;
use thiserror::Error;

/// Why reports can't be written. One line that names the file, and the line of the record.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The record can't be read, or one of its lines does not hold together.
    #[error(transparent)]
    Record(#[from] LogError),
    /// The operating system refuses.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}
