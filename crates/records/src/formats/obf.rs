//! OBF, the problem files of Edax: one position a line, `BOARD SIDE; G8:+18; H1:+12;`. Positions without scores are read
//! too.

use std::io::{BufRead, Write};

use rules::{Ply, Position, PositionTextError};

use super::error::{ParseError, ReadError, WriteError, quoted};
use super::game::{Item, Problem};
use super::lines::Lines;

#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
}

impl<R: BufRead> Reader<R> {
    /// The problems of a file or a stream.
    pub fn new(reader: R) -> Self {
        Self { lines: Lines::new(reader) }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        while self.lines.advance()? {
            let text = self.lines.text().map_err(ReadError::BadItem)?;
            let text = &text[..text.find('%').unwrap_or(text.len())];
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let problem = problem(text, &self.lines).map_err(ReadError::BadItem)?;
            return Ok(Some(Item::Problem(problem)));
        }
        Ok(None)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn problem<R: BufRead>(text: &str, lines: &Lines<R>) -> Result<Problem, ParseError> {
    let mut parts = text.split(';');
    let board = parts.next().unwrap_or("");
    let position: Position = board.parse().map_err(|error: PositionTextError| {
        let column = match error {
            PositionTextError::Character { place, .. } => {
                let solid = board.char_indices().filter(|(_, character)| !character.is_whitespace());
                solid.map(|(at, _)| at).nth(place - 1).unwrap_or(0)
            }
            _ => 0,
        };
        lines.error_at(column, error.to_string())
    })?;
    let mut problem = Problem { position, moves: Vec::new(), score: None };
    let mut at = board.len() + 1;
    for part in parts {
        let begin = at + (part.len() - part.trim_start().len());
        at += part.len() + 1;
        read_value(&mut problem, part.trim()).map_err(|what| lines.error_at(begin, what))?;
    }
    Ok(problem)
}

/// Reads `G8:+18`, or `+12` without a move.
fn read_value(problem: &mut Problem, text: &str) -> Result<(), String> {
    let wrong = || format!("expected a move with its score, such as G8:+18, found {}", quoted(text));
    let score = |text: &str| {
        let score = text.trim().parse().ok().filter(|score: &f64| score.is_finite());
        score.ok_or_else(wrong)
    };
    match text.split_once(':') {
        None if text.is_empty() => Ok(()),
        None => {
            problem.score = Some(score(text)?);
            Ok(())
        }
        Some((word, number)) => {
            let number = score(number)?;
            let ply: Ply = word.trim().parse().map_err(|_| wrong())?;
            // Edax fills the line with scores beyond 64, which mean nothing.
            if number.abs() > 64.0 {
                return Ok(());
            }
            problem.position.play(ply).map_err(|why| why.to_string())?;
            problem.moves.push((ply, number));
            Ok(())
        }
    }
}

/// Writes one position as a line.
pub(super) fn write(out: &mut impl Write, problem: &Problem) -> Result<(), WriteError> {
    let mut line = format!("{};", problem.position);
    if let Some(score) = problem.score {
        line.push_str(&format!(" {};", signed(score)));
    }
    for (ply, score) in &problem.moves {
        let word = ply.square().map_or("PS".to_owned(), |square| square.to_string().to_uppercase());
        line.push_str(&format!(" {word}:{};", signed(*score)));
    }
    line.push('\n');
    out.write_all(line.as_bytes())?;
    Ok(())
}

/// The score with its sign, with decimals only if it has any.
fn signed(score: f64) -> String {
    format!("{:+}", score + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X;";

    fn read(text: &str) -> Vec<Result<Problem, String>> {
        let items = Reader::new(text.as_bytes());
        items.map(|item| item.map(Item::into_problem).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn problems_are_read_and_written_back() {
        let values = " G8:+18; H1:+12; H7:+6; A2:+6; A3:+4; B1:-4; A4:-22; G2:-24;";
        let text = format!(
            "% FFO\n{FIRST}{values} --:-127; % 40\n\n{FIRST} +18;\n{}\n",
            FIRST.trim_end_matches(';')
        );
        let all: Vec<Problem> = read(&text).into_iter().map(|problem| problem.expect("a problem")).collect();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].moves.len(), 8);
        assert_eq!((all[1].score, all[1].moves.len()), (Some(18.0), 0));
        assert_eq!(all[2].position, all[0].position);
        let mut out = Vec::new();
        all.iter().for_each(|problem| write(&mut out, problem).expect("to memory"));
        assert_eq!(String::from_utf8_lossy(&out), format!("{FIRST}{values}\n{FIRST} +18;\n{FIRST}\n"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let text = format!("{FIRST} G8:x;\n{FIRST} A1:+2;\n{}\n{FIRST}", FIRST.replacen('O', "?", 1));
        let all = read(&text);
        let message = |index: usize| all[index].as_ref().expect_err("bad").as_str();
        assert_eq!(message(0), "1:69: expected a move with its score, such as G8:+18, found `G8:x`");
        assert_eq!(message(1), "2:69: a1 outflanks nothing");
        assert!(message(2).starts_with("3:10: character 10 of the board is `?`"), "{}", message(2));
        assert!(all[3].is_ok());
    }
}
