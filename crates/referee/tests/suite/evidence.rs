//! What was said in a lost game can be shown afterwards.

use std::fs;

use crate::common::{Arena, faulty_engine};

fn definition(behaviour: &str, more: &str, time: &str) -> String {
    let head = format!("name = \"t\"\nseed = 1\nconcurrency = 1\nopenings = {{ random = 4 }}\n{more}");
    let subject = faulty_engine("X", &[behaviour], &format!("time = \"{time}\""));
    head + &subject + &faulty_engine("Good", &["good"], "time = \"60s\"")
}

/// The files of evidence, by name.
fn files(arena: &Arena) -> Vec<String> {
    let Ok(entries) = fs::read_dir(arena.path("results/t/evidence")) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn evidence(arena: &Arena, game: u64) -> String {
    let text = arena.read(&format!("results/t/evidence/game-{game:06}.log"));
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "control characters");
    text
}

/// The moments of the lines of the exchange, and the lines.
fn exchange(text: &str) -> Vec<(f64, String)> {
    let lines = text.lines().filter_map(|line| {
        let (at, said) = line.trim_start().split_once(' ')?;
        let said = said.starts_with(['B', 'W']).then_some(said)?;
        Some((at.parse().ok()?, said.to_owned()))
    });
    lines.collect()
}

#[test]
fn the_whole_exchange_of_a_lost_game_with_both_engines() {
    let arena = Arena::new();
    arena.write("t.toml", definition("crash-signal", "", "60s"));
    let outcome = arena.expect(1, &["run", "t.toml"]);
    assert!(outcome.out.contains("what was said in 2 games is in results/t/evidence"), "{}", outcome.out);
    assert_eq!(files(&arena), ["game-000000.log", "game-000001.log"]);
    for (game, record) in arena.games("t").iter().enumerate() {
        let text = evidence(&arena, game as u64);
        let detail = record["detail"].as_str().expect("a detail");
        assert!(text.starts_with(&format!("Game {game}, pair 0, round 0: ")), "{text}");
        assert!(
            text.contains(&format!("crash by {}: {detail}", record["offender"].as_str().expect("X"))),
            "{text}"
        );
        let said = exchange(&text);
        assert!(said.is_sorted_by_key(|(at, _)| *at), "in the order of time:\n{text}");
        for side in ["B", "W"] {
            for word in ["> isready", "< readyok", "> go ", "< bestmove ", "> position startpos moves "] {
                let wanted = format!("{side} {word}");
                assert!(
                    said.iter().any(|(_, line)| line.starts_with(&wanted)),
                    "{wanted} is missing:\n{text}"
                );
            }
        }
        let answers = said.iter().filter(|(_, line)| line.contains("< bestmove")).count();
        assert_eq!(answers, record["moves"].as_array().expect("moves").len());
        assert!(text.contains("    assertion failed: discs > 0"), "its standard error:\n{text}");
        assert!(text.contains("has ended: killed by signal 11 (SIGSEGV)"), "{text}");
        assert!(text.contains("Its process plays on"), "the opponent's:\n{text}");
    }
    assert!(evidence(&arena, 0).contains("B > ugi\n"), "the first game shows the start");
}

#[test]
fn a_start_that_failed_is_shown_too() {
    let arena = Arena::new();
    arena.write("t.toml", definition("uci-only", "[limits]\nstart = \"500ms\"\n", "60s"));
    arena.expect(1, &["run", "t.toml", "--play-anyway"]);
    let text = evidence(&arena, 0);
    assert!(text.contains("B > ugi\n") && text.contains("B < Unknown command: ugi\n"), "{text}");
}

#[test]
fn games_without_a_fault_are_kept_only_if_asked_for() {
    let arena = Arena::new();
    arena.write("t.toml", definition("good", "", "60s"));
    arena.expect(0, &["run", "t.toml"]);
    assert!(!arena.path("results/t/evidence").exists());
    arena.expect(0, &["run", "t.toml", "--fresh", "--log"]);
    assert_eq!(files(&arena), ["game-000000.log", "game-000001.log"]);
    let moves = arena.games("t")[1]["moves"].as_array().expect("moves").len();
    let asked = exchange(&evidence(&arena, 1)).iter().filter(|(_, line)| line.contains("> go ")).count();
    assert!(moves - 3 <= asked && asked <= moves, "{asked} of {moves}: passes are asked of nobody");
}

#[test]
fn whatever_is_said_the_file_is_short_and_readable() {
    for (behaviour, said) in
        [("flood", "lines are left out here"), ("binary-info", "info string \\u{0}"), ("stderr", "bytes:")]
    {
        let arena = Arena::new();
        arena.write("t.toml", definition(behaviour, "", if behaviour == "flood" { "500ms" } else { "60s" }));
        arena.expect(i32::from(behaviour == "flood"), &["run", "t.toml", "--log"]);
        let text = evidence(&arena, 0);
        assert!(text.contains(said), "{behaviour}:\n{text}");
        assert!(text.len() < 1 << 20, "{behaviour}: {} bytes", text.len());
    }
}

#[test]
fn a_replayed_game_replaces_its_own_file_and_no_other() {
    let arena = Arena::new();
    arena.write("t.toml", definition("garbage", "pairs = 2\n", "60s"));
    arena.expect(1, &["run", "t.toml"]);
    let before: Vec<String> = (0..4).map(|game| evidence(&arena, game)).collect();
    // As if it had been killed between the two: the evidence is there, the record not yet.
    let lines = arena.lines("t");
    arena.write("results/t/games.jsonl", lines[..2].join("\n") + "\n");
    arena.write("results/t/evidence/game-000009.log", "of a game that is not recorded");
    arena.write("results/t/evidence/.game-torn", "half of it");
    arena.expect(1, &["run", "t.toml"]);
    assert_eq!(files(&arena).len(), 4);
    for (game, before) in before.iter().enumerate() {
        assert_eq!(*before == evidence(&arena, game as u64), game < 2, "game {game}");
    }
    arena.expect(1, &["run", "t.toml", "--fresh"]);
    assert_eq!(files(&arena).len(), 4, "new results, new evidence");
    assert!(arena.path("results/t.old-1/evidence/game-000003.log").exists());
}
