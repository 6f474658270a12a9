//! Ctrl-C once, twice, thrice, and SIGTERM: what was played is kept, the rest can be played later.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::common::{Arena, Running, engine, faulty, faulty_engine, living, until};

/// Longer than this, after it was told to stop at once, is too long even on a busy machine.
const QUICKLY: Duration = Duration::from_secs(20);

/// Two engines that take their time: 24 games of about two seconds, two at once.
fn slow() -> Arena {
    let arena = Arena::new();
    let thinks = ["thinks", "--at", "1", "--ms", "20"];
    let engines = faulty_engine("A", &thinks, "") + &faulty_engine("B", &thinks, "");
    let head =
        "name = \"t\"\nseed = 1\npairs = 12\ntime = \"600s\"\nopenings = { random = 4 }\nconcurrency = 2\n";
    arena.write("t.toml", format!("{head}{engines}"));
    arena
}

/// The reports hold exactly the games of the record.
fn assert_reports(arena: &Arena, name: &str) {
    let mut table =
        csv::Reader::from_path(arena.path("results").join(name).join("games.csv")).expect("games.csv");
    let games: Vec<String> = table.records().map(|row| row.expect("a row")[0].to_owned()).collect();
    let mut recorded: Vec<u64> = arena.games(name).iter().filter_map(|game| game["game"].as_u64()).collect();
    recorded.sort_unstable();
    assert_eq!(games, recorded.iter().map(u64::to_string).collect::<Vec<_>>());
    for file in ["standings.csv", "pairings.csv", "crosstable.csv", "summary.json"] {
        assert!(arena.path("results").join(name).join(file).exists(), "{file}");
    }
}

#[test]
fn once_finishes_the_running_games() {
    let arena = slow();
    let running = arena.start(&["run", "t.toml"]);
    arena.until_recorded("t", 1);
    running.signal(Signal::INT);
    let outcome = running.wait().expect(3);
    assert!(outcome.err.contains("running games are finished"), "{}", outcome.err);
    assert!(outcome.out.contains("of 24 games; run again to go on"), "{}", outcome.out);
    arena.nobody_left();
    let recorded: BTreeSet<_> = arena.games("t").iter().filter_map(|game| game["game"].as_u64()).collect();
    assert!(recorded.contains(&0) && recorded.contains(&1), "both were running: {recorded:?}");
    assert!(recorded.len() <= 4, "no new ones were begun: {recorded:?}");
    assert!(arena.games("t").iter().all(|game| game["termination"] == "normal"));
    assert_reports(&arena, "t");
}

#[test]
fn term_drops_the_running_games() {
    let arena = slow();
    let running = arena.start(&["run", "t.toml"]);
    arena.until_recorded("t", 2);
    let told = Instant::now();
    running.signal(Signal::TERM);
    running.wait().expect(3);
    assert!(told.elapsed() < QUICKLY);
    arena.nobody_left();
    let recorded = arena.games("t").len();
    assert!((2..=4).contains(&recorded), "{recorded} games");
    assert_reports(&arena, "t");
}

/// An engine whose behaviour stands in a file, so that it can be mended, against one that is good.
fn switched(behaviour: &str) -> Arena {
    let arena = Arena::new();
    let script = format!("#!/bin/sh\nexec '{}' $(cat behaviour)\n", faulty().display());
    arena.script("switched.sh", &script);
    arena.write("behaviour", behaviour);
    let engines = engine("S", &["./switched.sh"], "") + &faulty_engine("Good", &["good"], "");
    let head = "name = \"t\"\nseed = 1\ntime = \"600s\"\nopenings = { random = 0 }\nconcurrency = 2\n";
    arena.write("t.toml", format!("{head}{engines}"));
    arena
}

fn until_hanging(arena: &Arena, running: &Running, count: usize) {
    until("the games to hang", || {
        let hanging = living(arena.mark()).iter().filter(|each| each.contains("hang")).count();
        running.out().contains("games at once") && hanging >= count
    });
}

fn interrupt_and_wait_for_the_word(running: &Running) {
    running.signal(Signal::INT);
    until("the first interruption to be noticed", || running.err().contains("again to stop them"));
}

#[test]
fn twice_drops_unfinished_games_and_a_resume_plays_them() {
    let arena = switched("deaf-hang");
    let running = arena.start(&["run", "t.toml"]);
    until_hanging(&arena, &running, 2);
    interrupt_and_wait_for_the_word(&running);
    let told = Instant::now();
    running.signal(Signal::INT);
    running.wait().expect(3);
    assert!(told.elapsed() < QUICKLY);
    arena.nobody_left();
    assert_eq!(arena.lines("t").len(), 0, "nothing was finished");
    arena.write("behaviour", "good");
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert!(arena.signature("t").iter().all(|game| game["termination"] == "normal"));
    assert_eq!(arena.lines("t").len(), 2);
    assert_reports(&arena, "t");
}

#[test]
fn thrice_is_out_at_once() {
    let arena = switched("deaf-hang");
    let running = arena.start(&["run", "t.toml"]);
    until_hanging(&arena, &running, 2);
    interrupt_and_wait_for_the_word(&running);
    let told = Instant::now();
    running.signal(Signal::TERM);
    running.signal(Signal::INT);
    running.wait().expect(3);
    assert!(told.elapsed() < QUICKLY);
    arena.nobody_left();
    assert_eq!(arena.lines("t").len(), 0);
}

#[test]
fn before_the_first_game_once_is_enough_and_leaves_nothing() {
    let arena = switched("hang-at-start");
    let text = arena
        .read("t.toml")
        .replace("[[engine]]\nname = \"S\"", "[limits]\nstart = \"600s\"\n[[engine]]\nname = \"S\"");
    arena.write("t.toml", text);
    let running = arena.start(&["run", "t.toml"]);
    until("the greeting", || living(arena.mark()).iter().any(|each| each.contains("hang-at-start")));
    running.signal(Signal::INT);
    running.wait().expect(3);
    arena.nobody_left();
    assert!(!arena.path("results").exists());
}

/// Between the greeting of the engines and the first game nobody is at the signals for a moment: one
/// that comes there must not be lost.
#[test]
fn a_signal_on_the_threshold_is_not_lost() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::INT] {
        let arena = slow();
        let running = arena.start(&["run", "t.toml"]);
        until("the record is there", || arena.path("results/t/games.jsonl").exists());
        running.signal(signal);
        running.wait().expect(3);
        assert!(arena.games("t").len() <= 4, "{signal:?}: no new games were begun");
        arena.nobody_left();
    }
}
