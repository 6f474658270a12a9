//! `referee rate` through the real binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use records::formats::jsonl::record_of;
use records::formats::{End, Game, TournamentInfo};
use records::{GameRecord, Termination, Verdict};
use rules::{BoardSize, ByColor, Ply, Position, Turn};
use serde_json::Value;

fn rate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_referee")).arg("rate").args(arguments).output().expect("started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a call that must succeed.
fn rated(arguments: &[&str]) -> String {
    let output = rate(arguments);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    text(&output.stdout)
}

/// Exit code and the one line on standard error of a call that must fail.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = rate(arguments);
    assert!(output.stdout.is_empty(), "{output:?}");
    (output.status.code(), text(&output.stderr).trim_end().to_owned())
}

fn json(arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.push("--json");
    serde_json::from_str(&rated(&all)).expect("JSON")
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns its path.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("within the folder")).expect("made");
        fs::write(&path, content).expect("written");
        shown(&path)
    }
}

fn shown(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

/// A game on the small board; every one from an opening, moves chosen by a series of numbers.
fn game(index: u64, [black, white]: [&str; 2], seed: u64) -> GameRecord {
    const OPENING: usize = 4;
    let mut game = Game::new(Position::start(BoardSize::Four));
    let mut series = seed / 2 + 1;
    let score = loop {
        if game.plies().len() == OPENING {
            series = series.wrapping_add(seed * 977);
        }
        let ply = match game.last().turn() {
            Turn::Place(moves) => {
                series =
                    series.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let choice = usize::try_from(series >> 33).expect("31 bits") % moves.len();
                moves.get(choice).expect("one of the moves").ply()
            }
            Turn::Pass(_) => Ply::Pass,
            Turn::Over(score) => break score,
        };
        game.push(ply.into()).expect("legal");
    };
    let verdict = Verdict::by_discs(score, game.variant, game.empties);
    game.opening = OPENING;
    game.names = ByColor::new(black.to_owned(), white.to_owned());
    game.date = "2026-11-29T21:00:00Z".to_owned();
    game.end = Some(End {
        outcome: verdict.outcome,
        score: Some(verdict.score),
        termination: Termination::Normal,
        detail: None,
    });
    let pair = index / 2;
    game.tournament = Some(Box::new(TournamentInfo {
        game: index,
        pair,
        round: pair,
        seed: 1,
        seconds: 0.5,
        off_turn: None,
        phase: None,
    }));
    record_of(&game, index).expect("it has a result")
}

fn lines(games: impl IntoIterator<Item = GameRecord>) -> Vec<u8> {
    let mut text = Vec::new();
    games.into_iter().for_each(|game| game.write_line(&mut text).expect("plain values"));
    text
}

/// So many pairs of two engines, the openings chosen by `seed`.
fn pairs(players: [&'static str; 2], count: u64, seed: u64) -> impl Iterator<Item = GameRecord> {
    (0..2 * count).map(move |index| {
        let [first, second] = players;
        game(index, if index % 2 == 0 { [first, second] } else { [second, first] }, seed + index)
    })
}

#[test]
fn a_table_of_results_as_csv() {
    let folder = Folder::new();
    let file = folder.file(
        "league.csv",
        "black,white,result,note\na,b,black,x\nb,a,0-1,\na,b,1/2-1/2,\nb,a,draw,\na,b,1-0,\nb,a,black,\n",
    );
    let expected = "\
rank,engine,games,wins,draws,losses,points,score,elo,elo_low,elo_high,disc_diff,timeouts,illegal_moves,crashes,other_faults,mean_move_ms,max_move_ms,extreme,component,off_turn_cpu_ms
1,a,6,3,2,1,4.0,0.6667,52.30,-109.98,214.58,,,,,,,,false,1,
2,b,6,1,2,3,2.0,0.3333,-52.30,-214.58,109.98,,,,,,,,false,1,

engine,opponent,games,wins,draws,losses,score,pairs,ll,ld,dd_wl,wd,ww,elo,elo_low,elo_high,los,disc_diff,disc_diff_low,disc_diff_high,p_value,p_holm,nelo,pair_var_ratio,distinct_games,clusters
a,b,6,3,2,1,0.6667,0,0,0,0,0,0,120.41,-196.21,437.03,0.8413,,,,0.6250,0.6250,,,,6
";
    let text = rated(&[&file, "--csv"]);
    // The ratings are checked against references elsewhere; here, that every other field is in its place.
    let blank = |text: &str| -> Vec<Vec<String>> {
        let row = |line: &str| {
            let field = |(column, field): (usize, &str)| match field.parse::<f64>() {
                Ok(_) if field.contains('.') && column > 7 => "number".to_owned(),
                _ => field.to_owned(),
            };
            line.split(',').enumerate().map(field).collect()
        };
        text.lines().map(row).collect()
    };
    assert_eq!(blank(&text), blank(expected), "{text}");
}

#[test]
fn several_records_are_joined_and_pairs_stay_pairs() {
    let folder = Folder::new();
    let one = folder.file("one/games.jsonl", lines(pairs(["a", "b"], 10, 0)));
    let two = folder.file("two/games.jsonl", lines(pairs(["b", "c"], 7, 300)));
    // Games 0 to 20: the last pair is half.
    let three = folder.file("three.jsonl", lines(pairs(["a", "b"], 11, 900).take(21)));
    let joined = json(&[&one, &two, &three]);
    let summary = &joined["summary"];
    assert_eq!((&summary["games"], &summary["pairs"]), (&55.into(), &27.into()));
    let meetings: Vec<_> =
        joined["pairings"].as_array().expect("pairings").iter().map(|row| row["pairs"].clone()).collect();
    assert_eq!(meetings, [20, 7]);
    // A folder stands for the record in it.
    let folder_of = |file: &str| shown(Path::new(file).parent().expect("a folder"));
    assert_eq!(json(&[&folder_of(&one), &folder_of(&two), &three]), joined);
    // The same as one record with other numbers.
    let renumbered =
        pairs(["a", "b"], 10, 0).chain(pairs(["b", "c"], 7, 300)).chain(pairs(["a", "b"], 11, 900).take(21));
    let renumbered =
        (0..).zip(renumbered).map(|(index, game)| GameRecord { game: index, pair: index / 2, ..game });
    let whole = folder.file("whole.jsonl", lines(renumbered));
    assert_eq!(json(&[&whole]), joined);
}

#[test]
fn games_csv_says_what_games_jsonl_says() {
    let folder = Folder::new();
    let games = pairs(["a", "b"], 12, 5).chain(pairs(["a", "b"], 3, 5));
    let games = (0..).zip(games).map(|(index, game)| GameRecord { game: index, pair: index / 2, ..game });
    let log = folder.file("games.jsonl", lines(games));
    report::write(folder.0.path()).expect("a sound record");
    let (log, table) = (json(&[&log]), json(&[&shown(&folder.path("games.csv"))]));
    for key in
        ["games", "pairs", "clusters", "distinct_games", "repeated_starts", "draws", "phi", "colour_elo"]
    {
        assert_eq!(log["summary"][key], table["summary"][key], "{key}");
    }
    assert!(log["summary"]["duplicates"].as_u64() >= Some(6), "{}", log["summary"]);
    for key in ["elo", "elo_low", "p_value", "wd", "nelo", "pair_var_ratio", "clusters"] {
        assert_eq!(log["pairings"][0][key], table["pairings"][0][key], "{key}");
    }
}

#[test]
fn openings_and_pairs_of_a_table_make_clusters() {
    let folder = Folder::new();
    let table = |name: &str, head: &str, fields: [&str; 4]| {
        let games = ["a,b,black", "b,a,black", "a,b,black", "b,a,white"];
        let rows = games.iter().zip(fields).map(|(game, field)| format!("{game},{field}\n"));
        folder.file(name, format!("black,white,result,{head}\n{}", rows.collect::<String>()))
    };
    let counts = |file: &str| {
        let summary = &json(&[file])["summary"];
        ["games", "pairs", "clusters", "repeated_starts"].map(|key| summary[key].as_u64().expect(key))
    };
    assert_eq!(counts(&table("pair.csv", "pair", ["0", "0", "1", "1"])), [4, 2, 2, 0]);
    assert_eq!(
        counts(&table("opening.csv", "opening", ["f5d6", "f5d6", "d3c5", "d3c5"])),
        [4, 2, 1, 1],
        "mirrored"
    );
    assert_eq!(counts(&table("text.csv", "opening", ["Tiger", "Tiger", "Rose", "Rose"])), [4, 2, 2, 0]);
    assert_eq!(counts(&table("none.csv", "note", ["", "", "", ""])), [4, 0, 4, 0]);
}

#[test]
fn other_models_and_an_anchor() {
    let folder = Folder::new();
    let mut rows = String::from("black,white,result\n");
    for (game, times) in
        [("a,b,black", 30), ("a,b,draw", 20), ("b,a,black", 14), ("b,c,black", 25), ("c,b,black", 12)]
    {
        rows += &format!("{game}\n").repeat(times);
    }
    let file = folder.file("r.csv", rows);
    let elo = |arguments: &[&str], engine: &str| {
        let mut all = vec![file.as_str()];
        all.extend(arguments);
        let rated = json(&all);
        let row = rated["engines"].as_array().expect("engines").iter().find(|row| row["engine"] == engine);
        row.and_then(|row| row["elo"].as_f64()).expect("rated")
    };
    assert_eq!(elo(&["--anchor", "c"], "c"), 0.0);
    let (by_mean, by_anchor) = (elo(&[], "a") - elo(&[], "c"), elo(&["--anchor", "c"], "a"));
    assert!((by_mean - by_anchor).abs() < 0.02, "{by_mean} {by_anchor}");
    assert_ne!(elo(&["--model", "bt-half"], "a"), elo(&[], "a"));
    assert_ne!(elo(&["--no-colour"], "a"), elo(&[], "a"));
    assert_eq!(json(&[&file, "--no-colour"])["summary"]["colour_elo"], Value::Null);
    let (code, message) = refused(&[&file, "--anchor", "z"]);
    assert_eq!((code, message.as_str()), (Some(2), "referee: --anchor: no engine is called \"z\""));
}

#[test]
fn a_table_and_words_for_people_and_files_in_a_folder() {
    let folder = Folder::new();
    let file = folder.file("r.csv", "black,white,result\n".to_owned() + &"a,b,black\nb,a,white\n".repeat(20));
    let text = rated(&[&file]);
    assert!(
        text.starts_with("#  engine") && text.contains("a is stronger than b: 100.0 % of 40 games"),
        "{text}"
    );
    let out = shown(&folder.path("out/here"));
    assert_eq!(rated(&[&file, &format!("--csv={out}")]), "");
    for name in ["standings.csv", "pairings.csv", "crosstable.csv", "summary.json"] {
        assert!(Path::new(&out).join(name).is_file(), "{name}");
    }
}

#[test]
fn what_ordo_and_bayeselo_read() {
    let folder = Folder::new();
    let file = folder.file("r.csv", "black,white,result\na,b,black\nb,a,draw\n");
    let pgn = shown(&folder.path("r.pgn"));
    rated(&[&file, "--pgn", &pgn]);
    let expected = "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1-0\n\n\
                    [White \"b\"]\n[Black \"a\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n\n";
    assert_eq!(fs::read_to_string(pgn).expect("written"), expected);
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = Folder::new();
    let text = lines(pairs(["a", "b"], 2, 0));
    let one = folder.file("a/games.jsonl", &text);
    let two = folder.file("b/games.jsonl", &text);
    let folder_of = |file: &str| shown(Path::new(file).parent().expect("a folder"));
    let message = format!("referee: --pgn: {one} is to be read; name another file");
    for arguments in [[&one, &two], [&two, &one], [&two, &folder_of(&one)]] {
        let [first, second] = arguments.map(String::as_str);
        assert_eq!(refused(&["--pgn", &one, first, second]), (Some(2), message.clone()));
        assert_eq!(fs::read(&one).expect("there"), text);
    }
    // Nor is anything written before all that is read is there.
    let pgn = folder.path("r.pgn");
    assert_eq!(refused(&[&one, &shown(&folder.path("missing.csv")), "--pgn", &shown(&pgn)]).0, Some(4));
    assert!(!pgn.exists());
}

#[test]
fn no_games_are_no_error() {
    let folder = Folder::new();
    let (table, log) = (folder.file("r.csv", "black,white,result\n"), folder.file("games.jsonl", ""));
    assert_eq!(rated(&[&table, &log]), "No game has been played, so there is nothing to say yet.\n");
    assert_eq!(rated(&[&table, "--csv"]).lines().count(), 3);
}

#[test]
fn bad_lines_are_named() {
    let folder = Folder::new();
    let mut bad = lines(pairs(["a", "b"], 2, 0));
    bad.extend_from_slice(b"{\"format\":1}\n");
    let mut twice = lines(pairs(["a", "b"], 2, 0));
    twice.extend(lines([game(2, ["a", "b"], 7)]));
    let mut discs = game(0, ["a", "b"], 7);
    discs.discs.black += 1;
    for (name, content, rest) in [
        ("t.csv", b"black,white,result\na,b,black\na,b,won\n".to_vec(), ":3: \"won\" is not a result"),
        ("u.csv", b"black,white,result\na,a,black\n".to_vec(), ":2: \"a\" plays both colours"),
        ("v.csv", b"first,second\n".to_vec(), ":1: there is no column \"black\""),
        ("bad.jsonl", bad, ":5: not a game record: "),
        ("twice.jsonl", twice, ":5: game 2 was recorded before, in line 3, with another content"),
        ("discs.jsonl", lines([discs]), ":1: discs is recorded as "),
    ] {
        let path = folder.file(name, content);
        let (code, message) = refused(&[&path]);
        assert_eq!(code, Some(4), "{message}");
        assert!(message.starts_with(&format!("referee: {path}{rest}")), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let missing = shown(&folder.path("missing.csv"));
    let (code, message) = refused(&[&missing]);
    assert_eq!(code, Some(4));
    assert!(message.starts_with(&format!("referee: cannot open {missing}: ")), "{message}");
    assert_eq!(refused(&[]).0, Some(2));
    assert_eq!(refused(&[&missing, "--model", "elo"]).0, Some(2));
}

#[test]
fn a_torn_last_line_is_passed_over() {
    let folder = Folder::new();
    let mut torn = lines(pairs(["a", "b"], 2, 0));
    torn.extend_from_slice(b"{\"format\":1,\"game\":4,");
    assert_eq!(json(&[&folder.file("games.jsonl", torn)])["summary"]["games"], 4);
}

/// Results that were given to Ordo (pool-bt-half of the reference cases): pairs with the points of the first engine, doubled,
/// first with Black.
#[test]
fn bt_half_gives_the_ratings_of_ordo() {
    let encounters = [
        ("a", "b", "00 00 00 22 20 20 02 10 12 20"),
        ("a", "c", "11 22 11 01 20 00 22 02 00 22"),
        ("a", "d", "22 22 02 00 20 10 22 12 20 20"),
        ("a", "e", "20 22 00 20 02 22 20 00 20 20"),
        ("b", "c", "21 10 20 22 22 22 00 20 22 01"),
        ("b", "d", "00 00 00 02 02 22 20 12 20 22"),
        ("b", "e", "20 22 12 21 20 20 12 20 22 22"),
        ("c", "d", "01 00 21 02 22 02 02 20 12 22"),
        ("c", "e", "01 12 00 00 22 00 22 02 02 02"),
        ("d", "e", "21 11 00 22 21 22 20 01 22 20"),
    ];
    let result = |doubled: char| match doubled {
        '0' => "white",
        '1' => "draw",
        _ => "black",
    };
    let mut rows = String::from("black,white,result,pair\n");
    for (first, second, pairs) in encounters {
        for (number, pair) in pairs.split(' ').enumerate() {
            let points: Vec<char> = pair.chars().collect();
            let turned = char::from_digit(2 - points[1].to_digit(10).expect("a digit"), 10).expect("a digit");
            rows += &format!("{first},{second},{},{number}\n", result(points[0]));
            rows += &format!("{second},{first},{},{number}\n", result(turned));
        }
    }
    let folder = Folder::new();
    let rated = json(&[&folder.file("r.csv", &rows), "--model", "bt-half"]);
    let elo = |engine: &str| {
        let row = rated["engines"].as_array().expect("engines").iter().find(|row| row["engine"] == engine);
        row.and_then(|row| row["elo"].as_f64()).expect("rated")
    };
    for (engine, expected) in [("a", 3.463), ("b", 60.639), ("c", -17.773), ("d", -3.612), ("e", -42.717)] {
        assert!((elo(engine) - expected).abs() < 0.01, "{engine}: {} {expected}", elo(engine));
    }
    let colour = rated["summary"]["colour_elo"].as_f64().expect("a number");
    assert!((colour - 32.103).abs() < 0.01, "{colour}");
    // Who won everything has no rating by that model alone: the weak prior gives one.
    let won = folder.file("w.csv", "black,white,result\na,b,black\nb,a,white\n");
    let rated = json(&[&won, "--model", "bt-half"]);
    assert!(rated["engines"][0]["elo"].as_f64().expect("a number") > 100.0);
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    let file = folder.file("r.csv", "black,white,result\na,b,black\nb,a,draw\n");
    let game = folder.file("game.txt", "f5d6c3\n");
    for arguments in [
        &["rate", &file][..],
        &["rate", &file, "--csv"],
        &["rate", &file, "--json"],
        &["plan", "--elo", "9"],
        &["show", &game],
        &["show", &game, "--diagram"],
        &["show", &game, "--svg", "-"],
    ] {
        let full = fs::File::create("/dev/full").expect("there");
        let output = Command::new(env!("CARGO_BIN_EXE_referee"))
            .args(arguments)
            .stdout(full)
            .output()
            .expect("started");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}");
        assert!(message.starts_with("referee: cannot write to standard output: "), "{message}");
    }
}

#[test]
fn files_without_an_end_and_tables_under_another_name() {
    let folder = Folder::new();
    let table = folder.path("zero.csv");
    std::os::unix::fs::symlink("/dev/zero", &table).expect("a link");
    for (file, told) in [
        ("/dev/zero".to_owned(), "/dev/zero:1: not a game record: the line is longer than 16 MiB"),
        (shown(&table), "zero.csv:1: the line is longer than a MiB; is this a table of results?"),
        (
            folder.file("r.txt", "black,white,result\na,b,draw\n"),
            "(the name of a table of results has to end in .csv)",
        ),
    ] {
        let (code, message) = refused(&[&file]);
        assert!(code == Some(4) && message.contains(told), "{message}");
    }
}
