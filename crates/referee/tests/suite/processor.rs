//! Whose time is used by whom: processor time out of turn, engines that are held, clocks of processor time.

use std::fs;

use crate::common::{Arena, faulty_engine, living, until};
use crate::faults::{in_parallel, told};

/// The sums of one column of `standings.csv`, by engine.
fn column(arena: &Arena, name: &str, column: &str) -> Vec<(String, f64)> {
    let mut reader =
        csv::Reader::from_path(arena.path(&format!("results/{name}/standings.csv"))).expect("a table");
    let place = reader.headers().expect("a header").iter().position(|each| each == column).expect(column);
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[1].to_owned(), row[place].parse().expect("a number"))).collect()
}

#[test]
fn who_thinks_on_the_others_time_is_found_and_warned_about() {
    let arena = Arena::new();
    let burns = faulty_engine("Burns", &["burns", "--at", "1", "--ms", "20"], "");
    let thinks = faulty_engine("Thinks", &["thinks", "--at", "1", "--ms", "1"], "");
    arena.write("t.toml", format!("name = \"t\"\nconcurrency = 1\ntime = \"60s\"\n{burns}{thinks}"));
    let outcome = arena.expect(0, &["run", "t.toml"]);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    for game in arena.games("t") {
        let off_turn = game["off_turn_cpu_ms"].as_array().expect("measured");
        let of = |name: &str| off_turn[usize::from(game["white"] == name)].as_f64().expect("a number");
        let moves = game["moves"].as_array().expect("moves");
        let own = moves.iter().skip(usize::from(game["white"] == "Burns")).step_by(2);
        let (asked, charged) = own.fold((0.0, 0.0), |(asked, charged), played| {
            let ms = played["ms"].as_f64().expect("a number");
            (asked + f64::from(ms > 0.0), charged + ms)
        });
        // Twenty milliseconds a move, but for the last one. What it burns before its answer is seen, where it
        // holds the only core, is charged to it already.
        assert!(of("Burns") + cores * charged >= 20.0 * (asked - 1.0), "{game}");
        assert!(of("Burns") <= 40.0 * asked && of("Thinks") < of("Burns") / 4.0, "{game}");
    }
    let sums = column(&arena, "t", "off_turn_cpu_ms");
    assert!(sums.iter().all(|(name, sum)| (name == "Burns") == (*sum > 100.0)), "{sums:?}");
    let warned =
        outcome.err.lines().filter(|line| line.contains("while it is not its turn")).collect::<Vec<_>>();
    assert!(!warned.is_empty() && warned.iter().all(|line| line.contains("Burns")), "{}", outcome.err);
}

#[test]
fn what_is_used_up_to_a_crash_in_its_own_turn_is_its_own() {
    let arena = Arena::new();
    let spins = faulty_engine("Spins", &["spins"], "limits = { cpu = \"1s\" }");
    let good = faulty_engine("Good", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\nconcurrency = 1\ntime = \"60s\"\n{spins}{good}"));
    let outcome = arena.expect(1, &["run", "t.toml"]);
    for game in arena.games("t") {
        let off_turn = &game["off_turn_cpu_ms"];
        assert_eq!(game["termination"], "crash");
        let most = off_turn.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64);
        assert!(most.fold(0.0, f64::max) < 200.0, "{game}");
    }
    assert!(!outcome.err.contains("while it is not its turn"), "{}", outcome.err);
}

/// Its helper has a session of its own, or also hides its environment.
#[test]
fn a_frozen_engine_and_what_it_started_stand_still_while_the_other_thinks() {
    in_parallel(vec!["helper-away", "helper-bare"], |helper| {
        stands_still(helper);
        Ok(())
    });
}

fn stands_still(helper: &str) {
    let arena = Arena::new();
    let held = faulty_engine("Held", &[helper, "--mark", arena.mark()], "");
    let hangs = faulty_engine("Hangs", &["hang", "--mark", arena.mark()], "");
    arena.write(
        "t.toml",
        format!("name = \"t\"\nconcurrency = 1\ntime = \"3s\"\nfreeze = true\n{held}{hangs}"),
    );
    let running = arena.start(&["run", "t.toml"]);
    // Held's own process and its helper, both stopped.
    until("two that are stopped", || {
        let stopped = living(arena.mark()).into_iter().filter(|process| state(process) == Some('T'));
        stopped.count() == 2
    });
    let outcome = running.wait();
    let games = arena.games("t");
    assert!(
        games.len() == 2
            && games.iter().all(|game| {
                let loser = if game["black"] == "Hangs" { "black" } else { "white" };
                game["termination"] == "timeout" && game["offender"] == loser
            }),
        "{}",
        told(&games, &outcome)
    );
    arena.nobody_left();
}

/// What hides from its engine ends with it all the same, and not only with the tournament.
#[test]
fn nothing_that_hides_outlives_an_engine_that_is_kept() {
    let arena = Arena::new();
    let hides = faulty_engine("Hides", &["helper-bare", "--mark", arena.mark()], "restart = true");
    let thinks = faulty_engine("Thinks", &["thinks", "--at", "1", "--ms", "20"], "");
    let head = "name = \"t\"\nconcurrency = 1\npairs = 20\ntime = \"60s\"\ncpu_clock = true\n";
    arena.write("t.toml", format!("{head}{hides}{thinks}"));
    let running = arena.start(&["run", "t.toml"]);
    arena.until_recorded("t", 4);
    // One that plays, with its helper; at most another pair that is coming or going.
    let sleepers = living(arena.mark()).into_iter().filter(|process| process.contains("sleeper")).count();
    running.signal(rustix::process::Signal::TERM);
    running.wait().expect(3);
    assert!(sleepers <= 2, "{sleepers} helpers");
    arena.nobody_left();
}

/// The state, as in `/proc/PID/stat`, of a process as [`living`] writes it.
fn state(process: &str) -> Option<char> {
    let (pid, _) = process.split_once(':')?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

#[test]
fn frozen_engines_play_the_same_games() {
    let arena = Arena::new();
    for (name, freeze) in [("free", "false"), ("held", "true")] {
        let head = format!("name = \"{name}\"\nseed = 7\ntime = \"nodes=300\"\nfreeze = {freeze}\n");
        let engines = "[[engine]]\ncommand = \"mcts\"\n[[engine]]\ncommand = \"positional\"\n";
        arena.write("t.toml", head + engines);
        arena.expect(0, &["run", "t.toml"]);
    }
    assert_eq!(arena.signature("free"), arena.signature("held"));
}

/// A machine that has no core for an engine is named in the record, as far as it tells.
#[test]
fn a_late_engine_that_waited_for_a_core_is_told_from_a_slow_one() {
    if std::fs::read_to_string("/proc/self/schedstat").is_err() {
        return;
    }
    let arena = Arena::new();
    let head = "name = \"t\"\nconcurrency = 1\ntime = \"300ms\"\n";
    let subject = faulty_engine("X", &["crowds"], "");
    arena.write("t.toml", format!("{head}{subject}{}", faulty_engine("Good", &["good"], "")));
    let outcome = arena.expect(1, &["run", "t.toml"]);
    let games = arena.games("t");
    let right = |game: &serde_json::Value| {
        let detail = game["detail"].as_str().unwrap_or_default();
        game["termination"] == "timeout"
            && detail.contains("its threads waited ")
            && detail.ends_with(" for a core meanwhile")
    };
    assert!(games.len() == 2 && games.iter().all(right), "{}", told(&games, &outcome));
}

#[test]
fn a_clock_of_processor_time_charges_what_is_used() {
    let arena = Arena::new();
    let head = "concurrency = 1\ntime = \"movetime=40ms\"\ncpu_clock = true\n[limits]\nmove = \"1s\"\n";
    let good = faulty_engine("Good", &["good"], "");
    // A sleep of 120 ms is no processor time; five of them are enough here.
    for (behaviour, ms, termination, words) in [
        ("thinks", "120", "normal", ""),
        ("spins", "0", "timeout", "of processor time, of which it used"),
        ("hang", "0", "stall", "of which it used a processor for"),
    ] {
        let at = if behaviour == "thinks" { "22" } else { "3" };
        let subject = faulty_engine("X", &[behaviour, "--at", at, "--ms", ms], "");
        arena.write("t.toml", format!("name = \"{behaviour}\"\n{head}{subject}{good}"));
        let outcome = arena.expect(i32::from(termination != "normal"), &["run", "t.toml"]);
        let games = arena.games(behaviour);
        let right = |game: &serde_json::Value| {
            let detail = game["detail"].as_str().unwrap_or_default();
            game["termination"] == termination && detail.contains(words)
        };
        assert!(games.len() == 2 && games.iter().all(right), "{}", told(&games, &outcome));
    }
}

/// Its opponent gets a thirteenth of a core, and is late by that.
#[test]
fn a_player_whose_core_is_taken_by_its_opponent_does_not_lose() {
    if fs::read_to_string("/proc/self/schedstat").is_ok_and(|line| line.starts_with("0 0")) {
        return println!("skipped: this kernel does not tell who waits for a core");
    }
    let arena = Arena::new();
    let takes = faulty_engine("Takes", &["takes-cores", "--at", "1", "--mark", arena.mark()], "");
    let computes = faulty_engine("Computes", &["computes", "--at", "1", "--ms", "30"], "");
    let head = "name = \"t\"\nconcurrency = 1\ntime = \"movetime=200ms\"\n";
    arena.write("t.toml", format!("{head}{takes}{computes}"));
    let outcome = arena.expect(0, &["run", "t.toml"]);
    let games = arena.games("t");
    assert_eq!(games.len(), 2);
    assert!(games.iter().all(|game| game["termination"] == "normal"), "{}", told(&games, &outcome));
    let dropped = arena.read("results/t/dropped.jsonl");
    assert_eq!(dropped, "{\"game\":0,\"reason\":\"no-core\",\"offender\":\"Takes\",\"attempt\":1}\n");
    assert!(outcome.err.contains("Takes is suspended while it is not its turn"), "{}", outcome.err);
    arena.nobody_left();
}
