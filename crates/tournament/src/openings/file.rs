//! Openings from a file: transcripts, one a line, or games and positions in any other format.

use std::collections::HashMap;

use rand::seq::SliceRandom as _;
use records::formats::transcript::play_line;
use records::formats::{Format, Game, Place, ReadError, Settings, read};
use rules::{Ply, Position, PositionKey};
use thiserror::Error;

use super::Opening;
use crate::definition::OpeningOrder;
use crate::seeds::{Purpose, stream};

/// What is wrong with a file of openings, at the first place where something is.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpeningFileError {
    /// A line that can't be played, or plays on after the end.
    #[error("{message}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A game that can't be played from, in a format that has no lines; or a file that can't be read at all.
    #[error("{0}")]
    Game(String),
    /// Nothing but comments and blank lines.
    #[error("the file holds no opening")]
    Empty,
}

/// The openings of a file, in its order or shuffled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOpenings {
    openings: Vec<Opening>,
    /// For each line (of transcripts) or game (of other formats) that leads, up to symmetry, to where an earlier one
    /// leads: the numbers of both, from 1.
    repeats: Vec<(usize, usize)>,
}

/// Openings while they are read.
#[derive(Default)]
struct Collected {
    openings: Vec<Opening>,
    repeats: Vec<(usize, usize)>,
    seen: HashMap<PositionKey, usize>,
}

impl Collected {
    /// Adds the first plies of a game, all of them unless its format knows where the opening ends.
    fn add(&mut self, number: usize, game: &Game, plies: usize) -> Result<(), String> {
        let plies: Vec<Ply> = game.moves().take(plies).collect();
        let line = rules::replay(game.start(), plies).map_err(|error| error.to_string())?;
        let position = line.position();
        if position.is_over() {
            return Err(format!("game is already over after ply {}", line.plies().len()));
        }
        match self.seen.get(&position.canonical()) {
            Some(&first) => self.repeats.push((number, first)),
            None => {
                self.seen.insert(position.canonical(), number);
            }
        }
        self.openings.push(Opening {
            start: game.start(),
            plies: line.into_plies(),
            position,
            repeated: false,
        });
        Ok(())
    }

    fn finish(self) -> Result<FileOpenings, OpeningFileError> {
        if self.openings.is_empty() {
            return Err(OpeningFileError::Empty);
        }
        Ok(FileOpenings { openings: self.openings, repeats: self.repeats })
    }
}

impl FileOpenings {
    /// Reads transcripts, one a line: squares in either case, joined or separated by blanks or
    /// commas; forced passes written (`pass`, `pa`, `ps`, `--`) or left out. `#` begins a comment, `;`
    /// and a tab behind the moves begin a remark. A byte order mark and line ends of either kind
    /// are taken.
    ///
    /// # Errors
    /// [`OpeningFileError`] at the first line that is wrong, or if there is no opening at all.
    pub fn parse(text: &str, start: Position) -> Result<Self, OpeningFileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut found = Collected::default();
        for (index, line) in text.lines().enumerate() {
            let read = play_line(line, start).map_err(|error| error.to_string());
            let added = read.and_then(|game| match game.plies() {
                [] => Ok(()),
                _ => found.add(index + 1, &game, usize::MAX),
            });
            added.map_err(|message| OpeningFileError::Line { line: index + 1, message })?;
        }
        found.finish()
    }

    /// Reads games and positions in another format, on a board like that of `start`. They keep their own starts. Of
    /// a game that knows its opening (in our records and tables) that is taken, of others every ply.
    ///
    /// # Errors
    /// [`OpeningFileError`] at the first game that is wrong, or if there is none at all.
    pub fn read(
        format: Format,
        bytes: &[u8],
        settings: &Settings,
        start: Position,
    ) -> Result<Self, OpeningFileError> {
        let mut found = Collected::default();
        for (index, item) in read(format, bytes, settings).map_err(misread)?.enumerate() {
            let number = index + 1;
            let game = item.map_err(misread)?.into_game();
            let wrong = |message: String| OpeningFileError::Game(format!("game {number}: {message}"));
            if game.size() != start.size() {
                return Err(wrong(format!("it is on {}, this tournament on {}", game.size(), start.size())));
            }
            let plies = if game.opening > 0 { game.opening } else { usize::MAX };
            found.add(number, &game, plies).map_err(wrong)?;
        }
        found.finish()
    }

    /// A list that was made: lines from one start, none of which ends the game.
    #[must_use]
    pub fn from_lines(start: Position, lines: Vec<(Vec<Ply>, Position)>) -> Self {
        let opening = |(plies, position)| Opening { start, plies, position, repeated: false };
        Self::from_openings(lines.into_iter().map(opening).collect())
    }

    /// A list of openings that were chosen.
    #[must_use]
    pub fn from_openings(openings: Vec<Opening>) -> Self {
        Self { openings, repeats: Vec::new() }
    }

    /// The positions that they begin from, each once.
    #[must_use]
    pub fn starts(&self) -> Vec<Position> {
        let mut starts: Vec<Position> = Vec::new();
        for line in &self.openings {
            if !starts.contains(&line.start) {
                starts.push(line.start);
            }
        }
        starts
    }

    /// The same openings in the order that is asked for.
    #[must_use]
    pub fn in_order(mut self, order: OpeningOrder, seed: u64) -> Self {
        if order == OpeningOrder::Random {
            self.openings.shuffle(&mut stream(seed, Purpose::Order, 0));
        }
        self
    }

    /// How many openings there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Never: a file without openings is refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// Lines that lead, up to symmetry, to the position of an earlier line: each with that line.
    #[must_use]
    pub fn repeats(&self) -> &[(usize, usize)] {
        &self.repeats
    }

    pub(super) fn get(&self, number: u64) -> Opening {
        let count = self.openings.len() as u64;
        let index = usize::try_from(number % count).unwrap_or(0);
        Opening { repeated: number >= count, ..self.openings[index].clone() }
    }
}

/// Where a file of another format can't be read.
fn misread(error: ReadError) -> OpeningFileError {
    match error {
        ReadError::Io(error) => OpeningFileError::Game(error.to_string()),
        ReadError::Bad(fault) | ReadError::Useless(fault) => match fault.place {
            Place::Text { line, column } => OpeningFileError::Line {
                line: usize::try_from(line).unwrap_or(usize::MAX),
                message: format!("column {column}: {}", fault.what),
            },
            Place::Record { .. } => OpeningFileError::Game(fault.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{BoardSize, Color};

    fn parse(text: &str) -> Result<FileOpenings, OpeningFileError> {
        FileOpenings::parse(text, Position::start(BoardSize::Eight))
    }

    fn error(text: &str) -> (usize, String) {
        match parse(text) {
            Err(OpeningFileError::Line { line, message }) => (line, message),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messy_lines_are_read() {
        let text = "\u{feff}# comment\r\nf5 d6 c6\r\n\r\nF5F6E6D6 # behind\n\tf5,  d6,c3\nf5d6 ; +2\nf5f4\t-3.5 remark\n \nf5 f6 e6";
        let openings = parse(text).expect("six openings");
        let lengths: Vec<usize> = openings.openings.iter().map(|line| line.plies.len()).collect();
        assert_eq!(lengths, [3, 4, 3, 2, 2, 3]);
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        let text = "f5 f6 d3 g5 h5 h4 f7 h6 pass e7\nf5f6d3g5h5h4f7h6e7\nf5 f6 d3 g5 h5 h4 f7 h6 -- e7\nf5 f6 d3 g5 h5 h4 f7 h6";
        let openings = parse(text).expect("four openings");
        let (first, rest) = openings.openings.split_first().expect("four");
        assert_eq!((first.plies.len(), first.position.side_to_move()), (10, Color::Black));
        assert_eq!([&rest[0], &rest[1]], [first, first]);
        assert_eq!(rest[2].plies.len(), 8);
        assert_eq!(openings.repeats(), [(2, 1), (3, 1)]);
    }

    #[test]
    fn a_wrong_line_is_named_with_its_place() {
        let (line, message) = error("f5\n# x\nf5 d6\nf5 d6 c3 d3 a1\n");
        assert_eq!(line, 4);
        assert!(message.contains("ply 5") && message.contains("a1"), "{message}");
        assert_eq!(error("f5 pass").0, 1);
        assert!(error("f5 hello").1.contains("hello"));
        assert!(error("d3c3b3d2e1d6d7e3f4").1.contains("already over"));
        assert_eq!(parse("# nothing\n\n"), Err(OpeningFileError::Empty));
        assert_eq!(parse(""), Err(OpeningFileError::Empty));
    }

    #[test]
    fn repeats_are_found_under_symmetry_and_the_order_is_seeded() {
        let openings = parse("f5d6\nf5f4\nd3c5\ne6f4\nf5f6").expect("five");
        assert_eq!(openings.repeats().len(), 2, "{:?}", openings.repeats());
        let shuffled = |seed| openings.clone().in_order(OpeningOrder::Random, seed);
        assert_eq!(shuffled(1), shuffled(1));
        assert!((1..20).any(|seed| shuffled(seed) != openings));
        assert!(openings.get(7).repeated && openings.get(7).plies == openings.get(2).plies);
    }

    #[test]
    fn other_formats_keep_their_starts() {
        let start = Position::start(BoardSize::Eight);
        let read =
            |format, text: &str| FileOpenings::read(format, text.as_bytes(), &Settings::default(), start);
        let board = "------------O-------O-----XXOO-----XOO-------O------------------ X";
        let positions = read(Format::Obf, &format!("{board}; F2:+2;\n")).expect("a position");
        assert_eq!(positions.get(0).start.to_string(), board);
        assert_eq!(positions.get(0).plies, []);
        let games = read(Format::Ggf, "(;GM[Othello]TY[8]B[F5]W[D6];)\n(;GM[Othello]TY[8]B[D3]W[C5];)")
            .expect("games");
        assert_eq!((games.len(), games.repeats()), (2, &[(2, 1)][..]));
        let error = |format, text: &str| read(format, text).expect_err("refused").to_string();
        assert_eq!(
            error(Format::Ggf, "(;GM[Othello]TY[8]B[F5]W[A1];)"),
            "column 26: ply 2: a1 outflanks nothing"
        );
        assert_eq!(
            error(Format::Ggf, "(;GM[Othello]TY[6];)"),
            "game 1: it is on 6x6, this tournament on 8x8"
        );
        let over = "(;GM[2];B[d3];W[c3];B[b3];W[d2];B[e1];W[d6];B[d7];W[e3];B[f4])";
        assert_eq!(error(Format::Sgf, over), "game 1: game is already over after ply 9");
        assert_eq!(error(Format::Pgn, ""), "the file holds no opening");
        let table = "opening,transcript\nf5d6,f5d6c3d3\n";
        assert_eq!(read(Format::Csv, table).expect("a game").get(0).plies.len(), 2, "the opening only");
        assert_eq!(read(Format::Csv, "transcript\nf5d6c3d3\n").expect("a game").get(0).plies.len(), 4);
    }
}
