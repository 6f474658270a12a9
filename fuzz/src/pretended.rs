//! An engine that writes what the bytes say, heard as the referee hears a real one.

use protocol::dialect::{ClockStyle, Dialect, ProtocolId};
use protocol::framing::{LineBuffer, quote};
use protocol::message::{ExpectsReply, Request, Response, SearchInfo};
use rules::{Ply, Position, Square, Turn};

use super::laws::{is_fit_to_show, size_of};

/// Ends a burst: what follows comes only when somebody waits for it.
const BREAK: u8 = 0xfe;
/// Stands for a legal move as the protocol writes it.
const MOVE: u8 = 0xfd;
/// Stands for the last number that the engine was told, such as that of a ping.
const TOLD: u8 = 0xfc;
/// Stands for a number that is never the same, so that what is said over and over is always new.
const COUNT: u8 = 0xfb;

/// So many bursts make a dialogue; then it falls silent.
const MOST_BURSTS: usize = 400;
/// It writes no more than this in all.
const MOST_BYTES: usize = 768 << 10;
/// What a dialogue keeps, in characters, whatever is written: 256 KiB of options, with the words around them, are
/// the most.
const MOST_KEPT: usize = 400_000;

/// What came of waiting for an answer.
pub enum Came {
    /// This, and what was claimed before.
    Response(Response, SearchInfo),
    /// Nothing; what is known of why.
    Silence(String),
}

/// The engine and its dialogue.
pub struct Pretended<'a> {
    dialect: Box<dyn Dialect>,
    kind: ProtocolId,
    inbox: LineBuffer,
    out: Vec<u8>,
    /// What it writes, burst by burst, over and over.
    said: Vec<&'a [u8]>,
    /// Each burst comes so many times at once.
    rounds: usize,
    bursts: usize,
    bytes: usize,
    count: u64,
    told: String,
}

impl<'a> Pretended<'a> {
    /// An engine that writes this, each burst so many times.
    pub fn new(kind: ProtocolId, clock_style: ClockStyle, said: &'a [u8], rounds: usize) -> Self {
        Self {
            dialect: kind.new_dialect(clock_style),
            kind,
            inbox: LineBuffer::default(),
            out: Vec::new(),
            said: said.split(|&byte| byte == BREAK).collect(),
            rounds,
            bursts: 0,
            bytes: 0,
            count: 0,
            told: String::new(),
        }
    }

    pub fn dialect(&self) -> &dyn Dialect {
        &*self.dialect
    }

    /// Asks and waits for the answer, if one is owed.
    pub fn ask(&mut self, request: &Request<'_>, position: Position) -> Came {
        if matches!(request, Request::Go(_)) {
            // What waits was written before: it answers nothing, and is not heard.
            while self.inbox.next_line().is_some() {}
        }
        self.out.clear();
        let reply = self.dialect.write_request(request, &mut self.out);
        self.note_sent();
        if reply == ExpectsReply::No {
            return Came::Response(Response::Done, SearchInfo::default());
        }
        self.wait(position)
    }

    /// Waits for an answer.
    fn wait(&mut self, position: Position) -> Came {
        let mut claims = SearchInfo::default();
        // What did not answer when it was said once will not when it is said again.
        let last = self.bursts + self.said.len();
        loop {
            while let Some(line) = self.inbox.next_line() {
                let line = line.to_owned();
                self.out.clear();
                let heard = self.dialect.parse_line(&line, &mut self.out);
                self.note_sent();
                if self.dialect.shows_other_protocol(&line) {
                    is_fit_to_show(&quote(line.trim()));
                }
                match heard {
                    Response::Ignored | Response::Unexpected => {}
                    Response::Info(newer) => claims.update(newer),
                    Response::Unreadable(why) => {
                        is_fit_to_show(&why);
                        return Came::Response(Response::Unreadable(why), claims);
                    }
                    answer => return Came::Response(answer, claims),
                }
            }
            if self.bursts > last || !self.write_burst(position) {
                let unfinished = quote(&String::from_utf8_lossy(self.inbox.partial_line().trim_ascii()));
                is_fit_to_show(&unfinished);
                return Came::Silence(unfinished);
            }
        }
    }

    /// What was sent is whole lines of text, never longer for what the engine said.
    fn note_sent(&mut self) {
        let kind = self.kind;
        let text = std::str::from_utf8(&self.out).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert!(text.len() < 10_000, "{kind}: {} bytes at once", text.len());
        assert!(text.is_empty() || text.ends_with('\n'), "{kind}: {text:?}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{kind}: {text:?}");
        let digits = |c: char| !c.is_ascii_digit();
        if let Some(number) = text.rsplit(digits).find(|word| !word.is_empty()) {
            number.clone_into(&mut self.told);
        }
    }

    /// Writes the next burst; `false` when nothing more comes.
    fn write_burst(&mut self, position: Position) -> bool {
        if self.bursts == MOST_BURSTS || self.bytes > MOST_BYTES {
            return false;
        }
        let burst = self.said[self.bursts % self.said.len()];
        self.bursts += 1;
        for _ in 0..self.rounds {
            let bytes = self.spell(burst, position);
            self.bytes += bytes.len();
            let mut bytes = &bytes[..];
            while !bytes.is_empty() {
                let room = self.inbox.room();
                let taken = room.len().min(bytes.len());
                room[..taken].copy_from_slice(&bytes[..taken]);
                self.inbox.filled(taken);
                bytes = &bytes[taken..];
            }
            if self.bytes > MOST_BYTES {
                break;
            }
        }
        true
    }

    /// The bytes of a burst, with what some of them stand for.
    fn spell(&mut self, burst: &[u8], position: Position) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(burst.len());
        for &byte in burst {
            match byte {
                MOVE => {
                    if let Turn::Place(moves) = position.turn() {
                        bytes.extend(self.move_text(moves.first().square()).as_bytes());
                    }
                }
                TOLD => bytes.extend(self.told.as_bytes()),
                COUNT => {
                    self.count += 1;
                    bytes.extend(self.count.to_string().as_bytes());
                }
                byte => bytes.push(byte),
            }
        }
        bytes
    }

    fn move_text(&self, square: Square) -> String {
        match self.kind.name() {
            "uci" => format!("P@{}{}", char::from(b'a' + square.column()), 8 - square.row()),
            _ => Ply::Place(square).to_string(),
        }
    }

    /// What holds of every dialogue when it is over.
    pub fn end(mut self) {
        self.out.clear();
        self.dialect.write_request(&Request::Quit, &mut self.out);
        self.note_sent();
        let identity = self.dialect.identity();
        for name in [&identity.name, &identity.version, &identity.author].into_iter().flatten() {
            assert!((1..=100).contains(&name.chars().count()), "{name:?}");
            is_fit_to_show(name);
        }
        let kept = size_of(&self.dialect);
        assert!(kept <= MOST_KEPT, "{}: {kept} characters kept", self.kind);
    }
}
