//! Time is charged as it was used: at least what an engine itself has measured.

use crate::common::{Arena, faulty_engine};

/// What a busy machine may add to a move before it is absurd, in milliseconds.
const ABSURD: f64 = 2000.0;

#[test]
fn what_an_engine_thinks_is_charged() {
    let arena = Arena::new();
    let thinks = ["thinks", "--at", "1", "--ms", "15"];
    let engines = faulty_engine("A", &thinks, "") + &faulty_engine("B", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\nseed = 1\ntime = \"600s+1s\"\n{engines}"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    for game in arena.games("t") {
        let thinker = if game["black"] == "A" { 0 } else { 1 };
        let moves = game["moves"].as_array().expect("moves");
        let opening = game["opening"].as_array().map_or(0, Vec::len);
        let own =
            moves.iter().enumerate().filter(|(ply, _)| (opening + ply) % 2 == thinker).map(|(_, own)| own);
        let mut thought = 0;
        for each in own.filter(|each| each["move"] != "pass") {
            let charged = each["ms"].as_f64().expect("ms");
            let measured = each["nodes"].as_f64().expect("its own count, in microseconds") / 1000.0;
            assert!(charged >= measured, "{charged} ms charged, {measured} ms thought");
            assert!(charged < measured + ABSURD, "{charged} ms charged, {measured} ms thought");
            thought += 1;
        }
        assert!(thought > 20, "{thought} moves");
        let seconds = game["seconds"].as_f64().expect("seconds");
        let charged: f64 = moves.iter().filter_map(|each| each["ms"].as_f64()).sum();
        assert!(seconds + 0.001 >= charged / 1000.0, "a game takes as long as its moves");
    }
}

#[test]
fn a_pass_takes_no_time() {
    let arena = Arena::new();
    let engines = faulty_engine("A", &["good"], "") + &faulty_engine("B", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\nseed = 3\npairs = 6\ntime = \"depth=1\"\n{engines}"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let games = arena.games("t");
    let moves = games.iter().flat_map(|game| game["moves"].as_array().expect("moves"));
    let passes: Vec<_> = moves.filter(|each| each["move"] == "pass").collect();
    assert!(!passes.is_empty(), "there are passes in a dozen games");
    for pass in passes {
        assert_eq!(pass["ms"].as_f64(), Some(0.0), "{pass}");
        assert!(pass.get("nodes").is_none(), "nobody was asked: {pass}");
    }
}
