//! The readers of the file formats, over files that hold anything.
//!
//! The first byte chooses format and board; the rest is the file.

use std::io::Cursor;

use records::formats::wthor::{self, Header, Tables};
use records::formats::{Format, Item, Place, ReadError, Settings, Writer, by_content, read};
use rules::BoardSize;

use super::laws::is_fit_to_show;

/// Of so many items of a file it is tried whether they can be written.
const WRITTEN: usize = 3;

/// Reads the file that these bytes are.
pub fn run(data: &[u8]) {
    let Some((&head, file)) = data.split_first() else { return };
    let format = Format::ALL[usize::from(head) % Format::ALL.len()];
    let board = BoardSize::ALL[usize::from(head) / Format::ALL.len() % BoardSize::ALL.len()];
    let _ = by_content(&file[..file.len().min(1000)]);
    let settings = Settings { board, ..Settings::default() };
    let items = match read(format, file, &settings) {
        Ok(items) => items,
        Err(error) => return is_placed(&error, file),
    };
    let mut useless = false;
    for (number, item) in items.enumerate() {
        assert!(!useless, "nothing comes behind what is useless");
        assert!(number <= file.len(), "{format}: more items than bytes");
        match item {
            Ok(item) if number < WRITTEN => {
                Format::ALL.into_iter().for_each(|format| is_written(&item, format))
            }
            Ok(_) => {}
            Err(error) => {
                is_placed(&error, file);
                useless = !matches!(error, ReadError::BadItem(_));
            }
        }
    }
}

/// What is wrong stands in the file, and is said in a line.
fn is_placed(error: &ReadError, file: &[u8]) {
    is_fit_to_show(&error.to_string());
    let fault = match error {
        ReadError::Io(error) => panic!("bytes in memory can be read: {error}"),
        ReadError::BadItem(fault) | ReadError::BadFile(fault) => fault,
    };
    match fault.place {
        Place::Text { line, column } => {
            // Behind the last character stands the end, which may be what is wrong.
            let lines: Vec<&[u8]> = file.split(|&byte| byte == b'\n').collect();
            let place = usize::try_from(line).ok().and_then(|line| lines.get(line.checked_sub(1)?));
            let place = place.unwrap_or_else(|| panic!("{fault} of {} lines", lines.len()));
            assert!((1..=place.len() as u64 + 1).contains(&column), "{fault} of {} bytes", place.len());
        }
        Place::Record { byte, .. } => assert!(byte <= file.len() as u64, "{fault} of {} bytes", file.len()),
    }
}

/// What a format can hold is read back as the same game.
fn is_written(item: &Item, format: Format) {
    let game = item.clone().into_game();
    let mut settings = Settings { board: game.size(), ..Settings::default() };
    let file = if format == Format::Wthor {
        let out = Cursor::new(Vec::new());
        let mut writer =
            wthor::Writer::new(out, Header::dated(2026, 11, 30), Tables::default()).expect("memory");
        if writer.write(&game).is_err() {
            return;
        }
        let (out, names) = writer.finish().expect("memory");
        settings.names = names;
        out.into_inner()
    } else {
        let mut writer = Writer::new(format, Vec::new()).expect("memory");
        if let Err(error) = writer.write(item.clone()) {
            return is_fit_to_show(&error.to_string());
        }
        writer.finish().expect("memory")
    };
    let text = || String::from_utf8_lossy(&file).into_owned();
    let items =
        read(format, &file[..], &settings).unwrap_or_else(|error| panic!("{format}: {error}: {}", text()));
    let items: Vec<_> = items.collect();
    assert_eq!(items.len(), 1, "{format}: {}", text());
    let again = match &items[0] {
        Ok(again) => again.clone(),
        Err(error) => panic!("{format}: {error}: {}", text()),
    };
    if format == Format::Obf {
        assert_eq!(again.into_problem().position, item.clone().into_problem().position, "{}", text());
        return;
    }
    let again = again.into_game();
    let plies = |game: &records::formats::Game| game.moves().collect::<Vec<_>>();
    assert_eq!((again.start(), plies(&again)), (game.start(), plies(&game)), "{format}: {}", text());
}
