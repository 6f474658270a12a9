//! Results for Ordo, BayesElo and other rating programs of the chess world: PGN without moves.
//!
//! In chess `White` moves first, and these programs estimate the advantage of moving first. In Othello Black moves
//! first, so **our Black stands under `White`**.

use std::io::{self, Write};

use super::result_text;
use crate::verdict::Outcome;

/// Writes one game.
///
/// In names, a quotation mark becomes an apostrophe, a backslash a slash and a control character a blank: these programs
/// know no escapes.
///
/// # Errors
/// Errors of the writer.
pub fn write_result(out: &mut impl Write, black: &str, white: &str, outcome: Outcome) -> io::Result<()> {
    let result = result_text(outcome);
    out.write_all(b"[White \"")?;
    write_name(out, black)?;
    out.write_all(b"\"]\n[Black \"")?;
    write_name(out, white)?;
    writeln!(out, "\"]\n[Result \"{result}\"]\n\n{result}\n")
}

fn write_name(out: &mut impl Write, name: &str) -> io::Result<()> {
    let strange = |character: char| character.is_control() || matches!(character, '"' | '\\');
    if !name.contains(strange) {
        return out.write_all(name.as_bytes());
    }
    let plain = name.chars().map(|character| match character {
        '"' => '\'',
        '\\' => '/',
        character if character.is_control() => ' ',
        character => character,
    });
    out.write_all(plain.collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Color;

    #[test]
    fn black_moves_first_and_stands_under_white() {
        let mut text = Vec::new();
        write_result(&mut text, "mcts", "A \"B\"\\\n", Outcome::Win(Color::Black)).expect("to memory");
        write_result(&mut text, "mcts", "b", Outcome::Draw).expect("to memory");
        let expected = "[White \"mcts\"]\n[Black \"A 'B'/ \"]\n[Result \"1-0\"]\n\n1-0\n\n\
                        [White \"mcts\"]\n[Black \"b\"]\n[Result \"1/2-1/2\"]\n\n1/2-1/2\n\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }
}
