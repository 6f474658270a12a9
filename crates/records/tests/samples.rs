//! Real files of other people, which are not ours to ship: `OUTFLANK_SAMPLES` names their folder. Without it nothing
//! is tested here; with it they have to be there.

use std::fs::{self, File};
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};

use records::formats::wthor::{self, Tables};
use records::formats::{Format, Game, Item, Settings, Writer, by_content, by_name, read};
use records::{Outcome, Termination};

fn samples() -> Option<PathBuf> {
    let folder = std::env::var_os("OUTFLANK_SAMPLES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: OUTFLANK_SAMPLES names no folder of samples");
    }
    folder
}

fn tables(path: &Path) -> Tables {
    let (players, tournaments) = Tables::beside(path);
    assert!(players.is_some() && tournaments.is_some(), "names beside {}", path.display());
    Tables::open(players.as_deref(), tournaments.as_deref()).expect("names")
}

fn games(path: &Path) -> Vec<Game> {
    let file = BufReader::new(File::open(path).expect("the sample"));
    let format = by_name(path).expect("a known ending");
    let names = if format == Format::Wthor { tables(path) } else { Tables::default() };
    let settings = Settings { names, ..Settings::default() };
    let items = read(format, file, &settings).expect("a sound beginning");
    items.map(|item| item.expect("a legal game").into_game()).collect()
}

fn written(format: Format, games: &[Game]) -> Vec<u8> {
    let mut writer = Writer::new(format, Vec::new()).expect("to memory");
    games.iter().for_each(|game| writer.write(Item::Game(game.clone())).expect("it can be written"));
    writer.finish().expect("to memory")
}

#[test]
fn wthor_is_read_and_written_back_byte_for_byte() {
    let Some(folder) = samples() else { return };
    for (name, count) in [("WTH_1977.wtb", 12), ("WTH_1979.wtb", 11), ("WTH_1983.wtb", 199)] {
        let path = folder.join(name);
        let bytes = fs::read(&path).expect("the sample");
        assert_eq!(by_content(&bytes), Some(Format::Wthor));
        let all = games(&path);
        assert_eq!(all.len(), count);
        let header = wthor::Reader::new(&bytes[..], Tables::default()).expect("a header").header();
        let mut writer =
            wthor::Writer::new(Cursor::new(Vec::new()), header, tables(&path)).expect("to memory");
        all.iter().for_each(|game| writer.write(game).expect("it can be written"));
        let (out, names) = writer.finish().expect("to memory");
        assert_eq!(out.into_inner(), bytes, "{name}");
        for (table, file) in [(&names.players, "WTH.JOU"), (&names.tournaments, "WTH.TRN")] {
            let mut out = Vec::new();
            table.write(&mut out, [20, 26, 11, 29]).expect("to memory");
            assert_eq!(out, fs::read(folder.join(file)).expect("the sample"), "{file}");
        }
    }
    let first = &games(&folder.join("WTH_1977.wtb"))[0];
    let moves = rules::to_transcript(&first.moves().take(7).collect::<Vec<_>>());
    assert_eq!(moves, "f5d6c3f3f4d3c4");
    assert!(!first.names.black.is_empty() && first.date == "1977" && !first.event.is_empty());
    let entry = first.wthor.as_deref().expect("from WTHOR");
    assert_eq!((entry.black, entry.white, entry.score, entry.theoretical), (346, 843, 34, 41));
}

#[test]
fn every_sample_goes_through_every_format() {
    let Some(folder) = samples() else { return };
    for name in ["WTH_1977.wtb", "WTH_1983.wtb", "ggs.ggf"] {
        let all = games(&folder.join(name));
        for format in [Format::Transcripts, Format::Ggf, Format::Sgf, Format::Pgn, Format::Jsonl, Format::Csv]
        {
            let bytes = written(format, &all);
            let items = read(format, &bytes[..], &Settings::default()).expect("a sound beginning");
            let back: Vec<Game> = items.map(|item| item.expect("a legal game").into_game()).collect();
            assert_eq!(back.len(), all.len(), "{name} {format}");
            for (game, back) in all.iter().zip(&back) {
                let squares = |game: &Game| rules::to_transcript(&game.moves().collect::<Vec<_>>());
                assert_eq!(squares(back), squares(game), "{name} {format}");
                let result = |game: &Game| game.end.as_ref().map(|end| (end.outcome, end.termination));
                if format != Format::Transcripts {
                    assert_eq!(result(back), result(game), "{name} {format}");
                    assert_eq!(back.names, game.names, "{name} {format}");
                }
            }
        }
    }
}

#[test]
fn games_of_the_server_have_times_and_evaluations() {
    let Some(folder) = samples() else { return };
    let all = games(&folder.join("ggs.ggf"));
    assert_eq!(all.len(), 4);
    let first = &all[0];
    let played = first.plies()[15];
    assert_eq!((played.score, played.spent.map(|spent| spent.as_millis())), (Some(2.25), Some(20_970)));
    assert_eq!(first.names.black, "Saio1200");
    assert_eq!(first.ratings.white, Some(2200.35));
    for game in &all {
        let end = game.end.as_ref().expect("a result");
        assert_eq!((end.outcome, end.termination), (Outcome::Draw, Termination::Normal));
    }
    // What we write of them is read the same.
    let bytes = written(Format::Ggf, &all);
    let again: Vec<Game> = read(Format::Ggf, &bytes[..], &Settings::default())
        .expect("a sound beginning")
        .map(|item| item.expect("a legal game").into_game())
        .collect();
    assert_eq!(again, all);
}

#[test]
fn unfinished_games_of_edax() {
    let Some(folder) = samples() else { return };
    for name in ["edax-unfinished.ggf", "edax-unfinished.sgf", "edax-unfinished.pgn"] {
        let all = games(&folder.join(name));
        assert_eq!((all.len(), all[0].plies().len(), &all[0].end), (1, 3, &None), "{name}");
    }
}
