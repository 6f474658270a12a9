//! The dialogue of UCI and of UGI, which was made after it. [`Flavor`] holds all that differs.

use std::io::Write as _;
use std::time::Duration;

use clock::TimeControl;
use rules::{Ply, Position, Variant};

use super::sent_position::SentPosition;
use super::{Awaiting, Dialect, unreadable_move};
use crate::message::{ExpectsReply, Go, Identity, NewGame, PlayedPly, Request, Response, SearchInfo};
use crate::ugi::{EngineMessage, first_word};

/// What UGI and UCI say or read differently.
#[derive(Debug)]
pub(super) struct Flavor {
    /// The first command.
    pub handshake: &'static str,
    /// The end of the engine's answer to it.
    pub handshake_ok: &'static str,
    /// The command before each game.
    pub new_game: &'static str,
    /// The words of `go` for both players' clocks: time of the first and of the second player, then their increments.
    pub clock: [&'static str; 4],
    /// Options set before the user's: name and value.
    pub fixed_options: &'static [(&'static str, &'static str)],
    /// Appends the `setoption` lines that a game needs, to an engine that has declared these options.
    pub write_game_options: fn(&Identity, &NewGame<'_>, &mut Vec<u8>),
    /// Appends a ply as it is written in this position.
    pub write_ply: fn(&Position, Ply, &mut Vec<u8>),
    /// Reads the word behind `bestmove`.
    pub parse_ply: fn(&str) -> Option<Ply>,
    /// True if `score cp` is in hundredths of a disc.
    pub score_is_in_discs: bool,
    /// As [`Dialect::cannot_play`], for an engine that has declared these options.
    pub cannot_play: fn(&Identity, Variant, &Position) -> Option<String>,
}

/// A dialogue in UGI or UCI. Writes exactly one blank between words and no carriage returns; reads leniently.
#[derive(Debug)]
pub(super) struct UciLike {
    flavor: &'static Flavor,
    pub identity: Identity,
    awaiting: Awaiting,
    /// The `position` line of the game, without its line end.
    line: Vec<u8>,
    /// Where that line leads.
    sent: SentPosition,
}

impl UciLike {
    pub(super) fn new(flavor: &'static Flavor) -> Self {
        Self {
            flavor,
            identity: Identity::default(),
            awaiting: Awaiting::default(),
            line: Vec::new(),
            sent: SentPosition::default(),
        }
    }

    fn new_game(&mut self, game: &NewGame<'_>, out: &mut Vec<u8>) {
        (self.flavor.write_game_options)(&self.identity, game, out);
        write_line(self.flavor.new_game, out);
        self.line.clear();
        write_start(game.variant, game.start, &mut self.line);
        self.sent = SentPosition::new(game.start);
    }

    fn write_position(&mut self, played: &[PlayedPly], out: &mut Vec<u8>) {
        let mut has_moves = self.sent.plies() > 0;
        self.sent.advance(played, |before, ply| {
            let lead: &[u8] = if has_moves { b" " } else { b" moves " };
            has_moves = true;
            self.line.extend_from_slice(lead);
            (self.flavor.write_ply)(&before, ply, &mut self.line);
        });
        out.extend_from_slice(&self.line);
        out.push(b'\n');
    }

    fn write_go(&self, go: &Go, out: &mut Vec<u8>) {
        // Never 0 ms: some engines take that for no limit.
        let at_least_one = |time: Duration| time.as_millis().max(1);
        // Writing into a vector cannot fail.
        let _ = match *go {
            Go::Clock { time, increment } => {
                let [first, second, first_increment, second_increment] = self.flavor.clock;
                writeln!(
                    out,
                    "go {first} {} {second} {} {first_increment} {} {second_increment} {}",
                    at_least_one(time.black),
                    at_least_one(time.white),
                    increment.black.as_millis(),
                    increment.white.as_millis()
                )
            }
            Go::MoveTime(time) => writeln!(out, "go movetime {}", at_least_one(time)),
            Go::Nodes(nodes) => writeln!(out, "go nodes {nodes}"),
            Go::Depth(depth) => writeln!(out, "go depth {depth}"),
            Go::Infinite => writeln!(out, "go infinite"),
        };
    }

    fn parse_handshake(&mut self, line: &str) -> Response {
        if first_word(line.trim_ascii_end()).0 == self.flavor.handshake_ok {
            self.awaiting = Awaiting::Nothing;
            return Response::Done;
        }
        match EngineMessage::parse(line) {
            Some(EngineMessage::Name(name)) => self.identity.take_name(name),
            Some(EngineMessage::Author(author)) => self.identity.take_author(author),
            Some(EngineMessage::Option(option)) => self.identity.take_option(option),
            _ => {}
        }
        Response::Ignored
    }
}

fn write_line(command: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(command.as_bytes());
    out.push(b'\n');
}

/// Appends `setoption`; without a value it presses a button.
pub(super) fn write_option(name: &str, value: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"setoption name ");
    out.extend_from_slice(name.as_bytes());
    if let Some(value) = value {
        out.extend_from_slice(b" value ");
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'\n');
}

/// Appends the beginning of a `position` line. In the historical game the board is always written out, so that engine
/// and referee need not agree on what `startpos` means there (to our engines, the empty board).
pub(super) fn write_start(variant: Variant, start: Position, out: &mut Vec<u8>) {
    if variant != Variant::Historical && start == Position::start(start.size()) {
        out.extend_from_slice(b"position startpos");
    } else {
        out.extend_from_slice(format!("position fen {start}").as_bytes());
    }
}

impl Dialect for UciLike {
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply {
        self.awaiting = match request {
            Request::Handshake => {
                write_line(self.flavor.handshake, out);
                Awaiting::Handshake
            }
            Request::Go(go) => {
                self.write_go(go, out);
                Awaiting::Move
            }
            Request::Stop => {
                write_line("stop", out);
                return if self.awaiting == Awaiting::Move { ExpectsReply::Yes } else { ExpectsReply::No };
            }
            Request::Quit => {
                write_line("quit", out);
                return ExpectsReply::No;
            }
            Request::SetOptions(settings) => {
                for (name, value) in self.flavor.fixed_options {
                    write_option(name, Some(value), out);
                }
                for setting in *settings {
                    write_option(&setting.name, setting.value.as_deref(), out);
                }
                Awaiting::Ready
            }
            Request::NewGame(game) => {
                self.new_game(game, out);
                Awaiting::Ready
            }
            Request::Position { played, .. } => {
                self.write_position(played, out);
                Awaiting::Ready
            }
        };
        if self.awaiting == Awaiting::Ready {
            write_line("isready", out);
        }
        ExpectsReply::Yes
    }

    fn takes_position_and_go(&self) -> bool {
        true
    }

    fn write_position_and_go(&mut self, played: &[PlayedPly], go: &Go, out: &mut Vec<u8>) {
        self.write_position(played, out);
        write_line("isready", out);
        self.write_go(go, out);
        self.awaiting = Awaiting::ReadyThenMove;
    }

    fn parse_line(&mut self, line: &str, _out: &mut Vec<u8>) -> Response {
        if self.awaiting == Awaiting::Handshake {
            return self.parse_handshake(line);
        }
        match (EngineMessage::parse(line), self.awaiting) {
            (Some(EngineMessage::ReadyOk), Awaiting::Ready) => {
                self.awaiting = Awaiting::Nothing;
                Response::Done
            }
            (Some(EngineMessage::ReadyOk), Awaiting::ReadyThenMove) => {
                self.awaiting = Awaiting::Move;
                Response::Done
            }
            (Some(EngineMessage::BestMove(word)), Awaiting::Move) => {
                self.awaiting = Awaiting::Nothing;
                let ply = word.and_then(self.flavor.parse_ply);
                ply.map_or_else(|| unreadable_move(line.trim()), Response::Move)
            }
            (Some(EngineMessage::BestMove(_)), _) => Response::Unexpected,
            (Some(EngineMessage::Info(info)), Awaiting::Move) => {
                let info = info.search_info();
                Response::Info(SearchInfo {
                    score: info.score.filter(|_| self.flavor.score_is_in_discs),
                    ..info
                })
            }
            _ => Response::Ignored,
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String> {
        (self.flavor.cannot_play)(&self.identity, variant, start)
    }

    fn unsupported_time_control(&self, _time: TimeControl) -> Option<String> {
        None
    }

    /// True for an error message of GTP; no line of UGI or UCI begins with `?`.
    fn shows_other_protocol(&self, line: &str) -> bool {
        line.starts_with('?')
    }
}
