//! An engine that cannot start loses its games without costing the others any time.

use serde_json::Value;

use crate::common::{Arena, faulty_engine};

/// Four engines, two rounds, 24 games; the second engine never starts.
fn definition() -> String {
    let ours = |name: &str| format!("[[engine]]\ncommand = \"{name}\"\n");
    let head =
        "name = \"t\"\nseed = 3\npairs = 2\nboard = 6\ntime = \"nodes=3\"\nopenings = { random = 4 }\n";
    let broken = faulty_engine("Broken", &["exit-at-start"], "");
    [head, &ours("greedy"), &broken, &ours("random"), &ours("positional")].concat()
}

fn of<'a>(games: &'a [Value], name: &str) -> Vec<&'a Value> {
    games.iter().filter(|game| game["black"] == name || game["white"] == name).collect()
}

#[test]
fn after_three_failed_starts_the_rest_is_lost_without_a_try() {
    let arena = Arena::new();
    arena.write("t.toml", definition());
    let outcome = arena.expect(0, &["run", "t.toml", "--concurrency", "1"]);
    assert!(outcome.err.contains("Broken does not start"), "{}", outcome.err);
    let games = arena.signature("t");
    assert_eq!(games.len(), 24);
    for (number, game) in of(&games, "Broken").into_iter().enumerate() {
        let offender = game["offender"].as_str().expect("an offender");
        assert_eq!((&game[offender], &game["termination"]), (&"Broken".into(), &"crash".into()));
        assert_eq!(game["moves"], Value::Array(Vec::new()));
        let lost = if offender == "black" { [0, 36] } else { [36, 0] };
        assert_eq!(game["score"], Value::from(lost.to_vec()));
        let detail = game["detail"].as_str().expect("a detail");
        assert_eq!(detail.starts_with("withdrawn"), number >= 3, "game {number} of it: {detail}");
        assert!(detail.contains("exit status 3") && detail.contains("no such book"), "{detail}");
    }
    let told = outcome.err.lines().filter(|line| line.contains("Broken is withdrawn: it loses the games"));
    assert_eq!(told.count(), 2, "when it is, and with the number of games at the end: {}", outcome.err);
    let others = games.iter().filter(|game| game["termination"] == "normal").count();
    assert_eq!(others, 12, "the others play on");

    // The same at any concurrency, and whatever was recorded before.
    let lines = arena.lines("t");
    for concurrency in ["1", "4"] {
        let again = Arena::new();
        again.write("t.toml", definition());
        again.expect(0, &["run", "t.toml", "--concurrency", concurrency, "--quiet"]);
        assert!(again.signature("t") == games, "concurrency {concurrency}");
        again.write("results/t/games.jsonl", lines[..5].join("\n") + "\n");
        again.expect(0, &["run", "t.toml", "--concurrency", "4", "--quiet"]);
        assert!(again.signature("t") == games, "resumed, after concurrency {concurrency}");
    }
}

#[test]
fn games_lost_by_faults_withdraw_where_the_definition_says_so() {
    let first = |concurrency: &str, resumed_after: Option<usize>| {
        let arena = Arena::new();
        let faults = "[faults]\nwithdraw_after = 2\n";
        let head = definition().replace(
            "[[engine]]\ncommand = \"greedy\"",
            &format!("{faults}[[engine]]\ncommand = \"greedy\""),
        );
        arena.write("t.toml", head.replace("exit-at-start", "exit-on-new-game").replace("board = 6\n", ""));
        arena.expect(0, &["run", "t.toml", "--concurrency", concurrency, "--quiet"]);
        if let Some(kept) = resumed_after {
            let lines = arena.lines("t");
            arena.write("results/t/games.jsonl", lines[..kept].join("\n") + "\n");
            arena.expect(0, &["run", "t.toml", "--concurrency", "3", "--quiet"]);
        }
        let withdrawn = |name: &str| arena.read(&format!("results/t/evidence/{name}")).contains("withdrawn");
        assert!(!withdrawn("game-000000.log"), "evidence of played games only");
        arena.signature("t")
    };
    let games = first("1", None);
    for (number, game) in of(&games, "Broken").into_iter().enumerate() {
        let offender = game["offender"].as_str().expect("an offender");
        assert_eq!((&game[offender], &game["termination"]), (&"Broken".into(), &"crash".into()));
        let detail = game["detail"].as_str().expect("a detail");
        let withdrawn = detail.starts_with("withdrawn after 2 games in a row lost by faults: exit status 4");
        assert_eq!(withdrawn, number >= 2, "game {number} of it: {detail}");
    }
    assert!(first("4", None) == games && first("1", Some(1)) == games && first("3", Some(7)) == games);
}

#[test]
fn if_no_engine_starts_there_is_no_tournament() {
    let arena = Arena::new();
    let engines = faulty_engine("A", &["exit-at-start"], "") + &faulty_engine("B", &["uci-only"], "");
    arena.write("t.toml", format!("name = \"t\"\n[limits]\nstart = \"1s\"\n{engines}"));
    let outcome = arena.expect(4, &["run", "t.toml"]);
    let complaint = outcome.complaint();
    assert!(complaint.contains("exit status 3") && complaint.contains("Unknown command"), "{complaint}");
    assert!(!arena.path("results").exists());
    arena.nobody_left();
}

#[test]
fn engines_that_fail_in_a_game_are_started_anew() {
    let arena = Arena::new();
    let engines = faulty_engine("C", &["exit0-on-go"], "") + &faulty_engine("Good", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\npairs = 4\nseed = 1\ntime = \"depth=1\"\n{engines}"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let games = arena.games("t");
    assert_eq!(games.len(), 8);
    for game in &games {
        // It plays its two moves each time, and never is it withdrawn.
        assert_eq!(game["termination"], "crash");
        assert!(game["moves"].as_array().is_some_and(|moves| moves.len() >= 4));
    }
}
