//! The collection of misbehaving engines that lies beside the checkout, if there is one: a folder
//! with scripts in Python and a `manifest.json` that says what each does and how its games end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{Arena, engine, living};
use crate::faults::{in_parallel, told};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/faults")
}

/// The cases, and the Python that runs them; `None` if one of them is missing.
fn cases() -> Option<(Vec<Value>, String)> {
    let Ok(manifest) = fs::read_to_string(folder().join("manifest.json")) else {
        println!("skipped: there is no folder of engines beside the checkout");
        return None;
    };
    // Asked for once, since `python3` may be a slow script that looks for the right one.
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let Ok(python) = asked.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()) else {
        println!("skipped: there is no python3");
        return None;
    };
    Some((serde_json::from_str(&manifest).expect("the manifest is JSON"), python))
}

#[test]
fn the_handed_engines_get_the_verdicts_of_their_manifest() {
    let Some((cases, python)) = cases() else { return };
    in_parallel(cases.iter().enumerate().collect(), |(number, case)| play(&python, case, number % 2 == 0, 1));
}

#[test]
#[ignore = "takes a quarter of an hour: bash .ci/long"]
fn the_handed_engines_get_them_in_both_seats_at_any_number_of_games_at_once() {
    let Some((cases, python)) = cases() else { return };
    let both: Vec<_> = cases.iter().flat_map(|case| [(case, true), (case, false)]).collect();
    for at_once in [1, 2] {
        in_parallel(both.clone(), |(case, first)| play(&python, case, first, at_once));
    }
    // One tournament at a time here: it fills the machine.
    let failures: Vec<_> =
        both.iter().filter_map(|(case, first)| play(&python, case, *first, 16).err()).collect();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

/// Pairs of games, so many games at once: in each pair the engine is once Black and once White.
fn play(python: &str, case: &Value, first: bool, at_once: usize) -> Result<(), String> {
    let arena = Arena::new();
    let file = case["file"].as_str().expect("a file");
    let setting = |key: &str, default: u64| case["settings"][key].as_u64().unwrap_or(default);
    let script = |name: &str| folder().canonicalize().expect("the folder").join(name).display().to_string();
    let expected = case["expected_termination"].as_str().expect("a termination");
    let program = script(file);
    let command = if case["start_directly"] == true { vec![&*program] } else { vec![python, &program] };
    // The partner has all the time in the world; the engine as well where its clock does not matter.
    let clock = if expected == "timeout" { setting("clock_ms", 3000) } else { 60_000 };
    let increment = setting("inc_ms", 0);
    let protocol = case["protocol"].as_str().expect("a protocol");
    let subject =
        engine("X", &command, &format!("protocol = \"{protocol}\"\ntime = \"{clock}ms+{increment}ms\""));
    let partner = engine("Good", &[python, &script("good.py")], "");
    let engines = if first { [subject, partner] } else { [partner, subject] };
    let limit = |key: &str| if expected == "stall" { setting(key, 4000) } else { 60_000 };
    let (start, ready) = (limit("start_limit_ms"), limit("ready_limit_ms"));
    let limits = format!("[limits]\nstart = \"{start}ms\"\nready = \"{ready}ms\"\nquit = \"300ms\"\n");
    let pairs = at_once.div_ceil(2);
    let head = format!(
        "name = \"t\"\nseed = 1\nconcurrency = {at_once}\npairs = {pairs}\ntime = \"60s\"\nopenings = {{ random = 0 }}\n"
    );
    let faults = "[faults]\nstart = \"forfeit\"\n";
    arena.write("t.toml", format!("{head}{limits}{faults}{}", engines.concat()));
    let outcome = arena.run(&["run", "t.toml"]);
    let left = living(arena.mark());
    let games = arena.games("t");
    let wrong = |what: &str| {
        Err(format!("{file}, first {first}, {at_once} at once: {what}\n{}", told(&games, &outcome)))
    };
    let accepted = |verdict: &str| {
        let others = case["also_acceptable"].as_array();
        verdict == expected || others.is_some_and(|list| list.iter().any(|other| other == verdict))
    };
    if !left.is_empty() {
        return wrong(&format!("left behind: {left:?}"));
    }
    if outcome.code == Some(2) && games.is_empty() {
        return if accepted("refused") { Ok(()) } else { wrong("refused") };
    }
    // With many games an engine that never starts is withdrawn.
    let is_withdrawn = pairs > 1 && games.len() == 3;
    let all_are_lost = games.iter().all(|game| game["termination"] != "normal");
    let code = i32::from(is_withdrawn || all_are_lost);
    if outcome.code != Some(code) || !is_withdrawn && games.len() != 2 * pairs {
        return wrong("two games a pair are wanted");
    }
    for game in &games {
        let termination = game["termination"].as_str().unwrap_or_default();
        if expected != "mixed" && !accepted(termination) {
            return wrong(&format!("{expected} is wanted"));
        }
        let offender = game["offender"].as_str().map(|side| &game[side]);
        if (termination != "normal") != offender.is_some_and(|name| name == "X") {
            return wrong("the offender");
        }
    }
    Ok(())
}
