//! `games.csv`: one row a game, in the order of the schedule.

use std::io::Write;

use records::GameRecord;
use records::formats::table::{COLUMNS, IN_GAMES_CSV};

use crate::number::milliseconds;

pub(crate) fn header(out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    out.write_record(&COLUMNS[..IN_GAMES_CSV])
}

pub(crate) fn row(game: &GameRecord, out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    let mut plies = game.opening.clone();
    plies.extend(game.moves.iter().map(|played| played.ply));
    let spent = game.spent().map(milliseconds);
    out.write_record([
        game.game.to_string(),
        game.pair.to_string(),
        game.round.to_string(),
        game.black.clone(),
        game.white.clone(),
        rules::to_transcript(&game.opening),
        game.variant.to_string(),
        game.result.to_string(),
        game.score.black.to_string(),
        game.score.white.to_string(),
        game.discs.black.to_string(),
        game.discs.white.to_string(),
        plies.len().to_string(),
        game.termination.to_string(),
        game.offender.map(|offender| offender.to_string()).unwrap_or_default(),
        spent.black,
        spent.white,
        rules::to_transcript(&plies),
        game.started.clone(),
        game.seconds.to_string(),
    ])
}
