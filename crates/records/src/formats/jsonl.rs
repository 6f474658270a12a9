//! Our own records, `games.jsonl`.

use std::io::{BufRead, Write};
use std::time::Duration;

use super::error::{ParseError, ReadError, WriteError};
use super::game::{Game, Item, Played, TournamentInfo};
use super::game_end::End;
use super::lines::Lines;
use crate::fast_json;
use crate::game::{FORMAT, GameRecord, MoveRecord, RecordError, Start};
use crate::verdict::{Outcome, Termination, Verdict};

#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    record: GameRecord,
}

impl<R: BufRead> Reader<R> {
    pub fn new(reader: R) -> Self {
        Self { lines: Lines::new(reader), record: fast_json::blank() }
    }

    fn read(&mut self) -> Result<Option<Item>, ReadError> {
        while self.lines.advance()? {
            let line = self.lines.text().map_err(ReadError::BadItem)?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let game = self.record.read(line).and_then(|()| game_of(&self.record));
            return game
                .map(|game| Some(Item::Game(game)))
                .map_err(|error| ReadError::BadItem(self.error_at(&error)));
        }
        Ok(None)
    }

    fn error_at(&self, error: &RecordError) -> ParseError {
        let column = match error {
            RecordError::Json(error) => error.column().saturating_sub(1),
            _ => 0,
        };
        let torn = if self.lines.is_torn() { " (the last line has no end: it was torn off)" } else { "" };
        self.lines.error_at(column, format!("{error}{torn}"))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Item, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Converts a record to a game.
///
/// # Errors
/// [`RecordError`] if the record contradicts itself.
pub fn game_of(record: &GameRecord) -> Result<Game, RecordError> {
    let last = record.replay()?.last;
    let opening = record.opening.iter().map(|&ply| Played::from(ply));
    let moves = record.moves.iter().map(|played| Played {
        ply: played.ply,
        spent: Some(played.spent),
        score: played.score,
        depth: played.depth,
        nodes: played.nodes,
    });
    let mut game = Game::from_legal_plies(record.start_position(), opening.chain(moves), last);
    game.variant = record.variant;
    game.empties = record.empties;
    game.names.black.clone_from(&record.black);
    game.names.white.clone_from(&record.white);
    game.date.clone_from(&record.started);
    game.opening = record.opening.len();
    game.end = Some(End {
        outcome: record.result,
        score: Some(record.score),
        termination: record.termination,
        detail: record.detail.clone(),
    });
    game.tournament = Some(Box::new(TournamentInfo {
        game: record.game,
        pair: record.pair,
        round: record.round,
        seed: record.seed,
        seconds: record.seconds,
        off_turn: record.off_turn,
        phase: record.phase,
    }));
    Ok(game)
}

/// Converts a game to a record. A game of another program gets the index `2 * number` and the pair `number`, so that no
/// two such games are one pair.
///
/// # Errors
/// A message, if the game has no result.
pub fn record_of(game: &Game, number: u64) -> Result<GameRecord, String> {
    let end = game.end.as_ref().ok_or("games.jsonl holds finished games only, and this one has no result")?;
    let info = game.tournament.as_deref().cloned().unwrap_or_else(|| TournamentInfo {
        game: 2 * number,
        pair: number,
        round: number,
        ..TournamentInfo::default()
    });
    let (result, score, termination) = verdict_of(game, end);
    let moves = game.plies().iter().skip(game.opening).map(|played| MoveRecord {
        ply: played.ply,
        spent: played.spent.unwrap_or(Duration::ZERO),
        score: played.score,
        depth: played.depth,
        nodes: played.nodes,
    });
    Ok(GameRecord {
        format: FORMAT,
        game: info.game,
        pair: info.pair,
        round: info.round,
        opening: game.moves().take(game.opening).collect(),
        start: if game.is_standard() { Start::Standard } else { Start::Position(game.start()) },
        variant: game.variant,
        board: game.size(),
        empties: game.empties,
        black: game.names.black.clone(),
        white: game.names.white.clone(),
        seed: info.seed,
        moves: moves.collect(),
        result,
        discs: game.last().disc_counts(),
        score,
        termination,
        offender: end.offender(),
        phase: info.phase,
        detail: end.detail.clone(),
        started: game.date.clone(),
        seconds: info.seconds,
        off_turn: info.off_turn,
    })
}

/// Result, score and termination that pass [`GameRecord::replay`].
fn verdict_of(game: &Game, end: &End) -> (Outcome, rules::ByColor<u8>, Termination) {
    let score = game.score_or_forfeit(end);
    match end.offender() {
        Some(offender) => {
            let verdict = Verdict::by_forfeit(offender, game.variant, game.size());
            (verdict.outcome, verdict.score, end.termination)
        }
        None if end.termination == Termination::Normal => (end.outcome, score, Termination::Normal),
        None => (end.outcome, score, Termination::Adjudicated),
    }
}

/// Writes one game as a line. For `number` see [`record_of`].
pub(super) fn write(out: &mut impl Write, game: &Game, number: u64) -> Result<(), WriteError> {
    let record = record_of(game, number).map_err(WriteError::Cannot)?;
    let mut line = Vec::with_capacity(4096);
    record.write_line(&mut line).map_err(|error| WriteError::Cannot(error.to_string()))?;
    out.write_all(&line)?;
    Ok(())
}
