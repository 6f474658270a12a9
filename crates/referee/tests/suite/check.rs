//! `referee check`: engines in order pass, and each fault is found where it is.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Arena, Outcome, binaries, faulty, living};
use crate::faults::in_parallel;

/// The events of `--json`.
fn events(outcome: &Outcome) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    outcome.out.lines().map(parse).collect()
}

/// The checks of this status, by name.
fn with_status<'a>(events: &'a [Value], status: &str) -> Vec<&'a str> {
    let of = events.iter().filter(|event| event["event"] == "check" && event["status"] == status);
    of.map(|event| event["check"].as_str().expect("a name")).collect()
}

#[test]
fn our_engines_pass() {
    in_parallel(vec!["random", "greedy", "positional", "mcts"], |engine| {
        let arena = Arena::new();
        let outcome = arena.run(&["check", engine, "--json"]);
        let events = events(&outcome);
        let (passed, skipped) = (with_status(&events, "ok"), with_status(&events, "skipped"));
        if outcome.code != Some(0) || passed.len() < 60 || !skipped.is_empty() {
            return Err(format!("{engine}: {:?}\n{}{}", outcome.code, outcome.out, outcome.err));
        }
        Ok(())
    });
}

#[test]
fn the_example_in_python_passes() {
    let arena = Arena::new();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/engine.py");
    let outcome = arena.expect(0, &["check", &format!("python3 '{}'", program.display())]);
    assert!(outcome.out.starts_with("example: ugi, othello"), "{}", outcome.out);
    let last = outcome.out.lines().last().expect("a last line");
    assert!(last.contains(" 0 failed"), "{last}");
    assert!(!outcome.out.contains(|c: char| c.is_control() && c != '\n'), "no control characters in a file");
}

#[test]
fn our_engines_pass_in_every_variant() {
    let games = ["reversed", "historical"];
    let all: Vec<(&str, &str)> = ["random", "greedy", "positional", "mcts"]
        .iter()
        .flat_map(|engine| games.map(|game| (*engine, game)))
        .collect();
    in_parallel(all, |(engine, game)| {
        let arena = Arena::new();
        let outcome = arena.run(&["check", engine, "--variant", game, "--json"]);
        let events = events(&outcome);
        let (passed, skipped) = (with_status(&events, "ok"), with_status(&events, "skipped"));
        let asked = ["ten-thousand-positions", "small-boards", "variants", "queries"];
        if outcome.code != Some(0)
            || events[0]["variant"] != game
            || !skipped.is_empty()
            || !asked.iter().all(|check| passed.contains(check))
        {
            return Err(format!("{engine}, {game}: {:?}\n{}{}", outcome.code, outcome.out, outcome.err));
        }
        Ok(())
    });
}

#[test]
fn a_declared_variant_is_held_against_its_rules() {
    let arena = Arena::new();
    let outcome = arena.expect(0, &["check", "greedy", "--variant", "reversed", "--json"]);
    let events = events(&outcome);
    assert_eq!(events[0]["variant"], "reversed");
    assert!(with_status(&events, "ok").contains(&"ten-thousand-positions"));
    // One that does not declare it fails that check and is checked by othello.
    let outcome = arena.run(&["check", faulty().to_str().expect("UTF-8"), "--variant", "reversed"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.out.contains("FAILED   variant "), "{}", outcome.out);
}

/// A behaviour of the example `faulty`, the check that finds it, and a word of what is said of it.
const FOUND: &[(&str, &str, &str)] = &[
    ("no-readyok", "settings", "no answer to its options"),
    ("odd-options", "declarations", "Strange has the type `slider`"),
    ("occupied", "whole-game-black", "d4 is occupied"),
    ("no-flip", "whole-game-white", "outflanks nothing"),
    ("pass", "legal-answers", "pass"),
    ("garbage", "whole-game-black", "bestmove banana"),
    ("empty", "whole-game-black", "bestmove"),
    ("crash-signal", "whole-game-black", "SIGSEGV"),
    ("close-stdout", "whole-game-black", "closed its output"),
    ("hang", "game-on-a-clock", "no move within"),
    ("double", "one-answer", "answered nothing that was asked"),
    ("deaf", "quit", "was still there"),
    ("helper", "nothing-left", "still there"),
    // This one watches us: lines that it does not know end it.
    ("good", "unknown-command", "out of order: hello"),
];

#[test]
fn each_fault_is_found_by_its_check() {
    in_parallel(FOUND.to_vec(), |(behaviour, check, word)| {
        let arena = Arena::new();
        let command = format!("'{}' {behaviour} --mark {}", faulty().display(), arena.mark());
        let begun = Instant::now();
        let outcome = arena.run(&["check", &command, "--protocol", "ugi", "--json"]);
        let left = living(arena.mark());
        let events = events(&outcome);
        let wrong = |what: &str| Err(format!("{behaviour}: {what}\n{}{}", outcome.out, outcome.err));
        if outcome.code != Some(1) {
            return wrong("exit code");
        }
        if !left.is_empty() {
            return wrong(&format!("left behind: {left:?}"));
        }
        if begun.elapsed() > Duration::from_secs(170) {
            return wrong("it took too long");
        }
        let Some(found) = events.iter().find(|event| event["check"] == check) else {
            return wrong("no such check");
        };
        let text = format!("{}", found["note"]);
        if found["status"] != "failed" || !text.contains(word) {
            return wrong(&format!("{check} says {found}"));
        }
        if found["hint"].as_str().is_none_or(str::is_empty) || !found["exchange"].is_array() {
            return wrong("no hint, or nothing quoted");
        }
        // The others are checked all the same.
        if !with_status(&events, "ok").contains(&"name")
            || events.last().is_none_or(|end| end["event"] != "end")
        {
            return wrong("it stopped early");
        }
        Ok(())
    });
}

#[test]
fn who_never_greets_is_told_so() {
    let arena = Arena::new();
    let command = format!("'{}' exit-at-start", faulty().display());
    let outcome = arena.expect(4, &["check", &command]);
    for word in ["FAILED   greeting", "exit status 3", "ugi: ", "gtp: ", "nboard: ", "0 ok, 1 failed"] {
        assert!(outcome.out.contains(word), "{word}: {}", outcome.out);
    }
    let outcome = arena.expect(4, &["check", &command, "--protocol", "cassio", "--json"]);
    let events = events(&outcome);
    assert_eq!((events[0]["event"].as_str(), &events[0]["protocol"]), (Some("engine"), &Value::Null));
    let end = events.last().expect("an end");
    assert_eq!(
        (end["exit"].as_u64(), end["failed"].as_u64(), end["passed"].as_u64()),
        (Some(4), Some(1), Some(0))
    );
    arena.nobody_left();
}

#[test]
fn words_behind_the_command_are_its_settings() {
    let arena = Arena::new();
    let engine = binaries().join("positional");
    let engine = engine.to_str().expect("UTF-8");
    for (words, complaint) in [
        (&["check", "./nowhere"][..], "no such program"),
        (&["check", engine, "directory=nowhere"], "is not a folder"),
        (&["check", engine, "protocol=ugi", "--protocol", "gtp"], "named twice"),
        (&["check", engine, "colour=red"], "unknown key"),
        (&["check", engine, "option.Nonsense=1"], "declares no option `Nonsense`"),
    ] {
        let outcome = arena.expect(2, words);
        assert!(outcome.complaint().contains(complaint), "{words:?}: {}", outcome.err);
        assert!(outcome.out.is_empty(), "{}", outcome.out);
    }
}

#[test]
fn an_engine_is_confined_as_its_words_say() {
    let arena = Arena::new();
    let command = format!("'{}' eats-memory --at 1", faulty().display());
    let outcome = arena.run(&["check", &command, "limits.memory=128MiB", "--protocol", "ugi"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.err);
    assert!(outcome.out.contains("limits in force: memory = 128MiB"), "{}", outcome.out);
    let refused = arena.expect(2, &["check", &command, "limits.memory=lots"]);
    assert!(refused.err.contains("`lots` is not a size"), "{}", refused.err);
}
