//! Writing games to a `.wtb` file, and the tables of names that they refer to.

use std::io::{self, Seek, SeekFrom, Write};

use rules::{BoardSize, Empties, Turn, Variant};

use super::super::date::Day;
use super::super::error::WriteError;
use super::super::game::Game;
use super::super::game_end::End;
use super::{GAME, Header, MOVES, Tables};
use crate::verdict::Termination;

/// Writes a `.wtb` file. Its header gets the number of games at the end.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    header: Header,
    tables: Tables,
    games: u32,
}

impl<W: Write + Seek> Writer<W> {
    /// Begins a file. Date, year and depth are those of `header`; a year of 0 becomes that of the first game. New names are
    /// added to `tables`.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn new(mut out: W, header: Header, tables: Tables) -> io::Result<Self> {
        out.write_all(&header.bytes())?;
        Ok(Self { out, header, tables, games: 0 })
    }

    /// Writes a game.
    ///
    /// # Errors
    /// [`WriteError::Cannot`] for a game that is not Othello on 8x8 from the standard start, has no result, or is of
    /// another year than the games before.
    pub fn write(&mut self, game: &Game) -> Result<(), WriteError> {
        let cannot = |what: &str| Err(WriteError::Cannot(what.to_owned()));
        if game.size() != BoardSize::Eight || !game.is_standard() || game.variant != Variant::Othello {
            return cannot("WTHOR holds Othello on 8x8 from the usual start only");
        }
        let year = Day::parse_start(&game.date).map_or(0, |day| day.year);
        let first = self.header.year;
        if year != 0 && first != 0 && year != first {
            return Err(WriteError::Cannot(format!(
                "a WTHOR file holds the games of one year, {first} here, not {year}"
            )));
        }
        let entry = game.wthor.as_deref();
        let score = match (&game.end, entry) {
            (Some(end), _) => black_discs(game, end, entry.is_some()),
            (None, Some(entry)) => entry.score,
            (None, None) => return cannot("WTHOR holds games with a result only"),
        };
        let Tables { players, tournaments } = &mut self.tables;
        let black = players.number_for(entry.map(|entry| entry.black), &game.names.black);
        let black = black.map_err(WriteError::Cannot)?;
        let white = players.number_for(entry.map(|entry| entry.white), &game.names.white);
        let white = white.map_err(WriteError::Cannot)?;
        let tournament = tournaments.number_for(entry.map(|entry| entry.tournament), &game.event);
        let tournament = tournament.map_err(WriteError::Cannot)?;
        let mut bytes = [0; GAME];
        bytes[0..2].copy_from_slice(&tournament.to_le_bytes());
        bytes[2..4].copy_from_slice(&black.to_le_bytes());
        bytes[4..6].copy_from_slice(&white.to_le_bytes());
        bytes[6] = score;
        bytes[7] = entry.map_or(score, |entry| entry.theoretical);
        let squares = game.moves().filter_map(rules::Ply::square).take(MOVES);
        for (byte, square) in bytes[GAME - MOVES..].iter_mut().zip(squares) {
            *byte = 10 * (square.row() + 1) + square.column() + 1;
        }
        self.out.write_all(&bytes)?;
        self.games += 1;
        // The year of a game that was refused does not count.
        if self.header.year == 0 {
            self.header.year = year;
        }
        Ok(())
    }

    /// Completes the header. Returns the writer and the tables of names.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> io::Result<(W, Tables)> {
        self.header.games = self.games;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&self.header.bytes())?;
        self.out.flush()?;
        Ok((self.out, self.tables))
    }
}

/// The byte of the score. A score read from WTHOR is kept, even if it does not count empty squares.
fn black_discs(game: &Game, end: &End, as_it_was: bool) -> u8 {
    if let (Termination::Normal, false, Turn::Over(score)) = (end.termination, as_it_was, game.last().turn())
    {
        return score.score(Empties::Winner).black;
    }
    game.score_or_forfeit(end).black
}

#[cfg(test)]
mod tests {
    use super::super::Reader;
    use super::*;
    use crate::verdict::{Outcome, Verdict};
    use rules::{Color, Position};

    #[test]
    fn a_game_that_is_left_out_does_not_say_the_year() {
        let mut game = Game::new(Position::start(BoardSize::Eight));
        game.push("f5".parse::<rules::Ply>().expect("f5").into()).expect("legal");
        game.date = "1999".to_owned();
        let mut writer = Writer::new(io::Cursor::new(Vec::new()), Header::default(), Tables::default())
            .expect("to memory");
        assert!(matches!(writer.write(&game), Err(WriteError::Cannot(_))), "it has no result");
        game.date = "2001-05-06".to_owned();
        game.end = Some(End {
            outcome: Outcome::Win(Color::Black),
            score: Some(Verdict::by_forfeit(Color::White, game.variant, game.size()).score),
            termination: Termination::Resigned,
            detail: None,
        });
        writer.write(&game).expect("it can be written");
        game.date = "1999".to_owned();
        let error = writer.write(&game).expect_err("of another year").to_string();
        assert_eq!(error, "a WTHOR file holds the games of one year, 2001 here, not 1999");
        let bytes = writer.finish().expect("to memory").0.into_inner();
        let reader = Reader::new(&bytes[..], Tables::default()).expect("a header");
        assert_eq!((reader.header().year, reader.count()), (2001, 1));
    }
}
