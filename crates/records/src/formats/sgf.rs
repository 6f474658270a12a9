//! SGF with `GM[2]`, as Edax and Quarry keep games of Othello.
//!
//! Points are letter and digit, rows from the top, as everywhere in Othello; two letters, as in Go, are read too. Of
//! several variations the first is the game.

use std::io::{BufRead, Write};

use rules::{BoardSize, Color, Ply, Position, Square, Squares, Variant};

use super::date::Day;
use super::end::{End, Said};
use super::fault::{ReadError, WriteError, shown};
use super::game::{Game, Item, Played, known};
use super::tagged::{Games, Token};
use crate::verdict::{Outcome, Termination};

/// SGF, read game by game.
#[derive(Debug)]
pub struct Reader<R> {
    games: Games<R>,
}

impl<R: BufRead> Reader<R> {
    /// The games of a file or a stream.
    pub fn new(reader: R) -> Self {
        Self { games: Games::new(reader) }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        if !self.games.advance()? {
            return Ok(None);
        }
        let mut draft = Draft::default();
        let read = self.main_line(&mut draft).and_then(|()| draft.finish());
        let game = read.map_err(|(at, what)| ReadError::Bad(self.games.fault(at, what)));
        game.map(|game| Some(Item::Game(game)))
    }

    /// Takes in the first variation: all up to the first `)`.
    fn main_line(&self, draft: &mut Draft) -> Result<(), Wrong> {
        for token in self.games.tokens() {
            match token {
                Token::Property { tag, value, at } => {
                    draft.take(tag, value.trim(), at).map_err(|what| (at, what))?;
                }
                Token::Strange { at } => {
                    return Err((at, "expected a tag with a value, such as PB[name]".into()));
                }
                Token::Close => return Ok(()),
                Token::Open | Token::Node => {}
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Where something is wrong, as a byte of the game's text, and what.
type Wrong = (usize, String);

/// What was read of a game.
#[derive(Default)]
struct Draft {
    size: BoardSize,
    black: Squares,
    white: Squares,
    side: Option<Color>,
    variant: Variant,
    /// Who moves what, and where in the text.
    moves: Vec<(Color, Played, usize)>,
    said: Option<(Said, Option<Termination>)>,
    texts: Vec<(Text, String)>,
}

#[derive(Clone, Copy)]
enum Text {
    Black,
    White,
    Event,
    Site,
    Date,
    BlackRating,
    WhiteRating,
}

impl Draft {
    fn take(&mut self, tag: &str, value: &str, at: usize) -> Result<(), String> {
        let text = match tag {
            "B" | "W" => {
                let color = if tag == "B" { Color::Black } else { Color::White };
                let ply = if is_pass(value) { Ply::Pass } else { point(value)?.into() };
                self.moves.push((color, ply.into(), at));
                return Ok(());
            }
            "GM" if value != "2" => return Err(format!("expected GM[2], Othello, found {}", shown(value))),
            "SZ" => {
                let size = value.parse::<u8>().ok().and_then(|side| BoardSize::try_from(side).ok());
                self.size = size.ok_or_else(|| format!("board size {}: expected 4, 6 or 8", shown(value)))?;
                return Ok(());
            }
            "AB" => {
                self.black |= point(value)?.bit();
                return Ok(());
            }
            "AW" => {
                self.white |= point(value)?.bit();
                return Ok(());
            }
            "PL" => {
                let side = value.parse().map_err(|_| format!("expected B or W, found {}", shown(value)))?;
                self.side = Some(side);
                return Ok(());
            }
            "RU" if value.eq_ignore_ascii_case("reversed") => {
                self.variant = Variant::Reversed;
                return Ok(());
            }
            "RE" => {
                self.said = result(value)?;
                return Ok(());
            }
            // The value of the position for Black, in the node of the move that led to it.
            "V" => {
                if let (Some((color, played, _)), Ok(value)) = (self.moves.last_mut(), value.parse::<f64>())
                    && value.is_finite()
                {
                    played.score = Some(if *color == Color::Black { value } else { -value });
                }
                return Ok(());
            }
            "PB" => Text::Black,
            "PW" => Text::White,
            "EV" => Text::Event,
            "PC" => Text::Site,
            "DT" => Text::Date,
            "BR" => Text::BlackRating,
            "WR" => Text::WhiteRating,
            _ => return Ok(()),
        };
        self.texts.push((text, value.to_owned()));
        Ok(())
    }

    fn finish(self) -> Result<Game, Wrong> {
        let side = self.side.unwrap_or(Color::Black);
        let start = if (self.black | self.white).is_empty() {
            Position::start(self.size)
        } else {
            let position = Position::from_discs(self.size, self.black, self.white, side);
            position.map_err(|error| (0, error.to_string()))?
        };
        let mut game = Game::new(start);
        game.variant = self.variant;
        for (color, played, at) in self.moves {
            let wrong = |what: String, game: &Game| (at, format!("ply {}: {what}", game.plies().len() + 1));
            let side = game.last().side_to_move();
            // Where the other side has to pass, its pass was left out.
            let passed = || played.ply != Ply::Pass && matches!(game.last().turn(), rules::Turn::Pass(_));
            if color != side && !passed() {
                let what = format!("expected a move of {side}, found {} of {color}", played.ply);
                return Err(wrong(what, &game));
            }
            game.push(played).map_err(|why| wrong(why.to_string(), &game))?;
        }
        for (kind, text) in self.texts {
            match kind {
                Text::Black => game.names.black = known(&text).to_owned(),
                Text::White => game.names.white = known(&text).to_owned(),
                Text::Event => game.event = text,
                Text::Site => game.site = text,
                Text::Date => game.date = text,
                Text::BlackRating => game.ratings.black = text.parse().ok(),
                Text::WhiteRating => game.ratings.white = text.parse().ok(),
            }
        }
        let (said, how) = self.said.unwrap_or((Said::Nothing, None));
        // The margin of the winner, who in this game has fewer discs.
        let said = match said {
            Said::Difference(margin) if game.fewest_wins() => Said::Difference(-margin),
            said => said,
        };
        game.conclude(said, how);
        Ok(game)
    }
}

/// `f5`, or in Go's manner `fe`.
fn point(text: &str) -> Result<Square, String> {
    let go = |text: &str| match *text.as_bytes() {
        [column @ b'a'..=b'h', row @ b'a'..=b'h'] => Square::new(column - b'a', row - b'a'),
        _ => None,
    };
    let square = text.parse().ok().or_else(|| go(text));
    square.ok_or_else(|| format!("expected a square, such as f5, or a pass, found {}", shown(text)))
}

fn is_pass(text: &str) -> bool {
    text.is_empty() || text == "tt" || text.parse() == Ok(Ply::Pass)
}

/// `B+12`, `W+T`, `0`, `Draw`, `Void`, `?`.
fn result(text: &str) -> Result<Option<(Said, Option<Termination>)>, String> {
    let wrong = || format!("expected a result, such as B+12, W+R, 0 or ?, found {}", shown(text));
    let winner = match text {
        "" | "?" | "Void" => return Ok(None),
        "0" | "Draw" => return Ok(Some((Said::Difference(0), None))),
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
            return Ok(Some((Said::Difference((sign * margin).round() as i32), None)));
        }
    };
    Ok(Some((Said::Outcome(Outcome::Win(winner)), how)))
}

/// Writes one game: the root node on a line, then the moves, each in a node of its own.
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
    tag("DT", &Day::find(&game.date).map_or_else(|| game.date.clone(), Day::iso));
    tag("PB", &game.names.black);
    tag("PW", &game.names.white);
    let rating = |rating: Option<f64>| rating.map(|rating| rating.to_string()).unwrap_or_default();
    tag("BR", &rating(game.ratings.black));
    tag("WR", &rating(game.ratings.white));
    tag("SZ", &game.size().side().to_string());
    if game.fewest_wins() {
        tag("RU", "reversed");
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

fn escaped(character: char) -> impl Iterator<Item = char> {
    let escape = matches!(character, ']' | '\\').then_some('\\');
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
