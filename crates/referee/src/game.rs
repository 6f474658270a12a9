//! One game as a plain value: whose turn it is, what the clocks say, and how it ended. It is told
//! what the engines answered and never waits for anything.

use std::time::Duration;

use clock::{Clock, TimeControl};
use protocol::message::{Go, Played};
use records::{MoveRecord, Termination, Verdict};
use rules::{ByColor, Color, Empties, Ply, Position, Turn, Variant};

use crate::engine::{Answer, AnswerKind, Failure};

/// What is fixed before a game begins.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Othello or one of its relatives.
    pub variant: Variant,
    /// Whether empty squares count for the winner.
    pub empties: Empties,
    /// How each side's thinking is limited.
    pub time: ByColor<TimeControl>,
    /// The reserve on clocks and move times.
    pub margin: Duration,
    /// For a search that has no clock.
    pub move_limit: Duration,
    /// The position before the opening.
    pub start: Position,
    /// The plies before the engines are asked, legal from `start`.
    pub opening: Vec<Ply>,
}

/// A game that is being played.
#[derive(Debug)]
pub struct Game {
    setup: Setup,
    position: Position,
    clocks: ByColor<Clock>,
    played: Vec<Played>,
    moves: Vec<MoveRecord>,
}

/// What has to be done next.
#[derive(Debug)]
pub enum Next {
    /// Ask this side for a move, and give it at most this long.
    Ask {
        /// Whose turn it is.
        side: Color,
        /// How it may think.
        go: Go,
        /// After this it is late.
        allowance: Duration,
    },
    /// The game is over by the rules.
    Over(Ending),
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The kind of end.
    pub termination: Termination,
    /// Who is to blame.
    pub offender: Option<Color>,
    /// What happened, in words.
    pub detail: Option<String>,
    /// Result and score.
    pub verdict: Verdict,
}

impl Game {
    /// A game at its first move: the opening is on the board.
    ///
    /// # Panics
    /// If the opening is not legal; it was checked when it was made.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let line = rules::replay(setup.start, setup.opening.iter().copied()).expect("openings are legal");
        let clocks = setup.time.map(|control| Clock::new(control, setup.margin));
        let played = setup.opening.iter().map(|&ply| Played { ply, spent: Duration::ZERO }).collect();
        Self { position: line.position(), clocks, played, moves: Vec::new(), setup }
    }

    /// What has to be done next; plays forced passes, which are asked of nobody.
    pub fn advance(&mut self) -> Next {
        loop {
            match self.position.turn() {
                Turn::Place(_) => {
                    let side = self.position.side_to_move();
                    let clock = self.clocks.get(side);
                    let allowance = clock.allowance().unwrap_or(self.setup.move_limit);
                    return Next::Ask { side, go: self.go(side), allowance };
                }
                Turn::Pass(forced) => {
                    self.position = self.position.after_pass(forced);
                    self.note(Ply::Pass, Duration::ZERO, None);
                }
                Turn::Over(score) => {
                    let verdict = Verdict::by_discs(score, self.setup.variant, self.setup.empties);
                    return Next::Over(Ending {
                        termination: Termination::Normal,
                        offender: None,
                        detail: None,
                        verdict,
                    });
                }
            }
        }
    }

    /// How the side to move may think. Where one side has a game clock and the other none, the
    /// other's time is told as the mover's own.
    fn go(&self, side: Color) -> Go {
        match *self.setup.time.get(side) {
            TimeControl::Game { .. } => {
                let of = |color: Color| {
                    let clock = match self.setup.time.get(color) {
                        TimeControl::Game { .. } => self.clocks.get(color),
                        _ => self.clocks.get(side),
                    };
                    (clock.remaining().unwrap_or_default(), clock.increment())
                };
                let both = ByColor::from_fn(of);
                Go::Clock {
                    time: both.map(|(time, _)| time),
                    increment: both.map(|(_, increment)| increment),
                }
            }
            TimeControl::MoveTime(time) => Go::MoveTime(time),
            TimeControl::Nodes(nodes) => Go::Nodes(nodes),
            TimeControl::Depth(depth) => Go::Depth(depth),
        }
    }

    /// Takes what the side to move answered. The order of judgement is: gone, late, unreadable,
    /// illegal. Returns the ending if the game is lost by it.
    pub fn take(&mut self, answer: Answer) -> Option<Ending> {
        let side = self.position.side_to_move();
        let spent = answer.spent;
        if let AnswerKind::Gone(detail) = answer.kind {
            return Some(self.lost(Termination::Crash, side, detail));
        }
        if let AnswerKind::Silent(pending) = &answer.kind {
            // By the limit of a search without clock, or because the clock ran out while we waited.
            let Some(allowed) = self.clocks.get(side).allowance() else {
                let limit = clock::format_duration(self.setup.move_limit);
                let detail = format!("no move within {limit}, the limit on a search without clock{pending}");
                return Some(self.lost(Termination::Stall, side, detail));
            };
            let margin = self.setup.margin.min(allowed);
            let given = clock::brief_duration(allowed - margin);
            let with_margin = clock::format_duration(margin);
            let detail = format!("no move within {given} and the margin of {with_margin}{pending}");
            return Some(self.lost(Termination::Timeout, side, detail));
        }
        if let Err(late) = self.clocks[side].charge(spent) {
            let what = match &answer.kind {
                AnswerKind::Ply(ply) => format!("{ply} came "),
                _ => "the answer came ".to_owned(),
            };
            return Some(self.lost(Termination::Timeout, side, format!("{what}{late}")));
        }
        match answer.kind {
            AnswerKind::Ply(ply) => match self.position.play(ply) {
                Ok(position) => {
                    self.position = position;
                    self.note(ply, spent, Some(answer.claims));
                    None
                }
                Err(illegal) => {
                    let detail = format!("illegal move {ply}: {illegal}; position {}", self.position);
                    Some(self.lost(Termination::IllegalMove, side, detail))
                }
            },
            AnswerKind::Resigned => Some(self.lost(Termination::Resigned, side, "resigned".to_owned())),
            AnswerKind::Unreadable(detail) => Some(self.lost(Termination::ProtocolError, side, detail)),
            AnswerKind::Silent(_) | AnswerKind::Gone(_) => None,
        }
    }

    /// The game is lost by a side that failed otherwise than in its answer to `go`.
    #[must_use]
    pub fn failed(&self, side: Color, failure: Failure) -> Ending {
        self.lost(failure.termination, side, failure.detail)
    }

    fn lost(&self, termination: Termination, offender: Color, detail: String) -> Ending {
        let verdict = Verdict::by_forfeit(offender, self.setup.variant, self.position.size());
        Ending { termination, offender: Some(offender), detail: Some(detail), verdict }
    }

    fn note(&mut self, ply: Ply, spent: Duration, claims: Option<protocol::message::Claims>) {
        let claims = claims.unwrap_or_default();
        self.played.push(Played { ply, spent });
        self.moves.push(MoveRecord {
            ply,
            spent,
            score: claims.score,
            depth: claims.depth,
            nodes: claims.nodes,
        });
    }

    /// Every ply so far, the opening's too, with the time it took.
    #[must_use]
    pub fn played(&self) -> &[Played] {
        &self.played
    }

    /// The position on the board.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The plies after the opening, for the record.
    #[must_use]
    pub fn into_moves(self) -> Vec<MoveRecord> {
        self.moves
    }
}
