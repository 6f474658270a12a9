//! Writing games as PGN.

use std::io::Write;

use rules::{Color, Variant};

use super::super::date::Day;
use super::super::error::WriteError;
use super::super::game::{Game, Played};
use super::super::game_end::End;
use super::{TERMINATIONS, fen, result_text};
use crate::verdict::Outcome;

/// The length limit of a line of moves. Only a single longer word exceeds it.
const WIDTH: usize = 80;

/// Writes one game: tags, an empty line, moves, an empty line.
pub(crate) fn write(out: &mut impl Write, game: &Game) -> Result<(), WriteError> {
    let mut text = String::with_capacity(1024);
    let mut tag = |name: &str, value: &str| {
        text.push('[');
        text.push_str(name);
        text.push_str(" \"");
        for character in value.chars() {
            if matches!(character, '"' | '\\') {
                text.push('\\');
            }
            text.push(if character.is_control() { ' ' } else { character });
        }
        text.push_str("\"]\n");
    };
    let known = |text: &str| if text.is_empty() { "?".to_owned() } else { text.to_owned() };
    let result = game.end.as_ref().map_or("*", |end| result_text(end.outcome));
    tag("Event", &known(&game.event));
    tag("Site", &known(&game.site));
    tag("Date", &Day::parse_start(&game.date).map_or_else(|| "????.??.??".to_owned(), Day::dotted));
    tag("Round", "?");
    tag("Black", &known(&game.names.black));
    tag("White", &known(&game.names.white));
    tag("Result", result);
    for (name, rating) in [("BlackElo", game.ratings.black), ("WhiteElo", game.ratings.white)] {
        if let Some(rating) = rating {
            tag(name, &rating.to_string());
        }
    }
    if game.variant != Variant::Othello {
        tag("Variant", &game.variant.to_string());
    }
    if !game.is_standard() || game.size() != rules::BoardSize::Eight {
        tag("FEN", &fen::write(game.start()));
    }
    if let Some(end) = &game.end {
        let word = TERMINATIONS.into_iter().find(|(how, _)| *how == end.termination);
        tag("Termination", word.map_or(end.termination.name(), |(_, word)| word));
    }
    text.push('\n');
    moves(&mut text, game);
    if let Some(said) = game.end.as_ref().and_then(|end| last_comment(game, end)) {
        text.push_str(&said);
        text.push(' ');
    }
    text.push_str(result);
    text.push_str("\n\n");
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Appends the moves and a line end, if there are any moves.
fn moves(text: &mut String, game: &Game) {
    let mut width = 0;
    let mut word = |word: &str, text: &mut String| {
        if width > 0 && width + 1 + word.len() > WIDTH {
            text.push('\n');
            width = 0;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.len();
    };
    let white_begins = usize::from(game.start().side_to_move() == Color::White);
    for (index, played) in game.plies().iter().enumerate() {
        let half = index + white_begins;
        match half % 2 {
            0 => word(&format!("{}.", half / 2 + 1), text),
            _ if index == 0 => word("1...", text),
            _ => {}
        }
        word(&played.ply.to_string(), text);
        if let Some(comment) = comment(played) {
            word(&comment, text);
        }
    }
    if !game.plies().is_empty() {
        text.push('\n');
    }
}

/// `{+1.50/9 0.049s}`, or the known parts of it. `None` if nothing is known.
fn comment(played: &Played) -> Option<String> {
    let score = played.score.map(|score| {
        let short = format!("{score:+.2}");
        let text = if short.parse() == Ok(score) { short } else { format!("{score:+}") };
        played.depth.map_or(text.clone(), |depth| format!("{text}/{depth}"))
    });
    let spent = played.spent.map(|spent| format!("{}s", spent.as_secs_f64()));
    match (score, spent) {
        (Some(score), Some(spent)) => Some(format!("{{{score} {spent}}}")),
        (Some(said), None) | (None, Some(said)) => Some(format!("{{{said}}}")),
        (None, None) => None,
    }
}

/// `{NAME wins 40-24}`, the winner's discs first.
fn last_comment(game: &Game, end: &End) -> Option<String> {
    let score = end.score?;
    Some(match end.outcome {
        Outcome::Draw => format!("{{draw {}-{}}}", score.black, score.white),
        Outcome::Win(winner) => {
            let name = game.names[winner].replace(['{', '}'], "'");
            let name = if name.is_empty() { "?" } else { name.as_str() };
            format!("{{{name} wins {}-{}}}", score[winner], score[winner.opposite()])
        }
    })
}
