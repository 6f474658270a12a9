//! The game loop: what a game wants next is asked of an engine, and its answer handed back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::message::NewGame;
use records::{AT_START, DropReason, FaultPhase, GameRecord, Start, Termination};
use rules::{ByColor, Color, Position};

use crate::engine::{EngineError, EngineSpec, Failure, Refusal, Remedy};
use crate::engine_pool::EnginePool;
use crate::game::{Game, GameEnd, Setup, Step};
use crate::game_log::{self, LogFolder};
use engine_process::{background, pause_watch};

/// A game to be played.
#[derive(Clone, Debug)]
pub struct GameJob {
    /// Its index in the schedule, from 0.
    pub game: u64,
    /// The index of its pair.
    pub pair: u64,
    /// Its round, which is also the number of its opening.
    pub round: u64,
    /// Who plays, by index in the engines of the pool.
    pub players: ByColor<usize>,
    /// Rules, time and opening.
    pub setup: Setup,
    /// Its own seed, below 2^53.
    pub seed: u64,
    /// The players' names in reports.
    pub names: ByColor<String>,
    /// How often it was dropped before, by reason.
    pub dropped: BTreeMap<DropReason, u32>,
}

/// Why a game has no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unplayed {
    /// Everything was cancelled.
    Cancelled,
    /// It says nothing about its players and is to be played again.
    Dropped {
        /// Why.
        reason: DropReason,
        /// The side whose doing it was, if it was one's.
        offender: Option<Color>,
    },
    /// The system refused for a minute what the start of this side's engine needs.
    Refused {
        /// The side.
        side: Color,
        /// What was refused.
        refusal: Refusal,
        /// What to do about it.
        remedy: Remedy,
    },
}

/// Details are cut to this many characters.
const LONGEST_DETAIL: usize = 2000;

impl GameJob {
    /// A game that belongs to no schedule, between two engines of these.
    ///
    /// # Panics
    /// If there are no such engines.
    #[must_use]
    pub fn single(setup: Setup, players: ByColor<usize>, specs: &[EngineSpec]) -> Self {
        let names = players.map(|player| specs[player].name.clone());
        Self { game: 0, pair: 0, round: 0, players, setup, seed: 0, names, dropped: BTreeMap::new() }
    }

    /// True if it may be dropped once more for this reason.
    fn may_drop(&self, reason: DropReason) -> bool {
        let before = self.dropped.get(&reason).copied().unwrap_or_default();
        reason.most_replays().is_none_or(|most| before < most)
    }

    /// The record of this game, from how it went.
    #[must_use]
    pub fn record(&self, game: Game, ending: GameEnd, started: String, took: Duration) -> GameRecord {
        let setup = &self.setup;
        let size = setup.start.size();
        let standard = setup.start == Position::start(size);
        let discs = game.position().disc_counts();
        GameRecord {
            format: records::game::FORMAT,
            game: self.game,
            pair: self.pair,
            round: self.round,
            opening: setup.opening.clone(),
            start: if standard { Start::Standard } else { Start::Position(setup.start) },
            variant: setup.variant,
            board: size,
            empties: setup.empties,
            black: self.names.black.clone(),
            white: self.names.white.clone(),
            seed: self.seed,
            moves: game.into_moves(),
            result: ending.verdict.outcome,
            discs,
            score: ending.verdict.score,
            termination: ending.termination,
            offender: ending.offender,
            phase: ending.phase,
            detail: ending.detail.map(|detail| detail.chars().take(LONGEST_DETAIL).collect()),
            started,
            seconds: (took.as_secs_f64() * 1000.0).round() / 1000.0,
            off_turn: None,
        }
    }
}

/// This moment as it stands in records: UTC, to the second.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Plays a game with the engines of this pool, which are started where they are not running. `on_ready` is called when
/// both are. What was said goes to `evidence`, if that wants it.
///
/// # Errors
/// [`Unplayed`] if there is nothing to record. What the engines do wrong is no error: it loses the game.
pub async fn play(
    job: &GameJob,
    pool: &mut EnginePool,
    evidence: Option<&Arc<LogFolder>>,
    on_ready: impl FnOnce() + Send,
) -> Result<GameRecord, Unplayed> {
    let (started, begun) = (now(), Instant::now());
    pool.begin(job.game);
    let mut game = Game::new(job.setup.clone());
    let ending = match play_to_end(job, &mut game, pool, on_ready).await {
        Ok(ending) => ending,
        Err((side, phase, EngineError::Failed(failure))) => game.failed(side, phase, failure),
        Err((side, _, EngineError::Refused(refusal))) => {
            let remedy = pool.remedy(job.players[side], &refusal);
            return Err(Unplayed::Refused { side, refusal, remedy });
        }
        Err((_, _, EngineError::Cancelled)) => return Err(Unplayed::Cancelled),
    };
    let starved = ending.starved;
    let mut record = job.record(game, ending, started, begun.elapsed());
    record.off_turn = pool.off_turn(&record, job.players);
    if let Some((reason, offender)) = disturbance(job, &record, starved, begun, pool).await {
        if job.may_drop(reason) {
            if let (DropReason::NoCore, Some(offender)) = (reason, offender) {
                pool.hold(job.players[offender]);
            }
            pool.stop_players(job.players).await;
            return Err(Unplayed::Dropped { reason, offender });
        }
        let most = reason.most_replays().unwrap_or_default();
        pool.take_note(format!(
            "game {} was played {most} times more and counts now: {}",
            job.game,
            reason.words()
        ));
    }
    let evidence = evidence.filter(|evidence| evidence.wants(&record));
    let told = pool.after_game(&record, job.players, evidence.is_some()).await;
    if let Some(evidence) = evidence {
        let (evidence, kept) = (Arc::clone(evidence), record.clone());
        let kept =
            background::run(move || evidence.keep(kept.game, &game_log::text(&kept, begun, &told))).await;
        if let Err(warning) = kept.unwrap_or_else(|error| Err(error.to_string())) {
            pool.take_note(warning);
        }
    }
    Ok(record)
}

/// What from outside has decided a game or may have, and the side whose doing it was.
async fn disturbance(
    job: &GameJob,
    record: &GameRecord,
    starved: Option<Duration>,
    begun: Instant,
    pool: &mut EnginePool,
) -> Option<(DropReason, Option<Color>)> {
    if pause_watch::paused_since(begun) {
        return Some((DropReason::Paused, None));
    }
    let offender = record.offender?;
    if record.termination == Termination::Crash {
        let excuse = pool.excuse(job.players[offender]).await?;
        return Some((excuse, Some(offender).filter(|_| excuse == DropReason::OutOfMemory)));
    }
    let other = offender.opposite();
    // What the opponent's processes used since its answer must be a good part of what the late one was kept waiting.
    let waited = starved.filter(|_| !pool.is_held(job.players[other]))?;
    let took = pool.off_turn_since_answer(job.players[other]).await?;
    let is_to_blame = took >= LEAST_TAKEN && took * 2 >= waited;
    is_to_blame.then_some((DropReason::NoCore, Some(other)))
}

/// Less processor time in the opponent's turn decides nothing.
const LEAST_TAKEN: Duration = Duration::from_millis(10);

async fn play_to_end(
    job: &GameJob,
    game: &mut Game,
    pool: &mut EnginePool,
    on_ready: impl FnOnce() + Send,
) -> Result<GameEnd, (Color, FaultPhase, EngineError)> {
    let players = job.players;
    for color in Color::ALL {
        pool.ensure_running(players[color], players)
            .await
            .map_err(|error| (color, FaultPhase::Start, at_start(error)))?;
    }
    for color in Color::ALL {
        let told = NewGame {
            variant: job.setup.variant,
            start: job.setup.start,
            seed: job.seed,
            color,
            names: ByColor::new(&job.names.black, &job.names.white),
            time: job.setup.time,
        };
        let mut begun = pool.engines(players)[color].new_game(&told).await;
        // An engine that left after its last game may do so a moment after it was found to be up.
        if begun.is_err() && pool.has_left(players[color]) {
            pool.ensure_running(players[color], players)
                .await
                .map_err(|error| (color, FaultPhase::Start, at_start(error)))?;
            begun = pool.engines(players)[color].new_game(&told).await;
        }
        begun.map_err(|error| (color, FaultPhase::Play, error))?;
    }
    on_ready();
    // A ply, step by step:
    //  1. `Game::advance` plays forced passes and says which side is asked, under which limit.
    //  2. `Engine::position` sends the position and waits until the engine is ready for it. Beyond an allowance that is charged
    //     to its clock (`Game::charge_preparation`). `Engine::go` asks for a move. Where no clock runs, both are sent together
    //     by `Engine::position_and_go`.
    //  3. Both send by `Engine::ask`: what can be read before is dropped (`drop_stale`), `Dialect::write_request` makes the
    //     text, `Connection::ask` writes it. The clock starts just before `go` is written. CPU clocks are read there, too
    //     (`Meters::turn_begins`).
    //  4. `Engine::reply` waits: `Connection::receive` is the one wait there is, for output, deadline, end of the process
    //     and cancel. `LineBuffer::next_line` cuts lines, `Dialect::parse_line` says what a line means. The clock stops when
    //     the read that brought the answer returned (`Meters::turn_ends`).
    //  5. `Game::apply_answer` judges: gone, late (`Clock::charge`), unreadable, illegal (`Position::play`), in this order.
    //     A move is put on the board and into the record.
    // A fault ends the game, whichever step it comes from, with the words of `failure_text.rs`.
    let mut engines = pool.engines(players);
    loop {
        match game.advance() {
            Step::Ask { side, go, allowance } => {
                let engine = &mut engines[side];
                let answer = if engine.is_pipelined(&go) {
                    engine.position_and_go(game.played(), &go, allowance).await
                } else {
                    match engine.position(game.played(), &go).await {
                        Ok(Duration::ZERO) => engine.go(&go, allowance).await,
                        Ok(late) => {
                            let (go, allowance) = game.charge_preparation(late, go, allowance);
                            engine.go(&go, allowance).await
                        }
                        Err(error) => Err(error),
                    }
                };
                let answer = answer.map_err(|error| (side, FaultPhase::Play, error))?;
                if let Some(ending) = game.apply_answer(answer) {
                    return Ok(ending);
                }
            }
            Step::Over(ending) => return Ok(ending),
        }
    }
}

fn at_start(error: EngineError) -> EngineError {
    match error {
        EngineError::Failed(Failure { termination, detail }) => {
            EngineError::Failed(Failure { termination, detail: format!("{AT_START}{detail}") })
        }
        other => other,
    }
}
