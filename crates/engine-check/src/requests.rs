//! What checks ask of an engine, and how an answer is judged.

use std::time::Duration;

use clock::TimeControl;
use protocol::message::{Go, NewGame, PlayedPly, Request};
use protocol::probe::Probe;
use records::Termination;
use rules::{ByColor, Color, Ply, Position, Turn, Variant};

use crate::engine_under_test::{EngineUnderTest, LESS_PATIENCE, PATIENCE};
use crate::hints;
use crate::verdict::{Fault, NotPassed, Verdict, in_millis};
use play::engine::{Answer, AnswerKind, EngineError, Failure};

impl EngineUnderTest {
    /// Why it is not told of a limit; `None` if it is.
    pub(crate) fn unsupported_time_control(
        &mut self,
        time: TimeControl,
    ) -> Result<Option<String>, NotPassed> {
        Ok(self.engine()?.dialect().unsupported_time_control(time))
    }

    /// Skips what has to do with a limit that it is not told of.
    pub(crate) fn told(&mut self, time: TimeControl) -> Result<(), NotPassed> {
        match self.unsupported_time_control(time)? {
            Some(why) => Err(NotPassed::skipped(format!("not told: {why}"))),
            None => Ok(()),
        }
    }

    /// The limit under which it answers soonest.
    pub(crate) fn quick(&mut self) -> Result<TimeControl, NotPassed> {
        let second = TimeControl::Game { main: Duration::from_secs(1), increment: Duration::ZERO };
        for time in [TimeControl::Depth(1), TimeControl::Nodes(1)] {
            if self.unsupported_time_control(time)?.is_none() {
                return Ok(time);
            }
        }
        Ok(second)
    }

    /// Whether it can play from here; skips the check if not.
    pub(crate) fn can_play(&mut self, variant: Variant, start: &Position) -> Result<(), NotPassed> {
        match self.engine()?.dialect().cannot_play(variant, start) {
            Some(why) => Err(NotPassed::skipped(why)),
            None => Ok(()),
        }
    }

    /// A new game of the variant that is checked.
    pub(crate) fn new_game(
        &mut self,
        start: Position,
        color: Color,
        time: TimeControl,
    ) -> Result<(), NotPassed> {
        self.new_game_of(self.variant, start, color, ByColor::new(time, time), 1)
    }

    /// A new game.
    pub(crate) fn new_game_of(
        &mut self,
        variant: Variant,
        start: Position,
        color: Color,
        time: ByColor<TimeControl>,
        seed: u64,
    ) -> Result<(), NotPassed> {
        self.can_play(variant, &start)?;
        let names = ByColor::new("engine", "engine");
        let game = NewGame { variant, start, seed, color, names, time };
        Ok(self.engine()?.new_game(&game)?)
    }

    /// Tells it the game so far.
    pub(crate) fn tell(&mut self, plies: &[Ply], go: &Go) -> Result<(), NotPassed> {
        let played: Vec<PlayedPly> =
            plies.iter().map(|&ply| PlayedPly { ply, spent: Duration::ZERO }).collect();
        Ok(self.engine()?.ask_ready(&Request::Position { played: &played, go })?)
    }

    /// Asks for a move in a position that it was told, and holds the answer against the rules. Within
    /// the allowance is in time; what else there is to say of the time is up to the caller.
    pub(crate) fn think(
        &mut self,
        position: Position,
        go: &Go,
        allowance: Duration,
    ) -> Result<(Ply, Answer), NotPassed> {
        let answer = self.engine()?.go(go, allowance)?;
        let ply = self.judge(position, &answer, allowance)?;
        Ok((ply, answer))
    }

    /// The move of an answer, if it is legal.
    pub(crate) fn judge(
        &self,
        position: Position,
        answer: &Answer,
        waited: Duration,
    ) -> Result<Ply, NotPassed> {
        let fault = |why: String, hint| Err(NotPassed::Failed(Fault { why, hint, position: Some(position) }));
        let legal = || {
            let names: Vec<String> = position.moves().iter().map(|square| square.to_string()).collect();
            names.join(" ")
        };
        match &answer.kind {
            &AnswerKind::Ply(ply) => match position.play(ply) {
                Ok(_) => Ok(ply),
                Err(illegal) => fault(
                    format!("played {ply}: {illegal}; the legal moves are {}", legal()),
                    Some(hints::ILLEGAL),
                ),
            },
            AnswerKind::Resigned => fault("resigned".to_owned(), None),
            AnswerKind::Unreadable(why) => fault(why.clone(), Some(hints::UNREADABLE)),
            AnswerKind::Silent(pending) | AnswerKind::Idle(pending) => {
                let within = in_millis(waited);
                fault(format!("no move within {within}{pending}"), Some(hints::SILENT))
            }
            AnswerKind::Gone(how) => fault(format!("it is gone: {how}"), Some(hints::GONE)),
        }
    }

    /// How long it may take over a search that has no clock.
    pub(crate) fn patience(&self) -> Duration {
        if self.silences == 0 { PATIENCE } else { LESS_PATIENCE }
    }

    /// Plays these plies in a new game and asks for the next, under the limit that is answered soonest.
    pub(crate) fn ask(&mut self, start: Position, plies: &[Ply]) -> Result<Ply, NotPassed> {
        let time = self.quick()?;
        let end = replayed(start, plies);
        self.new_game(start, end.side_to_move(), time)?;
        self.ask_on(end, plies, time)
    }

    /// Tells the game so far and asks for the next ply, in a game that goes on.
    pub(crate) fn ask_on(
        &mut self,
        end: Position,
        plies: &[Ply],
        time: TimeControl,
    ) -> Result<Ply, NotPassed> {
        let go = go_of(time);
        self.tell(plies, &go)?;
        let patience = self.patience();
        Ok(self.think(end, &go, patience)?.0)
    }

    /// Carries out a probe of its dialect, then sees whether it still plays.
    pub(crate) fn probe(&mut self, probe: &'static Probe) -> Verdict {
        let time = self.quick()?;
        let start = Position::start(rules::BoardSize::Eight);
        // What a probe sends is about the usual start, which is not where the historical game begins.
        let variant = if self.variant == Variant::Historical { Variant::Othello } else { self.variant };
        self.new_game_of(variant, start, Color::Black, ByColor::new(time, time), 1)?;
        let limit = self.limits().ready;
        let mut heard = Vec::new();
        let judged = self.engine()?.send_raw(probe.send.as_bytes(), limit, |line| {
            heard.push(line.to_owned());
            (probe.expect)(&heard)
        })?;
        judged.map_err(NotPassed::failed)?;
        if probe.name == "queries" {
            self.answers_queries = true;
        }
        self.ask(start, &[])?;
        Ok(String::new())
    }
}

/// Where plies lead. What is told to an engine is legal.
pub(crate) fn replayed(start: Position, plies: &[Ply]) -> Position {
    plies.iter().fold(start, |position, &ply| position.play(ply).unwrap_or(position))
}

/// The request that goes with a limit, at the start of a game in which both have it.
pub(crate) fn go_of(time: TimeControl) -> Go {
    match time {
        TimeControl::Game { main, increment } => {
            Go::Clock { time: ByColor::new(main, main), increment: ByColor::new(increment, increment) }
        }
        TimeControl::MoveTime(time) => Go::MoveTime(time),
        TimeControl::Nodes(nodes) => Go::Nodes(nodes),
        TimeControl::Depth(depth) => Go::Depth(depth),
    }
}

/// A ply for the other side, in a position that is not over: forced passes are played by nobody.
pub(crate) fn through_passes(mut position: Position, plies: &mut Vec<Ply>) -> Position {
    while let Turn::Pass(forced) = position.turn() {
        plies.push(Ply::Pass);
        position = position.after_pass(forced);
    }
    position
}
