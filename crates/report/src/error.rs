//! Why reports can't be written.

use std::io;
use std::path::PathBuf;

use records::LogError;
use thiserror::Error;

/// Why reports can't be written. The message is one line; it names the file, and the line of the record.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The record can't be read, or one of its lines is inconsistent.
    #[error(transparent)]
    Record(#[from] LogError),
    /// An error of the operating system.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// A verb: `read` or `write`.
        what: &'static str,
        path: PathBuf,
        error: io::Error,
    },
}
