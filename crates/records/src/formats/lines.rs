//! The lines of a text file, with their numbers.

use std::io::{BufRead, Read as _};

use super::error::{ParseError, ReadError};
use crate::log::skip_line;

/// The length limit of a line, in bytes. A longer line means another kind of file.
const LONGEST: u64 = 1 << 20;

/// A text, read line by line into memory that is reused.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    number: u64,
    bytes: Vec<u8>,
    torn: bool,
    /// True if the line was too long and its rest is still to be skipped. It may have no end.
    overlong: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, number: 0, bytes: Vec::new(), torn: false, overlong: false }
    }

    /// Goes to the next line. False if there is none.
    pub(super) fn advance(&mut self) -> Result<bool, ReadError> {
        self.bytes.clear();
        if std::mem::take(&mut self.overlong) {
            skip_line(&mut self.reader)?;
        }
        let read = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.bytes)?;
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.torn = self.bytes.last() != Some(&b'\n');
        if self.torn && read as u64 == LONGEST {
            self.overlong = true;
            let what = format!("the line is longer than {LONGEST} bytes");
            return Err(ReadError::BadItem(ParseError::new(self.number, 1, what)));
        }
        if self.number == 1 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.bytes.drain(..3);
        }
        while matches!(self.bytes.last(), Some(b'\n' | b'\r')) {
            self.bytes.pop();
        }
        Ok(true)
    }

    /// The number of the line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// True if the line has no line end: it is the last one and may be incomplete.
    pub(super) fn is_torn(&self) -> bool {
        self.torn
    }

    /// The line without its end.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The line as text.
    pub(super) fn text(&self) -> Result<&str, ParseError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            ParseError::new(self.number, error.valid_up_to() + 1, "expected UTF-8, found other bytes")
        })
    }

    /// An error in this line, at a byte from 0.
    pub(super) fn error_at(&self, at: usize, what: impl Into<String>) -> ParseError {
        ParseError::new(self.number, at + 1, what)
    }
}

/// Decodes Latin-1.
pub(super) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_line_that_is_too_long_costs_itself_only() {
        let long = "x".repeat(3 * LONGEST as usize);
        let text = format!("{long}\nf5\n");
        let mut lines = Lines::new(text.as_bytes());
        let error = lines.advance().expect_err("too long").to_string();
        assert_eq!(error, "1:1: the line is longer than 1048576 bytes");
        assert!(lines.advance().expect("a line"));
        assert_eq!((lines.number(), lines.bytes()), (2, &b"f5"[..]));
        assert!(!lines.advance().expect("the end"));
        // One that never ends is refused too.
        assert!(Lines::new(io::BufReader::new(io::repeat(b'x'))).advance().is_err());
    }
}
