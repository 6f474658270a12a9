//! UCI as Fairy-Stockfish speaks it for Othello, its variant `flipello`. Its rows are counted from
//! the bottom, a move is a drop (`P@d6` is Othello's d3), a pass is a move of a disc to its own square,
//! and the first player, our Black, is its White.

use std::io::Write as _;

use clock::TimeControl;
use rules::{BoardSize, Color, Ply, Position, Square, Variant};

use super::told::Told;
use super::{Dialect, Protocol, Telling, relatives};
use crate::framing::quote;
use crate::message::{Claims, Go, Heard, Identity, Played, Question, Reply};
use crate::option::{OptionKind, Setting};
use crate::probe::Checks;
use crate::ugi::Answer;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "uci",
    about: "UCI as Fairy-Stockfish speaks it for Othello (variant flipello)",
    has_options: true,
    is_recognisable: false,
    clocks: &[Telling::Protocol],
    checks: CHECKS,
    dialogue: |_| Box::<Uci>::default(),
};

const CHECKS: Checks = Checks {
    probes: &[
        relatives::UNKNOWN_OPTION,
        relatives::STOP_WHEN_IDLE,
        relatives::UNKNOWN_COMMAND,
        relatives::empty_lines("\n\nisready\n"),
        relatives::many_at_once("isready\nposition startpos moves P@f4\nisready\nisready\n"),
    ],
    facts: None,
    unstoppable: None,
    endless: true,
};

const VARIANT_OPTION: &str = "UCI_Variant";
const VARIANT: &str = "flipello";

#[derive(Debug, Default, PartialEq, Eq)]
enum Awaiting {
    #[default]
    Nothing,
    UciOk,
    ReadyOk,
    BestMove,
}

/// A dialogue in UCI.
#[derive(Debug, Default)]
struct Uci {
    identity: Identity,
    awaiting: Awaiting,
    /// The `position` line of the game, without its end, and what it leads to.
    line: Vec<u8>,
    told: Told,
}

impl Uci {
    fn new_game(&mut self, start: Position) {
        self.line.clear();
        self.line.extend_from_slice(b"position startpos");
        self.told = Told::from(start);
    }

    fn play(&mut self, played: &[Played], out: &mut Vec<u8>) {
        let mut has_moves = self.told.plies() > 0;
        self.told.follow(played, |before, ply| {
            let lead: &[u8] = if has_moves { b" " } else { b" moves " };
            has_moves = true;
            self.line.extend_from_slice(lead);
            let word = match ply {
                Ply::Place(square) => format!("P@{}", from_below(square)),
                Ply::Pass => pass(&before),
            };
            self.line.extend_from_slice(word.as_bytes());
        });
        out.extend_from_slice(&self.line);
        out.extend_from_slice(b"\nisready\n");
    }
}

/// A square as one sees it who counts the rows from the bottom.
fn from_below(square: Square) -> String {
    format!("{}{}", char::from(b'a' + square.column()), 8 - square.row())
}

/// A pass: the mover's own disc that comes first, from a1 of the rows as they are counted here,
/// "moved" to where it lies. Found so in the moves that the engine itself generates.
fn pass(position: &Position) -> String {
    let own = *position.discs().get(position.side_to_move());
    let first = own.iter().min_by_key(|square| (u8::MAX - square.row(), square.column()));
    first.map_or_else(|| "0000".to_owned(), |square| from_below(square).repeat(2))
}

/// A move as the engine writes it: `P@d6`, or twice the same square for a pass.
fn parse_ply(word: &str) -> Option<Ply> {
    let square = |text: &str| -> Option<Square> {
        let seen: Square = text.parse().ok()?;
        Square::new(seen.column(), 7 - seen.row())
    };
    if let Some(("P" | "p", target)) = word.split_once('@') {
        return square(target).map(Ply::Place);
    }
    let (from, to) = word.is_ascii().then(|| word.split_at_checked(2)).flatten()?;
    (from == to && square(from).is_some()).then_some(Ply::Pass)
}

fn write_go(go: &Go, out: &mut Vec<u8>) {
    // Writing into a vector cannot fail.
    let _ = match go {
        Go::Clock { time, increment } => {
            let whole = |time: &std::time::Duration| time.as_millis().max(1);
            let (white, black) = (&time.black, &time.white);
            let (white_more, black_more) = (increment.black, increment.white);
            writeln!(
                out,
                "go wtime {} btime {} winc {} binc {}",
                whole(white),
                whole(black),
                white_more.as_millis(),
                black_more.as_millis()
            )
        }
        Go::MoveTime(time) => writeln!(out, "go movetime {}", time.as_millis().max(1)),
        Go::Nodes(nodes) => writeln!(out, "go nodes {nodes}"),
        Go::Depth(depth) => writeln!(out, "go depth {depth}"),
        Go::Infinite => writeln!(out, "go infinite"),
    };
}

impl Dialect for Uci {
    fn ask(&mut self, question: &Question<'_>, out: &mut Vec<u8>) -> Reply {
        self.awaiting = match question {
            Question::Greet => {
                out.extend_from_slice(b"uci\n");
                Awaiting::UciOk
            }
            Question::Configure(settings) => {
                let variant = Setting { name: VARIANT_OPTION.to_owned(), value: Some(VARIANT.to_owned()) };
                variant.write(out);
                settings.iter().for_each(|setting| setting.write(out));
                out.extend_from_slice(b"isready\n");
                Awaiting::ReadyOk
            }
            Question::NewGame(game) => {
                self.new_game(game.start);
                out.extend_from_slice(b"ucinewgame\nisready\n");
                Awaiting::ReadyOk
            }
            Question::Position { played, .. } => {
                self.play(played, out);
                Awaiting::ReadyOk
            }
            Question::Go(go) => {
                write_go(go, out);
                Awaiting::BestMove
            }
            Question::Stop => {
                out.extend_from_slice(b"stop\n");
                return if self.awaiting == Awaiting::BestMove { Reply::Expected } else { Reply::None };
            }
            Question::Quit => {
                out.extend_from_slice(b"quit\n");
                return Reply::None;
            }
        };
        Reply::Expected
    }

    fn hear(&mut self, line: &str, _out: &mut Vec<u8>) -> Heard {
        let answer = Answer::parse(line);
        match (&self.awaiting, answer) {
            (Awaiting::UciOk, Some(Answer::Name(name))) => self.identity.take_name(name),
            (Awaiting::UciOk, Some(Answer::Author(author))) => self.identity.take_author(author),
            (Awaiting::UciOk, Some(Answer::Option(option))) => self.identity.take_option(option),
            (Awaiting::UciOk, None) if line.trim() == "uciok" => {
                self.awaiting = Awaiting::Nothing;
                return Heard::Answered;
            }
            (Awaiting::ReadyOk, Some(Answer::ReadyOk)) => {
                self.awaiting = Awaiting::Nothing;
                return Heard::Answered;
            }
            (Awaiting::BestMove, Some(Answer::BestMove(word))) => {
                self.awaiting = Awaiting::Nothing;
                return match word.and_then(parse_ply) {
                    Some(ply) => Heard::Move(ply),
                    None => Heard::Unreadable(format!("cannot read {} as a move", quote(line.trim()))),
                };
            }
            (_, Some(Answer::BestMove(_))) => return Heard::Surplus,
            (Awaiting::BestMove, Some(Answer::Info(info))) => {
                // Its scores are on a scale of its own, not in discs.
                return Heard::Claims(Claims { score: None, ..info.claims() });
            }
            _ => {}
        }
        Heard::Nothing
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String> {
        if variant != Variant::Othello || *start != Position::start(BoardSize::Eight) {
            return Some(format!(
                "in its protocol, {}, only the usual Othello on 8x8 is played",
                PROTOCOL.name
            ));
        }
        let kind = self.identity.option(VARIANT_OPTION).map(|option| &option.kind);
        match kind {
            Some(OptionKind::Combo { values, .. }) if values.iter().any(|value| value == VARIANT) => None,
            _ => Some(format!("its option {VARIANT_OPTION} knows no {VARIANT}")),
        }
    }

    fn untold(&self, _time: TimeControl) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::tests::{asked, clocks, game, heard, played};

    fn greeted() -> Uci {
        let mut uci = Uci::default();
        assert_eq!(asked(&mut uci, &Question::Greet), "uci\n");
        for line in [
            "Fairy-Stockfish by somebody",
            "id name Fairy",
            "id author F",
            "option name Threads type spin default 1 min 1 max 8",
            "option name UCI_Variant type combo default chess var chess var flipello var flipersi",
        ] {
            assert_eq!(heard(&mut uci, line).0, Heard::Nothing);
        }
        assert_eq!(heard(&mut uci, "uciok").0, Heard::Answered);
        uci
    }

    #[test]
    fn a_whole_dialogue() {
        let mut uci = greeted();
        assert_eq!(uci.identity.name.as_deref(), Some("Fairy"));
        assert_eq!(uci.cannot_play(Variant::Othello, &Position::start(BoardSize::Eight)), None);
        let threads = Setting { name: "Threads".into(), value: Some("2".into()) };
        assert_eq!(
            asked(&mut uci, &Question::Configure(&[threads])),
            "setoption name UCI_Variant value flipello\nsetoption name Threads value 2\nisready\n"
        );
        assert_eq!(heard(&mut uci, "info string variant flipello").0, Heard::Nothing);
        assert_eq!(heard(&mut uci, "readyok").0, Heard::Answered);
        assert_eq!(
            asked(&mut uci, &Question::NewGame(&game(Color::White, "60s+1s"))),
            "ucinewgame\nisready\n"
        );
        assert_eq!(heard(&mut uci, "readyok").0, Heard::Answered);
        let go = clocks(60.0, 1.5);
        let position =
            |uci: &mut Uci, moves| asked(uci, &Question::Position { played: &played(moves), go: &go });
        assert_eq!(position(&mut uci, ""), "position startpos\nisready\n");
        assert_eq!(position(&mut uci, "d3"), "position startpos moves P@d6\nisready\n");
        assert_eq!(asked(&mut uci, &Question::Go(&go)), "go wtime 60000 btime 1500 winc 0 binc 0\n");
        let claims = Claims { score: None, depth: Some(6), nodes: Some(130) };
        assert_eq!(heard(&mut uci, "info depth 6 score cp -300 nodes 130 pv P@e6").0, Heard::Claims(claims));
        assert_eq!(heard(&mut uci, "bestmove P@c6 ponder P@f5").0, Heard::Move("c3".parse().expect("c3")));
        assert_eq!(heard(&mut uci, "bestmove P@c6").0, Heard::Surplus);
        assert_eq!(position(&mut uci, "d3 c3"), "position startpos moves P@d6 P@c6\nisready\n");
    }

    /// The passes as `pyffish` 0.0.90 generates them.
    #[test]
    fn a_pass_names_a_disc_of_ones_own() {
        for (board, word) in [
            ("pppppppp/ppPPPppp/pPpPPPPP/pPPpPpPP/pPppppPP/pPPpPPPP/pPPPPPPP/1p1PPPPP w", "d1d1"),
            ("PPPPPPPP/PppPpPpp/PpPpPPp1/PpppPppp/Pppppppp/PPpppppp/PPPpppPp/PPPPPPPP b", "d2d2"),
            ("pppppPPP/ppPpPPPP/pppPpPpP/pppppppP/1ppppPpP/PppppPpP/PPppPppP/PPpppppp b", "c1c1"),
            ("2PPPPPP/pPPppppP/pppppppp/pppppppp/pppppPpp/ppPPpPPp/ppPppPPp/pppppppp w", "c2c2"),
            ("PPPP1PPP/PPPPPPP1/PPPpppPP/PPPpppPP/PppPPPpp/PpPPPPpp/ppppPppp/Pppppppp w", "a1a1"),
        ] {
            let (rows, side) = board.split_once(' ').expect("a side");
            let mut squares = String::new();
            for c in rows.chars() {
                match c {
                    'P' => squares.push('X'),
                    'p' => squares.push('O'),
                    '/' => {}
                    digit => squares.extend((0..digit.to_digit(10).expect("a digit")).map(|_| '-')),
                }
            }
            let position = Position::parse(&squares, if side == "w" { "X" } else { "O" }).expect(board);
            assert_eq!(pass(&position), word, "{board}");
        }
    }

    #[test]
    fn moves_are_read_from_below() {
        for (word, ply) in
            [("P@d6", "d3"), ("P@a1", "a8"), ("p@h8", "h1"), ("d4d4", "pass"), ("a8a8", "pass")]
        {
            assert_eq!(parse_ply(word), ply.parse().ok(), "{word}");
        }
        for word in ["(none)", "0000", "d4d5", "P@i1", "P@", "@d6", "e2e4", "d3", "é", "dddd"] {
            assert_eq!(parse_ply(word), None, "{word}");
        }
    }

    #[test]
    fn engines_without_the_variant_are_refused() {
        let start = Position::start(BoardSize::Eight);
        assert!(
            Uci::default().cannot_play(Variant::Othello, &start).is_some_and(|why| why.contains("flipello"))
        );
        assert!(greeted().cannot_play(Variant::Reversed, &start).is_some());
        assert!(greeted().cannot_play(Variant::Othello, &Position::parallel(BoardSize::Eight)).is_some());
    }
}
