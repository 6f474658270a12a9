//! The rows of a CSV file (RFC 4180). Rows without quotation marks, nearly all of them, are cut apart where they lie
//! in the buffer; the others are left to the `csv` crate.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr_iter};

/// Room for what is read at once, which stays in the processor's cache.
const BUFFER: usize = 64 * 1024;

/// A longer row is none: a file of another kind.
const LONGEST: usize = 1 << 20;

/// A row that goes on for more lines, or bytes, than these has a quotation mark that nobody closed.
const MOST_LINES: u64 = 20;
const MOST_QUOTED: usize = 2 * BUFFER;

/// Why there is no further row.
#[derive(Debug)]
pub(crate) enum RowError {
    /// The operating system refuses.
    Io(io::Error),
    /// It is no text in this form.
    Text {
        /// The line at which the row begins, from 1.
        line: u64,
        /// The byte of that line, from 1.
        column: usize,
        /// What is wrong.
        what: &'static str,
    },
}

/// The rows of a table; one at a time is held.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    reader: R,
    /// What was read, and which part of it is still to be cut into rows.
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    /// Lines that were read.
    lines: u64,
    /// The line at which the row begins, from 1.
    line: u64,
    /// How many columns the header has, once it was read.
    width: usize,
    /// Where each field of the row ends; a byte lies between two fields.
    ends: Vec<usize>,
    /// Where in the buffer the row stands, unless it has quotation marks.
    plain: Option<Range<usize>>,
    /// A row with quotation marks: as it was read, and its fields one behind the other.
    quoted: Vec<u8>,
    text: String,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    text: &'a str,
    ends: &'a [usize],
}

impl<'a> Row<'a> {
    /// The field in this column.
    #[inline]
    pub(crate) fn get(&self, column: usize) -> Option<&'a str> {
        let end = *self.ends.get(column)?;
        let begin = column.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        self.text.get(begin..end)
    }

    /// All fields.
    pub(crate) fn fields(self) -> impl Iterator<Item = &'a str> {
        (0..self.ends.len()).filter_map(move |column| self.get(column))
    }
}

/// What begins where the last row has ended.
enum Next {
    /// A line without quotation marks, of so many bytes; its commas are in `ends`.
    Plain(usize),
    Quoted,
    Nothing,
}

impl<R> Rows<R> {
    /// The line at which the last row begins, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line.max(1)
    }

    /// The row that [`advance`](Self::advance) went to.
    #[inline]
    pub(crate) fn row(&self) -> Result<Row<'_>, RowError> {
        let text = match &self.plain {
            Some(plain) => match std::str::from_utf8(&self.buffer[plain.clone()]) {
                Ok(text) => text,
                Err(_) => return self.refused(NOT_UTF8),
            },
            None => &self.text,
        };
        let row = Row { text, ends: &self.ends };
        if self.ends.len() > self.width { self.without_surplus(row) } else { Ok(row) }
    }

    /// A row that is longer than the header: commas at its end do no harm, as spreadsheets put them there.
    #[cold]
    fn without_surplus<'a>(&self, row: Row<'a>) -> Result<Row<'a>, RowError> {
        match row.fields().skip(self.width).all(|field| field.trim_ascii().is_empty()) {
            true => Ok(row),
            false => self.refused(TOO_MANY),
        }
    }

    #[cold]
    fn refused<T>(&self, what: &'static str) -> Result<T, RowError> {
        Err(RowError::Text { line: self.line(), column: 1, what })
    }

    /// The row has a quotation mark that is not closed: whoever reads on goes on in the line behind the row's first.
    #[cold]
    fn not_closed(&mut self) -> RowError {
        let first = memchr(b'\n', &self.quoted).unwrap_or(self.quoted.len());
        let column = 1 + last_opened(&self.quoted[..first]);
        let back = self.quoted.len().saturating_sub(first + 1);
        if self.begin < back {
            let unread = self.end - self.begin;
            if self.buffer.len() < back + unread {
                self.buffer.resize(back + unread, 0);
            }
            self.buffer.copy_within(self.begin..self.end, back);
            (self.begin, self.end) = (back, back + unread);
        }
        self.begin -= back;
        let again = &self.quoted[self.quoted.len() - back..];
        self.buffer[self.begin..self.begin + back].copy_from_slice(again);
        self.lines = self.line;
        RowError::Text { line: self.line(), column, what: NOT_CLOSED }
    }
}

impl<R: Read> Rows<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: vec![0; BUFFER],
            begin: 0,
            end: 0,
            lines: 0,
            line: 0,
            width: usize::MAX,
            ends: Vec::new(),
            plain: None,
            quoted: Vec::new(),
            text: String::new(),
        }
    }

    /// Goes to the next row; empty lines are passed over. Whether there is one.
    pub(crate) fn advance(&mut self) -> Result<bool, RowError> {
        loop {
            self.line = self.lines + 1;
            match self.look()? {
                Next::Nothing => return Ok(false),
                Next::Quoted => {
                    self.plain = None;
                    return self.read_quoted().map(|()| true);
                }
                Next::Plain(length) => {
                    let begin = self.begin;
                    self.begin = self.end.min(begin + length + 1);
                    self.lines += 1;
                    let length = without_return(&self.buffer[begin..begin + length]).len();
                    if length > 0 {
                        self.ends.push(length);
                        self.plain = Some(begin..begin + length);
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// Goes to the first row and has the names of its columns, in small letters; `None` if there is no row.
    pub(crate) fn header(&mut self) -> Result<Option<Vec<String>>, RowError> {
        if !self.advance()? {
            return Ok(None);
        }
        // A table saved by a spreadsheet may begin with a mark of its encoding.
        let name = |field: &str| field.trim_start_matches('\u{feff}').trim().to_ascii_lowercase();
        let names: Vec<String> = self.row()?.fields().map(name).collect();
        self.width = names.len();
        Ok(Some(names))
    }

    /// Finds the end of the next line.
    fn look(&mut self) -> Result<Next, RowError> {
        loop {
            self.ends.clear();
            let unread = &self.buffer[self.begin..self.end];
            // Fields are short, so that a plain loop beats a search that starts anew behind each comma.
            let (words, rest) = unread.as_chunks::<8>();
            for (word, bytes) in words.iter().enumerate() {
                let mut low = low_bytes(u64::from_le_bytes(*bytes));
                while low != 0 {
                    let at = 8 * word + low.trailing_zeros() as usize / 8;
                    if let Some(next) = ended(&mut self.ends, at, unread[at]) {
                        return Ok(next);
                    }
                    low &= low - 1;
                }
            }
            for (at, &byte) in (8 * words.len()..).zip(rest) {
                if let Some(next) = ended(&mut self.ends, at, byte) {
                    return Ok(next);
                }
            }
            let length = unread.len();
            if !self.read_more()? {
                return Ok(if length > 0 { Next::Plain(length) } else { Next::Nothing });
            }
        }
    }

    /// Reads on, behind what is still to be cut into rows. Whether there was more.
    fn read_more(&mut self) -> Result<bool, RowError> {
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.end == self.buffer.len() {
            if self.end >= LONGEST {
                // Whoever reads on goes on behind it.
                self.begin = self.end;
                return self.refused(TOO_LONG);
            }
            self.buffer.resize(2 * self.end, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(RowError::Io(error)),
            }
        }
    }

    /// A row with quotation marks, which may hold commas and ends of lines.
    fn read_quoted(&mut self) -> Result<(), RowError> {
        self.quoted.clear();
        let mut open = false;
        loop {
            let begin = self.quoted.len();
            if !self.append_line()? {
                return Err(self.not_closed());
            }
            open ^= memchr_iter(b'"', &self.quoted[begin..]).count() % 2 == 1;
            if !open {
                break;
            }
            self.quoted.push(b'\n');
            if self.lines - self.line >= MOST_LINES || self.quoted.len() > MOST_QUOTED {
                return Err(self.not_closed());
            }
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&self.quoted[..]);
        let mut row = csv::StringRecord::new();
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return self.refused(NOT_CLOSED),
            Err(_) => return self.refused(NOT_UTF8),
        }
        self.ends.clear();
        self.text.clear();
        for field in &row {
            self.text.push_str(field);
            self.ends.push(self.text.len());
            self.text.push(',');
        }
        let whole = reader.position().byte() == self.quoted.len() as u64;
        if self.lines > self.line && (!whole || self.row().is_err()) {
            // The mark that seemed to close a field opens one of a later row.
            self.quoted.push(b'\n');
            return Err(self.not_closed());
        }
        Ok(())
    }

    /// Appends a line to `quoted`. Whether there was one.
    fn append_line(&mut self) -> Result<bool, RowError> {
        loop {
            let unread = &self.buffer[self.begin..self.end];
            let found = memchr(b'\n', unread);
            if found.is_none() && self.read_more()? {
                continue;
            }
            let unread = &self.buffer[self.begin..self.end];
            if unread.is_empty() {
                return Ok(false);
            }
            let length = found.unwrap_or(unread.len());
            self.quoted.extend_from_slice(without_return(&unread[..length]));
            self.begin = self.end.min(self.begin + length + 1);
            self.lines += 1;
            return Ok(true);
        }
    }
}

const NOT_UTF8: &str = "the line is not UTF-8";
const NOT_CLOSED: &str = "a quotation mark is not closed";
const TOO_MANY: &str = "the row has more fields than the header has columns";
const TOO_LONG: &str = "the line is longer than a MiB; is this a table of results?";

/// Takes note of a byte that may end a field; what the row is, where that ends it.
#[inline]
fn ended(ends: &mut Vec<usize>, at: usize, byte: u8) -> Option<Next> {
    match byte {
        b'\n' => return Some(Next::Plain(at)),
        b'"' => return Some(Next::Quoted),
        b',' => ends.push(at),
        _ => {}
    }
    None
}

/// The bytes up to the comma in ASCII, by their highest bit: all that is looked for, but no letters and digits.
/// (A hyphen behind such a byte passes for one.)
#[inline]
fn low_bytes(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 255;
    word.wrapping_sub(EACH * (b',' as u64 + 1)) & !word & (EACH << 7)
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Where the quotation mark stands that opens the last field of a line, from 0; two of them inside a field are one
/// of its characters.
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
    use super::*;
    use proptest::prelude::*;

    fn rows(text: impl Read) -> Vec<Vec<String>> {
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
    fn rows_longer_than_the_buffer_and_such_as_never_end() {
        let long = "x".repeat(BUFFER + 7);
        assert_eq!(rows(format!("a,b\n{long},c\n").as_bytes()), [vec!["a", "b"], vec![&long, "c"]]);
        assert_eq!(rows(format!("\"{long}\n\",c\n").as_bytes()), [[format!("{long}\n").as_str(), "c"]]);
        for byte in [b'x', 0, b'"'] {
            let refused = Rows::new(io::repeat(byte)).advance();
            assert!(matches!(refused, Err(RowError::Text { line: 1, what: TOO_LONG, .. })), "{refused:?}");
        }
        let endless = (&b"a\n\"b"[..]).chain(io::repeat(b'\n'));
        let mut rows = Rows::new(endless);
        assert!(rows.advance().expect("sound"));
        assert!(matches!(rows.advance(), Err(RowError::Text { line: 2, what: NOT_CLOSED, .. })));
    }

    /// Every row, or the line and column of what is none.
    fn told(text: impl Read, header: bool) -> Vec<Result<String, (u64, usize, &'static str)>> {
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
        // Longer than the buffer, so that what is put back has to be moved.
        for (before, step) in [(0, 7), (1, 1 << 20), (9_000, 1 << 20)] {
            let sound = "x,y\n".repeat(before);
            let behind = "c,d\r\n".repeat(9_000);
            let text = format!("{sound}\"q\",\"\"\"a,b\n{behind}");
            let all = told(Slowly(text.as_bytes(), step), false);
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

    /// Hands out a few bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let most = to.len().min(self.1);
            self.0.read(&mut to[..most])
        }
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
            prop_assert_eq!(rows(Slowly(&text, step)), table);
        }
    }
}
