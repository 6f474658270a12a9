//! Cuts bytes from a pipe into lines of bounded length.

use std::ops::Range;

/// The longest line, in bytes without its line end. A longer one is skipped as a whole.
pub const MAX_LINE: usize = 64 * 1024;

const FIRST_READ: usize = 4096;

/// The first byte of the codes that colour text in a terminal.
const ESCAPE: u8 = 0x1b;

/// Takes bytes in pieces of any size and returns complete lines.
///
/// A line ends with LF; a CR before it is cut off. Bytes that are not UTF-8 are left out. A line of more than
/// [`MAX_LINE`] bytes is skipped. Memory stays within a small multiple of [`MAX_LINE`].
#[derive(Debug, Default)]
pub struct LineBuffer {
    buffer: Vec<u8>,
    /// The part of `buffer` that was read and not returned yet.
    held: Range<usize>,
    /// There is no line end in `held` before this index.
    searched: usize,
    /// The line that has begun to come is left out once it is complete.
    stale: bool,
    /// True inside a line that is too long: bytes are dropped up to its end.
    skipping: bool,
    stats: LineStats,
    clean: String,
}

/// Counts of all input so far. They only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineStats {
    /// Bytes.
    pub bytes: u64,
    /// Complete lines, skipped ones included.
    pub lines: u64,
    /// Lines of more than [`MAX_LINE`] bytes, which were skipped.
    pub too_long: u64,
    /// Lines with bytes that are not UTF-8.
    pub not_utf8: u64,
    /// Lines with NUL characters.
    pub nul: u64,
    /// Lines with escape characters.
    pub escapes: u64,
    /// Lines that were left out since they had begun too early ([`drop_partial_line`](LineBuffer::drop_partial_line)).
    pub stale: u64,
}

impl LineBuffer {
    /// The buffer to read the next bytes into, never empty. Call [`filled`](Self::filled) with their number.
    pub fn room(&mut self) -> &mut [u8] {
        if self.held.is_empty() {
            self.held = 0..0;
            self.searched = 0;
        }
        if self.held.end == self.buffer.len() {
            if self.held.start > 0 {
                self.buffer.copy_within(self.held.clone(), 0);
                self.searched -= self.held.start;
                self.held = 0..self.held.len();
            }
            if self.held.end == self.buffer.len() {
                self.buffer.resize((self.buffer.len() * 2).max(FIRST_READ), 0);
            }
        }
        &mut self.buffer[self.held.end..]
    }

    /// Takes in the first `bytes` of the last [`room`](Self::room).
    pub fn filled(&mut self, bytes: usize) {
        let end = (self.held.end + bytes).min(self.buffer.len());
        self.stats.bytes += (end - self.held.end) as u64;
        self.held.end = end;
    }

    /// The next complete line, without its line end.
    pub fn next_line(&mut self) -> Option<&str> {
        loop {
            let fresh = &self.buffer[self.searched..self.held.end];
            let Some(at) = memchr::memchr(b'\n', fresh) else {
                self.searched = self.held.end;
                if self.skipping || self.held.len() > MAX_LINE {
                    self.skipping = true;
                    self.held = 0..0;
                    self.searched = 0;
                }
                return None;
            };
            let end = self.searched + at;
            let mut line = self.held.start..end;
            self.held.start = end + 1;
            self.searched = end + 1;
            self.stats.lines += 1;
            let stale = std::mem::take(&mut self.stale);
            if self.skipping || line.len() > MAX_LINE {
                self.skipping = false;
                self.stats.too_long += 1;
                continue;
            }
            if stale {
                self.stats.stale += 1;
                continue;
            }
            if self.buffer[line.clone()].last() == Some(&b'\r') {
                line.end -= 1;
            }
            return Some(self.text(line));
        }
    }

    fn text(&mut self, line: Range<usize>) -> &str {
        let bytes = &self.buffer[line];
        if memchr::memchr2(0, ESCAPE, bytes).is_some() {
            self.stats.nul += u64::from(bytes.contains(&0));
            self.stats.escapes += u64::from(bytes.contains(&ESCAPE));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                self.stats.not_utf8 += 1;
                self.clean.clear();
                self.clean.extend(bytes.utf8_chunks().map(|chunk| chunk.valid()));
                &self.clean
            }
        }
    }

    /// Leaves out the line that has begun to come and is not complete yet, if there is one. To be called when no complete
    /// line waits.
    pub fn drop_partial_line(&mut self) {
        self.stale = self.skipping || !self.partial_line().is_empty();
    }

    /// True if [`next_line`](Self::next_line) may return a line without more input.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.buffer[self.searched..self.held.end].contains(&b'\n')
    }

    /// The bytes after the last line end; empty while a line that is too long is skipped.
    #[must_use]
    pub fn partial_line(&self) -> &[u8] {
        let held = &self.buffer[self.held.clone()];
        let start = held.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        &held[start..]
    }

    /// True inside a line that is too long.
    #[must_use]
    pub fn is_skipping(&self) -> bool {
        self.skipping
    }

    /// Counts of all input so far.
    #[must_use]
    pub fn stats(&self) -> &LineStats {
        &self.stats
    }
}

/// Text of an engine for use in a message: cut to 200 characters, control characters escaped, in backticks.
#[must_use]
pub fn quote(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    let mut quoted = String::from("`");
    for (place, character) in text.chars().enumerate() {
        if place == MAX_CHARS {
            quoted.push_str("...");
            break;
        }
        match character {
            '"' | '\'' => quoted.push(character),
            _ => quoted.extend(character.escape_debug()),
        }
    }
    quoted.push('`');
    quoted
}

/// As [`quote`], without the backticks.
pub(crate) fn escape(text: &str) -> String {
    let quoted = quote(text);
    quoted[1..quoted.len() - 1].to_owned()
}

/// Texts of an engine, escaped, with commas between them, cut to about 2,000 characters.
pub(crate) fn escape_list<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    const MAX_CHARS: usize = 2000;
    let mut list = String::new();
    for text in texts {
        if !list.is_empty() {
            list.push_str(", ");
        }
        if list.len() > MAX_CHARS {
            list.push_str("...");
            break;
        }
        list.push_str(&escape(text));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feed(buffer: &mut LineBuffer, mut bytes: &[u8], lines: &mut Vec<String>) {
        while !bytes.is_empty() {
            let room = buffer.room();
            let taken = room.len().min(bytes.len());
            room[..taken].copy_from_slice(&bytes[..taken]);
            buffer.filled(taken);
            bytes = &bytes[taken..];
            while let Some(line) = buffer.next_line() {
                lines.push(line.to_owned());
            }
        }
    }

    fn lines_of(bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        feed(&mut LineBuffer::default(), bytes, &mut lines);
        lines
    }

    #[test]
    fn line_ends_of_both_kinds() {
        assert_eq!(lines_of(b"a\r\n\nb\nc"), ["a", "", "b"]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_left_out() {
        assert_eq!(lines_of(b"bestmove \xff\xfef5\xc3\n\xc3\xa9\n"), ["bestmove f5", "é"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_read() {
        let mut bytes = vec![b'x'; MAX_LINE];
        bytes.extend(b"\nshort\n");
        bytes.extend(vec![b'y'; MAX_LINE + 1]);
        bytes.extend(b"\nbestmove f5\n");
        let lines = lines_of(&bytes);
        assert_eq!(lines.len(), 3);
        assert_eq!((lines[0].len(), &lines[1][..], &lines[2][..]), (MAX_LINE, "short", "bestmove f5"));
    }

    #[test]
    fn an_endless_line_takes_no_memory() {
        let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
        for _ in 0..200 {
            feed(&mut buffer, &[b'z'; 50_000], &mut lines);
        }
        assert!(buffer.is_skipping() && lines.is_empty());
        assert!(buffer.buffer.capacity() <= 4 * MAX_LINE, "{}", buffer.buffer.capacity());
        feed(&mut buffer, b"\nreadyok\n", &mut lines);
        assert_eq!((lines.len(), buffer.stats().too_long), (1, 1));
    }

    #[test]
    fn what_is_odd_is_counted() {
        let mut buffer = LineBuffer::default();
        let bytes = b"good\n\0\0\n\x1b[31mred\x1b[0m\n\xff\0\x1b\n";
        feed(&mut buffer, bytes, &mut Vec::new());
        let expected = LineStats {
            bytes: bytes.len() as u64,
            lines: 4,
            too_long: 0,
            not_utf8: 1,
            nul: 2,
            escapes: 2,
            stale: 0,
        };
        assert_eq!(*buffer.stats(), expected);
    }

    #[test]
    fn an_unfinished_line_can_be_shown() {
        let mut buffer = LineBuffer::default();
        feed(&mut buffer, b"info\nbestmove d3", &mut Vec::new());
        assert_eq!(buffer.partial_line(), b"bestmove d3");
        assert!(!buffer.has_line());
    }

    #[test]
    fn quoting_is_short_and_printable() {
        assert_eq!(quote("bestmove \u{1b}[31mf5\0"), "`bestmove \\u{1b}[31mf5\\0`");
        assert_eq!(quote(&"é".repeat(300)).chars().count(), 205);
    }

    proptest! {
        /// However the bytes are cut into reads, the lines are the same.
        #[test]
        fn lines_do_not_depend_on_how_they_arrive(text in "[a-z\r\n é\u{0}]{0,400}", cut in 1usize..50) {
            let mut lines = Vec::new();
            let mut buffer = LineBuffer::default();
            for piece in text.as_bytes().chunks(cut) {
                feed(&mut buffer, piece, &mut lines);
            }
            let mut expected: Vec<String> = text
                .split('\n')
                .map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned())
                .collect();
            expected.pop();
            prop_assert_eq!(lines, expected);
        }

        #[test]
        fn no_bytes_panic(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20)) {
            let mut buffer = LineBuffer::default();
            for piece in pieces {
                feed(&mut buffer, &piece, &mut Vec::new());
                let _ = (buffer.partial_line().len(), buffer.has_line());
            }
        }
    }
}
