//! A protocol for teaching: one JSON object for each turn on standard input, one move on standard output. Every object
//! holds the whole position, so a player need not remember anything, and the legal moves, so it need not know the rules.
//!
//! There is no handshake of its own: the first turn, in game 0, is like all others, but its move is not played.

use std::fmt::Write as _;

use clock::TimeControl;
use rules::{Ply, Position, Variant};

use super::sent_position::SentPosition;
use super::{Awaiting, ClockStyle, Dialect, Protocol, parse_ply};
use crate::framing::quote;
use crate::message::{ExpectsReply, Go, Identity, NewGame, Request, Response};
use crate::probe::{Probe, ProbeGroup, ProtocolChecks};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "line",
    about: "one JSON object a turn in, one move a line out; for teaching",
    has_options: false,
    is_detectable: false,
    clock_styles: &[ClockStyle::Protocol],
    checks: CHECKS,
    new_dialect: |_| Box::<LineDialect>::default(),
};

const CHECKS: ProtocolChecks = ProtocolChecks {
    probes: &[
        Probe {
            name: "unknown-key",
            group: ProbeGroup::Input,
            about: "a key that it does not know is ignored",
            send: "{\"board\":[\"--------\",\"--------\",\"--------\",\"---OX---\",\"---XO---\",\"--------\",\"--------\",\"--------\"],\
                   \"you\":\"X\",\"moves\":[\"d3\",\"c4\",\"f5\",\"e6\"],\"last\":null,\"depth\":1,\"variant\":\"othello\",\"game\":0,\"ply\":0,\
                   \"seed\":0,\"news\":{\"of\":[1,2,\"three\"]}}\n",
            expect: one_of_the_first_moves,
            hint: "read the line with your language's JSON library, take the keys you need and leave the others alone",
        },
        Probe {
            name: "another-order",
            group: ProbeGroup::Input,
            about: "the keys may come in another order, with blanks between",
            send: "{ \"seed\": 0, \"ply\": 0, \"game\": 0, \"variant\": \"othello\", \"depth\": 1, \"last\": null, \
                   \"moves\": [ \"d3\", \"c4\", \"f5\", \"e6\" ], \"you\": \"X\", \"board\": [ \"--------\", \"--------\", \"--------\", \
                   \"---OX---\", \"---XO---\", \"--------\", \"--------\", \"--------\" ] }\n",
            expect: one_of_the_first_moves,
            hint: "read the line with your language's JSON library instead of looking for places in the text",
        },
    ],
    queries: None,
    cannot_stop: Some("its protocol has no word to stop a search"),
    has_infinite: false,
};

fn one_of_the_first_moves(lines: &[String]) -> Option<Result<(), String>> {
    let answer =
        lines.iter().map(|line| line.trim().trim_matches(['"', '\''])).find(|line| !line.is_empty())?;
    let fits = ["d3", "c4", "f5", "e6"].iter().any(|square| answer.eq_ignore_ascii_case(square));
    Some(if fits { Ok(()) } else { Err(format!("answered {}, which is none of the moves", quote(answer))) })
}

/// A dialogue in lines.
#[derive(Debug, Default)]
struct LineDialect {
    identity: Identity,
    awaiting: Awaiting,
    variant: Variant,
    sent: SentPosition,
    last: Option<Ply>,
    games: u64,
    seed: u64,
}

impl LineDialect {
    fn new_game(&mut self, game: &NewGame<'_>) {
        *self = Self {
            variant: game.variant,
            sent: SentPosition::new(game.start),
            seed: game.seed,
            games: self.games + 1,
            ..Self::default()
        };
    }

    /// A turn as a line with a JSON object. No text in it needs to be escaped.
    fn turn(&self, go: &Go) -> String {
        let mut text = String::from("{\"board\":[");
        let position = self.sent.position();
        let side = usize::from(position.size().side());
        let whole = position.to_string();
        let (squares, mover) = whole.split_at(side * side);
        for row in 0..side {
            let comma = if row == 0 { "" } else { "," };
            // Writing into a string cannot fail.
            let _ = write!(text, "{comma}\"{}\"", &squares[row * side..(row + 1) * side]);
        }
        let moves: Vec<String> = position.moves().iter().map(|square| format!("\"{square}\"")).collect();
        let _ = write!(text, "],\"you\":\"{}\",\"moves\":[{}]", mover.trim(), moves.join(","));
        let _ = match self.last {
            Some(ply) => write!(text, ",\"last\":\"{ply}\""),
            None => write!(text, ",\"last\":null"),
        };
        let color = position.side_to_move();
        let _ = match go {
            Go::Clock { time, increment } => write!(
                text,
                ",\"time_left\":{:.3},\"opponent_time_left\":{:.3},\"increment\":{:.3}",
                time[color].as_secs_f64(),
                time[color.opposite()].as_secs_f64(),
                increment[color].as_secs_f64()
            ),
            Go::MoveTime(time) => write!(text, ",\"move_time\":{:.3}", time.as_secs_f64()),
            Go::Nodes(nodes) => write!(text, ",\"nodes\":{nodes}"),
            Go::Depth(depth) => write!(text, ",\"depth\":{depth}"),
            Go::Infinite => Ok(()),
        };
        let _ = writeln!(
            text,
            ",\"variant\":\"{}\",\"game\":{},\"ply\":{},\"seed\":{}}}",
            self.variant,
            self.games,
            self.sent.plies(),
            self.seed
        );
        text
    }
}

impl Dialect for LineDialect {
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply {
        match request {
            Request::Handshake => {
                out.extend_from_slice(self.turn(&Go::Infinite).as_bytes());
                self.awaiting = Awaiting::Handshake;
                return ExpectsReply::Yes;
            }
            Request::NewGame(game) => self.new_game(game),
            Request::Position { played, .. } => self.sent.advance(played, |_, ply| self.last = Some(ply)),
            Request::Go(go) => {
                out.extend_from_slice(self.turn(go).as_bytes());
                self.awaiting = Awaiting::Move;
                return ExpectsReply::Yes;
            }
            // A player exits when its input is closed.
            Request::SetOptions(_) | Request::Stop | Request::Quit => {}
        }
        ExpectsReply::No
    }

    fn parse_line(&mut self, line: &str, _out: &mut Vec<u8>) -> Response {
        // Some languages print a string in quotes.
        let text = line.trim();
        let word = text.trim_matches(['"', '\'']);
        if word.is_empty() {
            return Response::Ignored;
        }
        let awaited = std::mem::take(&mut self.awaiting);
        if awaited == Awaiting::Nothing {
            return Response::Unexpected;
        }
        if awaited == Awaiting::Move && word.eq_ignore_ascii_case("resign") {
            return Response::Resigned;
        }
        let Some(ply) = parse_ply(word) else {
            let what = quote(text);
            return Response::Unreadable(format!(
                "cannot read {what} as a move: one square a turn is wanted, and nothing else on standard output"
            ));
        };
        match awaited {
            Awaiting::Move => Response::Move(ply),
            _ if self.sent.position().play(ply).is_ok() => Response::Done,
            _ => Response::Unreadable(format!(
                "answered the first turn by {ply}, which is not among its moves"
            )),
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, _variant: Variant, _start: &Position) -> Option<String> {
        None
    }

    fn unsupported_time_control(&self, _time: TimeControl) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use rules::{BoardSize, Color};

    use super::*;
    use crate::dialect::tests::{asked, clocks, game, heard, played};

    fn greeted() -> LineDialect {
        let mut line = LineDialect::default();
        assert_eq!(
            asked(&mut line, &Request::Handshake),
            "{\"board\":[\"--------\",\"--------\",\"--------\",\"---OX---\",\"---XO---\",\"--------\",\"--------\",\
             \"--------\"],\"you\":\"X\",\"moves\":[\"d3\",\"c4\",\"f5\",\"e6\"],\"last\":null,\"variant\":\"othello\",\
             \"game\":0,\"ply\":0,\"seed\":0}\n"
        );
        assert_eq!(heard(&mut line, "d3").0, Response::Done);
        line
    }

    #[test]
    fn a_whole_dialogue() {
        let mut line = greeted();
        let go = clocks(2.5, 60.0);
        let start = Position::start(BoardSize::Four);
        let game = NewGame { start, ..game(Color::Black, "60s") };
        assert_eq!(asked(&mut line, &Request::NewGame(&game)), "");
        let moves = played("b1 a1");
        assert_eq!(asked(&mut line, &Request::Position { played: &moves, go: &go }), "");
        assert_eq!(
            asked(&mut line, &Request::Go(&go)),
            "{\"board\":[\"OX--\",\"-OX-\",\"-XO-\",\"----\"],\"you\":\"X\",\"moves\":[\"a2\",\"d3\",\"c4\"],\"last\":\"a1\",\
             \"time_left\":2.500,\"opponent_time_left\":60.000,\"increment\":0.000,\"variant\":\"othello\",\
             \"game\":1,\"ply\":2,\"seed\":7}\n"
        );
        assert_eq!(heard(&mut line, "  A2 ").0, Response::Move("a2".parse().expect("a2")));
        assert_eq!(heard(&mut line, "a2").0, Response::Unexpected);
        assert_eq!(heard(&mut line, "").0, Response::Ignored);
        for (go, part) in [
            (Go::MoveTime(std::time::Duration::from_millis(100)), "\"move_time\":0.100,"),
            (Go::Nodes(5), "\"nodes\":5,"),
            (Go::Depth(6), "\"depth\":6,"),
        ] {
            assert!(asked(&mut line, &Request::Go(&go)).contains(part), "{part}");
        }
    }

    #[test]
    fn what_is_no_move_is_quoted() {
        for (text, meaning) in [
            ("\"f5\"", Some(Response::Move("f5".parse().expect("f5")))),
            ("pass", Some(Response::Move(Ply::Pass))),
            ("resign", Some(Response::Resigned)),
            ("I think f5", None),
            ("{\"move\":\"f5\"}", None),
            ("(3, 4)", None),
        ] {
            let mut line = greeted();
            asked(&mut line, &Request::Go(&Go::Depth(1)));
            match (heard(&mut line, text).0, meaning) {
                (found, Some(wanted)) => assert_eq!(found, wanted, "{text}"),
                (Response::Unreadable(why), None) => {
                    assert!(why.contains("nothing else on standard output"), "{why}")
                }
                (found, None) => panic!("{text}: {found:?}"),
            }
        }
    }

    #[test]
    fn the_first_turn_is_held_against_the_rules() {
        for text in ["a1", "pass", "hello", "resign"] {
            let mut line = LineDialect::default();
            asked(&mut line, &Request::Handshake);
            assert!(matches!(heard(&mut line, text).0, Response::Unreadable(_)), "{text}");
        }
    }
}
