//! The files of a results folder, against their text.

mod common;

use std::fs;
use std::path::Path;

use common::{forfeit, game};
use records::{GameRecord, LogError};
use report::ReportError;
use rules::Color;
use tournament::standings::{DroppedCounts, Standings};

const QUOTED: &str = "A, \"B\"";
const ACCENTED: &str = "Éric";

/// A results folder with these games, in this order.
fn folder(games: &[GameRecord]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("games.jsonl"), lines(games)).expect("written");
    folder
}

fn lines(games: &[GameRecord]) -> Vec<u8> {
    let mut text = Vec::new();
    games.iter().for_each(|game| game.write_line(&mut text).expect("plain values"));
    text
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect(name)
}

/// Two engines, a pair and a half.
fn three() -> Vec<GameRecord> {
    vec![
        game(0, [QUOTED, ACCENTED], 1),
        game(1, [ACCENTED, QUOTED], 2),
        forfeit(2, [QUOTED, ACCENTED], Color::White),
    ]
}

/// Every report of the folder by name.
fn reports(folder: &Path) -> Vec<(String, String)> {
    let names = ["standings.csv", "pairings.csv", "crosstable.csv", "games.csv", "summary.json"];
    names.map(|name| (name.to_owned(), read(folder, name))).into()
}

#[test]
fn a_pair_and_a_half() {
    let folder = folder(&three());
    let standings = report::write(folder.path()).expect("a sound record").standings;
    let of_record = common::standings(&three());
    assert_eq!(standings, Standings { dropped: Some(DroppedCounts::default()), ..of_record });
    let expected = [
        (
            "standings.csv",
            r#"
rank,engine,games,wins,draws,losses,points,score,elo,elo_low,elo_high,disc_diff,timeouts,illegal_moves,crashes,other_faults,mean_move_ms,max_move_ms,extreme,component,off_turn_cpu_ms
1,"A, ""B""",3,2,1,0,2.5,0.8333,128.47,-79.21,336.15,6.67,0,0,0,0,1.500000,1.500000,false,1,
2,Éric,3,0,1,2,0.5,0.1667,-128.47,-336.15,79.21,-6.67,1,0,0,0,1.500000,1.500000,false,1,
"#,
        ),
        (
            "pairings.csv",
            r#"
engine,opponent,games,wins,draws,losses,score,pairs,ll,ld,dd_wl,wd,ww,elo,elo_low,elo_high,los,disc_diff,disc_diff_low,disc_diff_high,p_value,p_holm,nelo,pair_var_ratio,distinct_games,clusters
"A, ""B""",Éric,3,2,1,0,0.8333,1,0,0,0,1,0,279.59,-529.41,1088.59,0.9214,2.00,,,0.5000,0.5000,,0.0000,3,2
"#,
        ),
        (
            "crosstable.csv",
            r#"
engine,"A, ""B""",Éric
"A, ""B""",,2.5
Éric,0.5,
"#,
        ),
        (
            "games.csv",
            r#"
game,pair,round,black,white,opening,variant,result,black_score,white_score,black_discs,white_discs,plies,termination,offender,black_ms,white_ms,transcript,started,seconds
0,0,0,"A, ""B""",Éric,d3d2a1a2,othello,draw,8,8,8,8,12,normal,,6.000000,6.000000,d3d2a1a2d1d4b4c4b1c1a3a4,2026-11-29T21:00:00Z,0.5
1,0,0,Éric,"A, ""B""",b1a1a2c1,othello,white,6,10,6,10,12,normal,,6.000000,6.000000,b1a1a2c1d4c4d1a3b4d2a4d3,2026-11-29T21:00:00Z,0.5
2,1,1,"A, ""B""",Éric,d3d2a1a2,othello,black,16,0,4,4,4,timeout,white,0.000000,0.000000,d3d2a1a2,2026-11-29T21:00:00Z,0.5
"#,
        ),
        (
            "summary.json",
            r#"
{
  "games": 3,
  "pairs": 1,
  "distinct_games": 3,
  "duplicates": 0,
  "clusters": 2,
  "repeated_starts": 0,
  "draws": 1,
  "draw_rate": 0.333333,
  "draw_rate_equal": 0.535026,
  "colour_elo": -26.33,
  "colour_elo_low": -189.45,
  "colour_elo_high": 136.79,
  "phi": 0.272406,
  "phi_df": 1,
  "phi_used": 1.0,
  "anchor": null,
  "fit": {
    "pairings": 1,
    "df": 0,
    "chi2": null,
    "p_chi2": null,
    "f": null,
    "df2": null,
    "p_f": null,
    "cycles": 0,
    "zeta": null,
    "curl_cycles": []
  },
  "terminations": {
    "normal": 2,
    "timeout": 1,
    "illegal-move": 0,
    "crash": 0,
    "protocol-error": 0,
    "stall": 0,
    "resigned": 0,
    "adjudicated": 0
  },
  "dropped": {
    "games": 0
  },
  "words": "A, \"B\" and Éric cannot be told apart by these games: A, \"B\" took 83.3 % of 3 games, Elo +280 (95 % interval -529 to +1089), p = 0.50. All 3 games were different. Moving first is worth -26 Elo (95 % interval -189 to +137), which may as well be nothing."
}
"#,
        ),
    ];
    for (name, text) in expected {
        assert_eq!(read(folder.path(), name), text.trim_start(), "{name}");
    }
    // Nothing is left over.
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 6);
}

#[test]
fn no_game_gives_headers() {
    let folder = folder(&[]);
    assert!(report::write(folder.path()).expect("an empty record").standings.engines.is_empty());
    for (name, text) in reports(folder.path()) {
        if name.ends_with(".csv") {
            assert_eq!(text.lines().count(), 1, "{name}");
        }
    }
    assert_eq!(read(folder.path(), "crosstable.csv"), "engine\n");
    let summary = read(folder.path(), "summary.json");
    assert!(summary.contains("\"games\": 0") && summary.contains("\"draw_rate\": null"), "{summary}");
}

/// Awkward tournaments: fields are the same in number, and hold nothing that is no number.
#[test]
fn every_row_has_every_field() {
    let all_won = (0..6).map(|index| match index % 2 {
        0 => forfeit(index, ["a", "b"], Color::White),
        _ => forfeit(index, ["b", "a"], Color::Black),
    });
    let one_game = vec![game(0, ["a", "b"], 1)];
    // Two pools that never met.
    let apart = vec![game(0, ["a", "b"], 1), game(2, ["c", "d"], 2), game(3, ["d", "c"], 3)];
    for games in [all_won.collect(), one_game, apart, three()] {
        let folder = folder(&games);
        report::write(folder.path()).expect("a sound record");
        for (name, text) in reports(folder.path()) {
            for word in ["NaN", "nan", "inf"] {
                assert!(!text.contains(word), "{name}: {text}");
            }
            if name.ends_with(".csv") {
                let mut rows = csv::Reader::from_reader(text.as_bytes());
                let fields = rows.headers().expect("a header").len();
                assert!(rows.records().all(|row| row.expect("as long as the header").len() == fields));
            }
        }
    }
}

#[test]
fn games_may_stand_in_any_order() {
    let games: Vec<_> = (0..40).map(|index| game(index, ["a", "b"], index)).collect();
    let sorted = folder(&games);
    let turned = folder(&games.into_iter().rev().collect::<Vec<_>>());
    for folder in [&sorted, &turned] {
        report::write(folder.path()).expect("a sound record");
    }
    assert_eq!(reports(sorted.path()), reports(turned.path()));
}

#[test]
fn a_torn_last_line_is_passed_over() {
    let folder = folder(&three());
    report::write(folder.path()).expect("a sound record");
    let whole = reports(folder.path());
    let mut torn = lines(&three());
    torn.extend_from_slice(b"{\"format\":1,\"game\":3,\"pai");
    fs::write(folder.path().join("games.jsonl"), torn).expect("written");
    report::write(folder.path()).expect("a sound record");
    assert_eq!(reports(folder.path()), whole);
}

#[test]
fn a_game_that_stands_twice_with_the_same_content_counts_once() {
    let folder = folder(&three());
    assert!(report::write(folder.path()).expect("a sound record").warnings.is_empty());
    let whole = reports(folder.path());
    fs::write(folder.path().join("games.jsonl"), lines(&three()).repeat(2)).expect("written");
    let written = report::write(folder.path()).expect("a sound record");
    assert!(written.warnings[0].contains("3 lines repeat games with the same content"), "{written:?}");
    assert_eq!(reports(folder.path()), whole);
}

/// The message, which names the file and this line; the reports are left as they were.
fn refused(record: &[u8], line: u64) -> String {
    let folder = folder(&three());
    report::write(folder.path()).expect("a sound record");
    let before = reports(folder.path());
    let path = folder.path().join("games.jsonl");
    fs::write(&path, record).expect("written");
    let error = report::write(folder.path()).expect_err("an unsound record");
    assert_eq!(reports(folder.path()), before);
    assert!(matches!(error, ReportError::Record(LogError::Line { .. } | LogError::Twice { .. })));
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    let place = format!("{}:{line}: ", path.display());
    message.strip_prefix(&place).unwrap_or_else(|| panic!("{message} is not at line {line}")).to_owned()
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let tampered = |change: &dyn Fn(&mut GameRecord)| {
        let mut games = three();
        change(&mut games[1]);
        lines(&games)
    };
    let discs = tampered(&|game| game.discs.black += 1);
    assert_eq!(refused(&discs, 2), "discs is recorded as 7-10, but the moves give 6-10");
    let result = tampered(&|game| game.result = records::Outcome::Draw);
    assert_eq!(refused(&result, 2), "result is recorded as draw, but the moves give white");
    let pair = tampered(&|game| game.pair = 7);
    assert_eq!(refused(&pair, 2), "game 1 is one of pair 0, not of pair 7");
    let twice = tampered(&|game| game.game = 0);
    assert_eq!(refused(&twice, 2), "game 0 was recorded before, in line 1, with another content");
    let mut not_json = lines(&three());
    not_json.extend_from_slice(b"\nhello\n");
    assert!(refused(&not_json, 5).starts_with("not a game record: "));
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = report::write(folder.path()).expect_err("no record").to_string();
    assert!(message.starts_with("cannot open ") && message.contains("games.jsonl"), "{message}");
}

#[cfg(unix)]
#[test]
fn others_may_read_what_the_umask_allows() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder(&three());
    report::write(folder.path()).expect("a sound record");
    let mode = |name| fs::metadata(folder.path().join(name)).expect(name).permissions().mode();
    assert_eq!(mode("standings.csv"), mode("games.jsonl"));
}
