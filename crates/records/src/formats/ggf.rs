//! GGF, the format of the server GGS, NBoard and NTest: `(;GM[Othello]PB[a]...B[F5/1.00/2.45];)`, one game a line.
//!
//! A positive result is good for Black, also in the reversed game.

use std::io::{BufRead, Write};
use std::time::Duration;

use rules::{BoardSize, Color, Ply, Position, Variant};

use super::error::{WriteError, quoted};
use super::game::{Game, Played, name_or_empty};
use super::game_end::StatedResult;
use super::property_lists::{ErrorAt, Reader, Token, Tokens, board_size, invalid_token};
use crate::verdict::Termination;

/// The games of a file or a stream.
pub(super) fn reader<R: BufRead>(reader: R) -> Reader<R> {
    Reader::new(reader, game_of)
}

/// The tags other than moves.
struct Head {
    game: Game,
    size: Option<BoardSize>,
    board: Option<Position>,
    said: Option<(i32, Option<Termination>)>,
}

fn game_of(tokens: Tokens<'_>) -> Result<Game, ErrorAt> {
    let mut head =
        Head { game: Game::new(Position::start(BoardSize::Eight)), size: None, board: None, said: None };
    // Tags come in any order, and moves may stand before the board: so the moves are played last.
    let mut moves = Vec::with_capacity(64);
    for token in tokens {
        match token {
            Token::Property { tag: "B", value, at } => moves.push((Color::Black, value, at)),
            Token::Property { tag: "W", value, at } => moves.push((Color::White, value, at)),
            Token::Property { tag, value, at } => head.set(tag, value.trim(), at)?,
            Token::Invalid { at } => return Err(invalid_token(at)),
            Token::Open | Token::Close | Token::Node => {}
        }
    }
    let Head { mut game, size, board, said } = head;
    let start = board.unwrap_or_else(|| Position::start(size.unwrap_or_default()));
    game.set_start(start);
    if !game.variant.allows(start) {
        return Err((0, "the reversed game does not start with an open centre".into()));
    }
    for (color, value, at) in moves {
        play(&mut game, color, &value).map_err(|what| (at, what))?;
    }
    match said {
        // A positive result is good for Black. In the reversed game Black then has fewer discs.
        Some((difference, how)) => {
            let discs = if game.fewest_wins() { -difference } else { difference };
            game.set_end(StatedResult::Difference(discs), how);
        }
        None => game.set_end(StatedResult::Nothing, None),
    }
    Ok(game)
}

impl Head {
    fn set(&mut self, tag: &str, value: &str, at: usize) -> Result<(), ErrorAt> {
        let wrong = |what: String| (at, what);
        match tag {
            "GM" if !value.eq_ignore_ascii_case("othello") => {
                return Err(wrong(format!("expected GM[Othello], found {}", quoted(value))));
            }
            "TY" => {
                let (size, variant) = game_type(value).map_err(wrong)?;
                self.size = Some(size);
                self.game.variant = variant;
            }
            "BO" => self.board = Some(board(value).map_err(wrong)?),
            "RE" => self.said = result(value).map_err(wrong)?,
            "PB" => name_or_empty(value).clone_into(&mut self.game.names.black),
            "PW" => name_or_empty(value).clone_into(&mut self.game.names.white),
            "RB" => self.game.ratings.black = value.parse().ok(),
            "RW" => self.game.ratings.white = value.parse().ok(),
            "PC" => value.clone_into(&mut self.game.site),
            "EV" => value.clone_into(&mut self.game.event),
            "DT" => value.clone_into(&mut self.game.date),
            _ => {}
        }
        Ok(())
    }
}

/// Reads `8`, `s8r20`, `6a`: the board's size, after an `s` for synchro games, before letters for special rules.
fn game_type(text: &str) -> Result<(BoardSize, Variant), String> {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_alphabetic());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let variant = if text.contains(['a', 'A']) { Variant::Reversed } else { Variant::Othello };
    Ok((board_size(&rest[..digits])?, variant))
}

/// Reads `8 ---...--- *`: size, squares, side to move.
fn board(text: &str) -> Result<Position, String> {
    let (side, squares) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let side = board_size(side)?;
    let position: Position = squares.parse().map_err(|error: rules::PositionTextError| error.to_string())?;
    if position.size() != side {
        return Err(format!("expected a board of {side}, found one of {}", position.size()));
    }
    Ok(position)
}

/// Reads `+12.000`, `-64.000:t`, `?`. Edax writes a number beyond 64 if there is no result.
fn result(text: &str) -> Result<Option<(i32, Option<Termination>)>, String> {
    let (number, suffix) = text.split_once(':').unwrap_or((text, ""));
    if matches!(number.trim(), "?" | "") {
        return Ok(None);
    }
    let wrong = || format!("expected a result, such as +12.000, -64.000:t or ?, found {}", quoted(text));
    let difference: f64 = number.trim().parse().map_err(|_| wrong())?;
    if !difference.is_finite() {
        return Err(wrong());
    }
    if difference.abs() > 64.0 {
        return Ok(None);
    }
    let how = match suffix.trim() {
        "r" => Some(Termination::Resigned),
        "t" => Some(Termination::Timeout),
        "l" => Some(Termination::Crash),
        _ => None,
    };
    // Only games with komi have fractions of a disc.
    Ok(Some((difference.round() as i32, how)))
}

fn play(game: &mut Game, color: Color, text: &str) -> Result<(), String> {
    let mut parts = text.split('/').map(str::trim);
    let ply: Ply =
        parts.next().unwrap_or("").parse().map_err(|error: rules::ParseError| error.to_string())?;
    let score = parts.next().filter(|text| !text.is_empty()).map(evaluation).transpose()?;
    let spent = parts.next().filter(|text| !text.is_empty()).map(time).transpose()?;
    game.push_by(color, Played { score, spent, ..Played::from(ply) })
}

fn evaluation(text: &str) -> Result<f64, String> {
    let score = text.parse().ok().filter(|score: &f64| score.is_finite());
    score.ok_or_else(|| format!("expected an evaluation in discs, found {}", quoted(text)))
}

/// Reads seconds, or hours, minutes and seconds with colons.
fn time(text: &str) -> Result<Duration, String> {
    let parts = text.split(':').map(|part| part.parse::<f64>());
    let seconds = parts.into_iter().try_fold(0.0, |sum, part| part.map(|part| 60.0 * sum + part)).ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| format!("expected a time in seconds, found {}", quoted(text)))
}

/// Writes one game as a line.
///
/// # Errors
/// [`WriteError::Cannot`] for the historical game, which GGF does not know.
pub(super) fn write(out: &mut impl Write, game: &Game) -> Result<(), WriteError> {
    if game.variant == Variant::Historical {
        return Err(WriteError::Cannot("GGF knows no historical game, whose centre is open".into()));
    }
    let mut line = String::with_capacity(2048);
    line.push_str("(;GM[Othello]");
    let mut tag = |tag: &str, value: &str| {
        line.push_str(tag);
        line.push('[');
        line.extend(value.chars().map(plain));
        line.push(']');
    };
    // No tag for the tournament is known to all readers.
    let place = [game.event.as_str(), game.site.as_str()].into_iter().filter(|part| !part.is_empty());
    let place = place.collect::<Vec<_>>().join(", ");
    tag("PC", if place.is_empty() { "Outflank" } else { &place });
    if !game.date.is_empty() {
        tag("DT", &game.date);
    }
    let name = |color| if game.names[color].is_empty() { "?" } else { game.names[color].as_str() };
    tag("PB", name(Color::Black));
    tag("PW", name(Color::White));
    for (color, name) in [(Color::Black, "RB"), (Color::White, "RW")] {
        if let Some(rating) = game.ratings[color] {
            tag(name, &rating.to_string());
        }
    }
    tag("RE", &result_text(game));
    let anti = if game.variant == Variant::Reversed { "a" } else { "" };
    tag("TY", &format!("{}{anti}", game.size().side()));
    tag("BO", &board_text(game.start()));
    for (side, played) in game.movers() {
        line.push_str(if side == Color::Black { "B[" } else { "W[" });
        push_ply(&mut line, played);
        line.push(']');
    }
    line.push_str(";)\n");
    out.write_all(line.as_bytes())?;
    Ok(())
}

/// Replaces brackets and backslashes. No program escapes them, so that readers may not know escapes.
fn plain(character: char) -> char {
    match character {
        ']' => ')',
        '[' => '(',
        '\\' => '/',
        character if character.is_control() => ' ',
        character => character,
    }
}

fn result_text(game: &Game) -> String {
    let Some(end) = &game.end else { return "?".to_owned() };
    let score = game.score_or_forfeit(end);
    let suffix = match end.termination {
        _ if end.offender().is_none() => "",
        Termination::Timeout => ":t",
        Termination::Resigned => ":r",
        _ => ":l",
    };
    let difference = i32::from(score.black) - i32::from(score.white);
    let difference = if game.fewest_wins() { -difference } else { difference };
    format!("{difference:+}.000{suffix}")
}

fn board_text(position: Position) -> String {
    let text = position.to_string().replace('X', "*");
    format!("{} {text}", position.size().side())
}

fn push_ply(line: &mut String, played: &Played) {
    match played.ply {
        Ply::Place(square) => {
            line.push(char::from(b'A' + square.column()));
            line.push(char::from(b'1' + square.row()));
        }
        Ply::Pass => line.push_str("PA"),
    }
    if played.score.is_none() && played.spent.is_none() {
        return;
    }
    line.push('/');
    if let Some(score) = played.score {
        line.push_str(&decimals(score));
    }
    if let Some(spent) = played.spent {
        line.push('/');
        line.push_str(&decimals(spent.as_secs_f64()));
    }
}

/// The number with two decimals, or with as many as are needed to read the same number again.
fn decimals(number: f64) -> String {
    let short = format!("{number:.2}");
    if short.parse() == Ok(number) { short } else { number.to_string() }
}
