//! Openings from a file: one transcript a line.

use std::collections::HashMap;

use rand::seq::SliceRandom as _;
use rules::{Ply, Position, PositionKey, parse_plies, replay};
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
    /// Nothing but comments and blank lines.
    #[error("the file holds no opening")]
    Empty,
}

/// The openings of a file, in its order or shuffled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOpenings {
    openings: Vec<(Vec<Ply>, Position)>,
    /// For each line number that leads, up to symmetry, to where an earlier one leads: both.
    repeats: Vec<(usize, usize)>,
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
        let mut found = Self { openings: Vec::new(), repeats: Vec::new() };
        let mut seen: HashMap<PositionKey, usize> = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            let moves = without_remarks(line);
            if moves.is_empty() {
                continue;
            }
            let (plies, position) = read_line(moves, start)
                .map_err(|message| OpeningFileError::Line { line: index + 1, message })?;
            match seen.get(&position.canonical()) {
                Some(&first) => found.repeats.push((index + 1, first)),
                None => {
                    seen.insert(position.canonical(), index + 1);
                }
            }
            found.openings.push((plies, position));
        }
        if found.openings.is_empty() { Err(OpeningFileError::Empty) } else { Ok(found) }
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
        let (plies, position) = self.openings[index].clone();
        Opening { plies, position, repeated: number >= count }
    }
}

/// The moves of a line, without comment, remark and white space around them. A tab in front is
/// white space; one behind moves begins a remark unless more moves follow.
fn without_remarks(line: &str) -> &str {
    let cut = line.find(['#', ';']).unwrap_or(line.len());
    line[..cut].trim()
}

fn read_line(moves: &str, start: Position) -> Result<(Vec<Ply>, Position), String> {
    let plies = match parse_plies(moves) {
        Ok(plies) => plies,
        Err(error) => match remark_after_tab(moves) {
            Some(before) => parse_plies(before).map_err(|_| error.to_string())?,
            None => return Err(error.to_string()),
        },
    };
    let line = replay(start, plies.into_iter().map(|(ply, _)| ply)).map_err(|error| error.to_string())?;
    let position = line.position();
    if position.is_over() {
        return Err(format!("game is already over after ply {}", line.plies().len()));
    }
    Ok((line.into_plies(), position))
}

/// What stands before the last tab, if there is one: scores and names are often set behind it.
fn remark_after_tab(moves: &str) -> Option<&str> {
    moves.find('\t').map(|at| moves[..at].trim_end()).filter(|before| !before.is_empty())
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
        let lengths: Vec<usize> = openings.openings.iter().map(|(plies, _)| plies.len()).collect();
        assert_eq!(lengths, [3, 4, 3, 2, 2, 3]);
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        let text = "f5 f6 d3 g5 h5 h4 f7 h6 pass e7\nf5f6d3g5h5h4f7h6e7\nf5 f6 d3 g5 h5 h4 f7 h6 -- e7\nf5 f6 d3 g5 h5 h4 f7 h6";
        let openings = parse(text).expect("four openings");
        let (first, rest) = openings.openings.split_first().expect("four");
        assert_eq!((first.0.len(), first.1.side_to_move()), (10, Color::Black));
        assert_eq!([&rest[0], &rest[1]], [first, first]);
        assert_eq!(rest[2].0.len(), 8);
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
}
