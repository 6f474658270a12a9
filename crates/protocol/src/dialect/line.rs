//! The smallest protocol there is, for teaching: one JSON object a turn on standard input, one move
//! on standard output. Every turn stands for itself, so that a player needs to remember nothing, and
//! it is given the legal moves, so that it need not know the rules.
//!
//! There is no handshake that a player would have to know of: it is greeted by a turn like any
//! other, game 0, whose answer is not played.

use std::fmt::Write as _;

use clock::TimeControl;
use rules::{Ply, Position, Variant};

use super::told::Told;
use super::{Dialect, Protocol, Telling};
use crate::framing::quote;
use crate::message::{Go, Heard, Identity, NewGame, Question, Reply};
use crate::probe::{Area, Checks, Probe};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "line",
    about: "one JSON object a turn in, one move a line out; for teaching",
    has_options: false,
    is_recognisable: false,
    clocks: &[Telling::Protocol],
    checks: CHECKS,
    dialogue: |_| Box::<Line>::default(),
};

const CHECKS: Checks = Checks {
    probes: &[
        Probe {
            name: "unknown-key",
            area: Area::Input,
            about: "a key that it does not know is ignored",
            send: "{\"board\":[\"--------\",\"--------\",\"--------\",\"---OX---\",\"---XO---\",\"--------\",\"--------\",\"--------\"],\
                   \"you\":\"X\",\"moves\":[\"d3\",\"c4\",\"f5\",\"e6\"],\"last\":null,\"depth\":1,\"variant\":\"othello\",\"game\":0,\"ply\":0,\
                   \"seed\":0,\"news\":{\"of\":[1,2,\"three\"]}}\n",
            judge: one_of_the_first_moves,
            hint: "read the line with your language's JSON library, take the keys you need and leave the others alone",
        },
        Probe {
            name: "another-order",
            area: Area::Input,
            about: "the keys may come in another order, with blanks between",
            send: "{ \"seed\": 0, \"ply\": 0, \"game\": 0, \"variant\": \"othello\", \"depth\": 1, \"last\": null, \
                   \"moves\": [ \"d3\", \"c4\", \"f5\", \"e6\" ], \"you\": \"X\", \"board\": [ \"--------\", \"--------\", \"--------\", \
                   \"---OX---\", \"---XO---\", \"--------\", \"--------\", \"--------\" ] }\n",
            judge: one_of_the_first_moves,
            hint: "read the line with your language's JSON library instead of looking for places in the text",
        },
    ],
    facts: None,
    unstoppable: Some("its protocol has no word to stop a search"),
    endless: false,
};

fn one_of_the_first_moves(lines: &[String]) -> Option<Result<(), String>> {
    let answer =
        lines.iter().map(|line| line.trim().trim_matches(['"', '\''])).find(|line| !line.is_empty())?;
    let fits = ["d3", "c4", "f5", "e6"].iter().any(|square| answer.eq_ignore_ascii_case(square));
    Some(if fits { Ok(()) } else { Err(format!("answered {}, which is none of the moves", quote(answer))) })
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Awaiting {
    #[default]
    Nothing,
    /// The answer to the turn that is not played.
    Trial,
    Move,
}

/// A dialogue in lines.
#[derive(Debug, Default)]
struct Line {
    identity: Identity,
    awaiting: Awaiting,
    variant: Variant,
    told: Told,
    last: Option<Ply>,
    games: u64,
    seed: u64,
}

impl Line {
    fn new_game(&mut self, game: &NewGame<'_>) {
        *self = Self {
            variant: game.variant,
            told: Told::from(game.start),
            seed: game.seed,
            games: self.games + 1,
            ..Self::default()
        };
    }

    /// The turn as one JSON object. Nothing in it needs to be escaped.
    fn turn(&self, go: &Go) -> String {
        let mut text = String::from("{\"board\":[");
        let position = self.told.position();
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
            self.told.plies(),
            self.seed
        );
        text
    }
}

impl Dialect for Line {
    fn ask(&mut self, question: &Question<'_>, out: &mut Vec<u8>) -> Reply {
        match question {
            Question::Greet => {
                out.extend_from_slice(self.turn(&Go::Infinite).as_bytes());
                self.awaiting = Awaiting::Trial;
                return Reply::Expected;
            }
            Question::NewGame(game) => self.new_game(game),
            Question::Position { played, .. } => self.told.follow(played, |_, ply| self.last = Some(ply)),
            Question::Go(go) => {
                out.extend_from_slice(self.turn(go).as_bytes());
                self.awaiting = Awaiting::Move;
                return Reply::Expected;
            }
            // A player leaves when its input is closed.
            Question::Configure(_) | Question::Stop | Question::Quit => {}
        }
        Reply::None
    }

    fn hear(&mut self, line: &str, _out: &mut Vec<u8>) -> Heard {
        // A language's own way to print a text may put it in quotes.
        let text = line.trim();
        let word = text.trim_matches(['"', '\'']);
        if word.is_empty() {
            return Heard::Nothing;
        }
        let awaited = std::mem::take(&mut self.awaiting);
        if awaited == Awaiting::Nothing {
            return Heard::Surplus;
        }
        let unreadable = || {
            let what = quote(text);
            format!(
                "cannot read {what} as a move: one square a turn is wanted, and nothing else on standard output"
            )
        };
        let ply = match word.to_ascii_lowercase().as_str() {
            "resign" if awaited == Awaiting::Move => return Heard::Resigned,
            "pass" => Ply::Pass,
            square => match square.parse() {
                Ok(square) => Ply::Place(square),
                Err(_) => return Heard::Unreadable(unreadable()),
            },
        };
        match awaited {
            Awaiting::Move => Heard::Move(ply),
            _ if self.told.position().play(ply).is_ok() => Heard::Answered,
            _ => Heard::Unreadable(format!("answered the first turn by {ply}, which is not among its moves")),
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, _variant: Variant, _start: &Position) -> Option<String> {
        None
    }

    fn untold(&self, _time: TimeControl) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use rules::{BoardSize, Color};

    use super::*;
    use crate::dialect::tests::{asked, clocks, game, heard, played};

    fn greeted() -> Line {
        let mut line = Line::default();
        assert_eq!(
            asked(&mut line, &Question::Greet),
            "{\"board\":[\"--------\",\"--------\",\"--------\",\"---OX---\",\"---XO---\",\"--------\",\"--------\",\
             \"--------\"],\"you\":\"X\",\"moves\":[\"d3\",\"c4\",\"f5\",\"e6\"],\"last\":null,\"variant\":\"othello\",\
             \"game\":0,\"ply\":0,\"seed\":0}\n"
        );
        assert_eq!(heard(&mut line, "d3").0, Heard::Answered);
        line
    }

    #[test]
    fn a_whole_dialogue() {
        let mut line = greeted();
        let go = clocks(2.5, 60.0);
        let start = Position::start(BoardSize::Four);
        let game = NewGame { start, ..game(Color::Black, "60s") };
        assert_eq!(asked(&mut line, &Question::NewGame(&game)), "");
        let moves = played("b1 a1");
        assert_eq!(asked(&mut line, &Question::Position { played: &moves, go: &go }), "");
        assert_eq!(
            asked(&mut line, &Question::Go(&go)),
            "{\"board\":[\"OX--\",\"-OX-\",\"-XO-\",\"----\"],\"you\":\"X\",\"moves\":[\"a2\",\"d3\",\"c4\"],\"last\":\"a1\",\
             \"time_left\":2.500,\"opponent_time_left\":60.000,\"increment\":0.000,\"variant\":\"othello\",\
             \"game\":1,\"ply\":2,\"seed\":7}\n"
        );
        assert_eq!(heard(&mut line, "  A2 ").0, Heard::Move("a2".parse().expect("a2")));
        assert_eq!(heard(&mut line, "a2").0, Heard::Surplus);
        assert_eq!(heard(&mut line, "").0, Heard::Nothing);
        for (go, part) in [
            (Go::MoveTime(std::time::Duration::from_millis(100)), "\"move_time\":0.100,"),
            (Go::Nodes(5), "\"nodes\":5,"),
            (Go::Depth(6), "\"depth\":6,"),
        ] {
            assert!(asked(&mut line, &Question::Go(&go)).contains(part), "{part}");
        }
    }

    #[test]
    fn what_is_no_move_is_quoted() {
        for (text, meaning) in [
            ("\"f5\"", Some(Heard::Move("f5".parse().expect("f5")))),
            ("pass", Some(Heard::Move(Ply::Pass))),
            ("resign", Some(Heard::Resigned)),
            ("I think f5", None),
            ("{\"move\":\"f5\"}", None),
            ("(3, 4)", None),
        ] {
            let mut line = greeted();
            asked(&mut line, &Question::Go(&Go::Depth(1)));
            match (heard(&mut line, text).0, meaning) {
                (found, Some(wanted)) => assert_eq!(found, wanted, "{text}"),
                (Heard::Unreadable(why), None) => {
                    assert!(why.contains("nothing else on standard output"), "{why}")
                }
                (found, None) => panic!("{text}: {found:?}"),
            }
        }
    }

    #[test]
    fn the_first_turn_is_held_against_the_rules() {
        for text in ["a1", "pass", "hello", "resign"] {
            let mut line = Line::default();
            asked(&mut line, &Question::Greet);
            assert!(matches!(heard(&mut line, text).0, Heard::Unreadable(_)), "{text}");
        }
    }
}
