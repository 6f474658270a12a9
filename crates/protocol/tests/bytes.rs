//! No output of an engine makes a dialect panic, write without bound, or grow.
//!
//! The output is random: the protocols' own words, broken in all ways, and plain bytes. Each file of `data/corpus`
//! holds output that once went wrong.

use std::fs;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use protocol::dialect::{ClockStyle, Dialect, ProtocolId};
use protocol::framing::LineBuffer;
use protocol::message::{Go, NewGame, PlayedPly, Request, Response};
use protocol::option::Setting;
use rules::{BoardSize, ByColor, Color, Position, Variant};

/// Words of the protocols, and some that are nearly so.
const WORDS: &[&str] = &[
    "ugiok",
    "uciok",
    "id name",
    "id author",
    "readyok",
    "bestmove",
    "info",
    "depth",
    "score cp",
    "nodes",
    "pv",
    "option name Hash type spin default 16 min 1 max 1024",
    "option name",
    "type combo default a var a var b",
    "type check default true",
    "response true",
    "=",
    "?",
    "=1",
    "?7 ",
    "= f5",
    "=12 d3\n\n",
    "pong",
    "pong 1",
    "pong 99999999999999999999",
    "=== F5",
    "=== F5/1.5/0.3",
    "=== PA",
    "status",
    "set myname X",
    "nodestats 5 1",
    "search",
    "{\"move\":\"f5\"}",
    "{\"move\":",
    "{\"ready\":true}",
    "[1,2]",
    "null",
    "ready.",
    "ok.",
    "move f5",
    "engine-protocol init",
    "new-position",
    "f5, d6",
    "f5",
    "D3",
    "pass",
    "PA",
    "resign",
    "i9",
    "0000",
    "a1",
    "h8",
    "nan",
    "-inf",
    "1e999",
    "-9223372036854775808",
    "18446744073709551616",
    "ponder",
    "\t",
    " ",
    "\r",
    "\n",
    "\n\n",
    "\0",
    "\u{1b}[31m",
    "\u{feff}",
    "é",
    "黒",
    "\u{2028}",
    "\"",
    "\\",
    "%s",
    "../..",
];

fn said() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(WORDS).prop_map(|word| word.as_bytes().to_vec()),
        3 => Just(b" ".to_vec()),
        4 => Just(b"\n".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..40),
        1 => (0u8..255, 1usize..3000).prop_map(|(byte, count)| vec![byte; count]),
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

/// Sends the requests of a game, and after each the next piece of output.
fn converse(kind: ProtocolId, clock_style: ClockStyle, said: &[Vec<u8>]) -> Box<dyn Dialect> {
    let mut dialect = kind.new_dialect(clock_style);
    let mut buffer = LineBuffer::default();
    let time = "10s+1s".parse().expect("a time control");
    let game = NewGame {
        variant: Variant::Othello,
        start: Position::start(BoardSize::Eight),
        seed: 7,
        color: Color::Black,
        names: ByColor::new("a", "b"),
        time: ByColor::new(time, time),
    };
    let settings = [Setting { name: "Hash".to_owned(), value: Some("16".to_owned()) }];
    let second = Duration::from_secs(1);
    let go = Go::Clock { time: ByColor::new(second, second), increment: ByColor::new(second, second) };
    let played: Vec<PlayedPly> =
        ["f5", "d6"].map(|ply| PlayedPly { ply: ply.parse().expect("a move"), spent: second }).to_vec();
    let all = [
        Request::Handshake,
        Request::SetOptions(&settings),
        Request::NewGame(&game),
        Request::Position { played: &[], go: &go },
        Request::Go(&go),
        Request::Position { played: &played, go: &go },
        Request::Go(&go),
        Request::Quit,
    ];
    for (request, said) in all.iter().zip(said.iter().cycle()) {
        let mut out = Vec::new();
        dialect.write_request(request, &mut out);
        let mut bytes = &said[..];
        while !bytes.is_empty() {
            let room = buffer.room();
            let taken = room.len().min(bytes.len());
            room[..taken].copy_from_slice(&bytes[..taken]);
            buffer.filled(taken);
            bytes = &bytes[taken..];
            while let Some(line) = buffer.next_line() {
                out.clear();
                let heard = dialect.parse_line(line, &mut out);
                // One line of the engine causes a bounded reply.
                assert!(out.len() < 10_000, "{kind}: {} bytes in answer to a line", out.len());
                if let Response::Unreadable(why) = heard {
                    assert!(why.len() < 10_000, "{kind}: {} bytes say why", why.len());
                    assert!(!why.contains(char::is_control), "{kind}: {why:?}");
                }
                let _ = dialect.shows_other_protocol(line);
            }
        }
        let _ = (dialect.identity(), dialect.unsupported_time_control(time));
        let _ = dialect.cannot_play(Variant::Reversed, &Position::start(BoardSize::Six));
    }
    dialect
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_dialect_panics(said in prop::collection::vec(said(), 1..8)) {
        for kind in ProtocolId::all() {
            for &clock_style in kind.clock_styles() {
                converse(kind, clock_style, &said);
            }
        }
    }
}

#[test]
fn what_once_went_wrong_does_not_again() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus");
    let files = fs::read_dir(&corpus).expect("the corpus");
    let mut read = 0;
    for file in files {
        let said = [fs::read(file.expect("an entry").path()).expect("an exchange")];
        for kind in ProtocolId::all() {
            converse(kind, ClockStyle::Protocol, &said);
        }
        read += 1;
    }
    assert!(read > 0);
}

#[test]
fn no_dialect_grows() {
    // Lines that a dialect keeps something of, each one different.
    let kinds: [fn(u64) -> String; 6] = [
        |number| format!("option name Option{number} type string default {}\n", "x".repeat(200)),
        |number| format!("id name Engine {number} {}\n", "y".repeat(200)),
        |number| format!("= {number} {}\n", "z".repeat(200)),
        |number| format!("set myname N{number}\n"),
        |number| format!("info depth {number} string {}\n", "w".repeat(200)),
        |number| format!("{{\"name\":\"{number}\",\"note\":\"{}\"}}\n", "v".repeat(200)),
    ];
    let long: [fn(u64) -> String; 3] = [
        |number| format!("option name O{number} type string default {}\n", "x".repeat(60_000)),
        |number| format!("option name O{number} type combo{}\n", " var a".repeat(10_000)),
        |number| format!("= {number}\n{}\n", "z".repeat(60_000)),
    ];
    let short = kinds.map(|line| (line, 1_500));
    for kind in ProtocolId::all() {
        for &(line, count) in short.iter().chain(&long.map(|line| (line, 50))) {
            let size = |lines: u64| {
                let said: String = (0..lines).map(line).collect();
                format!("{:?}", converse(kind, ClockStyle::Protocol, &[said.into_bytes()])).len()
            };
            let (some, many) = (size(count), size(4 * count));
            let first: String = line(0).chars().take(40).collect();
            assert!(many <= some + some / 10 + 10_000, "{kind}: {some} bytes, then {many}: {first}");
        }
    }
}
