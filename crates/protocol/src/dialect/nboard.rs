//! The NBoard protocol, version 2. `ping` and its `pong` are the only thing that can be waited for,
//! and only what comes behind the newest pong counts. An engine does not put its own move on its
//! board: it is told of it, with the time that was charged for it, since that is its clock.

use std::fmt::Write as _;
use std::time::Duration;

use clock::TimeControl;
use rules::{BoardSize, Color, Ply, Position, Square, Variant};

use super::{Dialect, Protocol, Telling};
use crate::framing::quote;
use crate::message::{Claims, Heard, Identity, NewGame, Played, Question, Reply, clean_name};
use crate::probe::{Area, Checks, Probe, said};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "nboard",
    about: "NBoard protocol, version 2",
    has_options: false,
    is_recognisable: true,
    clocks: &[Telling::Protocol, Telling::Nothing],
    checks: CHECKS,
    dialogue: |telling| Box::new(NBoard { telling, ..NBoard::default() }),
};

const CHECKS: Checks = Checks {
    probes: &[
        Probe {
            name: "unknown-command",
            area: Area::Input,
            about: "lines that it does not know are ignored",
            send: "hello\nset banana 3\nping 90001\n",
            judge: |lines| said(lines, "pong 90001", 1),
            hint: "pass over a line you do not know; never leave because of it",
        },
        Probe {
            name: "empty-lines",
            area: Area::Input,
            about: "empty lines are ignored",
            send: "\n\nping 90002\n",
            judge: |lines| said(lines, "pong 90002", 1),
            hint: "pass over a line that holds no word",
        },
        Probe {
            name: "many-at-once",
            area: Area::Input,
            about: "several lines that come at once are all read",
            send: "ping 90003\nping 90004\nping 90005\n",
            judge: |lines| said(lines, "pong 90005", 1),
            hint: "read line by line: what comes in one piece may hold several lines",
        },
        Probe {
            name: "ping-number",
            area: Area::Start,
            about: "`pong` repeats the number of its `ping`",
            send: "ping 90006\n",
            judge: |lines| {
                let pong = lines.iter().map(|line| line.trim()).find(|line| line.starts_with("pong"))?;
                Some(if pong == "pong 90006" { Ok(()) } else { Err(format!("said {}", quote(pong))) })
            },
            hint: "answer `ping N` by `pong N`, once everything before it is done",
        },
    ],
    facts: None,
    unstoppable: None,
    endless: false,
};

/// Deeper than any game: where a clock limits the search, depth shall not.
const UNLIMITED_DEPTH: u32 = 60;

#[derive(Debug, Default, PartialEq, Eq)]
enum Awaiting {
    #[default]
    Nothing,
    Pong,
    Move,
}

/// A dialogue in NBoard's protocol.
#[derive(Debug, Default)]
struct NBoard {
    telling: Telling,
    identity: Identity,
    awaiting: Awaiting,
    /// The number of the newest ping.
    pings: u64,
    /// How many plies of the game it was told.
    told: usize,
}

impl NBoard {
    fn ping(&mut self, out: &mut String) {
        self.pings += 1;
        self.awaiting = Awaiting::Pong;
        // Writing into a string cannot fail.
        let _ = writeln!(out, "ping {}", self.pings);
    }

    fn new_game(&mut self, game: &NewGame<'_>, out: &mut String) {
        self.told = 0;
        let own = *game.time.get(game.color);
        let depth = match (own, self.telling) {
            (TimeControl::Depth(depth), _) => Some(depth),
            (TimeControl::Game { .. }, Telling::Protocol) => Some(UNLIMITED_DEPTH),
            _ => None,
        };
        if let Some(depth) = depth {
            let _ = writeln!(out, "set depth {depth}");
        }
        let _ = write!(out, "set game (;GM[Othello]PC[Outflank]");
        let _ =
            write!(out, "PB[{}]PW[{}]RE[?]", in_brackets(game.names.black), in_brackets(game.names.white));
        if self.telling == Telling::Protocol && own.has_clock() {
            let side = |color| match game.time[color] {
                TimeControl::Game { main, increment } => Some(ggf_clock(main, increment)),
                _ => None,
            };
            match (side(Color::Black), side(Color::White)) {
                (Some(black), Some(white)) if black != white => {
                    let _ = write!(out, "TB[{black}]TW[{white}]");
                }
                // Whoever has no clock is told to have the other's.
                (Some(time), _) | (None, Some(time)) => {
                    let _ = write!(out, "TI[{time}]");
                }
                (None, None) => {}
            }
        }
        let _ = writeln!(out, "TY[8]BO[8 {}];)", ggf_position(&game.start));
    }

    fn position(&mut self, played: &[Played], out: &mut String) {
        for Played { ply, spent } in &played[self.told.min(played.len())..] {
            let _ = match ply {
                Ply::Pass => writeln!(out, "move PA"),
                Ply::Place(square) if spent.is_zero() => writeln!(out, "move {}", upper(*square)),
                Ply::Place(square) => {
                    writeln!(out, "move {}//{:.3}", upper(*square), spent.as_secs_f64())
                }
            };
        }
        self.told = played.len();
    }

    fn take_move(&mut self, text: &str) -> Heard {
        self.awaiting = Awaiting::Nothing;
        // Some put slashes between move, value and time, some blanks.
        let word = text.trim_start().split(|c: char| c == '/' || c.is_whitespace()).next().unwrap_or("");
        match word.parse() {
            Ok(ply) => Heard::Move(ply),
            Err(_) => {
                let line = format!("==={text}");
                Heard::Unreadable(format!("cannot read {} as a move", quote(line.trim())))
            }
        }
    }
}

/// What a search says of itself: `search PV EVAL 0 DEPTH [text]`, the same for `book`.
fn search_claims(text: &str) -> Claims {
    let mut words = text.split_whitespace().skip(1);
    let score = words.next().and_then(|eval| eval.split(',').next()?.parse().ok());
    // `12` is a depth, `100%` how sure it is of the end.
    let depth = words.nth(1).and_then(|depth| depth.parse().ok());
    Claims { score: score.filter(|score: &f64| score.is_finite()), depth, nodes: None }
}

/// Minutes and seconds, rounded down to whole seconds but never below 1, and the increment.
fn ggf_clock(main: Duration, increment: Duration) -> String {
    let clock = |time: u64| format!("{}:{:02}", time / 60, time % 60);
    let main = clock(main.as_secs().max(1));
    if increment.is_zero() { main } else { format!("{main}/{}", clock(increment.as_secs())) }
}

/// The squares row by row, `*` black and `O` white, and the side to move.
fn ggf_position(position: &Position) -> String {
    position.to_string().replace('X', "*")
}

/// A name as it can stand between brackets.
fn in_brackets(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).map(|c| if c == ']' { ')' } else { c }).collect()
}

fn upper(square: Square) -> String {
    square.to_string().to_ascii_uppercase()
}

impl Dialect for NBoard {
    fn ask(&mut self, question: &Question<'_>, out: &mut Vec<u8>) -> Reply {
        let mut text = String::new();
        let mut reply = Reply::Expected;
        match question {
            Question::Greet => {
                text.push_str("nboard 2\n");
                self.ping(&mut text);
            }
            Question::Configure(_) => reply = Reply::None,
            Question::NewGame(game) => {
                self.new_game(game, &mut text);
                self.ping(&mut text);
            }
            Question::Position { played, .. } => {
                self.position(played, &mut text);
                self.ping(&mut text);
            }
            Question::Go(_) => {
                text.push_str("go\n");
                self.awaiting = Awaiting::Move;
            }
            Question::Stop if self.awaiting == Awaiting::Move => {
                // A ping ends the search, its move comes before the pong.
                self.ping(&mut text);
                self.awaiting = Awaiting::Move;
            }
            Question::Stop => reply = Reply::None,
            Question::Quit => {
                text.push_str("quit\n");
                reply = Reply::None;
            }
        }
        out.extend_from_slice(text.as_bytes());
        reply
    }

    fn hear(&mut self, line: &str, _out: &mut Vec<u8>) -> Heard {
        let line = line.trim();
        if let Some(answer) = line.strip_prefix("===") {
            // A line of `=` is an ornament.
            return match self.awaiting {
                Awaiting::Move if !answer.starts_with('=') => self.take_move(answer),
                _ if answer.starts_with('=') => Heard::Nothing,
                _ => Heard::Surplus,
            };
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word, &self.awaiting) {
            ("pong", Awaiting::Pong) if rest.trim().parse() == Ok(self.pings) => {
                self.awaiting = Awaiting::Nothing;
                Heard::Answered
            }
            ("set", _) => {
                if let Some(("myname", name)) = rest.trim().split_once(char::is_whitespace)
                    && self.identity.name.is_none()
                {
                    self.identity.name = clean_name(name);
                }
                Heard::Nothing
            }
            ("search" | "book", Awaiting::Move) => Heard::Claims(search_claims(rest)),
            ("nodestats", Awaiting::Move) => {
                let nodes = rest.split_whitespace().next().and_then(|nodes| nodes.parse().ok());
                Heard::Claims(Claims { nodes, ..Claims::default() })
            }
            _ => Heard::Nothing,
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String> {
        let fits = variant == Variant::Othello && start.size() == BoardSize::Eight;
        (!fits).then(|| format!("its protocol, {}, knows only Othello on 8x8", PROTOCOL.name))
    }

    fn untold(&self, time: TimeControl) -> Option<String> {
        match time {
            TimeControl::Depth(_) => None,
            TimeControl::Game { .. } if self.telling == Telling::Protocol => None,
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
        assert_eq!(asked(&mut nboard, &Question::Greet), "nboard 2\nping 1\n");
        assert_eq!(heard(&mut nboard, "ready in a moment").0, Heard::Nothing);
        assert_eq!(heard(&mut nboard, "set myname Ntest26").0, Heard::Nothing);
        assert_eq!(heard(&mut nboard, "pong 1").0, Heard::Answered);
        nboard
    }

    fn at_go() -> NBoard {
        let mut nboard = greeted();
        asked(&mut nboard, &Question::Go(&clocks(60.0, 60.0)));
        nboard
    }

    #[test]
    fn a_whole_dialogue() {
        let mut nboard = greeted();
        assert_eq!(nboard.identity.name.as_deref(), Some("Ntest26"));
        assert_eq!(
            asked(&mut nboard, &Question::NewGame(&game(Color::Black, "90.5s+2s"))),
            "set depth 60\nset game (;GM[Othello]PC[Outflank]PB[a]PW[b]RE[?]TI[1:30/0:02]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *];)\nping 2\n"
        );
        assert_eq!(heard(&mut nboard, "pong 1").0, Heard::Nothing, "a late one");
        assert_eq!(heard(&mut nboard, "=== d3").0, Heard::Surplus);
        assert_eq!(heard(&mut nboard, "pong 2").0, Heard::Answered);
        let go = clocks(90.5, 90.5);
        let mut position =
            |moves| asked(&mut nboard, &Question::Position { played: &played(moves), go: &go });
        assert_eq!(position("f5"), "move F5//1.500\nping 3\n");
        assert_eq!(position("f5 d6 pass c3"), "move D6//1.500\nmove PA\nmove C3//1.500\nping 4\n");
        assert_eq!(heard(&mut nboard, "pong 4").0, Heard::Answered);
        assert_eq!(asked(&mut nboard, &Question::Go(&go)), "go\n");
        let claims = Claims { score: Some(-1.5), depth: Some(12), nodes: None };
        assert_eq!(heard(&mut nboard, "search F5-D6 -1.50,2 0 12 text").0, Heard::Claims(claims));
        assert_eq!(heard(&mut nboard, "search F5-D6 NaN,NaN 0 100%W").0, Heard::Claims(Claims::default()));
        let claims = Claims { nodes: Some(405), ..Claims::default() };
        assert_eq!(heard(&mut nboard, "nodestats 405 0.00").0, Heard::Claims(claims));
        assert_eq!(heard(&mut nboard, "=== c6 0.00 0.0").0, Heard::Move("c6".parse().expect("c6")));
        assert_eq!(heard(&mut nboard, "=== c6").0, Heard::Surplus);
        assert_eq!(asked(&mut nboard, &Question::Quit), "quit\n");
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
            assert_eq!(heard(&mut at_go(), line).0, Heard::Move(ply.parse().expect(ply)), "{line}");
        }
        for line in ["===", "=== ", "=== i9", "=== banana/1/2", "=== /d3", "=== NULL"] {
            assert!(matches!(heard(&mut at_go(), line).0, Heard::Unreadable(_)), "{line}");
        }
        for line in ["=====", "==========", "== d3", "d3", "status === d3", "pong 7", "pong"] {
            assert_eq!(heard(&mut at_go(), line).0, Heard::Nothing, "{line}");
        }
    }

    #[test]
    fn a_ping_stops_a_search() {
        let mut nboard = at_go();
        assert_eq!(asked(&mut nboard, &Question::Stop), "ping 2\n");
        assert_eq!(heard(&mut nboard, "=== d3").0, Heard::Move("d3".parse().expect("d3")));
        assert_eq!(heard(&mut nboard, "pong 2").0, Heard::Nothing);
    }

    #[test]
    fn the_limit_is_told_where_it_can_be() {
        for (telling, time, lines) in [
            (Telling::Protocol, "depth=7", "set depth 7\n"),
            (Telling::Protocol, "60s", "set depth 60\nTI[1:00]"),
            (Telling::Protocol, "200ms", "set depth 60\nTI[0:01]"),
            (Telling::Protocol, "movetime=1s", ""),
            (Telling::Nothing, "60s", ""),
            (Telling::Nothing, "depth=7", "set depth 7\n"),
        ] {
            let mut nboard = NBoard { telling, ..NBoard::default() };
            let sent = asked(&mut nboard, &Question::NewGame(&game(Color::White, time)));
            let (before, within) = sent.split_once("set game ").expect("a game");
            let clock = within.find("TI[").map_or("", |at| &within[at..within.find("TY[").expect("a type")]);
            assert_eq!(format!("{before}{clock}"), lines, "{telling} {time}");
            assert_eq!(nboard.untold(time.parse().expect(time)).is_none(), !lines.is_empty(), "{time}");
        }
        let (black, white) = ("60s".parse().expect("a time"), "30s".parse().expect("a time"));
        let odds = NewGame { time: rules::ByColor::new(black, white), ..game(Color::White, "60s") };
        assert!(
            asked(&mut NBoard::default(), &Question::NewGame(&odds)).contains("RE[?]TB[1:00]TW[0:30]TY[8]")
        );
    }

    #[test]
    fn names_do_not_break_the_game_text() {
        let names = rules::ByColor::new("a]\n;)", "b[");
        let sent = asked(
            &mut NBoard::default(),
            &Question::NewGame(&NewGame { names, ..game(Color::Black, "depth=1") }),
        );
        assert!(sent.contains("PB[a);)]PW[b[]RE[?]"), "{sent}");
    }
}
