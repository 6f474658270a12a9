//! UGI (Universal Game Interface) for Othello.

use rules::{BoardSize, Color, Ply, Position, Turn, Variant};

use super::uci_like::{Flavor, UciLike, write_option, write_start};
use super::{ClockStyle, Protocol, parse_ply, uci_like_probes};
use crate::message::{Identity, NewGame};
use crate::option::OptionKind;
use crate::probe::{PositionQueries, Probe, ProbeGroup, ProtocolChecks, QueriedPosition};
use crate::ugi::EngineMessage;

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "ugi",
    about: "Universal Game Interface, bound to Othello",
    has_options: true,
    is_detectable: true,
    clock_styles: &[ClockStyle::Protocol],
    checks: CHECKS,
    new_dialect: |_| Box::new(UciLike::new(&FLAVOR)),
};

static FLAVOR: Flavor = Flavor {
    handshake: "ugi",
    handshake_ok: "ugiok",
    new_game: "uginewgame",
    clock: ["p1time", "p2time", "p1inc", "p2inc"],
    fixed_options: &[],
    write_game_options,
    write_ply,
    parse_ply,
    score_is_in_discs: true,
    cannot_play,
};

const CHECKS: ProtocolChecks = ProtocolChecks {
    probes: &[
        uci_like_probes::UNKNOWN_OPTION,
        uci_like_probes::STOP_WHEN_IDLE,
        Probe {
            name: "queries",
            group: ProbeGroup::Rules,
            about: "`query` is answered",
            send: "position startpos moves f5\nquery p1turn\nquery gameover\nquery result\n",
            expect: |lines| {
                let heard: Vec<String> = lines.iter().filter_map(|line| parse_response(line)).collect();
                let right = ["response false", "response false", "response none"];
                (heard.len() >= right.len()).then(|| {
                    if heard == right {
                        return Ok(());
                    }
                    Err(format!("after f5 the answers are {}, not {}", right.join(", "), heard.join(", ")))
                })
            },
            hint: "answer `query p1turn`, `query gameover` and `query result` by `response` and a word: true or false, p1win, p2win, draw or none",
        },
        uci_like_probes::UNKNOWN_COMMAND,
        uci_like_probes::empty_lines("\n  \n\nisready\n"),
        uci_like_probes::many_at_once("isready\nposition startpos moves f5 d6\nisready\nisready\n"),
    ],
    queries: Some(PositionQueries { write: write_queries, parse: parse_response }),
    cannot_stop: None,
    has_infinite: true,
};

/// Appends a `position` line and all three queries. Returns the right answers.
fn write_queries(case: &QueriedPosition<'_>, out: &mut Vec<u8>) -> Vec<String> {
    write_start(case.variant, case.start, out);
    for (number, ply) in case.plies.iter().enumerate() {
        out.extend_from_slice(if number == 0 { b" moves " } else { b" " });
        out.extend_from_slice(ply.to_string().as_bytes());
    }
    out.extend_from_slice(b"\nquery p1turn\nquery gameover\nquery result\n");
    let result = match case.end.turn() {
        Turn::Over(score) => match score.winner(case.variant) {
            Some(Color::Black) => "p1win",
            Some(Color::White) => "p2win",
            None => "draw",
        },
        _ => "none",
    };
    let black = case.end.side_to_move() == Color::Black;
    vec![
        format!("response {black}"),
        format!("response {}", case.end.is_over()),
        format!("response {result}"),
    ]
}

fn parse_response(line: &str) -> Option<String> {
    match EngineMessage::parse(line) {
        Some(EngineMessage::Response(text)) => Some(format!("response {}", text.trim())),
        _ => None,
    }
}

/// Sets the options `Variant`, `BoardSize` and `Seed` where the engine has them.
fn write_game_options(identity: &Identity, game: &NewGame<'_>, out: &mut Vec<u8>) {
    let mut set = |name: &str, value: &str| {
        if let Ok(setting) = identity.setting(name, value) {
            write_option(&setting.name, setting.value.as_deref(), out);
        }
    };
    set("Variant", &game.variant.to_string());
    set("BoardSize", &game.start.size().side().to_string());
    if let Some(seed) = seed_in_range(identity, game.seed) {
        set("Seed", &seed.to_string());
    }
}

/// The game's seed, reduced into the range that the engine declares for its own.
fn seed_in_range(identity: &Identity, seed: u64) -> Option<i64> {
    let OptionKind::Spin { min, max, .. } = identity.option("Seed")?.kind else { return None };
    let low = i128::from(min.unwrap_or(0));
    let high = i128::from(max.unwrap_or(i64::MAX));
    let count = high - low + 1;
    (count > 0).then(|| i64::try_from(low + i128::from(seed) % count).ok()).flatten()
}

fn write_ply(_position: &Position, ply: Ply, out: &mut Vec<u8>) {
    match ply {
        Ply::Place(square) => out.extend_from_slice(&[b'a' + square.column(), b'1' + square.row()]),
        Ply::Pass => out.extend_from_slice(b"pass"),
    }
}

fn cannot_play(identity: &Identity, variant: Variant, start: &Position) -> Option<String> {
    let size = start.size();
    let refused = |name: &str, value: &str| identity.setting(name, value).err();
    let variant = (variant != Variant::Othello).then(|| refused("Variant", &variant.to_string()));
    let size = (size != BoardSize::Eight).then(|| refused("BoardSize", &size.side().to_string()));
    variant.flatten().or(size.flatten()).map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use proptest::prelude::*;
    use rules::ByColor;

    use crate::dialect::Dialect;
    use crate::dialect::tests::{asked, game, played};
    use crate::message::{ExpectsReply, Go, Request, Response};
    use crate::option::Setting;
    use crate::ugi::{Command, Limits};

    fn greeted(declarations: &[&str]) -> UciLike {
        let (mut ugi, mut out) = (UciLike::new(&FLAVOR), Vec::new());
        assert_eq!(ugi.write_request(&Request::Handshake, &mut out), ExpectsReply::Yes);
        for line in declarations {
            assert_eq!(ugi.parse_line(line, &mut out), Response::Ignored);
        }
        assert_eq!(ugi.parse_line("ugiok", &mut out), Response::Done);
        assert_eq!(out, b"ugi\n");
        ugi
    }

    #[test]
    fn a_whole_dialogue() {
        let mut ugi =
            greeted(&["id name A", "id name B", "option name Seed type spin default 0 min 0 max 9"]);
        assert_eq!(ugi.identity().name.as_deref(), Some("A"), "of several names the first counts");
        let hash = Setting { name: "Hash".into(), value: Some("16".into()) };
        assert_eq!(asked(&mut ugi, &Request::SetOptions(&[hash])), "setoption name Hash value 16\nisready\n");
        assert_eq!(ugi.parse_line("readyok", &mut Vec::new()), Response::Done);
        let game = NewGame { seed: 127, ..game(Color::Black, "depth=1") };
        assert_eq!(
            asked(&mut ugi, &Request::NewGame(&game)),
            "setoption name Seed value 7\nuginewgame\nisready\n"
        );
        assert_eq!(ugi.parse_line("readyok", &mut Vec::new()), Response::Done);
        assert_eq!(
            asked(&mut ugi, &Request::Position { played: &[], go: &Go::Nodes(5) }),
            "position startpos\nisready\n"
        );
        assert_eq!(
            asked(&mut ugi, &Request::Position { played: &played("f5 d6"), go: &Go::Nodes(5) }),
            "position startpos moves f5 d6\nisready\n"
        );
        assert_eq!(
            asked(&mut ugi, &Request::Position { played: &played("f5 d6 pass c3"), go: &Go::Nodes(5) }),
            "position startpos moves f5 d6 pass c3\nisready\n"
        );
        assert_eq!(
            ugi.parse_line("bestmove a1", &mut Vec::new()),
            Response::Unexpected,
            "an answer to an older question"
        );
        assert_eq!(ugi.parse_line("readyok", &mut Vec::new()), Response::Done);
        assert_eq!(asked(&mut ugi, &Request::Go(&Go::Nodes(5))), "go nodes 5\n");
        assert!(matches!(ugi.parse_line("info depth 3 score cp 50", &mut Vec::new()), Response::Info(_)));
        assert_eq!(
            ugi.parse_line("bestmove F5 ponder a1", &mut Vec::new()),
            Response::Move("f5".parse().expect("f5"))
        );
        assert_eq!(
            ugi.parse_line("bestmove f5", &mut Vec::new()),
            Response::Unexpected,
            "the first one counts"
        );
    }

    #[test]
    fn other_starts_are_sent_as_boards() {
        let mut ugi = greeted(&[]);
        let start = Position::parallel(BoardSize::Eight);
        asked(&mut ugi, &Request::NewGame(&NewGame { start, ..game(Color::Black, "depth=1") }));
        assert_eq!(
            asked(&mut ugi, &Request::Position { played: &played("c3"), go: &Go::Nodes(5) }),
            format!("position fen {start} moves c3\nisready\n")
        );
    }

    #[test]
    fn what_is_no_move_is_quoted() {
        for (line, readable) in [
            ("bestmove pass", true),
            ("bestmove H8", true),
            ("bestmove", false),
            ("bestmove banana", false),
            ("bestmove 0000", false),
            ("bestmove i9", false),
            ("bestmove resign", false),
            ("bestmove --", false),
            ("bestmove fé", false),
        ] {
            let mut ugi = greeted(&[]);
            asked(&mut ugi, &Request::Go(&Go::Depth(1)));
            match ugi.parse_line(line, &mut Vec::new()) {
                Response::Move(_) => assert!(readable, "{line}"),
                Response::Unreadable(why) => assert!(!readable && why.contains(line), "{why}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn noise_is_nothing() {
        let mut ugi = greeted(&["", "ugiok?", "welcome to ugiok", "option", "option name", "bestmove f5"]);
        asked(&mut ugi, &Request::Go(&Go::Depth(1)));
        for line in ["", "bestmoves f5", "thinking...", "readyok", "id name X", "info string bestmove d3"] {
            let heard = ugi.parse_line(line, &mut Vec::new());
            assert!(matches!(heard, Response::Ignored | Response::Info(_)), "{line}: {heard:?}");
        }
    }

    #[test]
    fn the_seed_is_reduced_into_the_declared_range() {
        for (declared, seed, sent) in [
            ("min 1 max 10", 25, Some(6)),
            ("", 25, Some(25)),
            ("min 5 max 5", 1 << 52, Some(5)),
            ("min 0 max 4294967295", (1 << 40) + 3, Some(3)),
            ("min 10 max 5", 1, None),
        ] {
            let ugi = greeted(&[&format!("option name Seed type spin default 0 {declared}")]);
            assert_eq!(seed_in_range(&ugi.identity, seed), sent, "{declared}");
        }
        assert_eq!(seed_in_range(&greeted(&["option name Seed type string"]).identity, 1), None);
        assert_eq!(seed_in_range(&greeted(&[]).identity, 1), None);
    }

    #[test]
    fn endless_options_are_not_all_kept() {
        let lines: Vec<String> = (0..3000).map(|n| format!("option name O{n} type button")).collect();
        let ugi = greeted(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ugi.identity().options.len(), Identity::MAX_OPTIONS);
    }

    #[test]
    fn facts_are_asked_by_the_rules() {
        let start = Position::start(BoardSize::Eight);
        let asked = |start: Position, text: &str, variant| {
            let plies: Vec<Ply> = text.split_whitespace().map(|word| word.parse().expect(word)).collect();
            let end = plies.iter().fold(start, |position, &ply| position.play(ply).expect("legal"));
            let mut out = Vec::new();
            let answers = write_queries(&QueriedPosition { variant, start, plies: &plies, end }, &mut out);
            (String::from_utf8(out).expect("UTF-8"), answers)
        };
        let (text, answers) = asked(start, "f5 d6", Variant::Othello);
        assert_eq!(text, "position startpos moves f5 d6\nquery p1turn\nquery gameover\nquery result\n");
        assert_eq!(answers, ["response true", "response false", "response none"]);
        let board = start.play("f5".parse().expect("f5")).expect("legal");
        let (text, _) = asked(board, "", Variant::Othello);
        assert!(text.starts_with(&format!("position fen {board}\nquery")), "{text}");
        let empty = Variant::Historical.start(BoardSize::Eight);
        let (text, answers) = asked(empty, "d4 e5", Variant::Historical);
        let fen = format!("position fen {empty} moves d4 e5\nquery");
        assert!(text.starts_with(&fen), "{text}");
        assert_eq!(answers, ["response true", "response false", "response none"]);
        let (text, _) = asked(start, "", Variant::Historical);
        assert!(text.starts_with(&format!("position fen {start}\n")), "{text}");
        let over = Position::parse(&format!("XX{}", "-".repeat(62)), "O").expect("a position");
        for (variant, result) in [(Variant::Othello, "p1win"), (Variant::Reversed, "p2win")] {
            let (_, answers) = asked(over, "", variant);
            assert_eq!(answers, ["response false", "response true", &format!("response {result}")]);
        }
        assert_eq!(parse_response(" response  p1win "), Some("response p1win".to_owned()));
        assert_eq!(parse_response("bestmove d3"), None);
    }

    #[test]
    fn times_are_sent_in_whole_milliseconds_of_at_least_one() {
        let go = Go::Clock {
            time: ByColor::new(Duration::from_micros(2_999), Duration::ZERO),
            increment: ByColor::new(Duration::ZERO, Duration::from_millis(5)),
        };
        let sent = asked(&mut UciLike::new(&FLAVOR), &Request::Go(&go));
        assert_eq!(sent, "go p1time 2 p2time 1 p1inc 0 p2inc 5\n");
    }

    /// The limits that an engine reads from this `go`: times in whole milliseconds.
    fn limits(go: Go) -> Limits {
        let whole = |time: Duration| Duration::from_millis(u64::try_from(time.as_millis()).expect("small"));
        let left = |time: Duration| Some(whole(time).max(Duration::from_millis(1)));
        let none = Limits::default();
        match go {
            Go::Clock { time, increment } => Limits {
                time: time.map(left),
                increment: increment.map(|increment| Some(whole(increment))),
                ..none
            },
            Go::MoveTime(time) => Limits { movetime: left(time), ..none },
            Go::Nodes(nodes) => Limits { nodes: Some(nodes), ..none },
            Go::Depth(depth) => Limits { depth: Some(depth), ..none },
            Go::Infinite => Limits { infinite: true, ..none },
        }
    }

    fn any_go() -> impl Strategy<Value = Go> {
        let time = || (0u64..10_000_000_000).prop_map(Duration::from_nanos);
        prop_oneof![
            (time(), time(), time(), time()).prop_map(|(a, b, c, d)| Go::Clock {
                time: ByColor::new(a, b),
                increment: ByColor::new(c, d)
            }),
            time().prop_map(Go::MoveTime),
            (1u64..1 << 60).prop_map(Go::Nodes),
            (1u32..).prop_map(Go::Depth),
            Just(Go::Infinite),
        ]
    }

    proptest! {
        #[test]
        fn what_the_referee_sends_is_what_the_engine_reads(go in any_go()) {
            let line = asked(&mut UciLike::new(&FLAVOR), &Request::Go(&go));
            prop_assert_eq!(Command::parse(line.trim_end()), Ok(Command::Go(limits(go))));
        }
    }
}
