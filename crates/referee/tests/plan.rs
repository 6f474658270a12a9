//! `referee plan` through the real binary.

use std::process::{Command, Output};

use serde_json::Value;

fn plan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_referee")).arg("plan").args(arguments).output().expect("started")
}

fn planned(arguments: &[&str]) -> String {
    let output = plan(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.push("--json");
    serde_json::from_str(&planned(&all)).expect("JSON")
}

/// The numbers of the specification are those of a variance of 0.105, which near equality is that of 4 % draws at a
/// correlation of -1/8.
#[test]
fn the_numbers_of_the_specification() {
    for (elo, fixed, width, at_zero, halfway) in
        [("5", 21_312.0, 7_791.0, 10_750.0, 17_584.0), ("20", 1_335.0, 487.0, 673.0, 1_101.0)]
    {
        let plan = json(&["--elo", elo, "--correlation", "-0.125", "--power", "0.9"]);
        let sprt = json(&["--elo", elo, "--correlation", "-0.125", "--power", "0.95"]);
        for (found, expected) in [
            (&plan["fixed"]["pairs"], fixed),
            (&plan["width"]["pairs"], width),
            (&sprt["sprt"]["at_elo0"]["pairs"], at_zero),
            (&sprt["sprt"]["halfway"]["pairs"], halfway),
        ] {
            let found = found.as_f64().expect("a number");
            assert!((found / expected - 1.0).abs() < 0.006, "{elo}: {found} {expected}");
        }
    }
}

#[test]
fn the_time_is_that_of_the_time_control() {
    let plan = json(&["--elo", "20", "--time", "60s+0.5s", "--concurrency", "4"]);
    assert_eq!(plan["seconds_a_game"], 150.0);
    let pairs = plan["fixed"]["pairs"].as_f64().expect("a number");
    assert_eq!(plan["fixed"]["seconds"].as_f64(), Some(150.0 * (2.0 * pairs / 4.0).ceil()));
    assert_eq!(json(&["--elo", "20"])["fixed"]["seconds"], Value::Null);
    let text = planned(&["--elo", "20", "--time", "60s+0.5s", "--concurrency", "4"]);
    assert!(text.contains("both sides use all their time (2.5 min a game), 4 at once"), "{text}");
    let text = planned(&["--elo", "20", "--time", "nodes=1000"]);
    assert!(text.contains("How long that takes is not known: nodes=1000 has no clock."), "{text}");
}

#[test]
fn fewer_pairs_for_less() {
    let pairs = |arguments: &[&str]| json(arguments)["fixed"]["pairs"].as_f64().expect("a number");
    let usual = pairs(&["--elo", "10"]);
    assert!(pairs(&["--elo", "20"]) < usual);
    assert!(pairs(&["--elo", "10", "--power", "0.8"]) < usual);
    assert!(pairs(&["--elo", "10", "--alpha", "0.1"]) < usual);
    assert!(pairs(&["--elo", "10", "--draw-rate", "0.5"]) < usual);
}

#[test]
fn what_cannot_be_planned_is_refused() {
    for arguments in [
        &[][..],
        &["--elo", "0"],
        &["--elo", "-5"],
        &["--elo", "nan"],
        &["--elo", "10", "--power", "1"],
        &["--elo", "10", "--power", "0.4"],
        &["--elo", "10", "--alpha", "0.6"],
        &["--elo", "10", "--draw-rate", "1"],
        &["--elo", "600", "--draw-rate", "0.9"],
        &["--elo", "10", "--time", "soon"],
        &["--elo", "10", "--concurrency", "0"],
    ] {
        let output = plan(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}
