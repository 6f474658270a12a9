//! `referee match`: engines named on the command line.

use serde_json::Value;

use crate::common::{Arena, faulty};

#[test]
fn two_words_are_a_match() {
    let arena = Arena::new();
    let outcome = arena.expect(
        0,
        &["match", "greedy", "random", "--board", "4", "--time", "depth=1", "--openings", "random=1"],
    );
    assert!(outcome.out.contains("greedy-random") || arena.path("results").exists(), "{}", outcome.out);
    let folder =
        &std::fs::read_dir(arena.path("results")).expect("results").next().expect("one").expect("one");
    let name = folder.file_name().into_string().expect("UTF-8");
    assert_eq!(arena.games(&name).len(), 2);
}

#[test]
fn words_belong_to_the_engine_before_them() {
    let arena = Arena::new();
    let hash = format!("\"{}\" options --name \"A B, C\"", faulty().display());
    let flat = ["--engine", "positional", "name=flat", "option.Corners=0", "time=depth=2"];
    let odd = ["--engine", &hash, "option.Hash=7", "option.Style=Risky"];
    let common = ["--name", "m", "--pairs", "2", "--seed", "9", "--time", "depth=1", "--no-pin"];
    arena.expect(0, &[&["match"][..], &flat, &odd, &common].concat());
    let kept: Value = serde_json::from_str(&arena.read("results/m/definition.json")).expect("JSON");
    let engines = &kept["engines"];
    assert_eq!((&engines[0]["name"], &engines[0]["time"]), (&"flat".into(), &"depth=2".into()));
    assert_eq!(engines[0]["options"], serde_json::json!([["Corners", "0"]]));
    assert_eq!(engines[1]["options"], serde_json::json!([["Hash", "7"], ["Style", "Risky"]]));
    assert_eq!((&engines[1]["name"], &engines[1]["time"]), (&"A B, C".into(), &"depth=1".into()));
    assert_eq!(arena.games("m").len(), 4);
}

#[test]
fn the_same_name_is_numbered() {
    let arena = Arena::new();
    let same = ["match", "random", "random", "random", "--name", "m", "--time", "depth=1", "--board", "4"];
    arena.expect(0, &[&same[..], &["--openings", "random=1", "--quiet"]].concat());
    let mut names: Vec<String> =
        arena.games("m").iter().filter_map(|game| game["black"].as_str().map(str::to_owned)).collect();
    names.sort();
    names.dedup();
    assert_eq!(names, ["random", "random#2", "random#3"]);
}

#[test]
fn a_match_is_resumed_like_a_tournament() {
    let arena = Arena::new();
    let words = [
        "match",
        "greedy",
        "random",
        "--name",
        "m",
        "--seed",
        "4",
        "--time",
        "depth=1",
        "--board",
        "4",
        "--openings",
        "random=2",
    ];
    arena.expect(0, &words);
    let again = arena.expect(0, &words);
    assert!(again.out.contains("played before"), "{}", again.out);
    arena.expect(0, &[&words[..], &["--pairs", "2"]].concat());
    assert_eq!(arena.signature("m").len(), 4);
    let changed = arena.expect(2, &[&words[..], &["--variant", "reversed"]].concat());
    assert!(changed.complaint().contains("variant"), "{}", changed.err);
}
