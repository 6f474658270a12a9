//! The error of every type that is read from one word.

use std::error::Error;
use std::fmt;

/// A word that can't be read, such as `chess` where a variant is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    what: &'static str,
    expected: &'static str,
    word: String,
}

impl ParseError {
    pub(crate) fn new(what: &'static str, expected: &'static str, word: &str) -> ParseError {
        ParseError { what, expected, word: word.to_owned() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no {}: expected {}", self.word.escape_debug(), self.what, self.expected)
    }
}

impl Error for ParseError {}
