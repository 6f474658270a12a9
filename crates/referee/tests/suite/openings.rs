//! Where games start from: sets of openings that favour nobody, lists of all there are, other starts.

use crate::common::{Arena, binaries, engine};

const TWO: &str = "[[engine]]\ncommand = \"greedy\"\ntime = \"depth=1\"\n[[engine]]\ncommand = \"random\"\ntime = \"nodes=1\"\n";

#[test]
fn openings_are_made_and_valued_again() {
    let arena = Arena::new();
    let make = |file: &str| {
        let shape = ["--plies", "4", "--count", "6", "--depth", "2", "--seed", "3", "--quiet"];
        let arguments = [&["openings", "generate"][..], &shape, &["--out", file]].concat();
        arena.expect(0, &arguments);
        arena.read(file)
    };
    let text = make("a.txt");
    assert_eq!(text, make("b.txt"), "whoever makes them again gets the same");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 6);
    for line in &lines {
        let (moves, value) = line.split_once(" ; ").expect("a value");
        assert!(moves.len() == 8 && value.parse::<f64>().is_ok_and(|value| value.abs() <= 2.0), "{line}");
    }
    let verified = arena.expect(0, &["openings", "verify", "a.txt", "--sample", "4"]);
    assert!(verified.out.contains("of 6 openings valued again, 0 differ"), "{}", verified.out);

    let (first, rest) = lines[0].split_once(" ; ").expect("a value");
    arena.write("wrong.txt", text.replace(&format!("{first} ; {rest}"), &format!("{first} ; +1.77")));
    let verified = arena.expect(1, &["openings", "verify", "wrong.txt"]);
    assert!(verified.out.contains("the file +1.77") && verified.out.contains("1 differ"), "{}", verified.out);
    arena.write("bare.txt", "f5d6c3d3\n");
    assert!(arena.expect(2, &["openings", "verify", "bare.txt"]).err.contains("how it was made"));
    let refused = arena.expect(2, &["openings", "generate", "--engine", "nobody", "--count", "1"]);
    assert!(refused.err.contains("no program `nobody`"), "{}", refused.err);
    let refused =
        arena.expect(4, &["openings", "generate", "--engine", "random", "--count", "1", "--plies", "2"]);
    assert!(refused.err.contains("random says no value after"), "{}", refused.err);
    let few = arena.expect(
        1,
        &["openings", "generate", "--plies", "2", "--count", "9", "--depth", "1", "--within", "60"],
    );
    assert!(few.err.contains("only 3 of the 9") && few.out.lines().count() > 3, "{}", few.err);
    arena.nobody_left();
}

#[test]
fn positions_are_counted() {
    let arena = Arena::new();
    assert_eq!(
        arena.expect(0, &["openings", "count", "--plies", "5"]).out,
        "0 1\n1 1\n2 3\n3 14\n4 60\n5 322\n"
    );
    assert_eq!(
        arena.expect(0, &["openings", "count", "--plies", "5", "--start", "empty"]).out,
        "0 1\n1 1\n2 2\n3 2\n4 2\n5 3\n"
    );
    assert!(
        arena.expect(2, &["openings", "count", "--plies", "30"]).err.contains("more than 500000 positions")
    );
}

/// The set that is shipped comes out of its own recipe.
#[test]
fn the_shipped_openings_are_what_they_say() {
    let arena = Arena::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tournaments/openings/balanced-8.txt");
    let verified = arena.expect(0, &["openings", "verify", file, "--sample", "4", "--first-only"]);
    assert!(verified.out.contains("4 of 5000 openings valued again, 0 differ"), "{}", verified.out);
}

#[test]
fn a_second_engine_that_is_not_here_can_be_done_without() {
    let arena = Arena::new();
    let shape = "--plies 2 --count 1 --within 60 --engine positional --depth 1";
    let recipe = format!("# referee openings generate {shape} --second nobody --second-depth 1 --seed 1");
    arena.write("two.txt", format!("{recipe}\nf5d6 ; +0.00 +0.00\n"));
    let refused = arena.expect(2, &["openings", "verify", "two.txt"]);
    assert!(refused.err.contains("no program `nobody`"), "{}", refused.err);
    assert!(refused.err.contains("--first-only does without"), "{}", refused.err);
}

#[test]
fn whole_games_and_results_lend_their_first_plies() {
    let arena = Arena::new();
    let play = |openings: &str, name: &str, code| {
        let shape = ["match", "greedy", "random", "--time", "depth=1", "--seed", "1", "--pairs", "2"];
        arena.expect(code, &[&shape[..], &["--name", name, "--openings", openings]].concat())
    };
    arena.write("games.txt", "d3c3b3d2e1d6d7e3f4\ne6f6g6e7d8e3e2\nf5d6c3d3c4\nf5d6c3\n");
    let refused = play("games.txt", "whole", 2);
    assert!(refused.err.contains("over after ply 9; use plies = 8"), "{}", refused.err);
    let played = play("games.txt:plies=4:sequential", "four", 0);
    let told = "2 openings of 4 plies from 4 games; left out are 1 that are over by then or shorter, and 1 that lead";
    assert!(played.err.contains(told), "{}", played.err);
    let lengths = |name: &str| {
        let games = arena.games(name);
        games.iter().map(|game| game["opening"].as_array().map_or(0, Vec::len)).collect::<Vec<_>>()
    };
    assert_eq!(lengths("four"), [4; 4]);
    // Another number of plies is another tournament.
    let changed = play("games.txt:plies=3", "four", 2);
    assert!(changed.err.contains("openings.plies was 4, is now 3"), "{}", changed.err);
    // A results folder stands for its games, whose openings are known.
    play("results/four", "again", 0);
    assert_eq!(lengths("again"), [4; 4]);
    play("results/four:plies=6:random", "longer", 0);
    assert_eq!(lengths("longer"), [6; 4]);
}

#[test]
fn a_tournament_can_take_every_position_or_only_balanced_ones() {
    let arena = Arena::new();
    let games = |name: &str, whole: &str| {
        arena.write(&format!("{name}.toml"), format!("name = \"{name}\"\nseed = 1\n{whole}{TWO}"));
        let outcome = arena.expect(0, &["run", &format!("{name}.toml")]);
        (arena.games(name), outcome.err)
    };
    let (all, _) = games("every", "pairs = 3\nopenings = { every = 2 }\n");
    let mut openings: Vec<String> = all.iter().map(|game| game["opening"].to_string()).collect();
    openings.sort();
    openings.dedup();
    assert_eq!((all.len(), openings.len()), (6, 3));

    let (even, said) = games("even", "pairs = 3\nopenings = { random = 6, balanced = true }\n");
    assert!(
        said.contains("openings are within 2 discs by positional at depth 6; these are played"),
        "{said}"
    );
    assert_eq!(even.len(), 6);
    // More pairs go on where the first ones ended.
    let (more, _) = games("even", "pairs = 5\nopenings = { random = 6, balanced = true }\n");
    assert_eq!((more.len(), &more[..6]), (10, &even[..]));
    arena.nobody_left();
}

#[test]
fn games_begin_where_they_are_told_to() {
    let arena = Arena::new();
    let board = "------------------------X--OX------XO---------------------------";
    for (name, start) in [("parallel", "parallel".to_owned()), ("custom", format!("{board} O"))] {
        let whole =
            format!("name = \"{name}\"\nseed = 1\nstart = \"{start}\"\nopenings = {{ random = 2 }}\n{TWO}");
        arena.write("t.toml", whole);
        arena.expect(0, &["run", "t.toml"]);
        for game in arena.games(name) {
            assert_ne!(game["start"], "startpos");
            assert_eq!(game["termination"], "normal");
        }
        assert!(arena.expect(0, &["run", "t.toml"]).out.contains("2 games"));
        let changed = format!("name = \"{name}\"\nseed = 1\nopenings = {{ random = 2 }}\n{TWO}");
        arena.write("t.toml", changed);
        assert!(arena.expect(2, &["run", "t.toml"]).err.contains("start was"));
    }
    // An engine that knows the usual start only is refused, also where the openings bring another.
    let standin = binaries().join("examples/standin");
    let other =
        engine("X", &[standin.to_str().expect("a path"), "gtp"], "protocol = \"gtp\"\ntime = \"60s\"");
    arena.write("o.obf", format!("{board} O;\n"));
    for whole in ["start = \"parallel\"\n", "openings = { file = \"o.obf\" }\n"] {
        arena.write("t.toml", format!("name = \"t\"\n{whole}{other}[[engine]]\ncommand = \"random\"\n"));
        let refused = arena.expect(2, &["run", "t.toml"]);
        assert!(refused.err.contains("only the usual start on 8x8"), "{}", refused.err);
    }
    arena.nobody_left();
}
