//! Awkward files: each as its own right outcome has it.

use records::formats::{Format, Game, Settings, read};
use records::{Outcome, Termination};
use rules::{ByColor, Color, Ply};

fn items(format: Format, bytes: &[u8]) -> Vec<Result<Game, String>> {
    let items = read(format, bytes, &Settings::default()).expect("a sound beginning");
    items.map(|item| item.map(|item| item.into_game()).map_err(|error| error.to_string())).collect()
}

const WHOLE: ByColor<u8> = ByColor::new(47, 17);

#[track_caller]
fn is_the_whole_game(game: &Game) {
    assert_eq!((game.plies().len(), game.last().disc_counts()), (61, WHOLE));
    assert_eq!(game.plies()[57].ply, Ply::Pass);
    assert!(game.last().is_over());
}

#[test]
fn games_of_servers() {
    let all = items(Format::Ggf, include_bytes!("data/games_ok.ggf"));
    assert_eq!(all.len(), 6);
    let game = |index: usize| all[index].as_ref().expect("a game");
    is_the_whole_game(game(0));
    is_the_whole_game(game(1));
    assert_eq!(game(1).names, ByColor::new("Éléonore".to_owned(), "x [y]".to_owned()));
    assert!(game(0).moves().eq(game(1).moves()));
    assert_eq!(game(1).plies()[3].score, Some(-1.0));
    assert_eq!(game(1).plies()[3].spent, Some(std::time::Duration::from_millis(400)));
    let end = |index: usize| game(index).end.as_ref().map(|end| (end.outcome, end.termination));
    assert_eq!(end(0), Some((Outcome::Win(Color::Black), Termination::Normal)));
    assert_eq!(
        (game(2).plies().len(), end(2)),
        (6, Some((Outcome::Win(Color::White), Termination::Timeout)))
    );
    assert_eq!(all[3], Err("5:17: board size `10`: expected 4, 6 or 8".to_owned()));
    assert_eq!(
        game(4).start().to_string(),
        "------------O-------O-----XXOO-----XOO-------O------------------ X"
    );
    assert_eq!(
        game(4).last().to_string(),
        "-----------OOX----O-OX----XOXO-----XOO-------O------------------ X"
    );
    assert_eq!((game(4).plies().len(), end(4)), (4, None));
    assert_eq!(
        (game(5).plies().len(), end(5)),
        (6, Some((Outcome::Win(Color::Black), Termination::Resigned)))
    );
    assert!(game(5).moves().eq(game(2).moves()));
}

#[test]
fn transcripts_in_every_writing() {
    let all = items(Format::Transcripts, include_bytes!("data/transcripts_ok.txt"));
    assert_eq!(all.len(), 7);
    for game in &all[..5] {
        is_the_whole_game(game.as_ref().expect("a game"));
    }
    // A result behind the moves is an error at its word.
    for (index, line) in [(5, 6), (6, 7)] {
        let error = all[index].as_ref().expect_err("words behind the moves");
        assert!(error.starts_with(&format!("{line}:")) && error.contains("is no square"), "{error}");
    }
}

#[test]
fn bad_transcripts() {
    let all = items(Format::Transcripts, include_bytes!("data/transcripts_bad.txt"));
    let expected = [
        "1:5: ply 3: `c` is no square (its row is missing)",
        "2:3: ply 2: `i9` is no square",
        "3:3: ply 2: `d0` is no square",
        "4:3: ply 2: f5 is occupied",
        "5:3: ply 2: a1 outflanks nothing",
        "6:3: ply 2: d2 outflanks nothing",
        "7:19: ply 10: a1 comes after the game is over",
        "8:3: ply 2: pass with moves at hand",
        "9:16: ply 6: `(time` is no square",
        "10:1: ply 1: `5f` is no square (the column comes first: f5)",
        "11:1: ply 1: `fе` is no square",
        "12:18: ply 9: f5 is occupied",
    ];
    let errors: Vec<&str> = all.iter().map(|item| item.as_ref().expect_err("bad").as_str()).collect();
    assert_eq!(errors, expected);
}

/// A bad game in a file of a thousand costs that game only.
#[test]
fn a_bad_game_costs_itself_only() {
    let good = [
        (Format::Ggf, "(;GM[Othello]PB[a]PW[b]TY[8]B[F5]W[D6];)\n", "(;GM[Othello]PB[a]TY[8]B[F5]W[A1];)\n"),
        (Format::Ggf, "(;GM[Othello]PB[a]PW[b]TY[8]B[F5]W[D6];)\n", "(;GM[Othello]PB[a]TY[8]B[F5\n"),
        (Format::Sgf, "(;FF[4]GM[2]PB[a]\n;B[f5];W[d6])\n", "(;FF[4]GM[2];B[f5];W[a1])\n"),
        (Format::Sgf, "(;FF[4]GM[2]PB[a]\n;B[f5];W[d6])\n", "(;FF[4]GM[2];B[f5]\n"),
        (Format::Sgf, "(;FF[4]GM[2]PB[a]\n;B[f5];W[d6])\n", "(;FF[4]GM[1]SZ[19];B[dd])\n"),
        (Format::Pgn, "[Black \"a\"]\n\n1. f5 d6 *\n\n", "[Black \"a\"]\n\n1. f5 a1 2. c3 {no\n} *\n\n"),
        (Format::Pgn, "[Black \"a\"]\n\n1. f5 d6 *\n\n", "[Black a]\n\n1. f5 d6\n"),
        (Format::Pgn, "[Black \"a\"]\n\n1. f5 d6 *\n\n", "[Black \"a\"]\n\n1. f5 {[x]\n\n"),
        (Format::Transcripts, "f5d6\n", "f5a1\n"),
    ];
    for (format, good, bad) in good {
        let file = [good.repeat(500), bad.to_owned(), good.repeat(500)].concat();
        let all = items(format, file.as_bytes());
        assert_eq!(all.len(), 1001, "{format}");
        let games = all.iter().flatten().filter(|game| game.plies().len() == 2).count();
        assert_eq!(games, 1000, "{format}");
        let first = 500 * good.lines().count() + 1;
        let error = all[500].as_ref().expect_err("the bad one");
        let line: usize = error.split(':').next().and_then(|line| line.parse().ok()).expect("a line");
        // What is not closed is noticed where the next game begins.
        assert!((first..=first + bad.lines().count()).contains(&line), "{format}: {error}");
    }
}

#[test]
fn what_edax_writes_for_an_unfinished_game() {
    let board = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
    let ggf = format!("(;GM[othello]PC[Edax]PB[?]PW[?]RE[-127.000]BO[{board}]B[F5]W[D6]B[C3];)\n");
    let pgn = "[Event \"?\"]\n[Site \"edax\"]\n[Date \"2026.??.??\"]\n[Date \"0.0.0\"]\n[Time \"255.0.0\"]\n[Black \"?\"]\n\
               [White \"?\"]\n[Result \"*\"]\n\n 1. f5 d6 2. c3\n{? wins -31-95} *\n\n\n";
    let sgf = "(;FF[4]GM[2]AP[edax:4.6]\nDT[2026-11-29]\nSZ[8]AB[e4][d5]AW[d4][e5]PL[B]\nRE[Void]\nB[f5];W[d6];\nB[c3];)\n";
    for (format, text) in [(Format::Ggf, ggf.as_str()), (Format::Pgn, pgn), (Format::Sgf, sgf)] {
        let all = items(format, text.as_bytes());
        assert_eq!(all.len(), 1, "{format}");
        let game = all[0].as_ref().expect("a game");
        assert_eq!((game.plies().len(), &game.end), (3, &None), "{format}");
        assert!(game.is_standard());
    }
}

#[test]
fn sgf_as_others_write_it() {
    let go = "(;GM[2]SZ[8]PB[a\\]b]RE[W+T];B[fe];W[df](;B[cc];W[])(;B[f3]))";
    let error = items(Format::Sgf, go.as_bytes())[0].clone().expect_err("a pass with moves at hand");
    assert_eq!(error, "1:50: ply 4: pass with moves at hand");
    let games = items(Format::Sgf, go.replace(";W[])", ")").as_bytes());
    let game = games[0].as_ref().expect("a game");
    assert_eq!(rules::to_transcript(&game.moves().collect::<Vec<_>>()), "f5d6c3", "the first variation");
    assert_eq!(game.names.black, "a]b");
    assert_eq!(game.end.as_ref().map(|end| end.termination), Some(Termination::Timeout));
    let wrong = items(Format::Sgf, b"(;GM[2];B[f5];B[d6])");
    assert_eq!(wrong[0], Err("1:17: ply 2: expected a move of white, found d6 of black".to_owned()));
}

#[test]
fn tables_say_what_is_wrong() {
    let head = "black,white,result,transcript\n";
    for (text, message) in [
        ("black,white,result\n", "1:1: expected a header with the column transcript, which holds the moves"),
        (
            &format!("{head}a,b,won,f5\n"),
            "2:1: result: expected black, white or draw, or 1-0, 0-1 or 1/2-1/2, found `won`",
        ),
        (&format!("{head}a,b,black,f5a1\n"), "2:1: transcript: ply 2: a1 outflanks nothing"),
        (&format!("{head}a,\"b,black,f5\n"), "2:3: a quotation mark is not closed"),
    ] {
        assert_eq!(items(Format::Csv, text.as_bytes())[0], Err(message.to_owned()), "{text}");
    }
    let sound = "a,b,black,f5d6\n".repeat(30);
    let all = items(
        Format::Csv,
        format!("{head}{sound}a,\"b,black,f5\n{sound}a,b,black,f5,x,y\na,b,black,f5,,\n").as_bytes(),
    );
    assert_eq!((all.len(), all.iter().filter(|item| item.is_ok()).count()), (63, 61));
    assert_eq!(all[30], Err("32:3: a quotation mark is not closed".to_owned()));
    assert_eq!(all[61], Err("63:1: the row has more fields than the header has columns".to_owned()));
    let all = items(Format::Csv, format!("{head}a,b,1-0,F5 d6\n\" a \", b\t, 1-0 , F5 d6 \n").as_bytes());
    assert_eq!(all[1], all[0], "blanks around a field do not matter");
    let end = all[0].as_ref().expect("a game").end.clone().expect("a result");
    assert_eq!((end.outcome, end.termination), (Outcome::Win(Color::Black), Termination::Adjudicated));
}

#[test]
fn bad_records_say_where() {
    let all = items(Format::Jsonl, b"{\"format\":1,\n\n[]\n{\"format\":1");
    assert_eq!(all.len(), 3);
    let error = |index: usize| all[index].as_ref().expect_err("bad").as_str();
    assert!(error(0).starts_with("1:12: not a game record: "), "{}", error(0));
    assert!(error(1).starts_with("3:"), "{}", error(1));
    assert!(error(2).starts_with("4:") && error(2).ends_with("it was torn off)"), "{}", error(2));
}

/// Bytes that are not UTF-8 take more room when they are read as Latin-1: columns are those of the file.
#[test]
fn columns_are_those_of_the_file() {
    let all = items(Format::Pgn, b"1. f5 {\xcf\xcc\xce} d6 x9 *\n");
    assert!(all[0].as_ref().is_err_and(|error| error.starts_with("1:16: ")), "{all:?}");
    let all = items(Format::Pgn, b"1. f5 {\xcf\xcc} {d6\n c3 *\n");
    assert!(all[0].as_ref().is_err_and(|error| error.starts_with("1:12: ")), "{all:?}");
    let all = items(Format::Pgn, b"1. f5 {\xcf\xcc} (d6\n c3 *\n");
    assert!(all[0].as_ref().is_err_and(|error| error.starts_with("1:12: ")), "{all:?}");
    let all = items(Format::Pgn, b"[Result \"0-1\"]\n\n1. f5 {\xcf\xcc} 1-0\n");
    assert!(all[0].as_ref().is_err_and(|error| error.starts_with("3:12: ")), "{all:?}");
}

#[test]
fn white_may_begin_on_an_empty_board() {
    let all = items(Format::Sgf, b"(;GM[2]SZ[4]RU[historical]PL[W];W[b2];B[c2])");
    let game = all[0].as_ref().expect("a game");
    assert_eq!((game.start().side_to_move(), game.plies().len()), (Color::White, 2));
}

/// However many games stand in a line of a megabyte, each is looked at once: this would take minutes otherwise.
#[test]
fn long_lines_of_many_games_are_read_once() {
    let lines: [(Format, &[u8], &[u8], usize); 5] = [
        (Format::Pgn, b"[Black \"a\"]\n\n{\xb3} ", b"1. f5 * ", 100_000),
        (Format::Pgn, b"[Black \"a\"]\n\n{} ", b"1. f5 * ", 100_000),
        (Format::Sgf, b"", b"(;GM[2]SZ[8];B[f5])", 50_000),
        (Format::Sgf, b"", b"(;GM[2]SZ[8]", 80_000),
        (Format::Ggf, b"", b"(;GM[Othello]PC[x", 60_000),
    ];
    for (format, head, each, times) in lines {
        let line = [head, &each.repeat(times), b"\n"].concat();
        assert_eq!(items(format, &line).len(), times, "{format}");
    }
}
