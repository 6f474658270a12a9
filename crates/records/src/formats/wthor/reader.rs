//! Reading games from a `.wtb` file.

use std::io::{self, BufRead};

use rules::{BoardSize, ByColor, Ply, Position, Square};

use super::super::error::{ParseError, Place, ReadError};
use super::super::game::{Game, Item, WthorEntry};
use super::super::game_end::StatedResult;
use super::{GAME, HEADER, Header, MOVES, Tables};

/// The games of a year, read one by one.
#[derive(Debug)]
pub struct Reader<R> {
    reader: R,
    header: Header,
    tables: Tables,
    /// The number of games read so far.
    number: u64,
    done: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`ReadError::BadFile`] if the file is too short for a header, holds problems, or is for another board than 8x8.
    pub fn new(mut reader: R, tables: Tables) -> Result<Self, ReadError> {
        let mut bytes = [0; HEADER];
        let useless = |byte, what: String| {
            ReadError::BadFile(ParseError { place: Place::Record { number: 0, byte }, what })
        };
        reader.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => useless(0, format!("expected {HEADER} bytes of header")),
            _ => ReadError::Io(error),
        })?;
        let header = Header::parse(&bytes);
        match header {
            Header { board: 0 | 8, problems: 0, .. } => {}
            Header { board: 0 | 8, .. } => return Err(useless(13, "expected games, found problems".into())),
            Header { board, .. } => {
                return Err(useless(12, format!("expected a board of 8x8, found one of {board}x{board}")));
            }
        }
        Ok(Self { reader, header, tables, number: 0, done: false })
    }

    #[must_use]
    pub fn header(&self) -> Header {
        self.header
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        if self.done {
            return Ok(None);
        }
        let announced = u64::from(self.header.games);
        if self.number == announced {
            self.done = true;
            return match self.reader.fill_buf()? {
                [] => Ok(None),
                _ => Err(self.bad(
                    self.number,
                    0,
                    format!("expected {announced} games, as the header says, found more"),
                )),
            };
        }
        let mut bytes = [0; GAME];
        if let Err(error) = self.reader.read_exact(&mut bytes) {
            self.done = true;
            return Err(match error.kind() {
                io::ErrorKind::UnexpectedEof => self.bad(
                    self.number,
                    0,
                    format!("expected {announced} games, as the header says, found the end"),
                ),
                _ => ReadError::Io(error),
            });
        }
        self.number += 1;
        let game = self.game(&bytes).map_err(|(at, what)| self.bad(self.number - 1, at, what))?;
        Ok(Some(Item::Game(game)))
    }

    /// An error at the byte `at` of the game that has `before` games before it.
    fn bad(&self, before: u64, at: usize, what: String) -> ReadError {
        let byte = HEADER as u64 + before * GAME as u64 + at as u64;
        ReadError::BadItem(ParseError { place: Place::Record { number: before + 1, byte }, what })
    }

    fn game(&self, bytes: &[u8; GAME]) -> Result<Game, (usize, String)> {
        let [t0, t1, b0, b1, w0, w1, score, theoretical, moves @ ..] = bytes;
        let moves: &[u8; MOVES] = moves;
        let number = |low: &u8, high: &u8| u16::from_le_bytes([*low, *high]);
        let (tournament, black, white) = (number(t0, t1), number(b0, b1), number(w0, w1));
        let mut game = Game::new(Position::start(BoardSize::Eight));
        let played = moves.iter().take_while(|&&byte| byte != 0).count();
        for (index, &byte) in moves.iter().enumerate() {
            let at = HEADER / 2 + index;
            if index >= played {
                if byte != 0 {
                    return Err((at, format!("expected 0 behind the last move, found {byte}")));
                }
                continue;
            }
            let square = Square::new((byte % 10).wrapping_sub(1), (byte / 10).wrapping_sub(1));
            let square =
                square.ok_or_else(|| (at, format!("expected a move, 10 * row + column, found {byte}")))?;
            let pushed = game.push(Ply::Place(square).into());
            pushed.map_err(|why| (at, format!("ply {}: {why}", game.plies().len() + 1)))?;
        }
        // Number 0 is the unknown player.
        let player = |number: u16| if number == 0 { None } else { self.tables.players.get(number) };
        game.names = ByColor::new(black, white).map(|number| player(number).unwrap_or_default());
        game.event = self.tables.tournaments.get(tournament).filter(|_| tournament != 0).unwrap_or_default();
        if self.header.year != 0 {
            game.date = self.header.year.to_string();
        }
        if let Some(rest) = 64u8.checked_sub(*score) {
            let stated = ByColor::new(*score, rest);
            let bare = game.last().disc_counts();
            // In a few games the score is the discs on the board, without the empty squares.
            let is_bare = game.last().is_over() && stated != by_rule(&game) && bare.black == *score;
            game.set_end(StatedResult::Score(if is_bare { bare } else { stated }), None);
        }
        game.wthor =
            Some(Box::new(WthorEntry { tournament, black, white, score: *score, theoretical: *theoretical }));
        Ok(game)
    }
}

/// The score of a finished game with empty squares for the winner.
fn by_rule(game: &Game) -> ByColor<u8> {
    match game.last().turn() {
        rules::Turn::Over(score) => score.score(rules::Empties::Winner),
        _ => ByColor::default(),
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
