//! One finished game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rules::{BoardSize, ByColor, Color, Empties, IllegalPly, Ply, Position, Turn, Variant};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::serde_text;
use crate::verdict::{FaultPhase, Outcome, Termination, Verdict};

/// The `detail` of a game begins with this if an engine lost it because it failed to start.
pub const AT_START: &str = "at start: ";

/// How the `detail` of a game begins that an earlier version recorded although it was not played, since an engine had
/// been withdrawn.
const WITHDRAWN: &str = "withdrawn";

/// The version of the record format that this program writes.
pub const FORMAT: u32 = 1;

/// One finished game: its causes (opening, plies with their times, termination) and what follows from them (discs,
/// score, result). [`replay`](Self::replay) checks that the two agree.
///
/// The fields stand in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The version of the record format, [`FORMAT`].
    pub format: u32,
    /// Index in the schedule, from 0; games 2k and 2k+1 are one pair.
    pub game: u64,
    pub pair: u64,
    /// The opening's number: round k plays opening k.
    pub round: u64,
    /// The plies before the engines were asked, passes included.
    pub opening: Vec<Ply>,
    /// The position before the opening.
    #[serde(with = "serde_text::as_text")]
    pub start: Start,
    pub variant: Variant,
    pub board: BoardSize,
    /// The side that squares left empty count for.
    pub empties: Empties,
    pub black: String,
    pub white: String,
    /// The game's own seed, below 2^53.
    pub seed: u64,
    /// The plies after the opening, passes included.
    pub moves: Vec<MoveRecord>,
    #[serde(with = "serde_text::as_text")]
    pub result: Outcome,
    /// The discs on the board at the end.
    pub discs: ByColor<u8>,
    /// The discs with empty squares counted as `empties` says; after a forfeit, all squares for the winner.
    pub score: ByColor<u8>,
    #[serde(with = "serde_text::as_text")]
    pub termination: Termination,
    /// The side that lost by a fault or resigned. The field is required, if only as null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub offender: Option<Color>,
    /// When the fault happened, if there was one. Earlier versions did not write it; see
    /// [`fault_phase`](Self::fault_phase).
    #[serde(default)]
    pub phase: Option<FaultPhase>,
    /// What went wrong, as text for people.
    pub detail: Option<String>,
    /// The time at which it began, UTC, as in RFC 3339.
    pub started: String,
    /// Its duration in seconds.
    pub seconds: f64,
    /// The CPU time that each side's processes used while it was not their turn, to the microsecond. Absent if it
    /// was not measured.
    #[serde(
        rename = "off_turn_cpu_ms",
        default,
        skip_serializing_if = "Option::is_none",
        with = "serde_text::both_milliseconds"
    )]
    pub off_turn: Option<ByColor<Duration>>,
}

/// One ply after the opening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// A square, or a pass.
    #[serde(rename = "move")]
    pub ply: Ply,
    /// Wall time charged to the mover; zero for a pass.
    #[serde(rename = "ms", with = "serde_text::milliseconds")]
    pub spent: Duration,
    /// The engine's evaluation in discs; plus is good for the mover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The depth in plies that the engine reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The number of positions that the engine reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// The position before the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The standard start of the variant and board.
    Standard,
    /// Any other position.
    Position(Position),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standard => f.write_str("startpos"),
            Self::Position(position) => position.fmt(f),
        }
    }
}

impl FromStr for Start {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "startpos" {
            return Ok(Self::Standard);
        }
        text.parse().map(Self::Position).map_err(|error: rules::PositionTextError| error.to_string())
    }
}

/// Why a record can't be read, or contradicts itself.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It is not JSON, or a field is missing or of the wrong type.
    #[error("not a game record: {0}")]
    Json(#[from] serde_json::Error),
    /// The record can't be part of a tournament; the text says why.
    #[error("{0}")]
    Refused(String),
    /// A newer version of this program wrote it.
    #[error("the record has format {0}; this version reads format {FORMAT}")]
    Format(u32),
    /// A ply that the rules forbid.
    #[error("ply {ply}: {why}")]
    Illegal {
        /// Its number in the whole game, from 1.
        ply: usize,
        why: IllegalPly,
    },
    /// A stored value does not follow from the plies.
    #[error("{field} is recorded as {recorded}, but the moves give {replayed}")]
    Inconsistent { field: &'static str, recorded: String, replayed: String },
}

/// Two positions of a replayed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GamePositions {
    /// The position in which the first engine had to move.
    pub after_opening: Position,
    pub last: Position,
}

impl GameRecord {
    /// Appends the record to `out` as one line with its line end.
    ///
    /// # Errors
    /// [`RecordError::Json`] if `seconds` or a score is not a finite number.
    pub fn write_line(&self, out: &mut Vec<u8>) -> Result<(), RecordError> {
        serde_json::to_writer(&mut *out, self)?;
        out.push(b'\n');
        Ok(())
    }

    /// The position before the opening.
    #[must_use]
    pub fn start_position(&self) -> Position {
        match self.start {
            Start::Standard => Position::start(self.board),
            Start::Position(position) => position,
        }
    }

    #[must_use]
    pub fn name(&self, color: Color) -> &str {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The time charged to each side in all.
    #[must_use]
    pub fn spent(&self) -> ByColor<Duration> {
        let mut spent = ByColor::default();
        let mut mover = self.start_position().side_to_move();
        if !self.opening.len().is_multiple_of(2) {
            mover = mover.opposite();
        }
        for played in &self.moves {
            spent[mover] += played.spent;
            mover = mover.opposite();
        }
        spent
    }

    /// The discs by which this side has won (negative: lost). In the reversed game, where fewer discs win, the
    /// opponent's discs minus its own.
    #[must_use]
    pub fn disc_difference(&self, side: Color) -> i32 {
        let black = i32::from(self.score.black) - i32::from(self.score.white);
        let good_for_black = match self.variant {
            Variant::Othello | Variant::Historical => black,
            Variant::Reversed => -black,
        };
        match side {
            Color::Black => good_for_black,
            Color::White => -good_for_black,
        }
    }

    /// When the fault happened that decided the game, if one did. Where an earlier version wrote the record, its words
    /// tell.
    #[must_use]
    pub fn fault_phase(&self) -> Option<FaultPhase> {
        let by_words = || match self.detail.as_deref() {
            Some(detail) if detail.starts_with(AT_START) => FaultPhase::Start,
            _ => FaultPhase::Play,
        };
        self.termination.is_fault().then(|| self.phase.unwrap_or_else(by_words))
    }

    /// False for a game that was never played, since an engine had been withdrawn. Earlier versions recorded such games;
    /// they count nowhere.
    #[must_use]
    pub fn was_played(&self) -> bool {
        self.phase.is_some() || !self.detail.as_deref().is_some_and(|detail| detail.starts_with(WITHDRAWN))
    }

    /// Replays the game and checks that discs, score and result follow from its plies.
    ///
    /// # Errors
    /// [`RecordError::Illegal`] or [`RecordError::Inconsistent`].
    pub fn replay(&self) -> Result<GamePositions, RecordError> {
        let mut position = self.start_position();
        if position.size() != self.board {
            return Err(inconsistent("board", self.board, position.size()));
        }
        if !self.variant.allows(position) {
            return Err(inconsistent("variant", self.variant, Variant::Historical));
        }
        let mut after_opening = position;
        let moves = self.moves.iter().map(|played| played.ply);
        for (index, ply) in self.opening.iter().copied().chain(moves).enumerate() {
            position = position.play(ply).map_err(|why| RecordError::Illegal { ply: index + 1, why })?;
            if index + 1 == self.opening.len() {
                after_opening = position;
            }
        }
        self.check(position)?;
        Ok(GamePositions { after_opening, last: position })
    }

    fn check(&self, last: Position) -> Result<(), RecordError> {
        let discs = last.disc_counts();
        if discs != self.discs {
            let words = |discs: ByColor<u8>| format!("{}-{}", discs.black, discs.white);
            return Err(inconsistent("discs", words(self.discs), words(discs)));
        }
        if self.termination.has_offender() != self.offender.is_some() {
            let expected = if self.offender.is_some() { "none" } else { "one" };
            let recorded = self.offender.map_or("null".to_owned(), |offender| offender.to_string());
            return Err(inconsistent("offender", recorded, expected));
        }
        let verdict = match (self.termination, self.offender) {
            (_, Some(offender)) => Verdict::by_forfeit(offender, self.variant, self.board),
            (Termination::Normal, None) => match last.turn() {
                Turn::Over(score) => Verdict::by_discs(score, self.variant, self.empties),
                _ => return Err(inconsistent("termination", self.termination, "a game that is not over")),
            },
            (_, None) => return Ok(()),
        };
        if verdict.outcome != self.result {
            return Err(inconsistent("result", self.result, verdict.outcome));
        }
        if verdict.score != self.score {
            let words = |score: ByColor<u8>| format!("{}-{}", score.black, score.white);
            return Err(inconsistent("score", words(self.score), words(verdict.score)));
        }
        Ok(())
    }
}

fn inconsistent(
    field: &'static str,
    recorded: impl fmt::Display,
    replayed: impl fmt::Display,
) -> RecordError {
    RecordError::Inconsistent { field, recorded: recorded.to_string(), replayed: replayed.to_string() }
}
