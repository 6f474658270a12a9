//! Tournaments that are unusual but right.

use std::fs;

use crate::common::{Arena, engine, faulty, faulty_engine};

#[test]
fn more_slots_than_games_and_two_names_for_one_command() {
    let arena = Arena::new();
    let engines = engine("good", &["greedy"], "") + &engine("Good", &["greedy"], "");
    arena.write("t.toml", format!("name = \"t\"\nconcurrency = 8\nboard = 6\ntime = \"depth=1\"\n{engines}"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let mut table = csv::Reader::from_path(arena.path("results/t/standings.csv")).expect("a table");
    let mut names: Vec<String> = table.records().map(|row| row.expect("a row")[1].to_owned()).collect();
    names.sort();
    assert_eq!(names, ["Good", "good"]);
}

#[test]
fn few_open_files_are_made_do_with() {
    let head = "name = \"t\"\nseed = 2\npairs = 2\nconcurrency = 64\nboard = 6\ntime = \"nodes=9\"\n";
    let engines = ["greedy", "random", "positional", "mcts"];
    let text = head.to_owned() + &engines.map(|name| format!("[[engine]]\ncommand = \"{name}\"\n")).concat();
    let [few, many] = [64, 1024].map(|files| {
        let arena = Arena::new();
        arena.write("t.toml", &text);
        let mut limited = arena.command("sh");
        let shell = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
        limited.args(["-c", &shell, env!("CARGO_BIN_EXE_referee"), "run", "t.toml"]);
        let outcome = arena.start_command(limited).wait().expect(0);
        (outcome, arena.signature("t"))
    });
    // Fewer games at once, and engines make room for each other: never a loss for lack of files.
    assert!(few.0.err.contains("ulimit -n") && few.0.out.contains("games at once: 2"), "{:?}", few.0);
    assert!(many.0.out.contains("games at once: 24"), "never more slots than games: {:?}", many.0);
    assert!(few.1 == many.1 && few.1.len() == 24);
    assert!(few.1.iter().all(|game| game["termination"] == "normal"));
}

#[test]
fn an_engine_that_leaves_between_games_is_started_anew() {
    let arena = Arena::new();
    let engines = faulty_engine("L", &["leaves-when-over"], "") + &faulty_engine("Good", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\nseed = 1\npairs = 4\ntime = \"depth=1\"\n{engines}"));
    let outcome = arena.expect(0, &["run", "t.toml", "--concurrency", "1", "--quiet"]);
    assert!(outcome.err.contains("L ended between two games (exit status 0)"), "{}", outcome.err);
    assert!(arena.games("t").iter().all(|game| game["termination"] == "normal"));
}

#[test]
fn warnings_are_told_once_and_counted() {
    let arena = Arena::new();
    let engines = faulty_engine("D", &["double"], "") + &faulty_engine("Good", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\nseed = 1\npairs = 2\ntime = \"depth=1\"\n{engines}"));
    let outcome = arena.expect(0, &["run", "t.toml", "--quiet"]);
    let warnings: Vec<&str> = outcome.err.lines().collect();
    assert_eq!(warnings.len(), 2, "{}", outcome.err);
    assert!(warnings[0].contains("D wrote lines that nobody waited for"), "{}", outcome.err);
    assert!(warnings[1].ends_with("(4 games)"), "{}", outcome.err);
}

#[test]
fn paths_start_from_the_definition_and_arguments_arrive_as_written() {
    let arena = Arena::new();
    let folder = "there/my engines (new)";
    let wants = "test \"$PLACE\" = 'at home' && test -z \"$OUTFLANK_INNER\" || exit 9";
    let script =
        format!("#!/bin/sh\n{wants}\nexec '{}' good \"$@\" --ms \"$(cat ms)\"\n", faulty().display());
    arena.script(&format!("{folder}/good one.sh"), &script);
    // Read in its working directory, without which it does not start.
    arena.write("there/inside/ms", "1");
    arena.write("there/o.txt", "f5 d6\n");
    let text = "\
name = \"t\"
time = \"depth=1\"
openings = { file = \"o.txt\" }
[[engine]]
command = [\"./my engines (new)/good one.sh\", \"--name\", \"A, B\"]
directory = \"inside\"
env = { PLACE = \"at home\" }
[[engine]]
command = \"'./my engines (new)/good one.sh' --name 'C  D'\"
directory = \"inside\"
env = { PLACE = \"at home\" }
";
    arena.write("there/t.toml", text);
    fs::create_dir(arena.path("elsewhere")).expect("a folder");
    let mut command = arena.referee(&["run", "../there/t.toml", "--quiet"]);
    command.current_dir(arena.path("elsewhere"));
    arena.start_command(command).wait().expect(0);
    // Results start from where the command was given.
    let text = arena.read("elsewhere/results/t/games.jsonl");
    assert!(text.contains("\"A, B\"") && text.contains("\"C  D\""), "{text}");
}

#[test]
fn openings_start_over_with_a_warning() {
    let arena = Arena::new();
    arena.write("o.txt", "f5 d6\nf5 f6\nf5 f4\n");
    let engines = faulty_engine("A", &["good"], "") + &faulty_engine("B", &["good"], "");
    arena.write(
        "t.toml",
        format!("name = \"t\"\npairs = 5\ntime = \"depth=1\"\nopenings = {{ file = \"o.txt\" }}\n{engines}"),
    );
    let outcome = arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert!(outcome.err.contains("start over"), "{}", outcome.err);
    let seconds: Vec<_> = arena.signature("t").iter().map(|game| game["opening"][1].clone()).collect();
    assert_eq!(seconds, ["d6", "d6", "f6", "f6", "f4", "f4", "d6", "d6", "f6", "f6"]);
}

#[test]
fn games_that_are_played_again_are_warned_about_once() {
    let arena = Arena::new();
    arena.write("o.txt", "f5 d6\nf5 f6\n");
    let engines = faulty_engine("A", &["good"], "") + &faulty_engine("B", &["good"], "");
    let head = "name = \"t\"\npairs = 7\ntime = \"depth=1\"\nopenings = { file = \"o.txt\" }\n";
    arena.write("t.toml", format!("{head}{engines}"));
    let outcome = arena.expect(0, &["run", "t.toml", "--quiet", "--concurrency", "1"]);
    let said: Vec<&str> = outcome.err.lines().filter(|line| line.contains("move by move")).collect();
    assert_eq!(said.len(), 1, "{}", outcome.err);
    assert!(said[0].contains("A and B have played both games of pair 2 before"), "{}", said[0]);
    assert!(said[0].contains("more distinct openings"), "{}", said[0]);
    // Those of an earlier run are known; a finished tournament says nothing.
    assert!(!arena.expect(0, &["run", "t.toml", "--quiet"]).err.contains("move by move"));
    arena.write("t.toml", format!("{}{engines}", head.replace("= 7", "= 8")));
    let outcome = arena.expect(0, &["run", "t.toml", "--json"]);
    let events =
        outcome.out.lines().filter(|line| line.contains("\"warning\"") && line.contains("of pair 7 before"));
    assert_eq!(events.count(), 1, "{}", outcome.out);
    // Where no opening comes twice, nor does a game.
    arena.write("u.toml", format!("{}{engines}", head.replace("\"t\"", "\"u\"").replace("= 7", "= 2")));
    assert!(!arena.expect(0, &["run", "u.toml", "--quiet"]).err.contains("move by move"));
}

#[test]
fn each_engine_has_its_own_time_whatever_its_colour() {
    let arena = Arena::new();
    // Both are watched by the engine: what it is told has to be one form of limit at a time.
    let engines = [
        faulty_engine("clock", &["good"], "time = \"600s+1s\""),
        faulty_engine("move", &["good"], "time = \"movetime=60s\""),
        faulty_engine("nodes", &["good"], "time = \"nodes=5\""),
        faulty_engine("anew", &["good"], "restart = true\ntime = \"depth=2\""),
    ];
    arena.write("t.toml", format!("name = \"t\"\n{}", engines.concat()));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let games = arena.games("t");
    assert_eq!(games.len(), 12);
    let faults: Vec<_> = games.iter().filter(|game| game["termination"] != "normal").collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn without_a_clock_the_move_limit_ends_the_wait() {
    let arena = Arena::new();
    let engines = faulty_engine("H", &["hang"], "") + &faulty_engine("Good", &["good"], "");
    arena.write(
        "t.toml",
        format!("name = \"t\"\nseed = 1\ntime = \"nodes=9\"\n[limits]\nmove = \"1s\"\n{engines}"),
    );
    arena.expect(1, &["run", "t.toml", "--quiet"]);
    for game in arena.games("t") {
        let offender = game["offender"].as_str().expect("an offender");
        assert_eq!((&game["termination"], &game[offender]), (&"stall".into(), &"H".into()));
        assert!(game["detail"].as_str().is_some_and(|detail| detail.contains("within 1s")), "{game}");
    }
}

#[test]
fn the_other_games_do_not_change_beside_faulty_ones() {
    let together = Arena::new();
    let ours = faulty_engine("G1", &["good"], "") + &faulty_engine("G2", &["good"], "");
    let head = "name = \"t\"\nseed = 6\npairs = 3\ntime = \"depth=2\"\nopenings = { random = 6 }\n";
    let faulty = ["crash-signal", "flood", "occupied", "exit-at-start"]
        .map(|each| faulty_engine(each, &[each], "time = \"movetime=100ms\""));
    together.write(
        "t.toml",
        format!("{head}concurrency = 4\n[limits]\nquit = \"300ms\"\n{ours}{}", faulty.concat()),
    );
    together.expect(1, &["run", "t.toml", "--quiet", "--play-anyway"]);
    together.nobody_left();
    let alone = Arena::new();
    alone.write("t.toml", format!("{head}{ours}"));
    alone.expect(0, &["run", "t.toml", "--quiet"]);
    let moves = |arena: &Arena| -> Vec<_> {
        let games = arena.signature("t").into_iter();
        let good = games.filter(|game| {
            let ours = |side: &str| game[side] == "G1" || game[side] == "G2";
            ours("black") && ours("white")
        });
        good.map(|game| (game["opening"].clone(), game["moves"].clone(), game["discs"].clone())).collect()
    };
    assert_eq!(moves(&together).len(), 6);
    assert_eq!(moves(&together), moves(&alone));
}
