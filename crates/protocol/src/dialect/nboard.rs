//! The NBoard protocol, version 2. The only sign that an engine is ready is `pong`, its reply to `ping`, with the same
//! number. An engine does not play its own move on its board: the referee sends it like all others, with the time that
//! was charged for it, since that keeps the engine's clock.

use std::fmt::Write as _;
use std::time::Duration;

use clock::TimeControl;
use rules::{Color, Ply, Position, Square, Variant};

use super::{Awaiting, ClockStyle, Dialect, Protocol, only_othello_8x8, unreadable_move};
use crate::framing::quote;
use crate::message::{ExpectsReply, Identity, NewGame, PlayedPly, Request, Response, SearchInfo, clean_name};
use crate::probe::{Probe, ProbeGroup, ProtocolChecks, seen};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "nboard",
    about: "NBoard protocol, version 2",
    has_options: false,
    is_detectable: true,
    clock_styles: &[ClockStyle::Protocol, ClockStyle::None],
    checks: CHECKS,
    new_dialect: |clock_style| Box::new(NBoard { clock_style, ..NBoard::default() }),
};

const CHECKS: ProtocolChecks = ProtocolChecks {
    probes: &[
        Probe {
            name: "unknown-command",
            group: ProbeGroup::Input,
            about: "lines that it does not know are ignored",
            send: "hello\nset banana 3\nping 90001\n",
            expect: |lines| seen(lines, "pong 90001", 1),
            hint: "pass over a line you do not know; never leave because of it",
        },
        Probe {
            name: "empty-lines",
            group: ProbeGroup::Input,
            about: "empty lines are ignored",
            send: "\n\nping 90002\n",
            expect: |lines| seen(lines, "pong 90002", 1),
            hint: "pass over a line that holds no word",
        },
        Probe {
            name: "many-at-once",
            group: ProbeGroup::Input,
            about: "several lines that come at once are all read",
            send: "ping 90003\nping 90004\nping 90005\n",
            expect: |lines| seen(lines, "pong 90005", 1),
            hint: "read line by line: what comes in one piece may hold several lines",
        },
        Probe {
            name: "ping-number",
            group: ProbeGroup::Start,
            about: "`pong` repeats the number of its `ping`",
            send: "ping 90006\n",
            expect: |lines| {
                let pong = lines.iter().map(|line| line.trim()).find(|line| line.starts_with("pong"))?;
                Some(if pong == "pong 90006" { Ok(()) } else { Err(format!("said {}", quote(pong))) })
            },
            hint: "answer `ping N` by `pong N`, once everything before it is done",
        },
    ],
    queries: None,
    cannot_stop: None,
    has_infinite: false,
};

/// More than a game has plies, so that only the clock limits the search.
const UNLIMITED_DEPTH: u32 = 60;

/// A dialogue in NBoard's protocol.
#[derive(Debug, Default)]
struct NBoard {
    clock_style: ClockStyle,
    identity: Identity,
    awaiting: Awaiting,
    /// The number of the last ping.
    pings: u64,
    /// The number of plies of the game that were sent.
    sent_plies: usize,
}

impl NBoard {
    fn ping(&mut self, out: &mut String) {
        self.pings += 1;
        self.awaiting = Awaiting::Ready;
        // Writing into a string cannot fail.
        let _ = writeln!(out, "ping {}", self.pings);
    }

    fn new_game(&mut self, game: &NewGame<'_>, out: &mut String) {
        self.sent_plies = 0;
        let own = game.time[game.color];
        let depth = match (own, self.clock_style) {
            (TimeControl::Depth(depth), _) => Some(depth),
            (TimeControl::Game { .. }, ClockStyle::Protocol) => Some(UNLIMITED_DEPTH),
            _ => None,
        };
        if let Some(depth) = depth {
            let _ = writeln!(out, "set depth {depth}");
        }
        let _ = write!(out, "set game (;GM[Othello]PC[Outflank]");
        let _ =
            write!(out, "PB[{}]PW[{}]RE[?]", in_brackets(game.names.black), in_brackets(game.names.white));
        if self.clock_style == ClockStyle::Protocol && own.has_clock() {
            let side = |color| match game.time[color] {
                TimeControl::Game { main, increment } => Some(ggf_clock(main, increment)),
                _ => None,
            };
            match (side(Color::Black), side(Color::White)) {
                (Some(black), Some(white)) if black != white => {
                    let _ = write!(out, "TB[{black}]TW[{white}]");
                }
                // Where only one player has a clock, both are said to have it.
                (Some(time), _) | (None, Some(time)) => {
                    let _ = write!(out, "TI[{time}]");
                }
                (None, None) => {}
            }
        }
        let _ = writeln!(out, "TY[8]BO[8 {}];)", ggf_position(&game.start));
    }

    fn position(&mut self, played: &[PlayedPly], out: &mut String) {
        for PlayedPly { ply, spent } in &played[self.sent_plies.min(played.len())..] {
            let _ = match ply {
                Ply::Pass => writeln!(out, "move PA"),
                Ply::Place(square) if spent.is_zero() => writeln!(out, "move {}", upper(*square)),
                Ply::Place(square) => {
                    writeln!(out, "move {}//{:.3}", upper(*square), spent.as_secs_f64())
                }
            };
        }
        self.sent_plies = played.len();
    }

    fn parse_move(&mut self, text: &str) -> Response {
        self.awaiting = Awaiting::Nothing;
        // Move, value and time are separated by slashes in some engines, by blanks in others.
        let word = text.trim_start().split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or("");
        match word.parse() {
            Ok(ply) => Response::Move(ply),
            Err(_) => unreadable_move(format!("==={text}").trim()),
        }
    }
}

/// Reads what follows `search` or `book`: `PV EVAL 0 DEPTH [text]`.
fn parse_search_info(text: &str) -> SearchInfo {
    let mut words = text.split_whitespace().skip(1);
    let score = words.next().and_then(|eval| eval.split(',').next()?.parse().ok());
    // `12` is a depth, `100%` a probability in an endgame search.
    let depth = words.nth(1).and_then(|depth| depth.parse().ok());
    SearchInfo { score: score.filter(|score: &f64| score.is_finite()), depth, nodes: None }
}

/// Main time and increment as `M:SS/M:SS`, rounded down to whole seconds; the main time is at least 1 s.
fn ggf_clock(main: Duration, increment: Duration) -> String {
    let clock = |time: u64| format!("{}:{:02}", time / 60, time % 60);
    let main = clock(main.as_secs().max(1));
    if increment.is_zero() { main } else { format!("{main}/{}", clock(increment.as_secs())) }
}

/// The squares row by row, `*` for Black and `O` for White, and the side to move.
fn ggf_position(position: &Position) -> String {
    position.to_string().replace('X', "*")
}

/// A name that may stand in brackets.
fn in_brackets(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).map(|c| if c == ']' { ')' } else { c }).collect()
}

fn upper(square: Square) -> String {
    square.to_string().to_ascii_uppercase()
}

impl Dialect for NBoard {
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply {
        let mut text = String::new();
        let mut reply = ExpectsReply::Yes;
        match request {
            Request::Handshake => {
                text.push_str("nboard 2\n");
                self.ping(&mut text);
            }
            Request::SetOptions(_) => reply = ExpectsReply::No,
            Request::NewGame(game) => {
                self.new_game(game, &mut text);
                self.ping(&mut text);
            }
            Request::Position { played, .. } => {
                self.position(played, &mut text);
                self.ping(&mut text);
            }
            Request::Go(_) => {
                text.push_str("go\n");
                self.awaiting = Awaiting::Move;
            }
            Request::Stop if self.awaiting == Awaiting::Move => {
                // A ping ends the search; the move comes before the pong.
                self.ping(&mut text);
                self.awaiting = Awaiting::Move;
            }
            Request::Stop => reply = ExpectsReply::No,
            Request::Quit => {
                text.push_str("quit\n");
                reply = ExpectsReply::No;
            }
        }
        out.extend_from_slice(text.as_bytes());
        reply
    }

    fn parse_line(&mut self, line: &str, _out: &mut Vec<u8>) -> Response {
        let line = line.trim();
        if let Some(answer) = line.strip_prefix("===") {
            // A line of `=` is decoration.
            return match self.awaiting {
                Awaiting::Move if !answer.starts_with('=') => self.parse_move(answer),
                _ if answer.starts_with('=') => Response::Ignored,
                _ => Response::Unexpected,
            };
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word, &self.awaiting) {
            ("pong", Awaiting::Ready) if rest.trim().parse() == Ok(self.pings) => {
                self.awaiting = Awaiting::Nothing;
                Response::Done
            }
            ("set", _) => {
                if let Some(("myname", name)) = rest.trim().split_once(char::is_whitespace)
                    && self.identity.name.is_none()
                {
                    self.identity.name = clean_name(name);
                }
                Response::Ignored
            }
            ("search" | "book", Awaiting::Move) => Response::Info(parse_search_info(rest)),
            ("nodestats", Awaiting::Move) => {
                let nodes = rest.split_whitespace().next().and_then(|nodes| nodes.parse().ok());
                Response::Info(SearchInfo { nodes, ..SearchInfo::default() })
            }
            _ => Response::Ignored,
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String> {
        only_othello_8x8(PROTOCOL.name, variant, start)
    }

    fn unsupported_time_control(&self, time: TimeControl) -> Option<String> {
        match time {
            TimeControl::Depth(_) => None,
            TimeControl::Game { .. } if self.clock_style == ClockStyle::Protocol => None,
            TimeControl::Game { .. } => {
                Some("it is not to be told (`clock = \"none\"`); its own arguments limit it".to_owned())
            }
            TimeControl::MoveTime(_) | TimeControl::Nodes(_) => {
                Some("its protocol knows game clocks and depths only; its own arguments limit it".to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::tests::{asked, clocks, game, heard, played};

    fn greeted() -> NBoard {
        let mut nboard = NBoard::default();
        assert_eq!(asked(&mut nboard, &Request::Handshake), "nboard 2\nping 1\n");
        assert_eq!(heard(&mut nboard, "ready in a moment").0, Response::Ignored);
        assert_eq!(heard(&mut nboard, "set myname Ntest26").0, Response::Ignored);
        assert_eq!(heard(&mut nboard, "pong 1").0, Response::Done);
        nboard
    }

    fn at_go() -> NBoard {
        let mut nboard = greeted();
        asked(&mut nboard, &Request::Go(&clocks(60.0, 60.0)));
        nboard
    }

    #[test]
    fn a_whole_dialogue() {
        let mut nboard = greeted();
        assert_eq!(nboard.identity.name.as_deref(), Some("Ntest26"));
        assert_eq!(
            asked(&mut nboard, &Request::NewGame(&game(Color::Black, "90.5s+2s"))),
            "set depth 60\nset game (;GM[Othello]PC[Outflank]PB[a]PW[b]RE[?]TI[1:30/0:02]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *];)\nping 2\n"
        );
        assert_eq!(heard(&mut nboard, "pong 1").0, Response::Ignored, "a late one");
        assert_eq!(heard(&mut nboard, "=== d3").0, Response::Unexpected);
        assert_eq!(heard(&mut nboard, "pong 2").0, Response::Done);
        let go = clocks(90.5, 90.5);
        let mut position = |moves| asked(&mut nboard, &Request::Position { played: &played(moves), go: &go });
        assert_eq!(position("f5"), "move F5//1.500\nping 3\n");
        assert_eq!(position("f5 d6 pass c3"), "move D6//1.500\nmove PA\nmove C3//1.500\nping 4\n");
        assert_eq!(heard(&mut nboard, "pong 4").0, Response::Done);
        assert_eq!(asked(&mut nboard, &Request::Go(&go)), "go\n");
        let info = SearchInfo { score: Some(-1.5), depth: Some(12), nodes: None };
        assert_eq!(heard(&mut nboard, "search F5-D6 -1.50,2 0 12 text").0, Response::Info(info));
        assert_eq!(
            heard(&mut nboard, "search F5-D6 NaN,NaN 0 100%W").0,
            Response::Info(SearchInfo::default())
        );
        let info = SearchInfo { nodes: Some(405), ..SearchInfo::default() };
        assert_eq!(heard(&mut nboard, "nodestats 405 0.00").0, Response::Info(info));
        assert_eq!(heard(&mut nboard, "=== c6 0.00 0.0").0, Response::Move("c6".parse().expect("c6")));
        assert_eq!(heard(&mut nboard, "=== c6").0, Response::Unexpected);
        assert_eq!(asked(&mut nboard, &Request::Quit), "quit\n");
    }

    #[test]
    fn moves_come_in_many_forms() {
        for (line, ply) in [
            ("=== F5/1.00/2.45", "f5"),
            ("=== d6 -1.00 0.0", "d6"),
            ("===D6//3", "d6"),
            ("===   d6   ", "d6"),
            ("=== PA//0.00", "pass"),
            ("=== pa 10.00 0.0", "pass"),
            ("=== -- -10.00 0.0", "pass"),
            ("=== Pass", "pass"),
            ("=== ps", "pass"),
        ] {
            assert_eq!(heard(&mut at_go(), line).0, Response::Move(ply.parse().expect(ply)), "{line}");
        }
        for line in ["===", "=== ", "=== i9", "=== banana/1/2", "=== /d3", "=== NULL"] {
            assert!(matches!(heard(&mut at_go(), line).0, Response::Unreadable(_)), "{line}");
        }
        for line in ["=====", "==========", "== d3", "d3", "status === d3", "pong 7", "pong"] {
            assert_eq!(heard(&mut at_go(), line).0, Response::Ignored, "{line}");
        }
    }

    #[test]
    fn a_ping_stops_a_search() {
        let mut nboard = at_go();
        assert_eq!(asked(&mut nboard, &Request::Stop), "ping 2\n");
        assert_eq!(heard(&mut nboard, "=== d3").0, Response::Move("d3".parse().expect("d3")));
        assert_eq!(heard(&mut nboard, "pong 2").0, Response::Ignored);
    }

    #[test]
    fn the_limit_is_told_where_it_can_be() {
        for (clock_style, time, lines) in [
            (ClockStyle::Protocol, "depth=7", "set depth 7\n"),
            (ClockStyle::Protocol, "60s", "set depth 60\nTI[1:00]"),
            (ClockStyle::Protocol, "200ms", "set depth 60\nTI[0:01]"),
            (ClockStyle::Protocol, "movetime=1s", ""),
            (ClockStyle::None, "60s", ""),
            (ClockStyle::None, "depth=7", "set depth 7\n"),
        ] {
            let mut nboard = NBoard { clock_style, ..NBoard::default() };
            let sent = asked(&mut nboard, &Request::NewGame(&game(Color::White, time)));
            let (before, within) = sent.split_once("set game ").expect("a game");
            let clock = within.find("TI[").map_or("", |at| &within[at..within.find("TY[").expect("a type")]);
            assert_eq!(format!("{before}{clock}"), lines, "{clock_style} {time}");
            assert_eq!(
                nboard.unsupported_time_control(time.parse().expect(time)).is_none(),
                !lines.is_empty(),
                "{time}"
            );
        }
        let (black, white) = ("60s".parse().expect("a time"), "30s".parse().expect("a time"));
        let odds = NewGame { time: rules::ByColor::new(black, white), ..game(Color::White, "60s") };
        assert!(
            asked(&mut NBoard::default(), &Request::NewGame(&odds)).contains("RE[?]TB[1:00]TW[0:30]TY[8]")
        );
    }

    #[test]
    fn names_do_not_break_the_game_text() {
        let names = rules::ByColor::new("a]\n;)", "b[");
        let sent = asked(
            &mut NBoard::default(),
            &Request::NewGame(&NewGame { names, ..game(Color::Black, "depth=1") }),
        );
        assert!(sent.contains("PB[a);)]PW[b[]RE[?]"), "{sent}");
    }
}
