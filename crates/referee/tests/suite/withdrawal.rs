//! An engine that cannot start loses its games without costing the others any time.

use serde_json::Value;

use crate::common::{Arena, engine, faulty, faulty_engine};

/// Four engines, two rounds, 24 games; the second engine never starts.
fn definition() -> String {
    let ours = |name: &str| format!("[[engine]]\ncommand = \"{name}\"\n");
    let head =
        "name = \"t\"\nseed = 3\npairs = 2\nboard = 6\ntime = \"nodes=3\"\nopenings = { random = 4 }\n";
    let broken = faulty_engine("Broken", &["exit-at-start"], "");
    let faults = "[faults]\nstart = \"forfeit\"\n";
    [head, faults, &ours("greedy"), &broken, &ours("random"), &ours("positional")].concat()
}

fn of<'a>(games: &'a [Value], name: &str) -> Vec<&'a Value> {
    games.iter().filter(|game| game["black"] == name || game["white"] == name).collect()
}

#[test]
fn after_three_failed_starts_the_rest_is_not_played() {
    let arena = Arena::new();
    arena.write("t.toml", definition());
    let outcome = arena.expect(1, &["run", "t.toml", "--concurrency", "1"]);
    assert!(outcome.err.contains("Broken does not start"), "{}", outcome.err);
    let games = arena.signature("t");
    assert_eq!(games.len(), 15);
    assert_eq!(of(&games, "Broken").len(), 3);
    for game in of(&games, "Broken") {
        let offender = game["offender"].as_str().expect("an offender");
        assert_eq!((&game[offender], &game["termination"]), (&"Broken".into(), &"crash".into()));
        assert_eq!(game["moves"], Value::Array(Vec::new()));
        let lost = if offender == "black" { [0, 36] } else { [36, 0] };
        assert_eq!(game["score"], Value::from(lost.to_vec()));
        let detail = game["detail"].as_str().expect("a detail");
        assert_eq!(game["phase"], "start");
        assert!(detail.contains("exit status 3") && detail.contains("no such book"), "{detail}");
    }
    let told = outcome
        .err
        .lines()
        .filter(|line| line.contains("Broken is withdrawn: its games that are left are not played"));
    assert_eq!(told.count(), 1, "{}", outcome.err);
    let others = games.iter().filter(|game| game["termination"] == "normal").count();
    assert_eq!(others, 12, "the others play on");

    // The same at any concurrency, and whatever was recorded before.
    let lines = arena.lines("t");
    for concurrency in ["1", "4"] {
        let again = Arena::new();
        again.write("t.toml", definition());
        again.expect(1, &["run", "t.toml", "--concurrency", concurrency, "--quiet"]);
        assert!(again.signature("t") == games, "concurrency {concurrency}");
        again.write("results/t/games.jsonl", lines[..5].join("\n") + "\n");
        again.expect(1, &["run", "t.toml", "--concurrency", "4", "--quiet"]);
        assert!(again.signature("t") == games, "resumed, after concurrency {concurrency}");
    }
}

#[test]
fn games_lost_by_faults_withdraw_where_the_definition_says_so() {
    let first = |concurrency: &str, resumed_after: Option<usize>| {
        let arena = Arena::new();
        let head = definition().replace("start = \"forfeit\"", "withdraw_after = 2");
        arena.write("t.toml", head.replace("exit-at-start", "exit-on-new-game").replace("board = 6\n", ""));
        arena.expect(1, &["run", "t.toml", "--concurrency", concurrency, "--quiet"]);
        if let Some(kept) = resumed_after {
            let lines = arena.lines("t");
            arena.write("results/t/games.jsonl", lines[..kept].join("\n") + "\n");
            arena.expect(1, &["run", "t.toml", "--concurrency", "3", "--quiet"]);
        }
        let withdrawn = |name: &str| arena.read(&format!("results/t/evidence/{name}")).contains("withdrawn");
        assert!(!withdrawn("game-000000.log"), "evidence of played games only");
        arena.signature("t")
    };
    let games = first("1", None);
    let broken = of(&games, "Broken");
    assert_eq!(broken.len(), 2);
    for game in broken {
        let offender = game["offender"].as_str().expect("an offender");
        assert_eq!((&game[offender], &game["termination"]), (&"Broken".into(), &"crash".into()));
        assert_eq!(game["phase"], "play");
    }
    assert!(first("4", None) == games && first("1", Some(1)) == games && first("3", Some(7)) == games);
}

#[test]
fn if_no_engine_starts_there_is_no_tournament() {
    let arena = Arena::new();
    let engines = faulty_engine("A", &["exit-at-start"], "") + &faulty_engine("B", &["uci-only"], "");
    arena.write("t.toml", format!("name = \"t\"\n[limits]\nstart = \"1s\"\n{engines}"));
    for more in [&[][..], &["--play-anyway"]] {
        let outcome = arena.expect(4, &[&["run", "t.toml"], more].concat());
        let complaint = outcome.complaint();
        assert!(complaint.contains("exit status 3") && complaint.contains("Unknown command"), "{complaint}");
        assert!(!arena.path("results").exists());
    }
    arena.nobody_left();
}

#[test]
fn an_engine_that_never_starts_ends_the_run_before_the_first_game() {
    let arena = Arena::new();
    arena.write("t.toml", definition().replace("[faults]\nstart = \"forfeit\"\n", ""));
    let complaint = arena.expect(4, &["run", "t.toml"]).complaint().to_owned();
    assert!(complaint.contains("Broken does not start: exit status 3"), "{complaint}");
    assert!(complaint.contains("no such book") && complaint.contains("try: referee check "), "{complaint}");
    assert!(complaint.contains("--play-anyway"), "{complaint}");
    assert!(!arena.path("results").exists());
    arena.expect(1, &["run", "t.toml", "--play-anyway", "--quiet"]);
    assert_eq!(arena.lines("t").len(), 15);
}

#[test]
fn a_withdrawn_engine_is_tried_again_when_that_is_asked_for() {
    let arena = Arena::new();
    let mended = arena.path("mended");
    let script =
        format!("#!/bin/sh\n[ -e '{}' ] || exit 3\nexec '{}' good\n", mended.display(), faulty().display());
    arena.script("broken.sh", &script);
    let broken = engine("Broken", &["./broken.sh"], "");
    let head = "name = \"t\"\nseed = 3\npairs = 3\ntime = \"nodes=3\"\n[faults]\nstart = \"forfeit\"\n";
    arena.write("t.toml", format!("{head}{broken}{}", engine("b", &["random"], "")));
    arena.expect(1, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.lines("t").len(), 3);
    arena.write("mended", "");
    arena.expect(1, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.lines("t").len(), 3, "nobody asked for it");
    arena.expect(0, &["run", "t.toml", "--quiet", "--retry-withdrawn"]);
    let games = arena.games("t");
    assert_eq!(games.len(), 6);
    assert_eq!(games.iter().filter(|game| game["termination"] == "normal").count(), 3);
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.lines("t").len(), 6);
}

/// As earlier versions wrote it: the games that a withdrawn engine did not play are recorded as lost.
#[test]
fn in_older_folders_games_that_were_not_played_do_not_count() {
    let arena = Arena::new();
    arena.write("t.toml", definition());
    arena.expect(1, &["run", "t.toml", "--quiet"]);
    let whole = arena.signature("t");
    let mut lines = arena.lines("t");
    let lost =
        lines.iter().find(|line| line.contains("\"phase\":\"start\"")).expect("a failed start").clone();
    let old = lost
        .replace("\"phase\":\"start\",", "")
        .replace("\"at start: ", "\"withdrawn after 3 failed starts in a row: at start: ");
    assert!(!old.contains("phase"));
    lines.push(old);
    arena.write("results/t/games.jsonl", lines.join("\n") + "\n");
    arena.expect(1, &["run", "t.toml", "--quiet"]);
    arena.expect(0, &["report", "results/t"]);
    let standings = arena.read("results/t/standings.csv");
    let broken = standings.lines().find(|line| line.contains("Broken")).expect("a row");
    assert!(broken.contains(",Broken,3,0,0,3,"), "{broken}");
    assert_eq!(arena.lines("t").len(), whole.len() + 1);
}

#[test]
fn engines_that_fail_in_a_game_are_started_anew() {
    let arena = Arena::new();
    let engines = faulty_engine("C", &["exit0-on-go"], "") + &faulty_engine("Good", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\npairs = 4\nseed = 1\ntime = \"depth=1\"\n{engines}"));
    arena.expect(1, &["run", "t.toml", "--quiet"]);
    let games = arena.games("t");
    assert_eq!(games.len(), 8);
    for game in &games {
        // It plays its two moves each time, and never is it withdrawn.
        assert_eq!(game["termination"], "crash");
        assert!(game["moves"].as_array().is_some_and(|moves| moves.len() >= 4));
    }
}
