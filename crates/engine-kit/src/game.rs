//! The game so far, from `position` lines.

use protocol::ugi::StartPosition;
use rules::{Ply, Position, Turn};

use crate::Settings;

/// A game and its current position. If a `position` line continues the last one, only the new plies are
/// played.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    /// The text of the start position; `None` for `startpos`.
    board: Option<String>,
    start: Position,
    /// The text of the plies.
    moves: String,
    position: Position,
}

impl Game {
    /// A game from the start position of the settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        let start = settings.start();
        Self { board: None, start, moves: String::new(), position: start }
    }

    /// The current position.
    pub(crate) fn position(&self) -> Position {
        self.position
    }

    /// Applies a `position` line.
    ///
    /// # Errors
    /// A message that says what is wrong with the line; the game stays unchanged.
    pub(crate) fn set(
        &mut self,
        start: StartPosition<'_>,
        moves: &str,
        settings: &Settings,
    ) -> Result<(), String> {
        let moves = moves.trim_ascii();
        if self.starts_from(start, settings)
            && let Some(more) = moves.strip_prefix(self.moves.as_str())
            && (more.is_empty()
                || self.moves.is_empty()
                || more.starts_with(|c: char| c.is_ascii_whitespace()))
        {
            self.position = play_moves(self.position, more)?;
            self.moves.push_str(more);
            return Ok(());
        }
        let (board, start) = parse_start(start, settings)?;
        let position = play_moves(start, moves)?;
        *self = Self { board, start, moves: moves.to_owned(), position };
        Ok(())
    }

    fn starts_from(&self, start: StartPosition<'_>, settings: &Settings) -> bool {
        match (start, &self.board) {
            (StartPosition::Standard, None) => self.start == settings.start(),
            (StartPosition::Board { board, side }, Some(known)) => {
                known.strip_prefix(board).is_some_and(|rest| rest.trim_ascii_start() == side)
            }
            _ => false,
        }
    }
}

fn parse_start(start: StartPosition<'_>, settings: &Settings) -> Result<(Option<String>, Position), String> {
    match start {
        StartPosition::Standard => Ok((None, settings.start())),
        StartPosition::Board { board, side } => {
            let position = Position::parse(board, side).map_err(|error| error.to_string())?;
            if !settings.plays_on(position.size()) {
                return Err(format!("this engine does not play on {}", position.size()));
            }
            if !settings.variant().allows(position) {
                return Err("the centre is not full: only in the historical game".to_owned());
            }
            Ok((Some(format!("{board} {side}")), position))
        }
    }
}

/// Plays a list of plies, in which forced passes may be omitted.
fn play_moves(start: Position, moves: &str) -> Result<Position, String> {
    moves.split_ascii_whitespace().try_fold(start, |mut position, word| {
        let ply: Ply = word.parse().map_err(|error| format!("{error}"))?;
        if let (Ply::Place(_), Turn::Pass(pass)) = (ply, position.turn()) {
            position = position.after_pass(pass);
        }
        position.play(ply).map_err(|error| format!("illegal move: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    const FORCED: &str = "d3 c3 b3 b2 f5 a3 a1 c1";

    fn settings() -> Settings {
        Settings::new(Options::new().board_size())
    }

    #[test]
    fn a_game_goes_on_where_it_stood() {
        let settings = settings();
        let mut game = Game::new(&settings);
        let mut list = String::new();
        let mut expected = game.position();
        for word in "f5 d6 c3 d3 c4".split(' ') {
            list = format!("{list} {word}");
            expected = expected.play(word.parse().unwrap()).unwrap();
            assert_eq!(game.set(StartPosition::Standard, &list, &settings), Ok(()));
            assert_eq!(game.position(), expected);
        }
        assert_eq!(game.moves, "f5 d6 c3 d3 c4");
        // Another game that merely begins with the same letters, a shorter one, none at all.
        assert!(game.set(StartPosition::Standard, "f5 d6 c3 d3 c44", &settings).is_err());
        assert_eq!(game.position(), expected, "unchanged");
        game.set(StartPosition::Standard, "f5 d6", &settings).unwrap();
        assert_eq!(game.position().disc_counts().black, 3);
        game.set(StartPosition::Standard, "", &settings).unwrap();
        assert_eq!(game.position(), Position::start(rules::BoardSize::Eight));
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        let settings = settings();
        let mut with = Game::new(&settings);
        with.set(StartPosition::Standard, &format!("{FORCED} pass"), &settings).unwrap();
        let Turn::Place(moves) = with.position().turn() else { panic!("white passed, black can move") };
        let next = moves.first();
        with.set(StartPosition::Standard, &format!("{FORCED} pass {next}"), &settings).unwrap();
        let mut without = Game::new(&settings);
        without.set(StartPosition::Standard, &format!("{FORCED} {next}"), &settings).unwrap();
        assert_eq!(with.position(), without.position());
    }

    #[test]
    fn boards_are_read_and_kept_apart() {
        let settings = settings();
        let mut game = Game::new(&settings);
        let board = "-".repeat(27) + "OX" + &"-".repeat(6) + "XO" + &"-".repeat(27);
        let start = StartPosition::Board { board: &board, side: "X" };
        game.set(start, "f5", &settings).unwrap();
        game.set(start, "f5 d6", &settings).unwrap();
        assert_eq!(game.moves, "f5 d6");
        game.set(StartPosition::Board { board: &board, side: "O" }, "c5", &settings).unwrap();
        assert!(game.set(StartPosition::Board { board: "XO-", side: "O" }, "", &settings).is_err());
        let small = Position::start(rules::BoardSize::Four).to_string();
        let (board, side) = small.split_once(' ').unwrap();
        game.set(StartPosition::Board { board, side }, "", &settings).unwrap();
        assert_eq!(game.position().size(), rules::BoardSize::Four);
        let only_eight = Settings::new(Options::new());
        let error = game.set(StartPosition::Board { board, side }, "", &only_eight);
        assert!(error.is_ok(), "the same board as before is not read again");
        let error = Game::new(&only_eight).set(StartPosition::Board { board, side }, "", &only_eight);
        assert_eq!(error, Err("this engine does not play on 4x4".to_owned()));
    }
}
