//! Merging the games of several files, `games.jsonl` or tables of results, so that they are rated together.

use std::collections::HashMap;
use std::path::Path;

use records::formats::{Format, by_name};
use records::results::{ResultRow, ResultTable, ResultsError};
use records::{GameReader, LogError, Outcome, RecordError, RepeatedGames};
use rules::{BoardSize, ByColor, Ply, Position};
use thiserror::Error;

use crate::canonical_keys::{GameKeys, fold};
use crate::standings::{GameResult, Tally};

/// The reason why a file of games can't be rated. Its text names the file and the line.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A `games.jsonl`.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A table of results.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// A game that was added.
#[derive(Clone, Copy, Debug)]
pub struct MergedGame<'a> {
    /// Black's name.
    pub black: &'a str,
    /// White's name.
    pub white: &'a str,
    /// The result.
    pub outcome: Outcome,
}

/// Adds the games of a `games.jsonl` to the tally. They get new numbers behind those that the tally has, so that
/// pairs stay pairs. `each` is called for every game. A torn last line is skipped, and so are lines that repeat a
/// game; returns the number of these.
///
/// # Errors
/// [`MergeError`] if the file can't be read, a record contradicts itself, or two lines with different contents have
/// the number of one game.
pub fn add_log(
    tally: &mut Tally,
    path: &Path,
    mut each: impl FnMut(MergedGame<'_>),
) -> Result<u64, MergeError> {
    let behind = tally.next_pair();
    let mut repeated = RepeatedGames::default();
    let mut reader = GameReader::open(path)?;
    while let Some((line, record)) = reader.next_game()? {
        if !repeated.is_new(record.game) {
            continue;
        }
        let added = tally.add_with_offset(record, behind);
        added.map_err(|error| LogError::Line { path: path.to_owned(), line, error })?;
        each(MergedGame { black: &record.black, white: &record.white, outcome: record.result });
    }
    Ok(repeated.compare(path)?)
}

/// Adds the games of a table of results (CSV) to the tally.
///
/// Games of the same two engines with the same `pair` are one cluster; two of them with colours swapped are a game
/// pair. A table without the column `pair` is clustered by `opening`; without both, every game is a cluster of its
/// own. With `transcript`, replays of a game are found. `each` is called for every game.
///
/// # Errors
/// [`MergeError`] if the file can't be read or a line is not a game.
pub fn add_results(
    tally: &mut Tally,
    path: &Path,
    mut each: impl FnMut(MergedGame<'_>),
) -> Result<(), MergeError> {
    let mut table = ResultTable::open(path)?;
    let mut places = Places::default();
    let refused = loop {
        let read = table.read();
        // By reference: `?` here would copy the row.
        let Ok(Some(row)) = &read else {
            read?;
            return Ok(());
        };
        if let Err(error) = add_row(tally, &mut places, row) {
            break error;
        }
        each(MergedGame { black: row.black, white: row.white, outcome: row.outcome });
    };
    Err(table.refused(refused.to_string()).into())
}

fn add_row(tally: &mut Tally, places: &mut Places, row: &ResultRow<'_>) -> Result<(), RecordError> {
    let mut game = GameResult {
        black: row.black,
        white: row.white,
        outcome: row.outcome,
        game: None,
        start: None,
        key: None,
    };
    if row.pair.is_some() || row.opening.is_some() || row.transcript.is_some() {
        let players = tally.players(row.black, row.white)?;
        let opening = row.opening.map(|opening| places.opening(opening));
        game.start = opening.map(|opening| opening.start);
        game.key = row.transcript.and_then(|moves| game_key(opening, moves, players));
        let pair = row.pair.map(|pair| fold(pair.bytes().map(u64::from)));
        if game.start.is_none() && game.key.is_none() {
            game.start = pair;
        }
        let next = tally.next_pair();
        game.game = Some(pair.or(game.start).map_or(next, |pair| places.index(players, pair, next)));
    }
    tally.add_result(&game)
}

/// The pairs and openings of a table so far.
#[derive(Default)]
struct Places {
    /// By encounter and pair: the index and Black of a game whose partner has not come yet.
    waiting: HashMap<(u32, u32, u64), (u64, u32)>,
    openings: HashMap<String, Opening>,
}

/// An opening of a table.
#[derive(Clone, Copy)]
struct Opening {
    /// The key of the position after it; if it can't be played, the key of its text.
    start: u64,
    /// The position after it, and its number of moves. `None` if it can't be played.
    position: Option<(Position, usize)>,
}

impl Places {
    /// The index of a game: its partner's plus 1 if the partner came before, with colours swapped; else `next`.
    fn index(&mut self, players: ByColor<u32>, pair: u64, next: u64) -> u64 {
        let ByColor { black, white } = players;
        let key = (black.min(white), black.max(white), pair);
        match self.waiting.remove(&key) {
            Some((index, other)) if other != black => index + 1,
            _ => {
                self.waiting.insert(key, (next, black));
                next
            }
        }
    }

    fn opening(&mut self, text: &str) -> Opening {
        if let Some(known) = self.openings.get(text) {
            return *known;
        }
        let opening = Opening::read(text);
        self.openings.insert(text.to_owned(), opening);
        opening
    }
}

impl Opening {
    fn read(text: &str) -> Self {
        let nobody = ByColor::new(0, 0);
        match played(text) {
            Some((position, squares)) => {
                let start = GameKeys::new(position, std::iter::empty(), nobody).start;
                Self { start, position: Some((position, squares.len())) }
            }
            None => Self { start: fold(text.bytes().map(u64::from)), position: None },
        }
    }
}

/// The position after a transcript, and its plies without passes. The start is the first of the standard ones from
/// which it can be played; moves that fill an empty centre fit no other start.
fn played(transcript: &str) -> Option<(Position, Vec<Ply>)> {
    let plies = rules::parse_plies(transcript).ok()?;
    let squares: Vec<Ply> =
        plies.into_iter().map(|(ply, _)| ply).filter(|ply| ply.square().is_some()).collect();
    let sizes = [BoardSize::Eight, BoardSize::Six, BoardSize::Four];
    let starts = [Position::start, Position::empty_board].into_iter().flat_map(|start| sizes.map(start));
    starts.into_iter().find_map(|start| {
        let replay = rules::replay(start, squares.iter().copied()).ok()?;
        Some((replay.position(), squares.clone()))
    })
}

/// The key of a whole game; `None` if its moves can't be played.
fn game_key(opening: Option<Opening>, transcript: &str, players: ByColor<u32>) -> Option<u64> {
    let (last, squares) = played(transcript)?;
    let (opened, length) = match opening {
        Some(opening) => opening.position?,
        // The standard start, whichever it was: the moves tell them apart, since two starts have none in common.
        None => (Position::start(last.size()), 0),
    };
    let rest = squares.get(length..)?.iter().copied();
    let sound = opened.size() == last.size();
    sound.then(|| GameKeys::new(opened, rest, players.map(u64::from)).game)
}

/// True for a table of results, by the file's name (`.csv`); any other file is a `games.jsonl`.
#[must_use]
pub fn is_table(path: &Path) -> bool {
    by_name(path) == Some(Format::Csv)
}
