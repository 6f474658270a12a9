//! Games that were dropped and are played again: `dropped.jsonl`, one JSON object a line, beside the record.
//!
//! Such a game says nothing about its players. It is kept here so that a resumed run knows how often it was dropped.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The file's name.
pub const DROPPED: &str = "dropped.jsonl";

/// Why a game was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// The run was being stopped from outside when an engine ended.
    Stopped,
    /// The referee stood still for a while: stopped by a signal, a paused machine, a suspended computer.
    Paused,
    /// The system killed an engine since the machine was out of memory.
    OutOfMemory,
    /// A player lost on time since the other one's processes took its cores.
    NoCore,
}

impl DropReason {
    /// So often a game is played again for this reason; then it counts. `None`: as often as it takes.
    #[must_use]
    pub fn most_replays(self) -> Option<u32> {
        match self {
            Self::Stopped => None,
            Self::Paused | Self::OutOfMemory => Some(3),
            Self::NoCore => Some(2),
        }
    }

    /// In words, behind "the game was dropped: ".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Stopped => "the run was being stopped",
            Self::Paused => "the machine or the referee stood still",
            Self::OutOfMemory => "an engine was killed from outside, the machine was out of memory",
            Self::NoCore => "the opponent's processes took the cores of the player that was late",
        }
    }
}

/// A game that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedGame {
    /// Its index in the schedule, from 0.
    pub game: u64,
    /// Why.
    pub reason: DropReason,
    /// The engine whose doing it was, if it was one's.
    pub offender: Option<String>,
    /// How often it was dropped for this reason, this time included.
    pub attempt: u32,
}

/// The games that were dropped so far; none where there is no such file. A line that can't be read, such as a torn last one,
/// is left out: at worst a game is played once more than it might be.
///
/// # Errors
/// The system's, if the file is there and can't be read.
pub fn read_dropped(folder: &Path) -> io::Result<Vec<DroppedGame>> {
    let file = match File::open(folder.join(DROPPED)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let mut dropped = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        dropped.extend(serde_json::from_slice::<DroppedGame>(&line?).ok());
    }
    Ok(dropped)
}

/// Appends a game.
///
/// # Errors
/// The system's.
pub fn append_dropped(folder: &Path, game: &DroppedGame) -> io::Result<()> {
    // Behind a torn last line a new one begins; blank lines are left out when they are read.
    let mut line = vec![b'\n'];
    serde_json::to_writer(&mut line, game)?;
    line.push(b'\n');
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join(DROPPED))?;
    let from = usize::from(file.seek(SeekFrom::End(0))? == 0);
    file.write_all(&line[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_games_are_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read_dropped(folder.path()).expect("no file"), []);
        let game = |game, reason, offender: Option<&str>| DroppedGame {
            game,
            reason,
            offender: offender.map(str::to_owned),
            attempt: 1,
        };
        let all = [game(7, DropReason::NoCore, Some("a")), game(3, DropReason::OutOfMemory, None)];
        for each in &all {
            append_dropped(folder.path(), each).expect("it is written");
        }
        let path = folder.path().join(DROPPED);
        let text = std::fs::read_to_string(&path).expect("the file");
        assert!(text.starts_with(r#"{"game":7,"reason":"no-core","offender":"a","attempt":1}"#), "{text}");
        std::fs::write(&path, text + r#"{"game":9,"rea"#).expect("a torn line");
        assert_eq!(read_dropped(folder.path()).expect("the file"), all);
        append_dropped(folder.path(), &all[0]).expect("it is written");
        assert_eq!(read_dropped(folder.path()).expect("the file").len(), 3, "a torn line costs itself only");
    }
}
