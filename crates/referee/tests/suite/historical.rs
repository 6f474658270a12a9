//! Reversi of 1883: the board is empty, and the first four discs fill its centre.

use std::fs;

use crate::common::{Arena, engine, faulty_engine};

const EMPTY: [(u8, &str); 2] = [(6, "c3 d3 c4 d4"), (8, "d4 e4 d5 e5")];

fn definition(board: u8, openings: &str) -> String {
    let engines = ["random", "greedy", "positional", "mcts"].map(|name| engine(name, &[name], ""));
    format!(
        "name = \"t\"\nseed = 1883\nvariant = \"historical\"\nboard = {board}\npairs = 2\ntime = \"nodes=60\"\n\
         openings = {openings}\n{}",
        engines.concat()
    )
}

#[test]
fn a_tournament_is_played_resumed_and_read_back() {
    for (board, centre) in EMPTY {
        for plies in [0, 2, 6] {
            let arena = Arena::new();
            arena.write("t.toml", definition(board, &format!("{{ random = {plies} }}")));
            arena.expect(0, &["run", "t.toml", "--quiet", "--concurrency", "1"]);
            let games = arena.games("t");
            assert_eq!(games.len(), 24);
            let empty = format!("{} X", "-".repeat(usize::from(board) * usize::from(board)));
            for game in &games {
                assert_eq!(
                    (&game["termination"], &game["variant"]),
                    (&"normal".into(), &"historical".into())
                );
                assert_eq!(game["start"], *empty);
                let opening = game["opening"].as_array().expect("a list");
                assert_eq!(opening.len(), plies);
                let moves = game["moves"].as_array().expect("a list").iter().map(|played| &played["move"]);
                let first = opening.iter().chain(moves).take(4).map(|ply| ply.as_str().expect("a ply"));
                let mut first: Vec<&str> = first.collect();
                first.sort_unstable();
                let mut all: Vec<&str> = centre.split(' ').collect();
                all.sort_unstable();
                assert_eq!(first, all);
            }
            let whole = arena.signature("t");
            // A torn record is taken up where it was left.
            let record = arena.record("t");
            let text = fs::read_to_string(&record).expect("a record");
            fs::write(&record, &text[..text.len() / 3]).expect("cut");
            arena.expect(0, &["run", "t.toml", "--quiet", "--concurrency", "3"]);
            assert!(arena.signature("t") == whole, "the same games");
            let table = arena.read("results/t/games.csv");
            assert_eq!(table.lines().filter(|line| line.contains(",historical,")).count(), 24);
            arena.expect(0, &["rate", "results/t"]);
        }
    }
}

#[test]
fn a_game_is_drawn_and_converted() {
    let arena = Arena::new();
    arena.write("t.toml", definition(8, "{ random = 3 }"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let shown = arena.expect(0, &["show", "results/t", "0"]);
    assert!(shown.out.contains("start") && shown.out.contains("60. "), "{}", &shown.out[..2000]);
    let diagram = arena.expect(0, &["show", "results/t", "0", "--diagram"]);
    assert!(diagram.out.contains("60"), "{}", diagram.out);
    let record = "results/t/games.jsonl";
    for file in ["a.pgn", "a.sgf", "a.csv"] {
        arena.expect(0, &["convert", record, file]);
        arena.expect(0, &["convert", file, "back.jsonl"]);
        let text = arena.read("back.jsonl");
        assert_eq!(text.matches("\"variant\":\"historical\"").count(), 24, "{file}");
    }
    for (file, why) in [("a.txt", "start"), ("a.ggf", "historical"), ("a.wtb", "usual start")] {
        let refused = arena.run(&["convert", record, file]);
        assert!(refused.err.contains(why), "{file}: {}", refused.err);
        assert!(refused.err.contains("24 left out"), "{file}: {}", refused.err);
    }
    // Its openings serve the same game, and no other.
    let engines = engine("A", &["greedy"], "") + &engine("B", &["random"], "");
    let head =
        "name = \"u\"\npairs = 2\ntime = \"nodes=9\"\nopenings = { file = \"results/t/games.jsonl\" }\n";
    arena.write("u.toml", format!("{head}{engines}"));
    let refused = arena.expect(2, &["run", "u.toml"]);
    assert!(refused.err.contains("open centre") && refused.err.contains("historical"), "{}", refused.err);
}

#[test]
fn openings_are_read_from_the_empty_board() {
    let arena = Arena::new();
    arena.write("o.txt", "d4 e5\nd4e4d5 # two beside each other\nD4 E4 E5 D5 F4\n");
    arena.write("t.toml", definition(8, "{ file = \"o.txt\" }"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert!(arena.games("t").iter().all(|game| game["termination"] == "normal"));
    arena.write("o.txt", "d4 e5\nd4 f5\n");
    let refused = arena.expect(2, &["run", "t.toml", "--fresh"]);
    assert!(
        refused.err.contains("o.txt:2") && refused.err.contains("four centre squares"),
        "{}",
        refused.err
    );
}

#[test]
fn who_does_not_declare_it_is_refused_before_it_starts() {
    let arena = Arena::new();
    let engines = engine("A", &["greedy"], "") + &faulty_engine("B", &["good"], "");
    arena.write("t.toml", format!("name = \"t\"\nvariant = \"historical\"\n{engines}"));
    let refused = arena.expect(2, &["run", "t.toml"]);
    assert!(refused.err.contains("t.toml:") && refused.err.contains("Variant"), "{}", refused.err);
    assert_eq!(arena.entries(), ["t.toml"]);
    let open = arena.expect(2, &["match", "greedy", "random", "--start", "empty"]);
    assert!(open.err.contains("historical"), "{}", open.err);
    let played = [
        "match",
        "greedy",
        "random",
        "--variant",
        "historical",
        "--time",
        "nodes=9",
        "--openings",
        "random=0",
        "--quiet",
    ];
    arena.expect(0, &played);
}
