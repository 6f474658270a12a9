//! What `docs/write-an-engine.md` shows: the engine in Python, and the transcript of its game.

#[expect(dead_code, reason = "the engines' tests use the rest")]
mod driver;

use driver::Engine;
use rules::{BoardSize, Variant};

const PYTHON_ENGINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/engine.py");
const PAGE: &str = include_str!("../../../docs/write-an-engine.md");

fn start() -> Engine {
    Engine::start("python3", &[PYTHON_ENGINE])
}

#[test]
fn the_engine_in_python_plays_whole_games() {
    let mut engine = start();
    let greeting = engine.ask("ugi", "ugiok");
    assert_eq!(greeting, "");
    for size in BoardSize::ALL {
        engine.say(&format!("setoption name BoardSize value {}\nsetoption name Seed value 7", size.side()));
        let game = engine.game(Variant::Othello, size, "movetime 100");
        engine.say("setoption name Seed value 7");
        assert_eq!(
            engine.game(Variant::Othello, size, "p1time 1000 p2time 1000 p1inc 0 p2inc 0"),
            game,
            "the same seed"
        );
    }
    engine.say("setoption name BoardSize value 8\nsetoption name Seed value 1");
    let one = engine.game(Variant::Othello, BoardSize::Eight, "depth 1");
    engine.say("setoption name Seed value 2");
    assert_ne!(engine.game(Variant::Othello, BoardSize::Eight, "depth 1"), one, "another seed");
    engine.leave();
}

#[test]
fn the_engine_in_python_answers_queries_and_waits_for_stop() {
    let mut engine = start();
    engine.say("position startpos moves f5");
    assert_eq!(engine.ask("query p1turn", "response"), "false");
    assert_eq!(engine.ask("query result", "response"), "none");
    engine.say("position startpos moves e6 f4 e3 f6 g5 d6 e7 f5 c5");
    assert_eq!(engine.ask("query gameover", "response"), "true");
    assert_eq!(engine.ask("query result", "response"), "p1win");
    engine.ask("position startpos\ngo infinite\nstop", "bestmove");
    engine.say("quit");
    engine.leave();
}

#[test]
fn the_engine_in_python_is_short() {
    let text = std::fs::read_to_string(PYTHON_ENGINE).expect("it is shipped");
    assert!(text.lines().count() < 120);
    let imports: Vec<&str> =
        text.lines().filter(|line| line.starts_with("import") || line.starts_with("from")).collect();
    assert_eq!(imports, ["import random", "import sys"]);
}

#[test]
fn the_transcript_is_what_it_says() {
    let transcript =
        PAGE.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a transcript");
    let mut engine = start();
    for line in transcript.lines() {
        if let Some(said) = line.strip_prefix("> ") {
            engine.say(said);
        } else {
            let answer = line.strip_prefix("< ").expect("every line is said by one of the two");
            assert_eq!(engine.line(), answer);
        }
    }
    engine.leave();
}
