//! SGF with `GM[2]`, the Othello games of Edax and Quarry.
//!
//! A square is letter and digit as everywhere in Othello; two letters, as in Go, are read too. The first variation is the
//! game.

use std::io::{BufRead, Write};

use rules::{Bitboard, BoardSize, Color, Ply, Position, Square, Variant};

use super::date::Day;
use super::error::{WriteError, quoted};
use super::game::{Game, Played, name_or_empty};
use super::game_end::{End, StatedResult};
use super::property_lists::{ErrorAt, Reader, Token, Tokens, board_size, invalid_token};
use crate::verdict::{Outcome, Termination};

/// The games of a file or a stream.
pub(super) fn reader<R: BufRead>(reader: R) -> Reader<R> {
    Reader::new(reader, game_of)
}

/// A game while it is read.
struct Draft {
    game: Game,
    size: BoardSize,
    black: Bitboard,
    white: Bitboard,
    side: Color,
    variant: Option<Variant>,
    /// Each move with its side and its byte in the text.
    moves: Vec<(Color, Played, usize)>,
    said: Option<(StatedResult, Option<Termination>)>,
}

/// Makes a game from the first variation: all tokens up to the first `)`.
fn game_of(tokens: Tokens<'_>) -> Result<Game, ErrorAt> {
    let mut draft = Draft {
        game: Game::new(Position::start(BoardSize::Eight)),
        size: BoardSize::Eight,
        black: Bitboard::EMPTY,
        white: Bitboard::EMPTY,
        side: Color::Black,
        variant: None,
        moves: Vec::with_capacity(64),
        said: None,
    };
    for token in tokens {
        match token {
            Token::Property { tag, value, at } => {
                draft.set(tag, value.trim(), at).map_err(|what| (at, what))?;
            }
            Token::Invalid { at } => return Err(invalid_token(at)),
            Token::Close => break,
            Token::Open | Token::Node => {}
        }
    }
    draft.finish()
}

impl Draft {
    fn set(&mut self, tag: &str, value: &str, at: usize) -> Result<(), String> {
        match tag {
            "B" | "W" => {
                let color = if tag == "B" { Color::Black } else { Color::White };
                let ply = if is_pass(value) { Ply::Pass } else { point(value)?.into() };
                self.moves.push((color, ply.into(), at));
            }
            "GM" if value != "2" => return Err(format!("expected GM[2], Othello, found {}", quoted(value))),
            "SZ" => self.size = board_size(value)?,
            "AB" => self.black |= point(value)?.bit(),
            "AW" => self.white |= point(value)?.bit(),
            "PL" => {
                self.side = value.parse().map_err(|_| format!("expected B or W, found {}", quoted(value)))?;
            }
            // Any other value is a name for the rules of Othello.
            "RU" => {
                let variant: Option<Variant> = value.to_ascii_lowercase().parse().ok();
                self.variant = variant.filter(|variant| *variant != Variant::Othello);
            }
            "RE" => self.said = result(value)?,
            // The value of the position for Black, in the node of the move that led to it.
            "V" => {
                if let (Some((color, played, _)), Ok(value)) = (self.moves.last_mut(), value.parse::<f64>())
                    && value.is_finite()
                {
                    played.score = Some(if *color == Color::Black { value } else { -value });
                }
            }
            "PB" => name_or_empty(value).clone_into(&mut self.game.names.black),
            "PW" => name_or_empty(value).clone_into(&mut self.game.names.white),
            "EV" => value.clone_into(&mut self.game.event),
            "PC" => value.clone_into(&mut self.game.site),
            "DT" => value.clone_into(&mut self.game.date),
            "BR" => self.game.ratings.black = value.parse().ok(),
            "WR" => self.game.ratings.white = value.parse().ok(),
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<Game, ErrorAt> {
        let Self { mut game, size, black, white, side, variant, moves, said } = self;
        let usual = variant.unwrap_or_default().start(size);
        // White may begin on an empty board too.
        game.set_start(if (black | white).is_empty() && !usual.is_placing() {
            usual
        } else {
            let position = Position::from_discs(size, black, white, side);
            position.map_err(|error| (0, error.to_string()))?
        });
        game.set_variant(variant).map_err(|what| (0, what))?;
        for (color, played, at) in moves {
            game.push_by(color, played).map_err(|what| (at, what))?;
        }
        let (said, how) = said.unwrap_or((StatedResult::Nothing, None));
        // The margin belongs to the winner, which has fewer discs in this variant.
        let said = match said {
            StatedResult::Difference(margin) if game.fewest_wins() => StatedResult::Difference(-margin),
            said => said,
        };
        game.set_end(said, how);
        Ok(game)
    }
}

/// Reads `f5`, or `fe` as in Go.
fn point(text: &str) -> Result<Square, String> {
    let go = |text: &str| match *text.as_bytes() {
        [column @ b'a'..=b'h', row @ b'a'..=b'h'] => Square::new(column - b'a', row - b'a'),
        _ => None,
    };
    let square = text.parse().ok().or_else(|| go(text));
    square.ok_or_else(|| format!("expected a square, such as f5, or a pass, found {}", quoted(text)))
}

fn is_pass(text: &str) -> bool {
    text.is_empty() || text == "tt" || text.parse() == Ok(Ply::Pass)
}

/// Reads `B+12`, `W+T`, `0`, `Draw`, `Void`, `?`.
fn result(text: &str) -> Result<Option<(StatedResult, Option<Termination>)>, String> {
    let wrong = || format!("expected a result, such as B+12, W+R, 0 or ?, found {}", quoted(text));
    let winner = match text {
        "" | "?" | "Void" => return Ok(None),
        "0" | "Draw" => return Ok(Some((StatedResult::Difference(0), None))),
        _ => text.split_once('+').and_then(|(winner, margin)| Some((winner.parse::<Color>().ok()?, margin))),
    };
    let (winner, margin) = winner.ok_or_else(wrong)?;
    let how = match margin {
        "R" | "Resign" => Some(Termination::Resigned),
        "T" | "Time" => Some(Termination::Timeout),
        "F" | "Forfeit" => Some(Termination::Adjudicated),
        "" => None,
        margin => {
            let margin: f64 = margin.parse().map_err(|_| wrong())?;
            if !(0.0..=64.0).contains(&margin) {
                return Err(wrong());
            }
            let sign = if winner == Color::Black { 1.0 } else { -1.0 };
            return Ok(Some((StatedResult::Difference((sign * margin).round() as i32), None)));
        }
    };
    Ok(Some((StatedResult::Outcome(Outcome::Win(winner)), how)))
}

/// Writes one game: the root node on the first lines, then each move in a node of its own.
pub(super) fn write(out: &mut impl Write, game: &Game) -> Result<(), WriteError> {
    let mut text = String::with_capacity(1024);
    text.push_str("(;FF[4]GM[2]CA[UTF-8]AP[outflank]\n");
    let mut tag = |tag: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(tag);
            text.push('[');
            text.extend(value.chars().flat_map(escaped));
            text.push(']');
        }
    };
    tag("EV", &game.event);
    tag("PC", &game.site);
    tag("DT", &Day::parse_start(&game.date).map_or_else(|| game.date.clone(), Day::iso));
    tag("PB", &game.names.black);
    tag("PW", &game.names.white);
    let rating = |rating: Option<f64>| rating.map(|rating| rating.to_string()).unwrap_or_default();
    tag("BR", &rating(game.ratings.black));
    tag("WR", &rating(game.ratings.white));
    tag("SZ", &game.size().side().to_string());
    if game.variant != Variant::Othello {
        tag("RU", &game.variant.to_string());
    }
    tag("RE", &game.end.as_ref().map_or_else(|| "Void".to_owned(), result_text));
    text.push('\n');
    let discs = game.start().discs();
    for (tag, squares) in [("AB", discs.black), ("AW", discs.white)] {
        if !squares.is_empty() {
            text.push_str(tag);
            squares.iter().for_each(|square| text.push_str(&format!("[{square}]")));
        }
    }
    let letter = |color| if color == Color::Black { 'B' } else { 'W' };
    text.push_str(&format!("PL[{}]", letter(game.start().side_to_move())));
    for (index, (side, played)) in game.movers().enumerate() {
        const ON_A_LINE: usize = 10;
        if index.is_multiple_of(ON_A_LINE) {
            text.push('\n');
        }
        text.extend([';', letter(side), '[']);
        match played.ply {
            Ply::Place(square) => text.extend([b'a' + square.column(), b'1' + square.row()].map(char::from)),
            Ply::Pass => text.push_str("PA"),
        }
        text.push(']');
        if let Some(score) = played.score {
            let for_black = if side == Color::Black { score } else { -score };
            text.push_str(&format!("V[{for_black}]"));
        }
    }
    text.push_str(")\n");
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Escapes a character. Semicolons too, so that no value looks like the beginning of the next game.
fn escaped(character: char) -> impl Iterator<Item = char> {
    let escape = matches!(character, ']' | '\\' | ';').then_some('\\');
    let character = if character.is_control() { ' ' } else { character };
    escape.into_iter().chain(Some(character))
}

fn result_text(end: &End) -> String {
    let Outcome::Win(winner) = end.outcome else { return "0".to_owned() };
    let winner = if winner == Color::Black { 'B' } else { 'W' };
    match (end.offender(), end.termination) {
        (Some(_), Termination::Timeout) => return format!("{winner}+T"),
        (Some(_), Termination::Resigned) => return format!("{winner}+R"),
        (Some(_), _) => return format!("{winner}+F"),
        (None, _) => {}
    }
    match end.score {
        Some(score) => format!("{winner}+{}", score.black.abs_diff(score.white)),
        None => format!("{winner}+F"),
    }
}
