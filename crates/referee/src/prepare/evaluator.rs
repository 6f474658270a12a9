//! What positions are worth by an engine's own count, for openings that favour nobody.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clock::{Limits, TimeControl};
use protocol::dialect::ProtocolId;
use protocol::message::{Go, NewGame, PlayedPly, Request};
use records::Verdict;
use rules::{ByColor, Color, Empties, Ply, Position, Turn, Variant};
use tokio::task::JoinSet;
use tournament::definition::{Definition, DefinitionError};

use crate::prepare::spec::{launch, settings};
use play::engine::{CancelToken, CpuPolicy, Engine, EngineError, EngineSpec, Spawner, StopMode};

/// An engine that is asked for values, and how deep it searches.
#[derive(Clone, Debug)]
pub struct Evaluator {
    spec: EngineSpec,
    limits: Limits,
    variant: Variant,
    depth: u32,
    /// What it calls itself.
    name: String,
}

/// Why there are no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoValues {
    /// Everything was cancelled.
    Cancelled,
    /// What went wrong.
    Failed(String),
}

/// A line whose end is to be valued.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The position before it.
    pub start: Position,
    /// Every ply, passes included.
    pub plies: &'a [Ply],
}

impl Evaluator {
    /// The first engine of a definition, once it has said who it is.
    ///
    /// # Errors
    /// [`DefinitionError`] if it can't be started, can't play the game, or an option is wrong.
    pub async fn start(
        definition: &Definition,
        depth: u32,
        cancel: &CancelToken,
    ) -> Result<Self, DefinitionError> {
        let entry = &definition.engines[0];
        let wrong = |message: String| definition.engine_error(0, "command", message);
        let launch = launch(definition, 0)?;
        let limits = definition.limits.timeouts;
        let met = Spawner::new(limits, cancel).recognise(&launch, entry.protocol(), entry.clock()).await;
        let (engine, protocol): (Engine, ProtocolId) = met.map_err(|error| match error {
            EngineError::Failed(failure) => wrong(format!("does not start: {}", failure.detail)),
            EngineError::Refused(refusal) => wrong(format!("does not start: {refusal}")),
            EngineError::Cancelled => wrong("was cancelled".to_owned()),
        })?;
        let identity = engine.identity().clone();
        let cannot = engine.dialect().cannot_play(definition.variant, &definition.start_position());
        let untold = engine.dialect().unsupported_time_control(TimeControl::Depth(depth));
        engine.stop(StopMode::Polite).await;
        if let Some(why) = cannot.or(untold) {
            return Err(wrong(format!("cannot value positions: {why}")));
        }
        let name = identity.name.clone().unwrap_or_else(|| entry.program_name());
        let settings = settings(definition, 0, &identity, protocol)?;
        let spec = EngineSpec {
            name: name.clone(),
            launch,
            protocol,
            clock: entry.clock(),
            settings,
            restart: false,
            cpu_policy: CpuPolicy::default(),
            pipelined: true,
        };
        Ok(Self { spec, limits, variant: definition.variant, depth, name })
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How deep it searches, in plies.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The value of the end of each line: the final disc difference that the engine expects, from
    /// the view of the side to move there. As many processes as there are cores share the work; what
    /// comes out does not depend on it, if the engine answers the same to the same question.
    ///
    /// # Errors
    /// [`NoValues`] if the engine fails or claims no value.
    pub async fn values(&self, lines: &[Line<'_>], cancel: &CancelToken) -> Result<Vec<f64>, NoValues> {
        let asked: Arc<[Asked]> = lines.iter().map(Asked::of).collect();
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let next = Arc::new(AtomicUsize::new(0));
        let mut shares = JoinSet::new();
        for _ in 0..cores.min(lines.len()) {
            let (judge, cancel) = (self.clone(), cancel.clone());
            let (asked, next) = (Arc::clone(&asked), Arc::clone(&next));
            shares.spawn(async move { judge.share(&asked, &next, &cancel).await });
        }
        let mut values: Vec<(usize, f64)> = Vec::new();
        while let Some(share) = shares.join_next().await {
            let failed = |_| NoValues::Failed("a task that values positions panicked".to_owned());
            values.extend(share.map_err(failed)??);
        }
        values.sort_unstable_by_key(|(index, _)| *index);
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    /// Values what is asked, one after the other, as long as others have not taken it.
    async fn share(
        &self,
        asked: &[Asked],
        next: &AtomicUsize,
        cancel: &CancelToken,
    ) -> Result<Vec<(usize, f64)>, NoValues> {
        let started = Spawner::new(self.limits, cancel).start(&self.spec).await;
        let mut engine = started.map_err(|failed| self.failed(failed.error))?;
        let mut found = Vec::new();
        let outcome = loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(asked) = asked.get(index) else { break Ok(()) };
            match self.value(&mut engine, asked).await {
                Ok(value) => found.push((index, value)),
                Err(error) => break Err(error),
            }
        };
        engine.stop(if outcome.is_ok() { StopMode::Polite } else { StopMode::Broken }).await;
        outcome.map(|()| found)
    }

    async fn value(&self, engine: &mut Engine, asked: &Asked) -> Result<f64, NoValues> {
        let time = TimeControl::Depth(self.depth);
        let go = Go::Depth(self.depth);
        let color = asked.position.side_to_move();
        if let Turn::Over(score) = asked.position.turn() {
            let score = Verdict::by_discs(score, self.variant, Empties::Winner).score;
            let ahead = f64::from(score[color]) - f64::from(score[color.opposite()]);
            return Ok(asked.sign * if self.variant == Variant::Reversed { -ahead } else { ahead });
        }
        let game = NewGame {
            variant: self.variant,
            start: asked.start,
            seed: 0,
            color,
            names: ByColor::from_fn(|side: Color| if side == color { &*self.name } else { "opponent" }),
            time: ByColor::new(time, time),
        };
        let played: Vec<PlayedPly> =
            asked.plies.iter().map(|&ply| PlayedPly { ply, spent: std::time::Duration::ZERO }).collect();
        engine.new_game(&game).await.map_err(|error| self.failed(error))?;
        let position = Request::Position { played: &played, go: &go };
        engine.ask_ready(&position).await.map_err(|error| self.failed(error))?;
        let answer = engine.go(&go, self.limits.move_).await.map_err(|error| self.failed(error))?;
        let score = answer.info.score.ok_or_else(|| {
            let plies: Vec<String> = asked.plies.iter().map(ToString::to_string).collect();
            NoValues::Failed(format!("{} says no value after {}", self.name, plies.join(" ")))
        })?;
        Ok(asked.sign * score)
    }

    fn failed(&self, error: EngineError) -> NoValues {
        match error {
            EngineError::Failed(failure) => NoValues::Failed(format!("{}: {}", self.name, failure.detail)),
            EngineError::Refused(refusal) => NoValues::Failed(format!("{}: {refusal}", self.name)),
            EngineError::Cancelled => NoValues::Cancelled,
        }
    }
}

/// What is asked for a line: many an engine plays an only move without a search, so the line is followed to
/// where there is a choice.
struct Asked {
    /// The position before the plies.
    start: Position,
    plies: Vec<Ply>,
    position: Position,
    /// -1 if the side to move there is the other one.
    sign: f64,
}

impl Asked {
    fn of(line: &Line<'_>) -> Self {
        let played = rules::replay(line.start, line.plies.iter().copied()).expect("openings are legal");
        let (position, plies) = (played.position(), played.into_plies());
        let mut asked = Self { start: line.start, position, plies, sign: 1.0 };
        let side = asked.position.side_to_move();
        loop {
            let (ply, position) = match asked.position.turn() {
                Turn::Place(moves) if moves.len() == 1 => {
                    let only = moves.first();
                    (only.ply(), asked.position.after(only))
                }
                Turn::Pass(forced) => (Ply::Pass, asked.position.after_pass(forced)),
                Turn::Place(_) | Turn::Over(_) => break,
            };
            asked.plies.push(ply);
            asked.position = position;
        }
        asked.sign = if asked.position.side_to_move() == side { 1.0 } else { -1.0 };
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    #[test]
    fn a_line_is_followed_to_where_there_is_a_choice() {
        let asked = |text: &str| {
            let plies: Vec<Ply> =
                rules::parse_plies(text).expect("plies").into_iter().map(|(ply, _)| ply).collect();
            Asked::of(&Line { start: Position::start(BoardSize::Eight), plies: &plies })
        };
        let open = asked("f5");
        assert_eq!((open.plies.len(), open.sign), (1, 1.0));
        let only = asked("d3c3e6d2d1e1b3c1");
        assert_eq!((only.plies.len(), only.sign), (9, -1.0), "{:?}", only.plies);
        let forced = asked("f5f6d3g5h5h4f7h6");
        assert!(forced.plies.get(8) == Some(&Ply::Pass) && forced.position.moves().len() > 1);
    }
}
