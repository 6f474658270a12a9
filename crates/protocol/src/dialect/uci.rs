//! UCI for Fairy-Stockfish, which plays Othello as its variant `flipello`. It counts rows from the bottom. A move is a
//! drop (`P@d6` is d3), a pass is a move of a disc to its own square. The first player, Black in Othello, is its White.

use rules::{BoardSize, Ply, Position, Square, Variant};

use super::uci_like::{Flavor, UciLike};
use super::{ClockStyle, Protocol, uci_like_probes};
use crate::message::Identity;
use crate::option::OptionKind;
use crate::probe::ProtocolChecks;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "uci",
    about: "UCI as Fairy-Stockfish speaks it for Othello (variant flipello)",
    has_options: true,
    is_detectable: false,
    clock_styles: &[ClockStyle::Protocol],
    checks: CHECKS,
    new_dialect: |_| Box::new(UciLike::new(&FLAVOR)),
};

static FLAVOR: Flavor = Flavor {
    handshake: "uci",
    handshake_ok: "uciok",
    new_game: "ucinewgame",
    // The first player, Black in Othello, is White here.
    clock: ["wtime", "btime", "winc", "binc"],
    fixed_options: &[(VARIANT_OPTION, VARIANT)],
    write_game_options: |_, _, _| {},
    write_ply,
    parse_ply,
    // Fairy-Stockfish has a scale of its own.
    score_is_in_discs: false,
    cannot_play,
};

const CHECKS: ProtocolChecks = ProtocolChecks {
    probes: &[
        uci_like_probes::UNKNOWN_OPTION,
        uci_like_probes::STOP_WHEN_IDLE,
        uci_like_probes::UNKNOWN_COMMAND,
        uci_like_probes::empty_lines("\n\nisready\n"),
        uci_like_probes::many_at_once("isready\nposition startpos moves P@f4\nisready\nisready\n"),
    ],
    queries: None,
    cannot_stop: None,
    has_infinite: true,
};

const VARIANT_OPTION: &str = "UCI_Variant";
const VARIANT: &str = "flipello";

/// A square with its row counted from the bottom.
fn from_below(square: Square) -> String {
    format!("{}{}", char::from(b'a' + square.column()), 8 - square.row())
}

/// A pass: one of the mover's discs "moves" to its own square. It is the first disc, counted from UCI's a1 row by row,
/// as in the moves that Fairy-Stockfish generates.
fn pass(position: &Position) -> String {
    let own = position.discs()[position.side_to_move()];
    let first = own.iter().min_by_key(|square| (u8::MAX - square.row(), square.column()));
    first.map_or_else(|| "0000".to_owned(), |square| from_below(square).repeat(2))
}

/// Reads a move: `P@d6`, or the same square twice for a pass.
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

fn write_ply(before: &Position, ply: Ply, out: &mut Vec<u8>) {
    let word = match ply {
        Ply::Place(square) => format!("P@{}", from_below(square)),
        Ply::Pass => pass(before),
    };
    out.extend_from_slice(word.as_bytes());
}

fn cannot_play(identity: &Identity, variant: Variant, start: &Position) -> Option<String> {
    if variant != Variant::Othello || *start != Position::start(BoardSize::Eight) {
        return Some(format!("in its protocol, {}, only the usual Othello on 8x8 is played", PROTOCOL.name));
    }
    let kind = identity.option(VARIANT_OPTION).map(|option| &option.kind);
    match kind {
        Some(OptionKind::Combo { values, .. }) if values.iter().any(|value| value == VARIANT) => None,
        _ => Some(format!("its option {VARIANT_OPTION} knows no {VARIANT}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::dialect::tests::{asked, clocks, game, heard, played};
    use crate::message::{Request, Response, SearchInfo};
    use crate::option::Setting;
    use rules::Color;

    fn greeted() -> UciLike {
        let mut uci = UciLike::new(&FLAVOR);
        assert_eq!(asked(&mut uci, &Request::Handshake), "uci\n");
        for line in [
            "Fairy-Stockfish by somebody",
            "id name Fairy",
            "id author F",
            "option name Threads type spin default 1 min 1 max 8",
            "option name UCI_Variant type combo default chess var chess var flipello var flipersi",
        ] {
            assert_eq!(heard(&mut uci, line).0, Response::Ignored);
        }
        assert_eq!(heard(&mut uci, "uciok").0, Response::Done);
        uci
    }

    #[test]
    fn a_whole_dialogue() {
        let mut uci = greeted();
        assert_eq!(uci.identity.name.as_deref(), Some("Fairy"));
        assert_eq!(uci.cannot_play(Variant::Othello, &Position::start(BoardSize::Eight)), None);
        let threads = Setting { name: "Threads".into(), value: Some("2".into()) };
        assert_eq!(
            asked(&mut uci, &Request::SetOptions(&[threads])),
            "setoption name UCI_Variant value flipello\nsetoption name Threads value 2\nisready\n"
        );
        assert_eq!(heard(&mut uci, "info string variant flipello").0, Response::Ignored);
        assert_eq!(heard(&mut uci, "readyok").0, Response::Done);
        assert_eq!(
            asked(&mut uci, &Request::NewGame(&game(Color::White, "60s+1s"))),
            "ucinewgame\nisready\n"
        );
        assert_eq!(heard(&mut uci, "readyok").0, Response::Done);
        let go = clocks(60.0, 1.5);
        let position =
            |uci: &mut UciLike, moves| asked(uci, &Request::Position { played: &played(moves), go: &go });
        assert_eq!(position(&mut uci, ""), "position startpos\nisready\n");
        assert_eq!(position(&mut uci, "d3"), "position startpos moves P@d6\nisready\n");
        assert_eq!(asked(&mut uci, &Request::Go(&go)), "go wtime 60000 btime 1500 winc 0 binc 0\n");
        let claims = SearchInfo { score: None, depth: Some(6), nodes: Some(130) };
        assert_eq!(heard(&mut uci, "info depth 6 score cp -300 nodes 130 pv P@e6").0, Response::Info(claims));
        assert_eq!(heard(&mut uci, "bestmove P@c6 ponder P@f5").0, Response::Move("c3".parse().expect("c3")));
        assert_eq!(heard(&mut uci, "bestmove P@c6").0, Response::Unexpected);
        assert_eq!(position(&mut uci, "d3 c3"), "position startpos moves P@d6 P@c6\nisready\n");
    }

    /// The passes are those that `pyffish` 0.0.90 generates.
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
            UciLike::new(&FLAVOR)
                .cannot_play(Variant::Othello, &start)
                .is_some_and(|why| why.contains("flipello"))
        );
        assert!(greeted().cannot_play(Variant::Reversed, &start).is_some());
        assert!(greeted().cannot_play(Variant::Othello, &Position::parallel(BoardSize::Eight)).is_some());
    }
}
