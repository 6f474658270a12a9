//! Nobody else's hand in a results folder makes its record or its reports wrong.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::common::{Arena, Outcome, faulty_engine, until};

/// Six games of an instant each.
const SHORT: &str = "\
name = \"t\"
seed = 5
pairs = 3
board = 6
time = \"nodes=5\"
openings = { random = 4 }
[[engine]]
command = \"greedy\"
[[engine]]
command = \"random\"
";

fn finished() -> Arena {
    let arena = Arena::new();
    arena.write("t.toml", SHORT);
    arena.expect(0, &["run", "t.toml", "--quiet", "--concurrency", "1"]);
    assert_eq!(arena.lines("t").len(), 6);
    arena
}

/// A tournament whose first game does not end.
fn write_endless_game(arena: &Arena) {
    let engines = faulty_engine("A", &["hang"], "") + &faulty_engine("B", &["good"], "");
    let head =
        "name = \"t\"\ntime = \"nodes=9\"\nopenings = { random = 0 }\nseed = 1\n[limits]\nmove = \"600s\"\n";
    arena.write("t.toml", format!("{head}{engines}"));
}

/// A tournament of many short games.
fn write_many_games(arena: &Arena) {
    arena.write("t.toml", SHORT.replace("pairs = 3", "pairs = 100000").replace("random = 4", "random = 12"));
}

#[test]
fn fresh_does_not_take_a_folder_in_use() {
    let arena = Arena::new();
    write_endless_game(&arena);
    let mut first = arena.start(&["run", "t.toml"]);
    until("the first to begin", || first.out().contains("games at once"));
    let second = arena.expect(4, &["run", "t.toml", "--fresh"]);
    assert!(second.complaint().contains("in use by another referee"), "{}", second.err);
    assert!(first.is_running());
    let results = fs::read_dir(arena.path("results")).expect("results");
    assert_eq!(results.count(), 1, "nothing was renamed");
    first.signal(Signal::TERM);
    first.wait().expect(3);
    let fresh = arena.start(&["run", "t.toml", "--fresh"]);
    until("it to be renamed", || arena.path("results/t.old-1").is_dir());
    until("the next to begin", || fresh.out().contains("games at once"));
    fresh.signal(Signal::TERM);
    fresh.wait().expect(3);
    arena.nobody_left();
}

#[test]
fn leftovers_are_swept_by_the_next_command() {
    let arena = finished();
    let left = [".standings.csv.tmp", ".games.csv.aB3dE6.tmp", ".tmpAbCdE1", ".definition.json.tmp"];
    let commands: [&[&str]; 2] = [&["report", "results/t"], &["run", "t.toml", "--quiet"]];
    for command in commands {
        for name in left {
            arena.write(&format!("results/t/{name}"), "half");
        }
        arena.expect(0, command);
        for name in left {
            assert!(!arena.path(&format!("results/t/{name}")).exists(), "{name} after {command:?}");
        }
    }
}

/// Runs a program in which each fdatasync fails.
const NO_SYNC: &str = "\
import ctypes, os, platform, struct, sys
number = {'x86_64': 75, 'aarch64': 83}[platform.machine()]
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50005), (6, 0, 0, 0x7fff0000)]
steps = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxP', 4, ctypes.addressof(steps)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
    sys.exit('no seccomp here')
os.execv(sys.argv[1], sys.argv[1:])
";

#[test]
fn a_failed_sync_ends_the_run() {
    let arena = Arena::new();
    arena.write("no_sync.py", NO_SYNC);
    let run = |expected: i32| {
        let mut command = arena.command("python3");
        command.args(["no_sync.py", env!("CARGO_BIN_EXE_referee"), "run", "t.toml", "--quiet"]);
        arena.start_command(command).wait().expect(expected)
    };
    let complains = |outcome: &Outcome| {
        let complaint = outcome.complaint();
        assert!(complaint.contains("games.jsonl: Input/output error"), "{complaint}");
        assert!(complaint.contains("may be lost"), "{complaint}");
    };
    // All games would take minutes: this is the sync in the background.
    write_many_games(&arena);
    complains(&run(4));
    assert!(arena.lines("t").len() < 50_000, "{} games", arena.lines("t").len());
    arena.nobody_left();
    // And this the one at the end.
    arena.write("t.toml", SHORT.replace("\"t\"", "\"u\"").replace("pairs = 3", "pairs = 1"));
    complains(&run(4));
    assert_eq!(arena.lines("u").len(), 2);
}

/// The referee ends soon, with one line about its record, and leaves the reports alone.
fn stops(arena: &Arena, running: crate::common::Running, words: &str) {
    let begun = Instant::now();
    let outcome = running.wait().expect(4);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let complaints: Vec<_> = outcome.err.lines().filter(|line| !line.contains("warning: ")).collect();
    assert_eq!(complaints.len(), 1, "{}", outcome.err);
    assert!(complaints[0].contains(&format!("results/t/games.jsonl {words}")), "{}", complaints[0]);
    assert_eq!(arena.read("results/t/standings.csv"), "as it was\n");
    assert!(!arena.path("results/t/games.csv").exists());
    arena.nobody_left();
}

#[test]
fn a_record_that_goes_while_no_game_ends_stops_the_run() {
    let deleted: fn(&Arena) = |arena| fs::remove_file(arena.record("t")).expect("removed");
    let replaced: fn(&Arena) = |arena| {
        let other = arena.write("other", "");
        fs::rename(other, arena.record("t")).expect("renamed");
    };
    let moved: fn(&Arena) = |arena| {
        fs::rename(arena.path("results/t"), arena.path("results/u")).expect("renamed");
        fs::create_dir(arena.path("results/t")).expect("a folder");
        arena.write("results/t/standings.csv", "as it was\n");
    };
    let cases = [
        (deleted, "was deleted or renamed"),
        (replaced, "was replaced by another file"),
        (moved, "was deleted or renamed"),
    ];
    for (change, words) in cases {
        let arena = Arena::new();
        write_endless_game(&arena);
        arena.write("results/t/standings.csv", "as it was\n");
        let running = arena.start(&["run", "t.toml"]);
        until("it to begin", || running.out().contains("games at once"));
        change(&arena);
        stops(&arena, running, words);
    }
}

#[test]
fn a_record_that_changes_between_games_stops_the_run() {
    let cut_off: fn(&Arena) = |arena| {
        let file = fs::OpenOptions::new().write(true).open(arena.record("t")).expect("the record");
        file.set_len(100).expect("cut");
    };
    let replaced: fn(&Arena) = |arena| {
        let other = arena.write("other", format!("{}\n", arena.lines("t")[0]));
        fs::rename(other, arena.record("t")).expect("renamed");
    };
    for (change, words) in [(cut_off, "was cut off"), (replaced, "was replaced by another file")] {
        let arena = Arena::new();
        write_many_games(&arena);
        arena.write("results/t/standings.csv", "as it was\n");
        let running = arena.start(&["run", "t.toml", "--quiet"]);
        arena.until_recorded("t", 3);
        change(&arena);
        stops(&arena, running, words);
        assert!(arena.lines("t").len() <= 1, "nothing was appended to it");
    }
}

#[test]
fn the_same_game_twice_counts_once_or_is_refused() {
    let arena = finished();
    let lines = arena.lines("t");
    let table = arena.read("results/t/standings.csv");
    let commands: [&[&str]; 3] =
        [&["run", "t.toml", "--quiet"], &["report", "results/t"], &["rate", "results/t"]];
    let record = |more: &str| {
        fs::write(arena.record("t"), lines.join("\n") + "\n" + more + "\n").expect("written");
    };
    record(&lines[4]);
    for command in commands {
        let outcome = arena.expect(0, command);
        assert!(outcome.err.contains("games.jsonl: one line repeats a game"), "{command:?}: {}", outcome.err);
        assert_eq!(outcome.err.lines().count(), 1, "{command:?}: {}", outcome.err);
        assert_eq!(arena.read("results/t/standings.csv"), table);
    }
    record(&lines[4].replace("\"started\":\"2", "\"started\":\"3"));
    for command in commands {
        let refused = arena.expect(4, command);
        let complaint = refused.complaint();
        assert!(complaint.contains("games.jsonl:7") && complaint.contains("line 5"), "{complaint}");
    }
}

#[test]
fn a_last_line_without_its_end_counts() {
    let arena = finished();
    let record = fs::read(arena.record("t")).expect("the record");
    let table = arena.read("results/t/standings.csv");
    for command in [&["report", "results/t"][..], &["run", "t.toml", "--quiet"]] {
        fs::write(arena.record("t"), &record[..record.len() - 1]).expect("written");
        let outcome = arena.expect(0, command);
        assert!(outcome.err.is_empty(), "{}", outcome.err);
        assert_eq!(arena.read("results/t/standings.csv"), table);
    }
    // Nothing was played again; the line has got its end.
    assert!(fs::read(arena.record("t")).expect("the record") == record);
}

/// Two engines by scripts of the same kind; "b" also names a file among its arguments.
const SCRIPTS: &str = "\
name = \"t\"
seed = 5
pairs = 2
time = \"nodes=5\"
openings = { random = 4 }
concurrency = 1
[[engine]]
name = \"a\"
command = \"./a\"
[[engine]]
name = \"b\"
command = [\"sh\", \"b.sh\", \"--weights=weights\"]
restart = true
";

fn with_scripts() -> Arena {
    let arena = Arena::new();
    let bin = crate::common::faulty().to_str().expect("a path in UTF-8").to_owned();
    arena.script("a", &format!("#!/bin/sh\nexec {bin} good\n"));
    arena.write("b.sh", format!("exec {bin} good\n"));
    arena.write("weights", "1 2 3\n");
    arena.write("t.toml", SCRIPTS);
    arena
}

/// Replaces a file as a build does.
fn change(arena: &Arena, name: &str, from: &str, to: &str) {
    let text = arena.read(name);
    assert!(text.contains(from));
    let other = arena.write("aside", text.replace(from, to));
    let mode = fs::metadata(arena.path(name)).expect("it is there").permissions();
    fs::set_permissions(&other, mode).expect("mode");
    fs::rename(other, arena.path(name)).expect("renamed");
}

#[test]
fn a_changed_program_is_not_resumed_unless_accepted() {
    let arena = with_scripts();
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let definition: serde_json::Value =
        serde_json::from_str(&arena.read("results/t/definition.json")).expect("JSON");
    let programs = |engine: usize| definition["engines"][engine]["programs"].as_array().expect("files");
    assert_eq!((programs(0).len(), programs(1).len()), (1, 3));
    assert!(programs(0)[0]["path"].as_str().is_some_and(|path| path.ends_with("/a")));
    assert_eq!(programs(1)[2]["size"], 6);
    // The same content again, with another time, is the same program.
    let script = arena.read("a");
    arena.script("a", &script);
    assert!(arena.expect(0, &["run", "t.toml", "--quiet"]).err.is_empty());

    for (name, engine, from, to) in
        [("a", "a", "exec", "exec  "), ("b.sh", "b", "exec", "exec  "), ("weights", "b", "2", "7")]
    {
        change(&arena, name, from, to);
        let before = arena.read("results/t/definition.json");
        let refused = arena.expect(2, &["run", "t.toml", "--quiet"]);
        let complaint = refused.complaint();
        assert!(complaint.contains(&format!("referee: {engine}: ")), "{complaint}");
        assert!(complaint.contains(&format!("/{name} has changed")), "{complaint}");
        assert!(complaint.contains("--accept") && complaint.contains("--fresh"), "{complaint}");
        assert_eq!(arena.read("results/t/definition.json"), before);
        let accepted = arena.expect(0, &["run", "t.toml", "--quiet", "--accept"]);
        assert!(accepted.err.contains(&format!("/{name} has changed")), "{}", accepted.err);
        assert!(arena.expect(0, &["run", "t.toml", "--quiet"]).err.is_empty(), "accepted once for all");
    }

    // Folders of older versions know nothing of programs.
    let mut older = definition;
    for engine in older["engines"].as_array_mut().expect("engines") {
        engine.as_object_mut().expect("an engine").remove("programs");
    }
    arena.write("results/t/definition.json", older.to_string());
    assert!(arena.expect(0, &["run", "t.toml", "--quiet"]).err.is_empty());
    assert!(arena.read("results/t/definition.json").contains("sha256"));
}

#[test]
fn a_program_that_changes_during_the_run_is_told_once_with_its_game() {
    let arena = with_scripts();
    arena.write("t.toml", SCRIPTS.replace("pairs = 2", "pairs = 20"));
    let running = arena.start(&["run", "t.toml", "--quiet"]);
    arena.until_recorded("t", 2);
    change(&arena, "weights", "2", "7");
    // Its size and content stay.
    change(&arena, "b.sh", "exec", "exec");
    let outcome = running.wait().expect(0);
    assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
    assert!(outcome.err.contains("referee: warning: b: "), "{}", outcome.err);
    assert!(outcome.err.contains("/weights has changed while the tournament runs"), "{}", outcome.err);
    let (_, game) = outcome.err.trim_end().split_once("from game ").expect("its game");
    let game: u64 = game.split(' ').next().and_then(|game| game.parse().ok()).expect("a number");
    assert!((1..40).contains(&game), "{}", outcome.err);
    arena.nobody_left();
}
