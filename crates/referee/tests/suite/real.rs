//! Engines of other people, as they are, where they are installed: full tournaments against ours, and
//! their rules as an oracle of ours. They are run on demand, by `.ci/run` for one:
//! `cargo test -p referee --test suite -- real --ignored`.
//!
//! `OUTFLANK_AI_OTHELLO` names the program, `OUTFLANK_FAIRY_STOCKFISH` the script `uci.js`; with
//! `OUTFLANK_REAL_ENGINES=required` it is an error if one of them is not there.

use std::env;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rules::{BoardSize, Ply, Position, Turn};
use serde_json::{Value, json};

use crate::common::{Arena, engine};
use crate::faults::told;

/// Says that something is not here; panics where it has to be.
fn missing(what: &str) {
    assert!(env::var_os("OUTFLANK_REAL_ENGINES").is_none(), "{what} is not installed");
    println!("skipped: {what} is not installed");
}

/// A file that a variable names, or this one.
fn named(variable: &str, usual: &str) -> Option<String> {
    let path = env::var(variable).unwrap_or_else(|_| usual.to_owned());
    Path::new(&path).is_file().then_some(path)
}

/// Twenty pairs, all of which have to end by the rules.
fn tournament(subject: &str, partner: &str, limit: &str) {
    let arena = Arena::new();
    // What is tried here is the dialogue; a busy machine shall not decide a game. Ours have no clock.
    let head = "name = \"t\"\nformat = \"match\"\nseed = 5\npairs = 20\nmargin = \"2s\"\n";
    let limits = "[limits]\nstart = \"60s\"\nready = \"60s\"\n";
    let ours = engine("ours", &[partner], &format!("time = \"{limit}\""));
    arena.write("t.toml", format!("{head}{limits}{subject}{ours}"));
    let outcome = arena.start(&["run", "t.toml"]).wait_long().expect(0);
    let games = arena.games("t");
    assert_eq!(games.len(), 40);
    let sound = |game: &Value| game["termination"] == "normal";
    assert!(games.iter().all(sound), "{}", told(&games, &outcome));
    for color in ["black", "white"] {
        assert!(games.iter().any(|game| game[color] == "X"), "in both colours");
    }
    arena.nobody_left();
}

#[test]
#[ignore = "needs GNU Rhino (Debian's package grhino)"]
fn gnu_rhino_plays_over_gtp() {
    let Some(program) = named("OUTFLANK_GRHINO", "/usr/games/gtp-rhino") else { return missing("gtp-rhino") };
    for time in ["10s", "movetime=1s"] {
        let command = [&*program, "-b", "0", "-r", "0"];
        tournament(
            &engine("X", &command, &format!("protocol = \"gtp\"\ntime = \"{time}\"")),
            "positional",
            "depth=4",
        );
    }
}

#[test]
#[ignore = "needs ai-othello (crates.io)"]
fn ai_othello_plays_over_cassios_protocol() {
    let Some(program) = named("OUTFLANK_AI_OTHELLO", "ai-othello") else { return missing("ai-othello") };
    let keys = "protocol = \"cassio\"\ntime = \"depth=4\"";
    tournament(&engine("X", &[&program, "--cassio"], keys), "mcts", "nodes=500");
}

#[test]
#[ignore = "needs Fairy-Stockfish (npm: fairy-stockfish-nnue.wasm)"]
fn fairy_stockfish_plays_over_uci() {
    let Some(script) = named("OUTFLANK_FAIRY_STOCKFISH", "uci.js") else { return missing("Fairy-Stockfish") };
    for time in ["1s+0.05s", "movetime=50ms"] {
        let command = ["node", "--no-experimental-fetch", &script];
        let keys = format!("protocol = \"uci\"\ntime = \"{time}\"");
        tournament(&engine("X", &command, &keys), "positional", "depth=4");
    }
}

#[test]
#[ignore = "needs pyffish (PyPI)"]
fn our_rules_are_those_of_pyffish() {
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(arguments);
        command
    };
    let has = python(&["-c", "import pyffish"]).stderr(Stdio::null()).status();
    if !has.is_ok_and(|status| status.success()) {
        return missing("pyffish");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pyffish_oracle.py");
    let mut oracle =
        python(&[script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 starts");
    let mut input = oracle.stdin.take().expect("its input");
    for seed in 0..300 {
        writeln!(input, "{}", random_game(seed)).expect("it reads");
    }
    drop(input);
    let output = oracle.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("300 games, 1"), "{said}");
}

/// A game of moves chosen by chance, with the legal moves before each ply.
fn random_game(seed: u64) -> Value {
    // The generator of Park and Miller: enough to be different each time.
    let mut state = seed * 7919 + 1;
    let mut chance = |choices: u32| {
        state = state * 48271 % 0x7FFF_FFFF;
        u32::try_from(state % u64::from(choices)).expect("small")
    };
    let mut position = Position::start(BoardSize::Eight);
    let (mut plies, mut legal) = (Vec::new(), Vec::new());
    loop {
        let moves = position.moves();
        let ply = match position.turn() {
            Turn::Over(_) => break,
            Turn::Pass(_) => Ply::Pass,
            Turn::Place(_) => Ply::Place(moves.nth(chance(moves.len())).expect("a move")),
        };
        plies.push(ply.to_string());
        legal.push(moves.iter().map(|square| square.to_string()).collect::<Vec<_>>());
        position = position.play(ply).expect("legal");
    }
    let discs = position.disc_counts();
    json!({ "plies": plies, "legal": legal, "discs": [discs.black, discs.white] })
}
