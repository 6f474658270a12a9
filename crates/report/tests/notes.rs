//! What reports say of withdrawn engines, failed starts, forfeits and dropped games, and when they do not.

mod common;

use std::fs;
use std::path::Path;

use common::{forfeit, game};
use records::dropped::append_dropped;
use records::{AT_START, DropReason, DroppedGame, FaultPhase, GameRecord, Termination};
use report::{findings, notes, paragraph, table};
use rules::Color;
use serde_json::{Value, json};
use tournament::definition::Definition;
use tournament::resolved::Resolved;
use tournament::schedule::Schedule;
use tournament::standings::Standings;

const NAMES: [&str; 3] = ["sound", "crash", "other"];

/// The results of a tournament of [`NAMES`] with these keys, each game as `play` has it; `None`: it is not recorded.
fn results(keys: &str, play: impl Fn(u64, [&str; 2]) -> Option<GameRecord>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let engines = NAMES.map(|name| format!("[[engine]]\ncommand = '{name}'\n")).concat();
    let text = format!("name = 't'\n{keys}\n{engines}");
    let definition = Definition::parse(Path::new("t.toml"), &text).expect("a definition");
    let resolved = Resolved::new(&definition, 7, &NAMES.map(str::to_owned), &[]);
    let kept = serde_json::to_string(&resolved).expect("plain values");
    fs::write(folder.path().join("definition.json"), kept).expect("written");
    let schedule = definition.format.schedule(NAMES.len(), definition.pairs);
    fs::write(folder.path().join("games.jsonl"), lines(&schedule, play)).expect("written");
    folder
}

fn lines(schedule: &Schedule, play: impl Fn(u64, [&str; 2]) -> Option<GameRecord>) -> Vec<u8> {
    let mut lines = Vec::new();
    for fixture in (0..schedule.games()).filter_map(|game| schedule.fixture(game)) {
        let players = [fixture.players.black, fixture.players.white].map(|player| NAMES[player]);
        if let Some(record) = play(fixture.game, players) {
            record.write_line(&mut lines).expect("plain values");
        }
    }
    lines
}

/// A game that an engine lost by failing at its start.
fn failed_start(index: u64, players: [&str; 2], name: &str) -> GameRecord {
    let side = if players[0] == name { Color::Black } else { Color::White };
    let mut record = forfeit(index, players, side);
    record.termination = Termination::Crash;
    record.phase = Some(FaultPhase::Start);
    record.detail = Some(format!("{AT_START}exit status 3"));
    record
}

/// The second engine never starts: it loses its first three games and does not play the others.
fn never_starts(index: u64, players: [&str; 2]) -> Option<GameRecord> {
    if !players.contains(&"crash") {
        return Some(game(index, players, index + 1));
    }
    // Its games are 0, 1, 4, 5, 6, ...
    (index <= 4).then(|| failed_start(index, players, "crash"))
}

fn write(folder: &tempfile::TempDir) -> (Standings, Value) {
    let standings = report::write(folder.path()).expect("a sound record").standings;
    let summary = fs::read_to_string(folder.path().join("summary.json")).expect("summary.json");
    (standings, serde_json::from_str(&summary).expect("JSON"))
}

const WITHDRAWN: &str =
    "crash failed to start three times and was withdrawn: 13 of its 16 games were not played.";

#[test]
fn games_of_a_withdrawn_engine_that_were_not_played() {
    let folder = results("pairs = 4", never_starts);
    let (standings, summary) = write(&folder);
    assert!(standings.has_withdrawn() && !standings.all_forfeited());
    assert_eq!(notes(&standings), [WITHDRAWN]);
    assert_eq!(paragraph(&standings), format!("{WITHDRAWN} {}", findings(&standings)));
    assert_eq!(summary["words"], paragraph(&standings));
    let reason = "after 3 failed starts in a row: crash, at start: exit status 3";
    let withdrawn = json!([{ "engine": "crash", "reason": reason, "played": 3, "not_played": 13 }]);
    assert_eq!((&summary["withdrawn"], &summary["not_played"]), (&withdrawn, &json!(13)));
    assert_eq!(summary["games"], 11);

    // An earlier version recorded such games as lost.
    let old = results("pairs = 4", |index, players| {
        never_starts(index, players).or_else(|| {
            let mut record = failed_start(index, players, "crash");
            record.phase = None;
            record.detail = Some("withdrawn after 3 failed starts in a row: crash, exit status 3".to_owned());
            Some(record)
        })
    });
    assert_eq!(write(&old), (standings, summary));
}

#[test]
fn nothing_is_said_without_a_definition_of_this_record() {
    let folder = results("pairs = 4", never_starts);
    let kept = folder.path().join("definition.json");
    let ours = fs::read_to_string(&kept).expect("the definition");
    let other = ours.replace("\"sound\"", "\"another\"");
    let no_schedule = ours.replace("round-robin", "swiss");
    for text in [Some(other.as_str()), Some(&no_schedule), Some("{"), None] {
        match text {
            Some(text) => fs::write(&kept, text).expect("written"),
            None => fs::remove_file(&kept).expect("removed"),
        }
        let (standings, summary) = write(&folder);
        assert!(!standings.has_withdrawn());
        assert_eq!((summary.get("withdrawn"), summary.get("not_played")), (None, None), "{text:?}");
        assert_eq!(notes(&standings), ["crash lost all its 3 games by failing at its start."], "{text:?}");
    }
}

#[test]
fn a_sound_tournament_has_no_notes() {
    let folder = results("pairs = 2", |index, players| Some(game(index, players, index)));
    let (standings, summary) = write(&folder);
    assert!(!standings.has_withdrawn() && !standings.all_forfeited());
    assert!(notes(&standings).is_empty());
    assert_eq!(paragraph(&standings), findings(&standings));
    assert_eq!((&summary["withdrawn"], &summary["not_played"]), (&json!([]), &json!(0)));
    assert_eq!(summary["dropped"], json!({ "games": 0 }));
}

#[test]
fn games_lost_by_faults_withdraw_where_the_definition_says_so() {
    let two_faults = |index, players: [&str; 2]| match players.contains(&"crash") {
        true if index > 1 => None,
        true => {
            Some(forfeit(index, players, if players[0] == "crash" { Color::Black } else { Color::White }))
        }
        false => Some(game(index, players, index)),
    };
    let (standings, summary) = write(&results("pairs = 2\n[faults]\nwithdraw_after = 2", two_faults));
    let words = "crash lost 2 games in a row by faults and was withdrawn: 6 of its 8 games were not played.";
    assert_eq!(notes(&standings), [words]);
    let reason = summary["withdrawn"][0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("after 2 games in a row lost by faults: timeout, "), "{reason}");
    let (standings, summary) = write(&results("pairs = 2", two_faults));
    assert!(notes(&standings).is_empty() && !standings.has_withdrawn());
    assert_eq!(summary["not_played"], 0);
}

#[test]
fn an_engine_without_a_game_is_no_row() {
    let keys = "pairs = 3\nformat = 'gauntlet'\n[faults]\nwithdraw_after = 1";
    let folder = results(keys, |index, players| (index == 0).then(|| forfeit(0, players, Color::Black)));
    let (standings, summary) = write(&folder);
    let names: Vec<&str> = standings.engines.iter().map(|engine| engine.name.as_str()).collect();
    assert_eq!(names, ["crash", "sound"]);
    let said = [
        "The only game was forfeited: nothing was played.",
        "sound lost a game by a fault and was withdrawn: 11 of its 12 games were not played.",
    ];
    assert_eq!(notes(&standings), said);
    assert_eq!(summary["not_played"], 11);
}

#[test]
fn two_withdrawn_engines_do_not_play_each_other() {
    let folder = results("pairs = 4", |index, players| match (players.contains(&"crash"), index) {
        (true, 0..=4) => Some(failed_start(index, players, "crash")),
        (true, _) => None,
        // Games 2, 3, 8, ... of the other one, which fails as well.
        (false, 0..=8) => Some(failed_start(index, players, "other")),
        (false, _) => None,
    });
    let (standings, summary) = write(&folder);
    let said = [
        "All 6 games were forfeited: nothing was played.",
        "crash failed to start three times and was withdrawn: 13 of its 16 games were not played.",
        "other failed to start three times and was withdrawn: 12 of its 16 games were not played.",
        "In all 18 games were not played.",
    ];
    assert_eq!(notes(&standings), said);
    assert!(standings.all_forfeited() && standings.has_withdrawn());
    assert_eq!(summary["not_played"], 18);
}

#[test]
fn games_lost_at_the_start_are_named() {
    let folder = results("pairs = 2", |index, players| match players.contains(&"crash") && index < 2 {
        true => Some(failed_start(index, players, "crash")),
        false => Some(game(index, players, index)),
    });
    let (standings, _) = write(&folder);
    assert_eq!(notes(&standings), ["crash lost 2 of its 8 games by failing at its start."]);
    assert!(!standings.has_withdrawn() && !standings.all_forfeited());
}

#[test]
fn a_tournament_of_forfeits_is_no_tournament() {
    let white_late = |moves: bool| {
        move |index, players: [&str; 2]| {
            let mut record = forfeit(index, players, Color::White);
            if moves {
                let whole = game(index, players, index / 2);
                record.moves = whole.moves[..2].to_vec();
                let plies =
                    record.opening.iter().copied().chain(record.moves.iter().map(|played| played.ply));
                let last = rules::replay(record.start_position(), plies).expect("legal").position();
                record.discs = last.disc_counts();
            }
            Some(record)
        }
    };
    let (standings, _) = write(&results("pairs = 1", white_late(false)));
    assert!(standings.all_forfeited());
    assert!(paragraph(&standings).starts_with("All 6 games were forfeited: nothing was played. "));
    let (standings, _) = write(&results("pairs = 1", white_late(true)));
    assert!(paragraph(&standings).starts_with("All 6 games were forfeited: nothing was played to its end. "));
    let none = common::standings(&[]);
    assert!(!none.all_forfeited() && notes(&none).is_empty());
}

#[test]
fn dropped_games_are_counted_by_reason() {
    let folder = results("pairs = 2", |index, players| (index != 7).then(|| game(index, players, index)));
    let drop = |game, reason, offender: Option<&str>, attempt| {
        let dropped = DroppedGame { game, reason, offender: offender.map(str::to_owned), attempt };
        append_dropped(folder.path(), &dropped).expect("written");
    };
    drop(3, DropReason::Paused, None, 1);
    let (standings, summary) = write(&folder);
    assert_eq!(
        notes(&standings),
        ["1 game was dropped and played again: 1 while the machine or the referee stood still."]
    );
    assert_eq!(summary["dropped"], json!({ "games": 1, "paused": 1 }));

    drop(3, DropReason::Paused, None, 2);
    drop(4, DropReason::Paused, None, 1);
    drop(5, DropReason::NoCore, Some("other"), 1);
    drop(7, DropReason::Stopped, None, 1);
    drop(8, DropReason::OutOfMemory, None, 1);
    let (standings, summary) = write(&folder);
    let said = [
        "5 games were dropped, 4 of them played again so far: 1 while the run was being stopped, 2 while the machine or the referee stood still, \
         1 since the machine was out of memory, 1 since the opponent's processes took the cores.",
        "other was suspended in the turns of its opponents from then on, since its processes took the cores of a player that was late.",
    ];
    assert_eq!(notes(&standings), said);
    let counts = json!({ "games": 5, "stopped": 1, "paused": 2, "out-of-memory": 1, "no-core": 1 });
    assert_eq!(summary["dropped"], counts);
    assert!(!table(&standings, None).contains("dropped"));
}
