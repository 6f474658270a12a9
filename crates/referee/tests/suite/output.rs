//! What is printed and what is written: for people, for programs, for spreadsheets.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Arena, faulty_engine};

const COMMA: &str = "Smith, J. & \"Sons\"";
const ACCENTS: &str = "Ödlå; l'Été 黒白 😀";
const FORMULA: &str = "=1+2,\"\"";

/// Three engines with names that are hard on a CSV file; the last one crashes.
fn awkward() -> Arena {
    let arena = Arena::new();
    let engines = [
        faulty_engine(COMMA, &["good"], ""),
        faulty_engine(ACCENTS, &["good"], ""),
        faulty_engine(FORMULA, &["crash-signal"], ""),
    ];
    let head = "name = \"t\"\nseed = 2\npairs = 2\ntime = \"depth=1\"\nopenings = { random = 4 }\n";
    arena.write("t.toml", format!("{head}{}", engines.concat()));
    arena
}

fn rows(arena: &Arena, file: &str) -> Vec<Vec<String>> {
    let path = arena.path("results/t").join(file);
    let mut table = csv::ReaderBuilder::new().has_headers(false).from_path(path).expect("a table");
    table.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

#[test]
fn awkward_names_come_out_right_in_every_file() {
    let arena = awkward();
    let outcome = arena.expect(0, &["run", "t.toml"]);
    assert!(!outcome.out.contains(|c: char| c.is_control() && c != '\n'), "{:?}", outcome.out);
    for name in [COMMA, ACCENTS, FORMULA] {
        assert!(outcome.out.contains(name), "{name} in {}", outcome.out);
        let standings = rows(&arena, "standings.csv");
        assert_eq!(standings.iter().filter(|row| row[1] == name).count(), 1);
        assert!(rows(&arena, "pairings.csv").iter().any(|row| row[0] == name || row[1] == name));
        let crosstable = rows(&arena, "crosstable.csv");
        assert!(crosstable[0].iter().any(|cell| cell == name) && crosstable.iter().any(|row| row[0] == name));
        assert_eq!(
            rows(&arena, "games.csv").iter().filter(|row| row[3] == name || row[4] == name).count(),
            8
        );
    }
    let summary: Value = serde_json::from_str(&arena.read("results/t/summary.json")).expect("JSON");
    assert_eq!(summary["games"], 12);
    for file in ["standings.csv", "pairings.csv", "crosstable.csv", "games.csv", "summary.json"] {
        let text = arena.read(&format!("results/t/{file}"));
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        assert!(!words.into_iter().any(|word| word == "nan" || word == "inf"), "{file}: {text}");
    }
    let crashes = rows(&arena, "standings.csv");
    let column = crashes[0].iter().position(|name| name == "crashes").expect("a column");
    let broken = crashes.iter().find(|row| row[1] == FORMULA).expect("a row");
    assert_eq!(broken[column], "8");
}

#[test]
fn reports_are_rebuilt_from_the_record_alone() {
    let arena = awkward();
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let files = ["standings.csv", "pairings.csv", "crosstable.csv", "games.csv", "summary.json"];
    let read = || files.map(|file| arena.read(&format!("results/t/{file}")));
    let before = read();
    for file in files {
        fs::remove_file(arena.path("results/t").join(file)).expect("removed");
    }
    let outcome = arena.expect(0, &["report", "results/t"]);
    assert!(outcome.out.contains(COMMA), "{}", outcome.out);
    assert_eq!(read(), before);
    let outcome = arena.expect(4, &["report", "nowhere"]);
    assert!(outcome.complaint().contains("nowhere"), "{}", outcome.err);
}

#[test]
fn quiet_is_the_final_table_and_nothing_else() {
    let arena = awkward();
    let outcome = arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert!(!outcome.out.contains("games/s") && !outcome.out.contains("crash by"), "{}", outcome.out);
    assert!(outcome.out.contains(COMMA) && outcome.out.contains("12 games; results in"), "{}", outcome.out);
}

#[test]
fn every_line_of_json_parses() {
    let arena = awkward();
    let outcome = arena.expect(0, &["run", "t.toml", "--json"]);
    let events: Vec<Value> =
        outcome.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let kinds = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
    assert_eq!((kinds("begin"), kinds("game"), kinds("end")), (1, 12, 1), "{}", outcome.out);
    assert_eq!(events[0]["games"], 12);
    let end = events.last().expect("the end");
    assert_eq!((&end["complete"], &end["recorded"]), (&Value::Bool(true), &12.into()));
    assert_eq!(end["standings"].as_array().map(Vec::len), Some(3));
    assert!(outcome.err.is_empty(), "warnings are events: {}", outcome.err);
}

#[test]
fn the_heading_says_what_is_played() {
    let arena = awkward();
    let outcome = arena.expect(0, &["run", "t.toml", "--concurrency", "1"]);
    let heading: String = outcome.out.lines().take(6).collect::<Vec<_>>().join("\n");
    for word in
        ["12 games", "othello on 8x8", "4 random plies", "seed 2", "depth=1", COMMA, "games at once: 1"]
    {
        assert!(heading.contains(word), "{word:?} is wanted: {heading}");
    }
    assert!(outcome.out.contains("crash by") && outcome.out.contains("SIGSEGV"), "{}", outcome.out);
}

#[test]
fn perft_counts() {
    let arena = Arena::new();
    let outcome = arena.expect(0, &["perft", "--depth", "6"]);
    assert_eq!(outcome.out, "1 4\n2 12\n3 56\n4 244\n5 1396\n6 8200\n");
    let outcome = arena.expect(0, &["perft", "--depth", "0"]);
    assert_eq!(outcome.out, "0 1\n");
    let start = "---------------------------OX------XO--------------------------- X";
    let outcome = arena.expect(0, &["perft", "--depth", "3", "--position", start]);
    assert_eq!(outcome.out, "1 4\n2 12\n3 56\n");
    let outcome = arena.expect(0, &["perft", "--depth", "2", "--board", "4", "--variant", "reversed"]);
    assert_eq!(outcome.out, "1 4\n2 12\n");
    let outcome = arena.expect(0, &["perft", "--depth", "7", "--variant", "historical"]);
    assert_eq!(outcome.out, "1 4\n2 12\n3 24\n4 24\n5 96\n6 320\n7 1536\n");
    let empty = format!("{} X", "-".repeat(16));
    let refused = arena.expect(2, &["perft", "--depth", "2", "--position", &empty]);
    assert!(refused.err.contains("--variant historical"), "{}", refused.err);
}

#[test]
fn perft_tells_how_fast_it_is() {
    let arena = Arena::new();
    let outcome = arena.expect(0, &["perft", "--depth", "2", "--bench"]);
    let lines: Vec<&str> = outcome.out.lines().collect();
    assert_eq!(lines[..2], ["1 4", "2 12"]);
    let tiers: Vec<&str> = lines[2..].iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(tiers, ["plain", "AVX2", "AVX-512"], "each is timed, or said to be lacking");
    let told = |line: &&str| line.contains("leaves a second") != line.contains("lacks it");
    assert!(lines[2..].iter().all(told), "{}", outcome.out);
    assert_eq!(lines.iter().filter(|line| line.ends_with("(used)")).count(), 1, "{}", outcome.out);
    // One leaf, found at once, says nothing about speed.
    let over = format!("{}- X", "X".repeat(63));
    for arguments in [&["--depth", "0"][..], &["--depth", "1", "--position", &over]] {
        let outcome = arena.expect(0, &[&["perft", "--bench"], arguments].concat());
        assert!(outcome.out.contains("\nnothing to time: "), "{}", outcome.out);
        assert!(!outcome.out.contains("leaves a second"), "{}", outcome.out);
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let arena = Arena::new();
    for arguments in [
        &["perft", "--depth", "3"][..],
        &["perft", "--depth", "0", "--bench"],
        &["engines"],
        &["engines", "--json"],
        &["check", "random"],
        &["check", "random", "--json"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("there");
        let output = arena.referee(arguments).stdout(full).output().expect("it starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {message}");
        assert!(
            message.starts_with("referee: cannot write to standard output: "),
            "{arguments:?}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{arguments:?}: {message}");
    }
}

#[test]
fn help_and_version() {
    let arena = Arena::new();
    let outcome = arena.expect(0, &["--version"]);
    assert_eq!(outcome.out, format!("referee {}\n", env!("CARGO_PKG_VERSION")));
    for arguments in [&["--help"][..], &["run", "--help"], &["match", "--help"], &["perft", "--help"]] {
        let outcome = arena.expect(0, arguments);
        assert!(outcome.out.contains("Examples:") && outcome.err.is_empty(), "{arguments:?}: {outcome:?}");
    }
    assert!(arena.expect(0, &["--help"]).out.contains("Exit codes"));
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let arena = awkward();
    for arguments in [
        &["run", "t.toml"][..],
        &["run", "t.toml", "--json"],
        &["report", "results/t"],
        &["perft"],
        &["engines"],
    ] {
        let mut child = arena
            .referee(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // Closed before anything is read.
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("UTF-8");
        let status = child.wait().expect("its end");
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        assert_eq!(status.code(), Some(0), "{arguments:?}: {err}");
    }
    assert_eq!(arena.lines("t").len(), 12, "it plays on");
}
