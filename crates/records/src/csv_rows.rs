//! The rows of a CSV file (RFC 4180), read line by line, so that a quote that is not closed costs its own line only.
//!
//! A line without quotes is split at its commas here; a row with quotes is left to the crate `csv-core`. To give it every
//! line would take twice as long: 94 ms instead of 46 ms for a million rows.

use std::io::{self, BufRead, Cursor, Read as _};

use csv_core::ReadFieldResult;
use memchr::{memchr, memchr_iter};

use crate::log::skip_line;

/// No table has a longer line. A file with one is of another kind, and the line may have no end.
const LONGEST_LINE: usize = 1 << 20;

/// A row of more lines or bytes has a quote that is not closed.
const MOST_LINES: u64 = 20;
const MOST_QUOTED: usize = 128 * 1024;

/// Why there is no further row.
#[derive(Debug)]
pub(crate) enum RowError {
    /// The operating system refuses.
    Io(io::Error),
    /// The text is not in this form.
    Text {
        /// The line at which the row begins, from 1.
        line: u64,
        /// The byte of that line, from 1.
        column: usize,
        what: &'static str,
    },
}

/// The rows of a table, read one at a time.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    reader: R,
    /// Whole lines after an unclosed quote. They were read with its row and are read again, as rows of their own.
    again: Cursor<Vec<u8>>,
    /// Lines read so far.
    lines: u64,
    /// The line at which the row begins, from 1.
    line: u64,
    /// True if the last line was longer than [`LONGEST_LINE`] and its rest is still to be skipped.
    overlong: bool,
    /// The number of columns, once the header was read.
    width: usize,
    /// The fields of the row, with a comma between two of them, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// A row with quotes as it was read.
    quoted: Vec<u8>,
    parser: csv_core::Reader,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    text: &'a str,
    ends: &'a [usize],
}

impl<'a> Row<'a> {
    /// The field in this column, from 0.
    #[inline]
    pub(crate) fn get(&self, column: usize) -> Option<&'a str> {
        let end = *self.ends.get(column)?;
        let begin = column.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        self.text.get(begin..end)
    }

    pub(crate) fn fields(self) -> impl Iterator<Item = &'a str> {
        (0..self.ends.len()).filter_map(move |column| self.get(column))
    }
}

impl<R: BufRead> Rows<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            again: Cursor::default(),
            lines: 0,
            line: 0,
            overlong: false,
            width: usize::MAX,
            text: Vec::new(),
            ends: Vec::new(),
            quoted: Vec::new(),
            parser: csv_core::Reader::new(),
        }
    }

    /// The line at which the last row begins, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line.max(1)
    }

    /// Reads the first row: the names of the columns, in lower case. `None` if there is no row.
    pub(crate) fn header(&mut self) -> Result<Option<Vec<String>>, RowError> {
        if !self.advance()? {
            return Ok(None);
        }
        // A table saved by a spreadsheet may begin with a byte order mark.
        let name = |field: &str| field.trim_start_matches('\u{feff}').trim().to_ascii_lowercase();
        let names: Vec<String> = self.row()?.fields().map(name).collect();
        self.width = names.len();
        Ok(Some(names))
    }

    /// Goes to the next row; empty lines are skipped. False at the end of the file.
    pub(crate) fn advance(&mut self) -> Result<bool, RowError> {
        loop {
            self.line = self.lines + 1;
            self.text.clear();
            self.ends.clear();
            if !self.append_line()? {
                return Ok(false);
            }
            if self.text.is_empty() {
                continue;
            }
            if !self.split_plain() {
                self.read_quoted()?;
            }
            return Ok(true);
        }
    }

    /// Splits a line at its commas. False if it has quotes.
    fn split_plain(&mut self) -> bool {
        // Fields are short: this loop is faster than a `memchr` for each comma.
        for (at, &byte) in self.text.iter().enumerate() {
            match byte {
                b',' => self.ends.push(at),
                b'"' => return false,
                _ => {}
            }
        }
        self.ends.push(self.text.len());
        true
    }

    /// The row that [`advance`](Self::advance) went to.
    ///
    /// Empty fields after the last column are ignored, since spreadsheets write such commas.
    #[inline]
    pub(crate) fn row(&self) -> Result<Row<'_>, RowError> {
        let Ok(text) = std::str::from_utf8(&self.text) else { return self.refused(NOT_UTF8) };
        if self.has_surplus() { self.refused(TOO_MANY) } else { Ok(Row { text, ends: &self.ends }) }
    }

    #[cold]
    fn refused<T>(&self, what: &'static str) -> Result<T, RowError> {
        Err(RowError::Text { line: self.line(), column: 1, what })
    }

    /// Appends the next line to `text`, without its line end. False if there is none.
    fn append_line(&mut self) -> Result<bool, RowError> {
        if std::mem::take(&mut self.overlong) {
            skip_line(&mut self.reader).map_err(RowError::Io)?;
        }
        let begin = self.text.len();
        let mut read = 0;
        if !self.again.get_ref().is_empty() {
            read = self.again.read_until(b'\n', &mut self.text).map_err(RowError::Io)?;
        }
        if read == 0 {
            read = self.append_new_line().map_err(RowError::Io)?;
        }
        if read == 0 {
            return Ok(false);
        }
        self.lines += 1;
        if self.text.last() == Some(&b'\n') {
            self.text.pop();
        } else if read == LONGEST_LINE {
            self.overlong = true;
            return self.refused(TOO_LONG);
        }
        if self.text[begin..].last() == Some(&b'\r') {
            self.text.pop();
        }
        Ok(true)
    }

    /// Appends the next line of the reader, or its beginning if it is too long. Returns the number of bytes.
    fn append_new_line(&mut self) -> io::Result<usize> {
        // Nearly always the whole line is in the buffer. An error comes again below.
        let buffer = self.reader.fill_buf().unwrap_or_default();
        if let Some(end) = memchr(b'\n', buffer).filter(|&end| end < LONGEST_LINE) {
            self.text.extend_from_slice(&buffer[..=end]);
            self.reader.consume(end + 1);
            return Ok(end + 1);
        }
        (&mut self.reader).take(LONGEST_LINE as u64).read_until(b'\n', &mut self.text)
    }

    /// Reads the rest of a row with quotes, whose first line is in `text`. Its fields may hold commas and line ends.
    fn read_quoted(&mut self) -> Result<(), RowError> {
        let mut begin = 0;
        // A quote that is a character of its field is written twice, so that closed fields have an even number.
        let mut open = false;
        loop {
            open ^= memchr_iter(b'"', &self.text[begin..]).count() % 2 == 1;
            if !open {
                break;
            }
            self.text.push(b'\n');
            begin = self.text.len();
            let too_long = self.lines - self.line >= MOST_LINES || begin > MOST_QUOTED;
            if too_long || !self.append_line()? {
                return Err(self.not_closed());
            }
        }
        self.text.push(b'\n');
        let is_whole = self.split_quoted();
        if self.lines > self.line && (!is_whole || self.has_surplus()) {
            // The quote that seemed to close a field opens one of a later row.
            std::mem::swap(&mut self.text, &mut self.quoted);
            return Err(self.not_closed());
        }
        Ok(())
    }

    /// Moves the row from `text` to `quoted`, and its fields, without their quotes, to `text`. False if the row ends
    /// before its last line does.
    fn split_quoted(&mut self) -> bool {
        std::mem::swap(&mut self.text, &mut self.quoted);
        // No field is longer than what it is read from.
        self.text.resize(self.quoted.len(), 0);
        self.parser.reset();
        self.ends.clear();
        let (mut read, mut written) = (0, 0);
        loop {
            let (result, more, length) =
                self.parser.read_field(&self.quoted[read..], &mut self.text[written..]);
            read += more;
            written += length;
            self.ends.push(written);
            if !matches!(result, ReadFieldResult::Field { record_end: false }) {
                self.text.truncate(written);
                return read == self.quoted.len();
            }
            self.text[written] = b',';
            written += 1;
        }
    }

    /// True if a field after the last column is not blank.
    fn has_surplus(&self) -> bool {
        let field = |column: usize| &self.text[self.ends[column - 1] + 1..self.ends[column]];
        (self.width..self.ends.len()).any(|column| !field(column).trim_ascii().is_empty())
    }

    /// The error for a quote that is not closed. It costs the first line of the row only: the others are read again.
    #[cold]
    fn not_closed(&mut self) -> RowError {
        let first = memchr(b'\n', &self.text).map_or(self.text.len(), |end| end + 1);
        let column = 1 + last_opened(&self.text[..first]);
        let mut again = self.text.split_off(first);
        let unread = usize::try_from(self.again.position()).unwrap_or(usize::MAX);
        again.extend_from_slice(self.again.get_ref().get(unread..).unwrap_or_default());
        self.again = Cursor::new(again);
        self.lines = self.line;
        RowError::Text { line: self.line(), column, what: NOT_CLOSED }
    }
}

const NOT_UTF8: &str = "the line is not UTF-8";
const NOT_CLOSED: &str = "a quotation mark is not closed";
const TOO_MANY: &str = "the row has more fields than the header has columns";
const TOO_LONG: &str = "the line is longer than a MiB; is this a table of results?";

/// The byte, from 0, of the quote that opens the last quoted field of a line.
fn last_opened(line: &[u8]) -> usize {
    let (mut opened, mut open, mut at) = (0, false, 0);
    while let Some(found) = memchr(b'"', &line[at..]) {
        let quote = at + found;
        at = quote + 1;
        match open {
            false => (opened, open) = (quote, true),
            true if line.get(at) == Some(&b'"') => at += 1,
            true => open = false,
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use proptest::prelude::*;

    fn rows(text: impl BufRead) -> Vec<Vec<String>> {
        let mut rows = Rows::new(text);
        let mut all = Vec::new();
        while rows.advance().expect("sound") {
            all.push(rows.row().expect("UTF-8").fields().map(str::to_owned).collect());
        }
        all
    }

    #[test]
    fn lines_are_counted() {
        let mut rows = Rows::new(&b"a,b\n\n\r\n\"c\nd\",\xc3\xa9\r\ne,,"[..]);
        let mut seen = Vec::new();
        while rows.advance().expect("sound") {
            let row = rows.row().expect("UTF-8");
            seen.push((rows.line(), row.fields().map(str::to_owned).collect::<Vec<_>>()));
        }
        let row = |line, fields: &[&str]| (line, fields.iter().map(|&field| field.to_owned()).collect());
        assert_eq!(seen, [row(1, &["a", "b"]), row(4, &["c\nd", "é"]), row(6, &["e", "", ""])]);
    }

    #[test]
    fn what_is_no_row() {
        for text in [&b"a,\"b\nc"[..], b"\xff,b\n", b"\"\xff\",b\n"] {
            let mut rows = Rows::new(text);
            let refused = rows.advance().and_then(|_| rows.row().map(|_| ()));
            assert!(matches!(refused, Err(RowError::Text { line: 1, .. })), "{text:?}");
        }
    }

    #[test]
    fn long_rows_are_read_and_endless_ones_refused() {
        let long = "x".repeat(100_000);
        assert_eq!(rows(format!("a,b\n{long},c\n").as_bytes()), [vec!["a", "b"], vec![&long, "c"]]);
        assert_eq!(rows(format!("\"{long}\n\",c\n").as_bytes()), [[format!("{long}\n").as_str(), "c"]]);
        for byte in [b'x', 0, b'"'] {
            let refused = Rows::new(BufReader::new(io::repeat(byte))).advance();
            assert!(matches!(refused, Err(RowError::Text { line: 1, what: TOO_LONG, .. })), "{refused:?}");
        }
        let endless = BufReader::new((&b"a\n\"b"[..]).chain(io::repeat(b'\n')));
        let mut rows = Rows::new(endless);
        assert!(rows.advance().expect("sound"));
        assert!(matches!(rows.advance(), Err(RowError::Text { line: 2, what: NOT_CLOSED, .. })));
    }

    /// Every row, or the line and column of what is none.
    fn told(text: impl BufRead, header: bool) -> Vec<Result<String, (u64, usize, &'static str)>> {
        let mut rows = Rows::new(text);
        if header {
            rows.header().expect("a header");
        }
        let mut all = Vec::new();
        loop {
            let row = rows.advance().and_then(|more| if more { rows.row().map(Some) } else { Ok(None) });
            match row {
                Ok(None) => return all,
                Ok(Some(row)) => all.push(Ok(row.fields().collect::<Vec<_>>().join("|"))),
                Err(RowError::Text { line, column, what }) => all.push(Err((line, column, what))),
                Err(RowError::Io(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_mark_that_is_not_closed_costs_its_line_only() {
        for (before, step) in [(0, 7), (1, 1 << 20), (9_000, 1 << 20)] {
            let sound = "x,y\n".repeat(before);
            let behind = "c,d\r\n".repeat(9_000);
            let text = format!("{sound}\"q\",\"\"\"a,b\n{behind}");
            let all = told(BufReader::with_capacity(step, text.as_bytes()), false);
            assert_eq!(all.len(), before + 9_001);
            assert_eq!(all[before], Err((before as u64 + 1, 5, NOT_CLOSED)));
            assert!(all[before + 1..].iter().all(|row| *row == Ok("c|d".to_owned())));
        }
        let last = told(&b"a,\"b\nc,d\ne,f"[..], false);
        assert_eq!(last, [Err((1, 3, NOT_CLOSED)), Ok("c|d".to_owned()), Ok("e|f".to_owned())]);
        let each = told("\"a\n".repeat(41).as_bytes(), false);
        assert_eq!(each.last(), Some(&Err((41, 1, NOT_CLOSED))));
        // Lines that belong to a field are still read.
        let lines = format!("\"{}\",b\nc,d\n", "\n".repeat(19));
        assert_eq!(told(lines.as_bytes(), false).last(), Some(&Ok("c|d".to_owned())));
    }

    #[test]
    fn a_row_has_no_more_fields_than_the_header() {
        let all = told(&b"a,b\n1,2,3\n1,2\n1,2, ,\n\"1\",2,,x\n1\n"[..], true);
        let bad = |line| Err((line, 1, TOO_MANY));
        let good = |row: &str| Ok(row.to_owned());
        assert_eq!(all, [bad(2), good("1|2"), good("1|2| |"), bad(5), good("1")]);
    }

    #[test]
    fn a_mark_of_a_later_row_does_not_close_a_field() {
        let all = told(&b"a,b\n\"1,2\n3,4\n\"x, y\",5\n6,7\n\"p\nq\",8"[..], true);
        let good = |row: &str| Ok(row.to_owned());
        assert_eq!(all, [Err((2, 1, NOT_CLOSED)), good("3|4"), good("x, y|5"), good("6|7"), good("p\nq|8")]);
        // One that stands within a field is a character of it, and takes no other line along.
        let all = told(&b"a,b\n5\" disc,2\n3,4\n6\",7\n8,9"[..], true);
        let bad = |line| Err((line, 2, NOT_CLOSED));
        assert_eq!(all, [bad(2), good("3|4"), bad(4), good("8|9")]);
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_csv_crate(
            table in prop::collection::vec(prop::collection::vec("[a-z,\"\n é]{0,4}", 2..5), 0..9),
            crlf in any::<bool>(),
            step in 1usize..40,
        ) {
            let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new().flexible(true).terminator(terminator).from_writer(Vec::new());
            table.iter().for_each(|row| writer.write_record(row).expect("to memory"));
            let text = writer.into_inner().expect("to memory");
            prop_assert_eq!(rows(BufReader::with_capacity(step, &text[..])), table);
        }
    }
}
