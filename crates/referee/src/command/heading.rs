//! The lines above a game in `show` and in diagrams.

use records::Outcome;
use records::formats::Game;
use rules::Color;

/// The players, date and place if known, and the result: a line each.
pub(super) fn heading_lines(game: &Game) -> Vec<String> {
    let name = |color: Color| {
        let name = game.names[color].as_str();
        plain(if name.is_empty() { "?" } else { name })
    };
    let mut lines = vec![format!("{} (black) - {} (white)", name(Color::Black), name(Color::White))];
    let place: Vec<String> = [&game.event, &game.site, &game.date]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| plain(part))
        .collect();
    if !place.is_empty() {
        lines.push(place.join(", "));
    }
    lines.push(result(game));
    lines
}

/// The result: `black wins 40-24`, and the reason if it was not decided on the board.
fn result(game: &Game) -> String {
    let discs = game.last().disc_counts();
    let Some(end) = &game.end else {
        return format!("no result; {}-{} on the board", discs.black, discs.white);
    };
    let score = end.score.map(|score| format!(" {}-{}", score.black, score.white)).unwrap_or_default();
    let mut text = match end.outcome {
        Outcome::Draw => format!("draw{score}"),
        Outcome::Win(winner) => format!("{winner} wins{score}"),
    };
    if let Some(offender) = end.offender() {
        text.push_str(&format!(" ({} by {offender})", end.termination));
    } else if end.termination != records::Termination::Normal {
        text.push_str(&format!(" ({})", end.termination));
    }
    if let Some(detail) = &end.detail {
        text.push_str(&format!(": {}", plain(detail)));
    }
    text
}

/// Text without control characters, which might steer a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
