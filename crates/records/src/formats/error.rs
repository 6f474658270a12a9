//! What can go wrong in reading and writing, and where.

use std::fmt;
use std::io;
use std::path::Path;

use thiserror::Error;

/// Where something stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a text file: line and column (in bytes), both from 1.
    Text {
        /// The line.
        line: u64,
        /// The column.
        column: u64,
    },
    /// In a file of records of fixed length.
    Record {
        /// The record, from 1; 0 is the header.
        number: u64,
        /// The byte of the file, from 0.
        byte: u64,
    },
}

/// Something in a file that can't be read, what was expected there, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where.
    pub place: Place,
    /// What is wrong, in one line.
    pub what: String,
}

impl ParseError {
    pub(super) fn new(line: u64, column: usize, what: impl Into<String>) -> Self {
        Self { place: Place::Text { line, column: column as u64 }, what: what.into() }
    }

    /// The message with the name of the file: `games.ggf:4:12: what`.
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

/// Why an item can't be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refuses; there is nothing more to read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// One item is bad; reading goes on behind it.
    #[error("{0}")]
    BadItem(ParseError),
    /// The file is not what it should be; there is nothing more to read.
    #[error("{0}")]
    BadFile(ParseError),
}

/// Why an item can't be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The operating system refuses.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The format can't hold this item; writing goes on with the next.
    #[error("{0}")]
    Cannot(String),
}

/// A part of what was found, fit for a message: one line, not long, no control characters.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 24;
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("`{}`", short.escape_debug())
}
