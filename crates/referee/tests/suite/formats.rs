//! Games and positions of other programs: converted, shown, and played from.

use std::fs::{self, File};
use std::process::Stdio;

use crate::common::{Arena, Outcome};

/// A whole game, with a pass at ply 58: 47-17.
const WHOLE: &str = "d3c3b3d2e1d1c1e3f5b4b5a3f3a5c2g3a4f4a6b6c5c6d7e6e2c8e8g4c7d6a2d8h5h3g6f8h4a7a8b8g2f1h1b2g1b7h2g5h6h7h8b1a1f2f7f6g8g7c4e7";

/// What was said last on standard error.
fn counts(outcome: &Outcome) -> &str {
    outcome.err.lines().last().unwrap_or("")
}

#[test]
fn a_game_goes_through_every_format_and_back() {
    let arena = Arena::new();
    let whole = format!("{WHOLE}\n");
    arena.write("in.txt", &whole);
    for name in ["a.ggf", "a.sgf", "a.pgn", "a.csv", "a.jsonl", "a.wtb"] {
        let outcome = arena.expect(0, &["convert", "in.txt", name]);
        assert_eq!(counts(&outcome), "1 read, 1 written, 0 bad, 0 left out");
        arena.expect(0, &["convert", name, "back.txt"]);
        assert_eq!(arena.read("back.txt"), whole, "{name}");
        // The content shows the format, whatever the name.
        fs::rename(arena.path(name), arena.path("nameless")).expect("renamed");
        arena.expect(0, &["convert", "nameless", "back.txt"]);
        assert_eq!(arena.read("back.txt"), whole, "{name}");
    }
    assert!(arena.path("a.JOU").is_file() && arena.path("a.TRN").is_file());
}

#[test]
fn bad_games_are_named_and_counted() {
    let arena = Arena::new();
    arena.write("in.txt", format!("{WHOLE}\nf5i9\nf5d6\n"));
    let path = arena.path("in.txt");
    let path = path.display();
    let outcome = arena.expect(1, &["convert", "in.txt", "out.ggf"]);
    assert_eq!(
        outcome.err,
        format!("{path}:2:3: ply 2: `i9` is no square\n3 read, 2 written, 1 bad, 0 left out\n")
    );
    let outcome = arena.expect(1, &["convert", "in.txt", "out.jsonl"]);
    assert_eq!(counts(&outcome), "3 read, 1 written, 1 bad, 1 left out");
    assert!(
        outcome.err.contains(": game 3 is left out: games.jsonl holds finished games only"),
        "{}",
        outcome.err
    );
    let start = "------------O-------O-----XXOO-----XOO-------O------------------ X";
    arena.write("in.obf", format!("{start}; F2:+2;\n"));
    assert_eq!(
        counts(&arena.expect(1, &["convert", "in.obf", "out.txt"])),
        "1 read, 0 written, 0 bad, 1 left out"
    );
    arena.expect(0, &["convert", "in.obf", "out.sgf"]);
    arena.expect(0, &["convert", "out.sgf", "out.obf"]);
    assert_eq!(arena.read("out.obf"), format!("{start};\n"));
}

#[test]
fn standard_input_and_output() {
    let arena = Arena::new();
    let input = arena.write("in.txt", "F5 D6 C3\n");
    let piped = |arguments: &[&str]| {
        let mut command = arena.referee(arguments);
        command.stdin(File::open(&input).expect("the input"));
        arena.start_command(command).wait()
    };
    let outcome = piped(&["convert", "-", "-", "--to", "transcripts"]).expect(0);
    assert_eq!(
        (outcome.out.as_str(), counts(&outcome)),
        ("f5d6c3\n", "1 read, 1 written, 0 bad, 0 left out")
    );
    let outcome = piped(&["convert", "-", "-"]).expect(2);
    assert!(outcome.complaint().contains("use --to with one of transcripts, ggf, wthor"), "{}", outcome.err);
    let outcome = piped(&["convert", "-", "-", "--to", "wthor"]).expect(2);
    assert!(outcome.complaint().contains("can't go to standard output"), "{}", outcome.err);
    // Whoever reads may go away.
    arena.write("many.txt", format!("{WHOLE}\n").repeat(20_000));
    let mut child = arena
        .referee(&["convert", "many.txt", "-", "--to", "ggf"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("its end").code(), Some(0));
}

#[test]
fn what_cannot_be_converted_is_said_in_a_line() {
    let arena = Arena::new();
    arena.write("in.txt", "f5d6\n");
    arena.write("cut.wtb", b"\x14\x1a\x0b\x1d");
    arena.write("ten.wtb", b"\x14\x1a\x0b\x1d\x01\0\0\0\0\0\xb9\x07\x0a\0\x18\0");
    for (code, arguments, message) in [
        (4, &["missing.ggf", "out.txt"][..], "cannot open "),
        (4, &["in.txt", "nowhere/out.ggf"], "cannot write "),
        (2, &["in.txt", "in.txt"], "in.txt is the input; name another file"),
        (2, &["in.txt", "out.xyz"], "out.xyz: its name does not tell the format"),
        (4, &["cut.wtb", "out.txt"], "cut.wtb: header, byte 0: expected 16 bytes of header"),
        (4, &["ten.wtb", "out.txt"], "ten.wtb: header, byte 12: expected a board of 8x8, found one of 10x10"),
        (
            4,
            &["in.txt", "out.txt", "--from", "csv"],
            "in.txt:1:1: expected a header with the column transcript",
        ),
    ] {
        let outcome = arena.expect(code, &[&["convert"], arguments].concat());
        assert!(outcome.complaint().contains(message), "{}", outcome.err);
    }
    assert_eq!(arena.read("in.txt"), "f5d6\n");
    assert!(
        arena.expect(2, &["convert", "in.txt", "o.txt", "--from", "pdf"]).err.contains("no format is called")
    );
}

/// A year of the base is kept together with its names.
#[test]
fn numbers_of_names_are_kept() {
    let arena = Arena::new();
    let game = |black: &str, white: &str| {
        format!("(;GM[Othello]DT[2026.1.2]PB[{black}]PW[{white}]EV[Open]RE[+2.000]TY[8]B[F5]W[D6];)\n")
    };
    arena.write("a.ggf", game("Anna", "Éric"));
    arena.write("b.ggf", game("Éric", "Zoë") + &game("Anna", "Éric"));
    arena.expect(0, &["convert", "a.ggf", "x.wtb"]);
    arena.expect(0, &["convert", "b.ggf", "x.wtb"]);
    let bytes = fs::read(arena.path("x.wtb")).expect("written");
    assert_eq!(
        (bytes.len(), &bytes[4..6], &bytes[10..12]),
        (16 + 2 * 68, &[2, 0][..], &2026u16.to_le_bytes()[..])
    );
    assert_eq!(&bytes[16..22], [1, 0, 2, 0, 3, 0], "tournament 1, Éric is 2 as before, Zoë is new");
    fs::create_dir(arena.path("copy")).expect("a folder");
    arena.expect(0, &["convert", "x.wtb", "copy/x.wtb"]);
    for name in ["x.wtb", "x.JOU", "x.TRN"] {
        let read = |path: &str| fs::read(arena.path(path)).expect("written");
        assert_eq!(read(name), read(&format!("copy/{name}")), "{name}");
    }
    arena.expect(0, &["convert", "copy/x.wtb", "y.pgn"]);
    let text = arena.read("y.pgn");
    assert!(
        text.contains("[Black \"Éric\"]\n[White \"Zoë\"]") && text.contains("[Event \"Open\"]"),
        "{text}"
    );
}

#[test]
fn a_game_is_shown_move_by_move_or_as_a_diagram() {
    let arena = Arena::new();
    arena.write("in.txt", format!("f5d6\n{WHOLE}\nf5a1\n"));
    let outcome = arena.expect(0, &["show", "in.txt"]);
    assert!(
        outcome
            .out
            .starts_with("? (black) - ? (white)\nno result; 3-3 on the board\n\nstart\n  a b c d e f g h\n"),
        "{}",
        outcome.out
    );
    assert!(
        outcome.out.contains("2. d6 white\n  a b c d e f g h\n")
            && outcome.out.contains("\n6 - - -[O]- - - -\n"),
        "{}",
        outcome.out
    );
    let outcome = arena.expect(0, &["show", "in.txt", "2", "--diagram"]);
    assert!(
        outcome.out.contains("black wins 47-17") && outcome.out.contains("\nwhite passes after 57\n"),
        "{}",
        outcome.out
    );
    assert!(outcome.out.contains("\n4 17 10 59  O  X 18 28 37\n"), "{}", outcome.out);
    arena.expect(0, &["show", "in.txt", "2", "--svg", "game.svg"]);
    let svg = arena.read("game.svg");
    assert!(svg.starts_with("<svg ") && svg.matches("<circle").count() == 64, "{svg}");
    let outcome = arena.expect(4, &["show", "in.txt", "3"]);
    assert!(outcome.complaint().ends_with("in.txt:3:3: ply 2: a1 outflanks nothing"), "{}", outcome.err);
    let outcome = arena.expect(2, &["show", "in.txt", "9"]);
    assert!(
        outcome.complaint().ends_with("in.txt: there is no game 9; the file has 3 games"),
        "{}",
        outcome.err
    );
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    arena.write("p.obf", format!("{board}; G8:+18; H1:+12;\n"));
    let outcome = arena.expect(0, &["show", "p.obf"]);
    assert!(outcome.out.ends_with("black to move: g8 +18, h1 +12\n"), "{}", outcome.out);
}

#[test]
fn a_record_is_shown_by_the_number_of_its_game_and_is_a_table_as_reported() {
    let arena = Arena::new();
    arena.write(
        "t.toml",
        "name = \"t\"\nseed = 2\npairs = 2\ntime = \"depth=1\"\n[[engine]]\ncommand = \"random\"\n[[engine]]\ncommand = \"greedy\"\n",
    );
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let outcome = arena.expect(0, &["show", "results/t", "3"]);
    assert!(outcome.out.starts_with("greedy (black) - random (white)\n"), "{}", outcome.out);
    assert!(outcome.out.contains(" (opening)\n"), "{}", outcome.out);
    assert!(arena.expect(2, &["show", "results/t", "4"]).complaint().contains("there is no game 4"));
    // The table has two columns more than the report's.
    arena.expect(0, &["convert", "results/t", "games.csv"]);
    let mut ours: Vec<String> = arena.read("games.csv").lines().map(str::to_owned).collect();
    let header = ours.remove(0);
    ours.sort_by_key(|row| row.split(',').next().and_then(|game| game.parse::<u32>().ok()));
    let reported = arena.read("results/t/games.csv");
    let mut reported = reported.lines();
    assert_eq!(header.strip_suffix(",board,start"), reported.next());
    let ours: Vec<&str> = ours.iter().filter_map(|row| row.strip_suffix(",8,startpos")).collect();
    assert_eq!(ours, reported.collect::<Vec<_>>());
    // Nothing is lost on the way from our record to our record.
    arena.expect(0, &["convert", "results/t", "again.jsonl"]);
    assert_eq!(arena.read("again.jsonl"), arena.read("results/t/games.jsonl"));
}

#[test]
fn openings_come_from_any_format() {
    let arena = Arena::new();
    let definition = |file: &str| {
        let engines = "[[engine]]\ncommand = \"random\"\n[[engine]]\ncommand = \"greedy\"\n";
        let head = format!(
            "name = \"t\"\nseed = 2\npairs = 2\ntime = \"depth=1\"\nopenings = {{ file = \"{file}\" }}\n"
        );
        arena.write("t.toml", head + engines);
    };
    // White is to move in the second.
    let boards = [
        "------------O-------O-----XXOO-----XOO-------O------------------ X",
        "---------------------------OX------XXX-------------------------- O",
    ];
    arena.write("p.obf", format!("% two\n{}; F2:+2;\n{}\n", boards[0], boards[1]));
    definition("p.obf");
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let games = arena.signature("t");
    let starts: Vec<&str> = games.iter().filter_map(|game| game["start"].as_str()).collect();
    assert_eq!(starts, [boards[0], boards[0], boards[1], boards[1]]);
    assert!(games.iter().all(|game| game["termination"] == "normal"), "{games:?}");
    let again = arena.expect(0, &["run", "t.toml"]);
    assert!(again.out.contains("nothing"), "{}", again.out);
    // The games of a record are played from again: its openings, not its moves.
    arena.write("g.ggf", "(;GM[Othello]TY[8]B[F5]W[D6];)\n(;GM[Othello]TY[8]B[F5]W[F6];)\n");
    definition("g.ggf");
    arena.expect(0, &["run", "t.toml", "--quiet", "--fresh"]);
    // Games are recorded in the order in which they end.
    let mut lines = arena.lines("t");
    lines.sort_by_key(|line| line.find(",\"pair\"").map(|end| line[..end].to_owned()));
    arena.write("old.jsonl", lines.join("\n"));
    definition("old.jsonl");
    let outcome = arena.expect(0, &["run", "t.toml", "--fresh"]);
    assert!(
        outcome.err.contains("2 of 4 openings lead") && outcome.err.contains(": games 2 (as 1)"),
        "{}",
        outcome.err
    );
    assert_eq!(arena.signature("t")[0]["opening"], serde_json::json!(["f5", "d6"]));
    arena.write("bad.ggf", "(;GM[Othello]TY[8]B[F5];)\n(;GM[Othello]TY[8]B[F5]W[A1];)\n");
    definition("bad.ggf");
    let outcome = arena.expect(2, &["run", "t.toml", "--fresh"]);
    assert!(
        outcome.complaint().ends_with("bad.ggf:2: column 26: ply 2: a1 outflanks nothing"),
        "{}",
        outcome.err
    );
}
