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

/// The first error in a file of openings.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpeningFileError {
    /// A line with an illegal ply, or with plies after the end of the game.
    #[error("{message}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A wrong game in a format without lines, or a file that can't be read at all.
    #[error("{0}")]
    Game(String),
    /// Nothing but comments and blank lines.
    #[error("the file holds no opening")]
    Empty,
    /// No game is long enough.
    #[error("none of its {games} games goes on after ply {plies}; use fewer plies")]
    AllShort {
        /// The number of games in the file.
        games: usize,
        /// The number of plies of an opening.
        plies: u32,
    },
}

/// The openings of a file, in its order or shuffled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOpenings {
    openings: Vec<Opening>,
    /// Lines (of transcripts) or games (of other formats) that lead to the same position as an earlier one, up to
    /// symmetry: the numbers of both, from 1.
    repeats: Vec<(usize, usize)>,
    /// Games that gave no opening.
    left_out: LeftOut,
}

/// Numbers of games that gave no opening, if openings are the first plies of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Games with fewer plies, or over by then.
    pub short: usize,
    /// Games that lead to the same position as an earlier one, up to symmetry.
    pub repeated: usize,
}

/// Openings while a file is read.
#[derive(Default)]
struct Collected {
    openings: Vec<Opening>,
    repeats: Vec<(usize, usize)>,
    seen: HashMap<PositionKey, usize>,
    left_out: LeftOut,
    /// The number of plies to take from each game.
    wanted: Option<u32>,
}

impl Collected {
    fn new(wanted: Option<u32>) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// Adds the first plies of a game: `wanted` plies, else up to the end of the opening as its format marks it,
    /// else all plies.
    fn add(&mut self, number: usize, game: &Game) -> Result<(), String> {
        let most = match self.wanted {
            Some(wanted) => wanted as usize,
            None if game.opening > 0 => game.opening,
            None => usize::MAX,
        };
        let plies: Vec<Ply> = game.moves().take(most).collect();
        let short = self.wanted.is_some() && plies.len() < most;
        let line = rules::replay(game.start(), plies).map_err(|error| error.to_string())?;
        let position = line.position();
        if self.wanted.is_some() && (short || position.is_over()) {
            self.left_out.short += 1;
            return Ok(());
        }
        if position.is_over() {
            return Err(format!(
                "game is already over after ply {}; use plies = 8 (or :plies=8 behind the file's name on the \
                 command line) to take the first 8 plies of each game",
                line.plies().len()
            ));
        }
        match self.seen.get(&position.canonical()) {
            Some(_) if self.wanted.is_some() => {
                self.left_out.repeated += 1;
                return Ok(());
            }
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
        match (self.openings.is_empty(), self.wanted) {
            (false, _) => {}
            (true, Some(plies)) if self.left_out.short > 0 => {
                return Err(OpeningFileError::AllShort { games: self.left_out.short, plies });
            }
            (true, _) => return Err(OpeningFileError::Empty),
        }
        Ok(FileOpenings { openings: self.openings, repeats: self.repeats, left_out: self.left_out })
    }
}

impl FileOpenings {
    /// Reads transcripts, one a line: squares in either case, joined or separated by blanks or
    /// commas; forced passes written (`pass`, `pa`, `ps`, `--`) or left out. `#` begins a comment, `;`
    /// and a tab behind the moves begin a remark. A byte order mark and both kinds of line ends are accepted. With
    /// `plies` the opening is the first `plies` plies of a line, passes counted. Then lines are left out that are
    /// shorter, are over by then, or lead to the same position as an earlier one.
    ///
    /// # Errors
    /// [`OpeningFileError`] for the first line that is wrong, or if there is no opening.
    pub fn parse(text: &str, start: Position, plies: Option<u32>) -> Result<Self, OpeningFileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut found = Collected::new(plies);
        for (index, line) in text.lines().enumerate() {
            let read = play_line(line, start).map_err(|error| error.to_string());
            let added = read.and_then(|game| match game.plies() {
                [] => Ok(()),
                _ => found.add(index + 1, &game),
            });
            added.map_err(|message| OpeningFileError::Line { line: index + 1, message })?;
        }
        found.finish()
    }

    /// Reads games and positions in another format, on a board of the size of `start`. They keep their own starts.
    /// The opening of a game is the one that its file marks (our records and tables do), else every ply. `plies` is
    /// as in [`parse`](Self::parse), and overrides the mark.
    ///
    /// # Errors
    /// [`OpeningFileError`] for the first game that is wrong, or if there is none.
    pub fn read(
        format: Format,
        bytes: &[u8],
        settings: &Settings,
        start: Position,
        plies: Option<u32>,
    ) -> Result<Self, OpeningFileError> {
        let mut found = Collected::new(plies);
        for (index, item) in read(format, bytes, settings).map_err(misread)?.enumerate() {
            let number = index + 1;
            let game = item.map_err(misread)?.into_game();
            let wrong = |message: String| OpeningFileError::Game(format!("game {number}: {message}"));
            if game.size() != start.size() {
                return Err(wrong(format!("it is on {}, this tournament on {}", game.size(), start.size())));
            }
            found.add(number, &game).map_err(wrong)?;
        }
        found.finish()
    }

    /// Openings from lines with one start. No line may end the game.
    #[must_use]
    pub fn from_lines(start: Position, lines: Vec<(Vec<Ply>, Position)>) -> Self {
        let opening = |(plies, position)| Opening { start, plies, position, repeated: false };
        Self::from_openings(lines.into_iter().map(opening).collect())
    }

    /// Openings from a list.
    #[must_use]
    pub fn from_openings(openings: Vec<Opening>) -> Self {
        Self { openings, repeats: Vec::new(), left_out: LeftOut::default() }
    }

    /// The start positions, each once.
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

    /// The same openings in this order.
    #[must_use]
    pub fn in_order(mut self, order: OpeningOrder, seed: u64) -> Self {
        if order == OpeningOrder::Random {
            self.openings.shuffle(&mut stream(seed, Purpose::Order, 0));
        }
        self
    }

    /// The number of openings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Never true: a file without openings is refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// Lines that lead to the same position as an earlier line, up to symmetry: the numbers of both.
    #[must_use]
    pub fn repeats(&self) -> &[(usize, usize)] {
        &self.repeats
    }

    /// Numbers of games that gave no opening.
    #[must_use]
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    pub(super) fn get(&self, number: u64) -> Opening {
        let count = self.openings.len() as u64;
        let index = usize::try_from(number % count).unwrap_or(0);
        Opening { repeated: number >= count, ..self.openings[index].clone() }
    }
}

/// The same error as an [`OpeningFileError`].
fn misread(error: ReadError) -> OpeningFileError {
    match error {
        ReadError::Io(error) => OpeningFileError::Game(error.to_string()),
        ReadError::BadItem(fault) | ReadError::BadFile(fault) => match fault.place {
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
        FileOpenings::parse(text, Position::start(BoardSize::Eight), None)
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
        let read = |format, text: &str| {
            FileOpenings::read(format, text.as_bytes(), &Settings::default(), start, None)
        };
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
        let told = error(Format::Sgf, over);
        assert!(told.starts_with("game 1: game is already over after ply 9; use plies = 8"), "{told}");
        assert_eq!(error(Format::Pgn, ""), "the file holds no opening");
        let table = "opening,transcript\nf5d6,f5d6c3d3\n";
        assert_eq!(read(Format::Csv, table).expect("a game").get(0).plies.len(), 2, "the opening only");
        assert_eq!(read(Format::Csv, "transcript\nf5d6c3d3\n").expect("a game").get(0).plies.len(), 4);
    }

    #[test]
    fn the_first_plies_of_whole_games() {
        let start = Position::start(BoardSize::Eight);
        let of = |text: &str, plies| FileOpenings::parse(text, start, Some(plies));
        // The second leads where the first leads, the third is over after ply 9, the last ends before.
        let text = "d3c3b3d2e1d6d7\ne6f6g6e7d8\nd3c3b3d2e1d6d7e3f4\nf5d6\n";
        let four = of(text, 4).expect("openings");
        let mut lines = (0..four.len() as u64).map(|number| rules::to_transcript(&four.get(number).plies));
        assert_eq!(lines.next().as_deref(), Some("d3c3b3d2"));
        assert_eq!(four.left_out().short, 1);
        assert_eq!(four.left_out().repeated + four.len() + four.left_out().short, 4);
        assert_eq!(four.repeats(), []);
        let nine = of(text, 9).expect_err("over");
        assert_eq!(nine.to_string(), "none of its 4 games goes on after ply 9; use fewer plies");
        assert_eq!(of("# nothing\n", 9), Err(OpeningFileError::Empty));
        assert!(matches!(of("f5d6\nf5a1\n", 1), Err(OpeningFileError::Line { line: 2, .. })));
        // Passes count, written or not.
        let passing = "f5 f6 d3 g5 h5 h4 f7 h6 e7\n";
        assert_eq!(of(passing, 9).expect("a pass").get(0).plies.last(), Some(&Ply::Pass));
        // The opening that the table marks does not count: `plies` is given.
        let read = |format, text: &str, plies| {
            FileOpenings::read(format, text.as_bytes(), &Settings::default(), start, Some(plies))
        };
        let table = "opening,transcript\nf5d6,f5d6c3d3\n";
        assert_eq!(read(Format::Csv, table, 3).expect("a game").get(0).plies.len(), 3);
        let over = "(;GM[2];B[d3];W[c3];B[b3];W[d2];B[e1];W[d6];B[d7];W[e3];B[f4])";
        assert_eq!(read(Format::Sgf, over, 8).expect("a game").get(0).plies.len(), 8);
    }
}
