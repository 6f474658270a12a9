//! Tables of games: our `games.csv`, and any CSV with a column `transcript`.

use std::io::{BufRead, Write};
use std::time::Duration;

use rules::{BoardSize, ByColor, Color, Position, Variant};

use super::error::{ParseError, ReadError, WriteError, quoted};
use super::game::{Game, Item, TournamentInfo};
use super::game_end::{End, StatedResult};
use super::transcript::play_line;
use crate::csv_rows::{Row, RowError, Rows};
use crate::verdict::Termination;

/// The columns of `games.csv`, and two more for games from other starts.
pub const COLUMNS: [&str; 22] = [
    "game",
    "pair",
    "round",
    "black",
    "white",
    "opening",
    "variant",
    "result",
    "black_score",
    "white_score",
    "black_discs",
    "white_discs",
    "plies",
    "termination",
    "offender",
    "black_ms",
    "white_ms",
    "transcript",
    "started",
    "seconds",
    "board",
    "start",
];

/// The number of [`COLUMNS`] that stand in `games.csv`.
pub const IN_GAMES_CSV: usize = 20;

/// For each of [`COLUMNS`], its number in the table.
type Places = [Option<usize>; COLUMNS.len()];

/// A table, read row by row.
#[derive(Debug)]
pub struct Reader<R> {
    rows: Rows<R>,
    places: Option<Places>,
    board: BoardSize,
    failed: bool,
}

impl<R: BufRead> Reader<R> {
    /// Games are on this board unless the table has a column `board`.
    pub fn new(reader: R, board: BoardSize) -> Self {
        Self { rows: Rows::new(reader), places: None, board, failed: false }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        let places = match self.places {
            Some(places) => places,
            None => match self.rows.header().map_err(read_error)? {
                Some(names) => *self.places.insert(self.find_columns(&names)?),
                None => return Ok(None),
            },
        };
        if !self.rows.advance().map_err(read_error)? {
            return Ok(None);
        }
        let fields = Fields { row: self.rows.row().map_err(read_error)?, places };
        let game = fields.game(self.board);
        let game = game.map_err(|what| ReadError::BadItem(ParseError::new(self.rows.line(), 1, what)))?;
        Ok(Some(Item::Game(game)))
    }

    /// Finds the columns by the names in the header.
    fn find_columns(&self, names: &[String]) -> Result<Places, ReadError> {
        let find = |column: &str| names.iter().position(|name| name == column);
        if find("transcript").is_none() {
            let what = "expected a header with the column transcript, which holds the moves";
            return Err(ReadError::BadFile(ParseError::new(self.rows.line(), 1, what)));
        }
        Ok(COLUMNS.map(find))
    }
}

fn read_error(error: RowError) -> ReadError {
    match error {
        RowError::Io(error) => ReadError::Io(error),
        RowError::Text { line, column, what } => ReadError::BadItem(ParseError::new(line, column, what)),
    }
}

/// A row whose columns are known.
struct Fields<'a> {
    row: Row<'a>,
    places: Places,
}

impl<'a> Fields<'a> {
    /// The field of a column without blanks around it; empty if there is no such column.
    fn get(&self, column: &str) -> &'a str {
        let place = COLUMNS.iter().position(|name| *name == column).and_then(|index| self.places[index]);
        place.and_then(|place| self.row.get(place)).unwrap_or("").trim_ascii()
    }

    /// A field, parsed by `read`; `None` if it is empty.
    fn parsed<T>(
        &self,
        column: &str,
        read: impl Fn(&str) -> Option<T>,
        wanted: &str,
    ) -> Result<Option<T>, String> {
        match self.get(column) {
            "" => Ok(None),
            text => match read(text) {
                Some(value) => Ok(Some(value)),
                None => Err(format!("{column}: expected {wanted}, found {}", quoted(text))),
            },
        }
    }

    fn number(&self, column: &str) -> Result<Option<u64>, String> {
        self.parsed(column, |text| text.parse().ok(), "a whole number")
    }

    /// The game. `board` is its size unless the row says it.
    fn game(&self, board: BoardSize) -> Result<Game, String> {
        let side = |text: &str| BoardSize::try_from(text.parse::<u8>().ok()?).ok();
        let board = self.parsed("board", side, "4, 6 or 8")?.unwrap_or(board);
        let start = |text: &str| {
            if text == "startpos" { Some(Position::start(board)) } else { text.parse().ok() }
        };
        let start: Position =
            self.parsed("start", start, "startpos, or a board and a side")?.unwrap_or(Position::start(board));
        let played = play_line(self.get("transcript"), start);
        let mut game = played.map_err(|error| format!("transcript: {error}"))?;
        let opening = play_line(self.get("opening"), start);
        let opening = opening.map_err(|error| format!("opening: {error}"))?;
        if !game.moves().zip(opening.moves()).all(|(played, opened)| played == opened)
            || opening.plies().len() > game.plies().len()
        {
            return Err("expected a transcript that begins with the opening".to_owned());
        }
        game.opening = opening.plies().len();
        let variant = |text: &str| text.parse::<Variant>().ok();
        let variant = self.parsed("variant", variant, "othello, reversed or historical")?;
        game.set_variant(variant).map_err(|what| format!("variant: {what}"))?;
        game.names = ByColor::new(self.get("black").to_owned(), self.get("white").to_owned());
        self.get("started").clone_into(&mut game.date);
        self.read_end(&mut game)?;
        if let (Some(number), Some(pair)) = (self.number("game")?, self.number("pair")?) {
            let seconds = self.parsed("seconds", |text| text.parse().ok(), "a number")?.unwrap_or(0.0);
            let round = self.number("round")?.unwrap_or(pair);
            game.tournament = Some(Box::new(TournamentInfo {
                game: number,
                pair,
                round,
                seconds,
                ..TournamentInfo::default()
            }));
        }
        Ok(game)
    }

    fn read_end(&self, game: &mut Game) -> Result<(), String> {
        let outcome = self.parsed("result", crate::results::parse_outcome, crate::results::OUTCOME_WORDS)?;
        let how = |text: &str| text.parse::<Termination>().ok();
        let how =
            self.parsed("termination", how, "one of the words for how a game ends, as normal or timeout")?;
        let score = |column| self.parsed(column, |text| text.parse::<u8>().ok(), "a number of discs");
        let score = score("black_score")?.zip(score("white_score")?);
        let score = score.map(|(black, white)| ByColor::new(black, white));
        match (outcome, score) {
            (Some(outcome), Some(score)) => {
                game.set_end(StatedResult::Score(score), how);
                if game.end.as_ref().is_some_and(|end| end.outcome != outcome) {
                    return Err(format!("expected a score that goes with the result {outcome}"));
                }
            }
            (Some(outcome), None) => game.set_end(StatedResult::Outcome(outcome), how),
            (None, Some(score)) => game.set_end(StatedResult::Score(score), how),
            (None, None) => game.set_end(StatedResult::Nothing, how),
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let read = self.read();
        self.failed = matches!(read, Err(ReadError::Io(_) | ReadError::BadFile(_)));
        read.transpose()
    }
}

/// Writes the header.
pub(super) fn write_header(out: &mut impl Write) -> Result<(), WriteError> {
    writeln!(out, "{}", COLUMNS.join(","))?;
    Ok(())
}

/// Writes one game as a row. For `number` see [`record_of`](super::jsonl::record_of).
pub(super) fn write(out: &mut impl Write, game: &Game, number: u64) -> Result<(), WriteError> {
    let info = game.tournament.as_deref();
    let count = |value: Option<u64>| value.unwrap_or(number).to_string();
    let empty = String::new;
    let (opening, all) = (game.moves().take(game.opening), game.moves());
    let transcript = |plies: Vec<rules::Ply>| rules::to_transcript(&plies);
    let end = game.end.as_ref();
    let said = |text: fn(&Game, &End) -> String| end.map_or_else(empty, |end| text(game, end));
    let score = end.map(|end| game.score_or_forfeit(end));
    let discs = game.last().disc_counts();
    let spent = spent(game);
    let fields = [
        info.map_or(2 * number, |info| info.game).to_string(),
        count(info.map(|info| info.pair)),
        count(info.map(|info| info.round)),
        game.names.black.clone(),
        game.names.white.clone(),
        transcript(opening.collect()),
        game.variant.to_string(),
        said(|_, end| end.outcome.to_string()),
        score.map_or_else(empty, |score| score.black.to_string()),
        score.map_or_else(empty, |score| score.white.to_string()),
        discs.black.to_string(),
        discs.white.to_string(),
        game.plies().len().to_string(),
        said(|_, end| end.termination.to_string()),
        said(|_, end| end.offender().map(|side| side.to_string()).unwrap_or_default()),
        spent.black.map_or_else(empty, milliseconds),
        spent.white.map_or_else(empty, milliseconds),
        transcript(all.collect()),
        game.date.clone(),
        info.map_or_else(empty, |info| info.seconds.to_string()),
        game.size().side().to_string(),
        if game.is_standard() { "startpos".to_owned() } else { game.start().to_string() },
    ];
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let row = writer.write_record(&fields).map_err(|error| WriteError::Cannot(error.to_string()));
    row?;
    let row = writer.into_inner().map_err(|error| WriteError::Cannot(error.to_string()))?;
    out.write_all(&row)?;
    Ok(())
}

/// The time that each side used, `None` if it is unknown for both.
fn spent(game: &Game) -> ByColor<Option<Duration>> {
    let mut spent = ByColor::default();
    for (side, played) in game.movers().skip(game.opening) {
        if let Some(time) = played.spent {
            let sum: &mut Option<Duration> = &mut spent[side];
            *sum = Some(sum.unwrap_or_default() + time);
        }
    }
    let any = Color::ALL.into_iter().any(|side| spent[side].is_some());
    spent.map(|time| if any { time.or(Some(Duration::ZERO)) } else { None })
}

/// Milliseconds with six decimals, so to the nanosecond.
fn milliseconds(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    format!("{}.{:06}", nanoseconds / 1_000_000, nanoseconds % 1_000_000)
}

/// True if a line is the header of a table of games.
pub(super) fn is_header(line: &str) -> bool {
    line.split(',').any(|field| field.trim().trim_matches('"').eq_ignore_ascii_case("transcript"))
}
