//! One finished game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use rules::{BoardSize, ByColor, Color, Empties, IllegalPly, Ply, Position, Turn, Variant};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::serde_text;
use crate::verdict::{Outcome, Termination, Verdict};

/// How the `detail` of a game begins that an engine lost because it did not get through its start.
pub const AT_START: &str = "at start: ";

/// The version of the schema that is written.
pub const FORMAT: u32 = 1;

/// One finished game: its causes (opening, plies with the time they took, how it ended) and what
/// follows from them (discs, score, result), which [`replay`](Self::replay) checks.
///
/// Fields stand in the order in which they are written; see the record in the design for units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Version of this schema, [`FORMAT`].
    pub format: u32,
    /// Index in the schedule, from 0; games 2k and 2k+1 are one pair.
    pub game: u64,
    /// Index of the game pair.
    pub pair: u64,
    /// The opening's number: round k plays opening k.
    pub round: u64,
    /// The plies before the engines were asked, passes included.
    pub opening: Vec<Ply>,
    /// The position before the opening.
    #[serde(with = "serde_text::as_text")]
    pub start: Start,
    /// Othello or one of its relatives.
    pub variant: Variant,
    /// The board's side.
    pub board: BoardSize,
    /// Whether empty squares count for the winner.
    pub empties: Empties,
    /// Black's name.
    pub black: String,
    /// White's name.
    pub white: String,
    /// The game's own seed, below 2^53.
    pub seed: u64,
    /// The plies after the opening, passes included.
    pub moves: Vec<MoveRecord>,
    /// Who has won.
    #[serde(with = "serde_text::as_text")]
    pub result: Outcome,
    /// Discs on the board at the end.
    pub discs: ByColor<u8>,
    /// The score by the game's convention.
    pub score: ByColor<u8>,
    /// How the game ended.
    #[serde(with = "serde_text::as_text")]
    pub termination: Termination,
    /// Who is to blame for it. The field is required, if only as null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub offender: Option<Color>,
    /// What went wrong, in words.
    pub detail: Option<String>,
    /// When it began, UTC, as in RFC 3339.
    pub started: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Processor time that each side's processes used while it was not their turn, to the microsecond; absent
    /// where it was not measured.
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
    /// What the engine expects, in discs, from the mover's view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Plies the engine says it searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions the engine says it searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// The position before the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The standard start of the variant and board.
    Standard,
    /// Another one.
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

/// Why a record can't be read or does not hold together.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Not JSON, or a field is missing or of the wrong type.
    #[error("not a game record: {0}")]
    Json(#[from] serde_json::Error),
    /// A game record that can't be one of a tournament; says why.
    #[error("{0}")]
    Refused(String),
    /// Written by a newer version of this program.
    #[error("the record has format {0}; this version reads format {FORMAT}")]
    Format(u32),
    /// A ply that the rules forbid.
    #[error("ply {ply}: {why}")]
    Illegal {
        /// Its number in the whole game, from 1.
        ply: usize,
        /// What is wrong with it.
        why: IllegalPly,
    },
    /// Something stored does not follow from the plies.
    #[error("{field} is recorded as {recorded}, but the moves give {replayed}")]
    Inconsistent {
        /// Which field.
        field: &'static str,
        /// What stands in the record.
        recorded: String,
        /// What the replay gives.
        replayed: String,
    },
}

/// Two positions of a game that was played through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GamePositions {
    /// The position after the opening, in which the first engine was asked.
    pub after_opening: Position,
    /// The position at the end.
    pub last: Position,
}

impl GameRecord {
    /// Appends the record to `out` as one line, its end included.
    ///
    /// # Errors
    /// [`RecordError::Json`] if `seconds` or a claimed score is not a finite number.
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

    /// The name of the engine that plays this colour.
    #[must_use]
    pub fn name(&self, color: Color) -> &str {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The time that each side was charged.
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

    /// By how many discs this side has won (negative: lost). In the reversed game fewer discs are
    /// better, so there it is the opponent's discs minus its own.
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

    /// Plays the game through and checks that discs, score and result follow from its plies.
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
