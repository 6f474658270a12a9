//! Cassio's ENGINE-PROTOCOL (Nicolet, Causse, Delorme, 2009). Every search request has the position in it, so an engine
//! need not follow the game. Every answer ends with `ready.`. The only limit on a search is its depth.

use clock::TimeControl;
use rules::{Color, Position, Variant};

use super::sent_position::SentPosition;
use super::{ClockStyle, Dialect, Protocol, only_othello_8x8, unreadable_move};
use crate::framing::quote;
use crate::message::{ExpectsReply, Go, Identity, Request, Response, SearchInfo, clean_name};
use crate::probe::{Probe, ProbeGroup, ProtocolChecks, seen};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "cassio",
    about: "Cassio's Othello Engine Protocol",
    has_options: false,
    is_detectable: false,
    clock_styles: &[ClockStyle::Protocol],
    checks: CHECKS,
    new_dialect: |_| Box::<Cassio>::default(),
};

const CHECKS: ProtocolChecks = ProtocolChecks {
    probes: &[
        Probe {
            name: "version",
            group: ProbeGroup::Start,
            about: "it says its version",
            send: "ENGINE-PROTOCOL get-version\n",
            expect: |lines| {
                seen(lines, "ready.", 1).map(|_| {
                    let told = lines.iter().any(|line| line.trim_start().starts_with("version:"));
                    if told {
                        Ok(())
                    } else {
                        Err("a line `version: NAME` is wanted before `ready.`".to_owned())
                    }
                })
            },
            hint: "answer `get-version` by `version: NAME`, then `ready.`",
        },
        Probe {
            name: "unknown-command",
            group: ProbeGroup::Input,
            about: "a request that it does not know is survived",
            send: "ENGINE-PROTOCOL no-such-request 1 2\n",
            expect: |lines| seen(lines, "ready.", 1),
            hint: "answer a request you do not know by `ERROR: ...`, then `ready.`",
        },
        Probe {
            name: "many-at-once",
            group: ProbeGroup::Input,
            about: "several requests that come at once are all answered",
            send: "ENGINE-PROTOCOL new-position\nENGINE-PROTOCOL get-version\nENGINE-PROTOCOL new-position\n",
            expect: |lines| seen(lines, "ready.", 3),
            hint: "read line by line: what comes in one piece may hold several requests, each of which wants its `ready.`",
        },
    ],
    queries: None,
    cannot_stop: Some("in its protocol a search that is stopped owes no move"),
    has_infinite: false,
};

/// The search window. Whole numbers, since some engines read no fractions in the endgame.
const ALL_VALUES: &str = "-64 64";

/// The depth for a time control that the protocol can't express.
const DEFAULT_DEPTH: u32 = 8;

#[derive(Debug, Default, PartialEq, Eq)]
enum Awaiting {
    #[default]
    Nothing,
    Init,
    Version,
    Ready,
    Result,
}

/// A dialogue in Cassio's protocol.
#[derive(Debug, Default)]
struct Cassio {
    identity: Identity,
    awaiting: Awaiting,
    sent: SentPosition,
    /// The last result of the search; it counts when `ready.` comes.
    result: Option<Response>,
}

impl Cassio {
    fn send(out: &mut Vec<u8>, request: &str) {
        out.extend_from_slice(format!("ENGINE-PROTOCOL {request}\n").as_bytes());
    }

    fn search(&self, go: &Go, out: &mut Vec<u8>) {
        let position = self.sent.position();
        let depth = if let Go::Depth(depth) = go { *depth } else { DEFAULT_DEPTH };
        let squares = position.to_string().replace(' ', "");
        if depth >= position.empty().len() {
            Self::send(out, &format!("endgame-search {squares} {ALL_VALUES} 100"));
        } else {
            Self::send(out, &format!("midgame-search {squares} {ALL_VALUES} {depth} 100"));
        }
    }

    /// `POSITION, move M, depth D, @P%, BOUND <= v <= BOUND, LINE, node N, time T`.
    fn hear_result(&mut self, line: &str) -> Response {
        if let Some(error) = line.strip_prefix("ERROR") {
            self.result = Some(Response::Unreadable(format!(
                "answered by the error {}",
                quote(error.trim_start_matches([':', ' ']))
            )));
            return Response::Ignored;
        }
        let mut info = SearchInfo::default();
        let mut found = None;
        for field in line.split(',').map(str::trim) {
            let (word, rest) = field.split_once(' ').unwrap_or((field, ""));
            match word {
                "move" => found = Some(rest.trim()),
                "depth" => info.depth = rest.trim().parse().ok(),
                "node" => info.nodes = rest.trim().parse().ok(),
                _ if field.contains("<= v <=") => info.score = self.value(word),
                _ => {}
            }
        }
        let Some(text) = found else { return Response::Ignored };
        self.result = Some(match text.parse() {
            Ok(ply) => Response::Move(ply),
            Err(_) => unreadable_move(&format!("move {text}")),
        });
        Response::Info(info)
    }

    /// A value such as `B+2.00`, which names a colour, in discs from the mover's view.
    fn value(&self, text: &str) -> Option<f64> {
        let color = match text.chars().next()? {
            'B' | 'X' => Color::Black,
            'W' | 'O' => Color::White,
            _ => return None,
        };
        let value: f64 = text[1..].parse().ok().filter(|value: &f64| value.is_finite())?;
        Some(if color == self.sent.position().side_to_move() { value } else { -value })
    }
}

impl Dialect for Cassio {
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply {
        self.awaiting = match request {
            Request::Handshake => {
                Self::send(out, "init");
                Awaiting::Init
            }
            Request::NewGame(game) => {
                self.sent = SentPosition::new(game.start);
                Self::send(out, "new-position");
                Awaiting::Ready
            }
            Request::Go(go) => {
                self.result = None;
                self.search(go, out);
                Awaiting::Result
            }
            Request::Position { played, .. } => {
                self.sent.advance(played, |_, _| {});
                return ExpectsReply::No;
            }
            Request::Stop if self.awaiting == Awaiting::Result => {
                Self::send(out, "stop");
                return ExpectsReply::Yes;
            }
            Request::Quit => {
                Self::send(out, "quit");
                return ExpectsReply::No;
            }
            Request::SetOptions(_) | Request::Stop => return ExpectsReply::No,
        };
        ExpectsReply::Yes
    }

    fn parse_line(&mut self, line: &str, out: &mut Vec<u8>) -> Response {
        let line = line.trim();
        if !line.eq_ignore_ascii_case("ready.") {
            return match self.awaiting {
                Awaiting::Version => {
                    if let Some(version) = line.strip_prefix("version:") {
                        self.identity.name = clean_name(version);
                    }
                    Response::Ignored
                }
                Awaiting::Result => self.hear_result(line),
                _ => Response::Ignored,
            };
        }
        match std::mem::take(&mut self.awaiting) {
            Awaiting::Init => {
                Self::send(out, "get-version");
                self.awaiting = Awaiting::Version;
                Response::Ignored
            }
            Awaiting::Version | Awaiting::Ready => Response::Done,
            Awaiting::Result => self
                .result
                .take()
                .unwrap_or_else(|| Response::Unreadable("said `ready.` without a result".to_owned())),
            Awaiting::Nothing => Response::Unexpected,
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String> {
        only_othello_8x8(PROTOCOL.name, variant, start)
    }

    fn unsupported_time_control(&self, time: TimeControl) -> Option<String> {
        let told = matches!(time, TimeControl::Depth(_));
        let why = format!(
            "its protocol knows depths only, so it searches {DEFAULT_DEPTH} plies deep; `time = \"depth=N\"` of the engine sets that"
        );
        (!told).then_some(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::tests::{asked, clocks, game, heard, played};
    use rules::Ply;

    const START: &str = "---------------------------OX------XO---------------------------X";

    fn greeted() -> Cassio {
        let mut cassio = Cassio::default();
        assert_eq!(asked(&mut cassio, &Request::Handshake), "ENGINE-PROTOCOL init\n");
        assert_eq!(heard(&mut cassio, "hello").0, Response::Ignored);
        assert_eq!(
            heard(&mut cassio, "ready."),
            (Response::Ignored, "ENGINE-PROTOCOL get-version\n".to_owned())
        );
        assert_eq!(heard(&mut cassio, "version: AI Othello 0.1.0").0, Response::Ignored);
        assert_eq!(heard(&mut cassio, "ready.").0, Response::Done);
        cassio
    }

    fn at_go() -> Cassio {
        let mut cassio = greeted();
        asked(&mut cassio, &Request::NewGame(&game(Color::Black, "depth=6")));
        heard(&mut cassio, "ready.");
        asked(&mut cassio, &Request::Go(&Go::Depth(6)));
        cassio
    }

    #[test]
    fn a_whole_dialogue() {
        let mut cassio = greeted();
        assert_eq!(cassio.identity.name.as_deref(), Some("AI Othello 0.1.0"));
        let new = asked(&mut cassio, &Request::NewGame(&game(Color::White, "depth=6")));
        assert_eq!(new, "ENGINE-PROTOCOL new-position\n");
        assert_eq!(heard(&mut cassio, "ready.").0, Response::Done);
        assert_eq!(heard(&mut cassio, "ready.").0, Response::Unexpected);
        let go = Go::Depth(6);
        assert_eq!(asked(&mut cassio, &Request::Position { played: &played("f5"), go: &go }), "");
        assert_eq!(
            asked(&mut cassio, &Request::Go(&go)),
            "ENGINE-PROTOCOL midgame-search ---------------------------OX------XXX--------------------------O -64 64 6 100\n"
        );
        let line = "---OX, move D6, depth 6, @73%, B+0.50 <= v <= B+2.00, D3c3, node 1065, time 0.000";
        let info = SearchInfo { score: Some(-0.5), depth: Some(6), nodes: Some(1065) };
        assert_eq!(heard(&mut cassio, line).0, Response::Info(info));
        assert_eq!(
            heard(&mut cassio, "---OX, move F6, depth 6").0,
            Response::Info(SearchInfo { depth: Some(6), ..SearchInfo::default() })
        );
        assert_eq!(heard(&mut cassio, "node 5, time 0.2").0, Response::Ignored);
        assert_eq!(
            heard(&mut cassio, "ready.").0,
            Response::Move("f6".parse().expect("f6")),
            "the last counts"
        );
        assert_eq!(asked(&mut cassio, &Request::Quit), "ENGINE-PROTOCOL quit\n");
    }

    #[test]
    fn the_end_of_a_game_is_searched_to_its_end() {
        let mut cassio = greeted();
        asked(&mut cassio, &Request::NewGame(&game(Color::Black, "depth=6")));
        let all = asked(&mut cassio, &Request::Go(&Go::Depth(60)));
        assert_eq!(all, format!("ENGINE-PROTOCOL endgame-search {START} -64 64 100\n"));
        let usual = asked(&mut cassio, &Request::Go(&clocks(5.0, 5.0)));
        assert_eq!(usual, format!("ENGINE-PROTOCOL midgame-search {START} -64 64 8 100\n"));
    }

    #[test]
    fn answers_that_are_none() {
        for (lines, word) in [
            (&["ERROR: no such thing", "ready."][..], "no such thing"),
            (&["ready."], "without a result"),
            (&["x, move 17, depth 3", "ready."], "`move 17`"),
        ] {
            let mut cassio = at_go();
            let last = lines.iter().map(|line| heard(&mut cassio, line).0).last();
            assert!(
                matches!(&last, Some(Response::Unreadable(why)) if why.contains(word)),
                "{lines:?}: {last:?}"
            );
        }
        for pass in ["PA", "pass", "--"] {
            let mut cassio = at_go();
            heard(&mut cassio, &format!("x, move {pass}, depth 3"));
            assert_eq!(heard(&mut cassio, "ready.").0, Response::Move(Ply::Pass));
        }
    }
}
