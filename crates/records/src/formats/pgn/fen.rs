//! FEN, the start positions of chess programs: row by row, with digits for runs of empty squares.
//!
//! Two programs write it differently. Edax writes rows 8 to 1, black as `p`, white as `P`, the side to move as `b` or
//! `w`. Fairy-Stockfish writes our row 1 first, the first player's discs as `P`, pieces in hand in brackets, and the first
//! player as `w`. The brackets distinguish the two. A board and side as in our own text is read too.

use std::fmt::Write as _;

use rules::{Bitboard, BoardSize, Color, Position, Square};

/// Reads a start position.
pub(super) fn read(text: &str) -> Result<Position, String> {
    if !text.contains('/') {
        return text.parse().map_err(|error: rules::PositionTextError| error.to_string());
    }
    let wrong = |what: &str| format!("expected a FEN of {what}");
    let mut words = text.split_whitespace();
    let board = words.next().unwrap_or("");
    let side = words.next().unwrap_or("");
    let fairy = board.contains('[');
    let board = board.split('[').next().unwrap_or("");
    let first = if fairy { "w" } else { "b" };
    let side = match side {
        side if side == first => Color::Black,
        "b" | "w" => Color::White,
        _ => return Err(wrong("a board and a side to move, b or w")),
    };
    let count = board.split('/').count();
    let size = u8::try_from(count).ok().and_then(|count| BoardSize::try_from(count).ok());
    let size = size.ok_or_else(|| wrong("4, 6 or 8 rows"))?;
    let (mut black, mut white) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for (index, row) in board.split('/').enumerate() {
        let row_number = if fairy { index } else { count - 1 - index };
        let mut column = 0;
        for character in row.chars() {
            let square =
                || Square::new(column, u8::try_from(row_number).ok()?).filter(|_| column < size.side());
            let too_long = || wrong("rows as long as there are rows");
            match character {
                '1'..='8' => column += character as u8 - b'0',
                'p' | 'P' => {
                    let square = square().ok_or_else(too_long)?;
                    if (character == 'P') == fairy {
                        black |= square.bit()
                    } else {
                        white |= square.bit()
                    }
                    column += 1;
                }
                _ => return Err(wrong("p, P and digits")),
            }
        }
        if column != size.side() {
            return Err(wrong("rows as long as there are rows"));
        }
    }
    Position::from_discs(size, black, white, side).map_err(|error| error.to_string())
}

/// Writes a start position as Edax does.
pub(super) fn write(position: Position) -> String {
    let side = position.size().side();
    let mut text = String::new();
    for row in (0..side).rev() {
        let mut empty = 0u8;
        for column in 0..side {
            let letter = match Square::new(column, row).and_then(|square| position.at(square)) {
                None => {
                    empty += 1;
                    continue;
                }
                Some(Color::Black) => 'p',
                Some(Color::White) => 'P',
            };
            number(&mut text, &mut empty);
            text.push(letter);
        }
        number(&mut text, &mut empty);
        if row > 0 {
            text.push('/');
        }
    }
    text.push_str(if position.side_to_move() == Color::Black { " b" } else { " w" });
    text
}

/// Writes the number of empty squares, if there are any, and sets it to 0.
fn number(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        write!(text, "{empty}").expect("to memory");
        *empty = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_habits_are_read() {
        let start = Position::start(BoardSize::Eight);
        assert_eq!(read(&start.to_string()), Ok(start));
        assert_eq!(write(start), "8/8/8/3pP3/3Pp3/8/8/8 b");
        assert_eq!(read("8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1"), Ok(start), "Edax");
        assert_eq!(read("8/8/8/3pP3/3Pp3/8/8/8[PPPPpppp] w 0 1"), Ok(start), "Fairy-Stockfish");
        let mut position = start;
        for square in ["f5", "d6", "c3"] {
            position = position.play(square.parse().expect("a square")).expect("legal");
        }
        for position in [position, Position::parallel(BoardSize::Six), Position::start(BoardSize::Four)] {
            assert_eq!(read(&write(position)), Ok(position));
        }
        for text in [
            "8/8 b",
            "8/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/9 b",
            "8/8/8/8/8/8/8/8p b",
            "8/8/8/8/8/8/8/7 b",
            "x/4/4/4 b",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
