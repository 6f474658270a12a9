//! Errors of reading and writing, with their place.

use std::fmt;
use std::io;
use std::path::Path;

use thiserror::Error;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a text file. Both count from 1, the column in bytes.
    Text { line: u64, column: u64 },
    /// In a file of records of fixed size.
    Record {
        /// The record, from 1; 0 is the header.
        number: u64,
        /// The byte of the file, from 0.
        byte: u64,
    },
}

/// Something in a file that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub place: Place,
    /// What is wrong or what was expected, in one line.
    pub what: String,
}

impl ParseError {
    pub(super) fn new(line: u64, column: usize, what: impl Into<String>) -> Self {
        Self { place: Place::Text { line, column: column as u64 }, what: what.into() }
    }

    /// The message with the file name: `games.ggf:4:12: what`.
    #[must_use]
    pub fn in_file(&self, path: &Path) -> String {
        let blank = if matches!(self.place, Place::Record { .. }) { " " } else { "" };
        format!("{}:{blank}{self}", path.display())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Text { line, column } => write!(f, "{line}:{column}: {}", self.what),
            Place::Record { number: 0, byte } => write!(f, "header, byte {byte}: {}", self.what),
            Place::Record { number, byte } => write!(f, "game {number}, byte {byte}: {}", self.what),
        }
    }
}

/// Why reading failed.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refused. Reading has ended.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// One item is invalid. Reading continues with the next.
    #[error("{0}")]
    BadItem(ParseError),
    /// The file is not of this format. Reading has ended.
    #[error("{0}")]
    BadFile(ParseError),
}

/// Why writing failed.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The format can't hold this item. Writing can continue with the next.
    #[error("{0}")]
    Cannot(String),
}

/// A text for a message: in one line, at most 24 characters of it, without control characters.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 24;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("`{}`", short.escape_debug())
}
