//! Positions as text: one line for programs, a diagram for people.

use std::error::Error;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::{Bitboard, BoardSize, ByColor, Color, Position, Square};

impl Position {
    /// Reads a board and a side to move, as any program writes them.
    ///
    /// `board` holds 16, 36 or 64 squares row by row from `a1`: `X x * B b` is black, `O o W w` is
    /// white, `-`, `.` or `_` is empty; blanks are skipped. `side` is `X`, `O`, `B`, `W`, `black` or
    /// `white`, in upper or lower case.
    ///
    /// # Errors
    /// [`PositionTextError`] if one of them can't be read; it names the character and its place.
    pub fn parse(board: &str, side: &str) -> Result<Position, PositionTextError> {
        let mut discs = ByColor::new(0u64, 0u64);
        let mut squares = 0;
        for character in board.chars().filter(|character| !character.is_whitespace()) {
            let bit = 1u64.checked_shl(squares as u32).unwrap_or(0);
            match (character, Color::from_disc(character)) {
                (_, Some(color)) => discs[color] |= bit,
                ('-' | '.' | '_', None) => {}
                _ => return Err(PositionTextError::Character { character, place: squares + 1 }),
            }
            squares += 1;
        }
        let size = BoardSize::from_squares(squares).ok_or(PositionTextError::Length(squares))?;
        let side = match side.trim() {
            "" => return Err(PositionTextError::NoSide),
            side => side.parse().map_err(|_| PositionTextError::Side(side.to_owned()))?,
        };
        let discs = discs.map(|bits| on_grid(bits, size));
        Ok(Position::from_disjoint(size, discs, side))
    }

    /// The position as a diagram, with letters and numbers at the edges.
    ///
    /// ```
    /// use rules::{BoardSize, Position};
    /// let start = Position::start(BoardSize::Four).diagram().to_string();
    /// assert_eq!(start, "  a b c d
    /// 1 - - - -
    /// 2 - O X -
    /// 3 - X O -
    /// 4 - - - -");
    /// ```
    pub fn diagram(self) -> Diagram {
        Diagram(self)
    }

    /// `X`, `O` or `-`.
    fn letter_at(self, square: Square) -> char {
        self.at(square).map_or('-', Color::letter)
    }
}

/// Moves bits that number the squares of this board size row by row to their places on the 8x8
/// grid.
fn on_grid(bits: u64, size: BoardSize) -> Bitboard {
    let squares = size.mask().iter().enumerate();
    squares.filter(|(place, _)| bits >> place & 1 != 0).map(|(_, square)| square).collect()
}

/// Writes `BOARD SIDE`: the squares row by row from `a1` (`X` black, `O` white, `-` empty), a blank,
/// and the side to move (`X` or `O`).
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in self.size().mask() {
            f.write_char(self.letter_at(square))?;
        }
        write!(f, " {}", self.side_to_move().letter())
    }
}

/// Reads a board and a side like [`Position::parse`]. The blank before the side may be missing.
impl FromStr for Position {
    type Err = PositionTextError;

    fn from_str(text: &str) -> Result<Position, PositionTextError> {
        let text = text.trim();
        if let Some((board, side)) = text.rsplit_once(char::is_whitespace)
            && side.parse::<Color>().is_ok()
        {
            return Position::parse(board, side);
        }
        let characters = text.chars().filter(|character| !character.is_whitespace()).count();
        if BoardSize::from_squares(characters).is_some() {
            return Position::parse(text, "");
        }
        if let Some((at, _)) = text.char_indices().next_back()
            && BoardSize::from_squares(characters - 1).is_some()
        {
            return Position::parse(&text[..at], &text[at..]);
        }
        let (board, side) = text.rsplit_once(char::is_whitespace).unwrap_or((text, ""));
        Position::parse(board, side)
    }
}

/// Displays a position as a diagram; made by [`Position::diagram`].
#[derive(Clone, Copy, Debug)]
pub struct Diagram(Position);

/// Writes a line of letters, then one line for each row, without a line break at the end.
impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = self.0.size().side();
        f.write_char(' ')?;
        for column in 0..side {
            write!(f, " {}", char::from(b'a' + column))?;
        }
        for square in self.0.size().mask() {
            if square.column() == 0 {
                write!(f, "\n{}", square.row() + 1)?;
            }
            write!(f, " {}", self.0.letter_at(square))?;
        }
        Ok(())
    }
}

/// The reason why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionTextError {
    /// A character stands neither for a disc nor for an empty square.
    Character {
        /// The character.
        character: char,
        /// Its place in the board, from 1, not counting blanks.
        place: usize,
    },
    /// The board has this many squares, not 16, 36 or 64.
    Length(usize),
    /// The side to move is neither black nor white.
    Side(String),
    /// The side to move is missing after the board.
    NoSide,
}

impl fmt::Display for PositionTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionTextError::Character { character, place } => write!(
                f,
                "character {place} of the board is `{}`: expected X (black), O (white) or - (empty)",
                character.escape_debug()
            ),
            PositionTextError::Length(squares) => {
                write!(f, "a board of {squares} squares: expected 16, 36 or 64")
            }
            PositionTextError::Side(side) => {
                write!(f, "side to move `{}`: expected X (black) or O (white)", side.escape_debug())
            }
            PositionTextError::NoSide => write!(f, "no side to move behind the board: expected X or O"),
        }
    }
}

impl Error for PositionTextError {}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO---------------------------";

    #[test]
    fn every_writing_of_the_start_is_read() {
        let start = Position::start(BoardSize::Eight);
        assert_eq!(start.to_string(), format!("{START} X"));
        let rows: Vec<&str> = (0..8).map(|row| &START[8 * row..8 * row + 8]).collect();
        let grouped = rows.join(" ");
        for text in [
            format!("{START} X"),
            format!("{START}X"),
            format!("  {START}\tblack\r\n"),
            format!("{grouped} x"),
            format!("{grouped}X"),
            format!("{} *", START.replace('X', "*").replace('-', ".")),
            format!("{} b", START.replace('X', "b").replace('O', "w").replace('-', "_")),
        ] {
            assert_eq!(text.parse(), Ok(start), "{text}");
        }
        assert_eq!(Position::parse(START, "BLACK"), Ok(start));
        for size in BoardSize::ALL {
            for position in [Position::start(size), Position::parallel(size)] {
                assert_eq!(position.to_string().parse(), Ok(position));
            }
        }
    }

    #[test]
    fn errors_say_what_is_wrong_and_where() {
        let error = |text: &str| text.parse::<Position>().unwrap_err().to_string();
        assert_eq!(error(""), "a board of 0 squares: expected 16, 36 or 64");
        assert_eq!(error("é"), "character 1 of the board is `é`: expected X (black), O (white) or - (empty)");
        assert_eq!(error(&format!("{} X", &START[1..])), "a board of 63 squares: expected 16, 36 or 64");
        assert_eq!(error(&format!("{START}- X")), "a board of 65 squares: expected 16, 36 or 64");
        assert_eq!(error(START), "no side to move behind the board: expected X or O");
        assert_eq!(error(&format!("{START} Z")), "side to move `Z`: expected X (black) or O (white)");
        assert_eq!(error(&format!("{START} red")), "side to move `red`: expected X (black) or O (white)");
        let odd = format!("{START} X").replacen('O', "0", 1);
        let expected = "character 28 of the board is `0`: expected X (black), O (white) or - (empty)";
        assert_eq!(error(&odd), expected);
    }
}
