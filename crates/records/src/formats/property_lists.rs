//! The syntax shared by GGF and SGF: a game in parentheses, made of tags with values in brackets, with line ends
//! anywhere.

use std::borrow::Cow;
use std::io::BufRead;

use rules::BoardSize;

use super::error::{ParseError, ReadError, quoted};
use super::game::{Game, Item};
use super::lines::{Lines, latin1};

/// The length limit of a game, in bytes. A longer one has a parenthesis that is not closed.
const LONGEST: usize = 1 << 20;

/// The byte of the game's text at which something is wrong, and the message.
pub(super) type ErrorAt = (usize, String);

/// The games of a file; `parse` makes a game from its tokens.
#[derive(Debug)]
pub(super) struct Reader<R> {
    games: Games<R>,
    parse: fn(Tokens<'_>) -> Result<Game, ErrorAt>,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(reader: R, parse: fn(Tokens<'_>) -> Result<Game, ErrorAt>) -> Self {
        Self { games: Games::new(reader), parse }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        if !self.games.advance()? {
            return Ok(None);
        }
        let game = (self.parse)(self.games.tokens());
        let game = game.map_err(|(at, what)| ReadError::BadItem(self.games.error_at(at, what)))?;
        Ok(Some(Item::Game(game)))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The texts of the games of a file.
#[derive(Debug)]
struct Games<R> {
    lines: Lines<R>,
    /// The byte of the line from which on it is still to be read; `None` before the first line.
    at: Option<usize>,
    /// The game's text, from `(` to `)`, and the line (from 1) and byte (from 0) at which it begins.
    text: Vec<u8>,
    begin: (u64, usize),
}

/// The state of the search for the `)` that ends a game.
#[derive(Clone, Copy, Debug, Default)]
struct Nesting {
    depth: u32,
    in_value: bool,
    escaped: bool,
}

impl Nesting {
    /// Processes a byte. True if it ends the game.
    fn step(&mut self, byte: u8) -> bool {
        if self.in_value {
            let ends = byte == b']' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            self.in_value = !ends;
            return false;
        }
        match byte {
            b'[' => self.in_value = true,
            b'(' => self.depth += 1,
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Processes a part of a game up to where the game stops. From the byte `from` on, `(` can begin the next game.
    fn find_end(&mut self, part: &[u8], from: usize) -> Option<Stop> {
        for (at, &byte) in part.iter().enumerate() {
            if byte == b'(' && at >= from && is_next_game(&part[at..]) {
                return Some(Stop::Next(at));
            }
            if self.step(byte) {
                return Some(Stop::End(at));
            }
        }
        None
    }
}

/// The byte, of a part of a game, at which the game stops.
enum Stop {
    /// At its own `)`.
    End(usize),
    /// Before the `(` of the next game: this one was cut off.
    Next(usize),
}

impl<R: BufRead> Games<R> {
    fn new(reader: R) -> Self {
        Self { lines: Lines::new(reader), at: None, text: Vec::new(), begin: (0, 0) }
    }

    /// Goes to the next game. False if there is none.
    fn advance(&mut self) -> Result<bool, ReadError> {
        if !self.find_begin()? {
            return Ok(false);
        }
        self.text.clear();
        let mut nesting = Nesting::default();
        loop {
            let line = self.lines.bytes();
            let rest = &line[self.at.unwrap_or(0).min(line.len())..];
            let own = usize::from(self.text.is_empty());
            match nesting.find_end(rest, own) {
                Some(Stop::Next(next)) => {
                    self.at = self.at.map(|at| at + next);
                    return Err(self.not_closed(nesting));
                }
                Some(Stop::End(end)) => {
                    self.text.extend_from_slice(&rest[..=end]);
                    self.at = self.at.map(|at| at + end + 1);
                    return Ok(true);
                }
                None => {}
            }
            self.text.extend_from_slice(rest);
            self.text.push(b'\n');
            nesting.escaped = false;
            let too_long = self.text.len() > LONGEST;
            if too_long {
                self.at = Some(usize::MAX);
            }
            if too_long || !self.next_line()? || begins_game(self.lines.bytes()) {
                return Err(self.not_closed(nesting));
            }
        }
    }

    /// The error for a game that is not closed before the next one or the end of the file.
    fn not_closed(&self, nesting: Nesting) -> ReadError {
        let missing = if nesting.in_value { "`]`" } else { "`)`" };
        let what = format!("expected {missing} somewhere in the game that begins here, before the next one");
        ReadError::BadItem(ParseError::new(self.begin.0, self.begin.1 + 1, what))
    }

    /// Goes to the `(` of the next game. Skips blanks, and the number of games that GGS writes before it.
    fn find_begin(&mut self) -> Result<bool, ReadError> {
        let mut unexpected = None;
        loop {
            if let Some(at) = self.at {
                let line = self.lines.bytes();
                let rest = &line[at.min(line.len())..];
                let found = rest.windows(2).position(|pair| pair == b"(;");
                let before = &rest[..found.unwrap_or(rest.len())];
                let expected = before
                    .iter()
                    .all(|&byte| byte.is_ascii_whitespace() || byte.is_ascii_digit() || byte == 0x1a);
                if !expected && unexpected.is_none() {
                    let blanks = before.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    let found = String::from_utf8_lossy(&before[blanks..]);
                    let what =
                        format!("expected a game, which begins with `(;`, found {}", quoted(found.trim()));
                    unexpected = Some(ParseError::new(self.lines.number(), at + blanks + 1, what));
                }
                if let Some(found) = found {
                    self.at = Some(at + found);
                    self.begin = (self.lines.number(), at + found);
                    return unexpected.map_or(Ok(true), |error| Err(ReadError::BadItem(error)));
                }
            }
            if !self.next_line()? {
                return unexpected.map_or(Ok(false), |error| Err(ReadError::BadItem(error)));
            }
        }
    }

    /// Goes to the next line. False if there is none.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        self.at = Some(usize::MAX);
        let more = self.lines.advance()?;
        if more {
            self.at = Some(0);
        }
        Ok(more)
    }

    /// The tokens of the game.
    fn tokens(&self) -> Tokens<'_> {
        Tokens { text: &self.text, at: 0, tag: "" }
    }

    /// An error in the game, at a byte of its text.
    fn error_at(&self, at: usize, what: impl Into<String>) -> ParseError {
        let before = &self.text[..at.min(self.text.len())];
        let breaks = memchr::memchr_iter(b'\n', before).count() as u64;
        let column = match memchr::memrchr(b'\n', before) {
            Some(line) => before.len() - line - 1,
            None => self.begin.1 + before.len(),
        };
        ParseError::new(self.begin.0 + breaks, column + 1, what)
    }
}

/// True if this text, found inside a game, begins the next one, so that the game was cut off. In a complete value the
/// `]` would be escaped.
fn is_next_game(text: &[u8]) -> bool {
    let value = text.strip_prefix(b"(;GM[").or(text.strip_prefix(b"(;FF["));
    value.is_some_and(|value| {
        let length = value.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        length > 0 && value.get(length) == Some(&b']')
    })
}

/// True if a line certainly begins a game, even if the game before it was not closed.
fn begins_game(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b' ').count();
    let rest = &line[digits..];
    rest.starts_with(b"(;GM[") || rest.starts_with(b"(;FF[")
}

/// The error for a [`Token::Invalid`] at this byte.
pub(super) fn invalid_token(at: usize) -> ErrorAt {
    (at, "expected a tag with a value, such as PB[name]".to_owned())
}

/// Reads the side of a board.
pub(super) fn board_size(text: &str) -> Result<BoardSize, String> {
    let size = text.parse::<u8>().ok().and_then(|side| BoardSize::try_from(side).ok());
    size.ok_or_else(|| format!("board size {}: expected 4, 6 or 8", quoted(text)))
}

/// A token of a game's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `;`.
    Node,
    /// A tag with one of its values, and the byte at which the value begins.
    Property { tag: &'a str, value: Cow<'a, str>, at: usize },
    /// Anything else.
    Invalid { at: usize },
}

#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    tag: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let begin = self.at;
            let byte = *self.text.get(begin)?;
            self.at += 1;
            match byte {
                b'(' => return Some(Token::Open),
                b')' => return Some(Token::Close),
                b';' => return Some(Token::Node),
                b'[' if !self.tag.is_empty() => return Some(self.value()),
                byte if byte.is_ascii_whitespace() => {}
                byte if byte.is_ascii_alphabetic() => {
                    let length =
                        self.text[begin..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                    self.at = begin + length;
                    self.tag = std::str::from_utf8(&self.text[begin..self.at]).unwrap_or("");
                    let next = self.text[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
                    if next != Some(&b'[') {
                        return Some(Token::Invalid { at: begin });
                    }
                }
                _ => return Some(Token::Invalid { at: begin }),
            }
        }
    }
}

impl<'a> Tokens<'a> {
    /// The value after a `[` that was just read.
    fn value(&mut self) -> Token<'a> {
        let at = self.at;
        let rest = &self.text[at..];
        let length = end_of_value(rest).unwrap_or(rest.len());
        self.at = at + length + 1;
        Token::Property { tag: self.tag, value: unescape(&rest[..length]), at }
    }
}

/// The byte of the `]` that closes a value.
fn end_of_value(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let next = at + memchr::memchr2(b']', b'\\', text.get(at..)?)?;
        if text[next] == b']' {
            return Some(next);
        }
        at = next + 2;
    }
}

/// A value as text: without its escaping backslashes, with line ends as blanks. Text that is not UTF-8 is read as
/// Latin-1, the encoding of old programs.
fn unescape(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && memchr::memchr3(b'\\', b'\n', b'\r', bytes).is_none()
    {
        return Cow::Borrowed(text);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => latin1(bytes),
    };
    let mut plain = String::with_capacity(text.len());
    let mut escaped = false;
    for character in text.chars() {
        match character {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '\n' | '\r' => plain.push(' '),
            character => plain.push(character),
        }
        escaped = false;
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<Result<String, String>> {
        let mut games = Games::new(text.as_bytes());
        let mut all = Vec::new();
        loop {
            match games.advance() {
                Ok(false) => return all,
                Ok(true) => {
                    let values = games.tokens().filter_map(|token| match token {
                        Token::Property { tag, value, at } => Some(format!("{tag}={value}@{at}")),
                        Token::Invalid { at } => Some(games.error_at(at, "strange").to_string()),
                        _ => None,
                    });
                    all.push(Ok(values.collect::<Vec<_>>().join(" ")));
                }
                Err(error) => all.push(Err(error.to_string())),
            }
        }
    }

    #[test]
    fn games_are_cut_apart() {
        let text = "2 (;GM[a]C[x \\] (;) y])(;AB[d4][e5];)\r\n\r\n1 (;GM[ b ]\r\nC[two\r\nlines];)\r\n";
        let expected = [
            Ok("GM=a@5 C=x ] (;) y@9".into()),
            Ok("AB=d4@5 AB=e5@9".into()),
            Ok("GM= b @5 C=two lines@12".into()),
        ];
        assert_eq!(games(text), expected);
        assert_eq!(games(""), []);
    }

    #[test]
    fn what_is_not_closed_costs_itself_only() {
        for open in ["(;GM[a]B[f5", "(;GM[a]B[f5]", "(;GM[a]B[f5]\nW[d6\n"] {
            let all = games(&format!("{open}\n 1 (;GM[b];)"));
            assert_eq!(all.len(), 2, "{all:?}");
            assert!(all[0].as_ref().is_err_and(|error| error.starts_with("1:1: expected `")), "{all:?}");
            assert_eq!(all[1], Ok("GM=b@5".to_owned()));
        }
        assert!(games("(;GM[a]")[0].is_err());
    }

    #[test]
    fn what_is_cut_off_in_the_middle_of_a_line_does_not_take_the_next_game_with_it() {
        for (cut, missing) in [
            ("(;GM[a]B[f5]W[d", "`]`"),
            ("(;GM[a]B[f5]", "`)`"),
            ("(;GM[a]\nC[x \\] (;", "`]`"),
            ("(;GM[a]B[f5];W[", "`]`"),
        ] {
            for next in ["(;GM[b]C[x])", "(;FF[4]GM[b]\nC[x])\n"] {
                let all = games(&format!("(;GM[z]){cut}{next}(;GM[c])"));
                assert_eq!(all.len(), 4, "{cut}{next}: {all:?}");
                let told = all[1].as_ref().expect_err("cut off");
                assert!(told.starts_with(&format!("1:9: expected {missing}")), "{told}");
                assert!(all[2].as_ref().is_ok_and(|game| game.contains("GM=b") && game.contains("C=x")));
                assert_eq!(all[3], Ok("GM=c@5".to_owned()));
            }
        }
        // The values of a complete game may contain such text.
        let whole = "(;GM[a]PB[(;GM[]PW[(;GM[2\\]];)";
        assert_eq!(games(whole), [Ok("GM=a@5 PB=(;GM[@10 PW=(;GM[2]@19".to_owned())]);
    }

    #[test]
    fn what_is_no_game_is_said_once() {
        let all = games("hello\nworld\n  x (;GM[a];)\n(;GM[b]#;)");
        assert_eq!(all[0], Err("1:1: expected a game, which begins with `(;`, found `hello`".to_owned()));
        assert_eq!(all[1..], [Ok("GM=a@5".to_owned()), Ok("GM=b@5 4:8: strange".to_owned())]);
    }
}
