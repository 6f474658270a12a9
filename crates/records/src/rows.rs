//! The rows of a CSV file (RFC 4180). Rows without quotation marks, nearly all of them, are cut apart here at the
//! commas; the others are left to the `csv` crate.

use std::io::{self, BufRead};

use memchr::{memchr, memchr_iter};

/// A row that goes on for longer has a quotation mark that is not meant as one.
const LONGEST: usize = 1 << 20;

/// Why there is no further row.
#[derive(Debug)]
pub(crate) enum RowError {
    /// The operating system refuses.
    Io(io::Error),
    /// It is no text in this form.
    Text(&'static str),
}

/// The rows of a table; one at a time is held.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    reader: R,
    /// Lines that were read.
    lines: u64,
    /// The line at which the row begins, from 1.
    line: u64,
    /// What was read for this row.
    bytes: Vec<u8>,
    /// The fields, one behind the other with a byte between them, and where each ends.
    text: String,
    ends: Vec<usize>,
}

impl<R> Rows<R> {
    /// The field in this column.
    pub(crate) fn get(&self, column: usize) -> Option<&str> {
        let end = *self.ends.get(column)?;
        let begin = column.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        self.text.get(begin..end)
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).filter_map(|column| self.get(column))
    }

    /// The line at which the row begins, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line.max(1)
    }
}

impl<R: BufRead> Rows<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, lines: 0, line: 0, bytes: Vec::new(), text: String::new(), ends: Vec::new() }
    }

    /// Goes to the next row; empty lines are passed over. Whether there is one.
    pub(crate) fn advance(&mut self) -> Result<bool, RowError> {
        self.ends.clear();
        self.text.clear();
        self.bytes.clear();
        loop {
            if !self.read_line()? {
                return Ok(false);
            }
            self.line = self.lines;
            cut_end(&mut self.bytes);
            if !self.bytes.is_empty() {
                break;
            }
        }
        if memchr(b'"', &self.bytes).is_some() {
            return self.quoted().map(|()| true);
        }
        self.ends.extend(memchr_iter(b',', &self.bytes));
        self.ends.push(self.bytes.len());
        let text = std::str::from_utf8(&self.bytes).map_err(|_| RowError::Text("the line is not UTF-8"))?;
        self.text.push_str(text);
        Ok(true)
    }

    /// Appends a line. Whether there was one.
    fn read_line(&mut self) -> Result<bool, RowError> {
        let read = self.reader.read_until(b'\n', &mut self.bytes).map_err(RowError::Io)?;
        self.lines += u64::from(read > 0);
        Ok(read > 0)
    }

    /// A row with quotation marks, which may hold commas and ends of lines.
    fn quoted(&mut self) -> Result<(), RowError> {
        const OPEN: RowError = RowError::Text("a quotation mark is not closed");
        while memchr_iter(b'"', &self.bytes).count() % 2 == 1 {
            self.bytes.push(b'\n');
            if self.bytes.len() > LONGEST || !self.read_line()? {
                return Err(OPEN);
            }
            cut_end(&mut self.bytes);
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&self.bytes[..]);
        let mut row = csv::StringRecord::new();
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return Err(OPEN),
            Err(_) => return Err(RowError::Text("the line is not UTF-8")),
        }
        for field in &row {
            self.text.push_str(field);
            self.ends.push(self.text.len());
            self.text.push(',');
        }
        Ok(())
    }
}

fn cut_end(line: &mut Vec<u8>) {
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &[u8]) -> Vec<Vec<String>> {
        let mut rows = Rows::new(text);
        let mut all = Vec::new();
        while rows.advance().expect("sound") {
            all.push(rows.fields().map(str::to_owned).collect());
        }
        all
    }

    #[test]
    fn lines_are_counted() {
        let mut rows = Rows::new(&b"a,b\n\n\r\n\"c\nd\",\xc3\xa9\r\ne,,"[..]);
        let mut seen = Vec::new();
        while rows.advance().expect("sound") {
            seen.push((rows.line(), rows.fields().map(str::to_owned).collect::<Vec<_>>()));
        }
        let row = |line, fields: &[&str]| (line, fields.iter().map(|&field| field.to_owned()).collect());
        assert_eq!(seen, [row(1, &["a", "b"]), row(4, &["c\nd", "é"]), row(6, &["e", "", ""])]);
        assert_eq!(rows.get(0), None);
    }

    #[test]
    fn what_is_no_row() {
        for text in [&b"a,\"b\nc"[..], b"\xff,b\n", b"\"\xff\",b\n"] {
            assert!(matches!(Rows::new(text).advance(), Err(RowError::Text(_))), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_csv_crate(
            table in prop::collection::vec(prop::collection::vec("[a-z,\"\n é]{0,4}", 2..5), 0..9), crlf in any::<bool>(),
        ) {
            let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new().flexible(true).terminator(terminator).from_writer(Vec::new());
            table.iter().for_each(|row| writer.write_record(row).expect("to memory"));
            prop_assert_eq!(rows(&writer.into_inner().expect("to memory")), table);
        }
    }
}
