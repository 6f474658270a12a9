//! A game as one engine sees it: told of it, asked for moves, and suspended in between.

use std::time::{Duration, Instant};

use protocol::message::{Go, NewGame, PlayedPly, Request, Response, SearchInfo};
use rules::Ply;

use super::connection::NoAnswer;
use super::{Engine, EngineError, Search, is_reply};
use engine_process::cpu_meter::{CpuBudget, Meters, Waited};

/// The answer to a request for a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// From the moment `go` was sent to the arrival of the answer.
    pub spent: Duration,
    /// How long its threads, all together, could have run meanwhile and had no core; zero where it is not late, or the
    /// system does not tell.
    pub waited: Waited,
    /// Score, depth and nodes, as the engine reports them.
    pub info: SearchInfo,
    /// The kind of answer.
    pub kind: AnswerKind,
}

/// The kinds of answers to a request for a move.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerKind {
    /// A move, not yet known to be legal or in time.
    Ply(Ply),
    /// It gives up.
    Resigned,
    /// Something that is no move.
    Unreadable(String),
    /// Nothing within the time; what is known of why.
    Silent(String),
    /// Nothing, though it has not used the processor time that it has; what is known of why.
    Idle(String),
    /// The process ended or closed its output.
    Gone(String),
}

impl AnswerKind {
    /// The same, seen that processor time was charged: who did not use it up was not slow, and who did is told so.
    fn by_processor_time(self, used: Duration, allowance: Duration, took: Duration) -> Self {
        match self {
            Self::Silent(pending) if used < allowance => {
                let (used, took) = (clock::brief_duration(used), clock::brief_duration(took));
                Self::Idle(format!("no move within {took}, of which it used a processor for {used}{pending}"))
            }
            Self::Silent(pending) => {
                let used = clock::brief_duration(used);
                Self::Silent(format!(" of processor time, of which it used {used}{pending}"))
            }
            other => other,
        }
    }
}

impl Engine {
    /// Tells it that a game begins and waits until it is ready.
    ///
    /// # Errors
    /// [`EngineError`]; the engine has to be stopped then.
    pub async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), EngineError> {
        // How an engine was started belongs to its first game.
        if std::mem::replace(&mut self.has_begun, true) {
            self.connection.log.reopen();
        }
        self.ask_ready(&Request::NewGame(game)).await?;
        self.meters = Meters::game_begins(self.connection.now(), &self.connection.process);
        self.suspend().await;
        Ok(())
    }

    /// Its turn is over: it is suspended until the next one where the definition says so.
    async fn suspend(&mut self) {
        if self.cpu_policy.freeze {
            self.connection.process.freeze().await;
        }
    }

    /// Sends the position and waits until the engine is ready for it. Returns the time that is charged to its clock: what
    /// goes beyond [`Limits::sync`](super::Limits), less what its threads waited for a core; where CPU time is charged, the
    /// CPU time beyond it. The first position of a process is free: some languages compile their programs then.
    ///
    /// # Errors
    /// [`EngineError`]; the engine has to be stopped then.
    pub async fn position(&mut self, played: &[PlayedPly], go: &Go) -> Result<Duration, EngineError> {
        let is_free = !std::mem::replace(&mut self.knows_position, true) || !go.has_clock();
        let budget = (self.cpu_policy.cpu_clock && !is_free)
            .then(|| CpuBudget::new(Duration::MAX, &self.connection.process))
            .flatten();
        self.ask_ready(&Request::Position { played, go }).await?;
        let took = self.connection.took();
        if is_free || took <= self.limits.sync {
            return Ok(Duration::ZERO);
        }
        let process = &self.connection.process;
        let spent = match budget {
            Some(budget) => budget.used(process),
            None => took.saturating_sub(self.meters.waited(took, process).await.engine),
        };
        Ok(spent.saturating_sub(self.limits.sync))
    }

    /// Asks for a move and waits for it, at most for `allowance`, counted from the moment just before `go` is written.
    ///
    /// Where CPU time is charged, `allowance` is CPU time, for a search with a clock. On the wall it may take ten
    /// times as long, and the limit on moves on top, since it may have to wait for a core.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`] only; what an engine does wrong is an answer.
    pub async fn go(&mut self, go: &Go, allowance: Duration) -> Result<Answer, EngineError> {
        self.meters.turn_begins(self.connection.now(), &self.connection.process);
        let most = if go.has_clock() { allowance } else { Duration::MAX };
        let budget =
            self.cpu_policy.cpu_clock.then(|| CpuBudget::new(most, &self.connection.process)).flatten();
        let is_budgeted = budget.is_some() && go.has_clock();
        let patience = if is_budgeted { allowance * 10 + self.limits.move_ } else { allowance };
        let heard = self.ask(&Request::Go(go), patience, Search { budget, ..Search::default() }).await;
        self.take_answer(heard, allowance, is_budgeted).await
    }

    /// True if [`position_and_go`](Self::position_and_go) may be used for a search like this.
    #[must_use]
    pub fn is_pipelined(&self, go: &Go) -> bool {
        self.pipelined && !go.has_clock() && self.dialect.takes_position_and_go()
    }

    /// Sends the position and the request for a move in it together, and waits for the move. For searches without a clock;
    /// a ply takes about half as long so. What comes before the engine says that it is ready answers nothing; until then the
    /// limit `ready` holds, and from then on `allowance`.
    ///
    /// # Errors
    /// [`EngineError`]; the engine has to be stopped then.
    pub async fn position_and_go(
        &mut self,
        played: &[PlayedPly],
        go: &Go,
        allowance: Duration,
    ) -> Result<Answer, EngineError> {
        self.connection.give_way().await;
        self.connection.process.thaw().await;
        self.drop_stale(false, is_reply);
        self.knows_position = true;
        self.meters.turn_begins(self.connection.now(), &self.connection.process);
        let budget = self.cpu_policy.cpu_clock;
        let budget = budget.then(|| CpuBudget::new(Duration::MAX, &self.connection.process)).flatten();
        self.search = Search { before: self.written(), budget, ..Search::default() };
        self.out.clear();
        self.dialect.write_position_and_go(played, go, &mut self.out);
        let limit = self.limits.ready;
        let ready = match self.connection.ask(&self.out, limit).await {
            Ok(()) => self.reply(self.connection.deadline(limit)).await,
            Err(no_answer) => Err(no_answer),
        };
        self.check_ready(ready, &Request::Position { played, go }, limit).await?;
        let heard = self.reply(self.connection.now() + allowance).await;
        self.take_answer(heard, allowance, false).await
    }

    /// Takes the answer to a request for a move, and the time that is charged for it.
    async fn take_answer(
        &mut self,
        heard: Result<Response, NoAnswer>,
        allowance: Duration,
        is_budgeted: bool,
    ) -> Result<Answer, EngineError> {
        let took = self.connection.took();
        let process = &self.connection.process;
        let spent = self.search.budget.take().map(|budget| budget.used(process));
        let is_late = spent.is_none() && took >= allowance;
        let waited = if is_late { self.meters.waited(took, process).await } else { Waited::default() };
        self.meters.turn_ends(self.connection.now(), took, process);
        let mut kind = self.answer_of(heard).await?;
        if let Some(used) = spent.filter(|_| is_budgeted) {
            kind = kind.by_processor_time(used, allowance, took);
        }
        self.suspend().await;
        Ok(Answer { spent: spent.unwrap_or(took), waited, info: self.search.info, kind })
    }

    /// Sorts an answer to `go` by its kind.
    pub(super) async fn answer_of(
        &mut self,
        heard: Result<Response, NoAnswer>,
    ) -> Result<AnswerKind, EngineError> {
        Ok(match heard {
            Ok(Response::Move(ply)) => AnswerKind::Ply(ply),
            Ok(Response::Resigned) => AnswerKind::Resigned,
            Ok(Response::Unreadable(why)) => AnswerKind::Unreadable(why),
            Ok(other) => AnswerKind::Unreadable(format!("{other:?} is no answer to a request for a move")),
            Err(NoAnswer::TimedOut) => AnswerKind::Silent(self.what_is_pending()),
            Err(NoAnswer::Gone) => AnswerKind::Gone(self.how_it_ended("while it was to move").await),
            Err(NoAnswer::Cancelled) => return Err(EngineError::Cancelled),
        })
    }

    /// The CPU time that its processes used since its last answer while it was not its turn.
    pub async fn off_turn_since_answer(&mut self) -> Duration {
        self.meters.off_turn_since_answer(&self.connection.process).await
    }

    /// The game is over: the processor time that its processes used while it was not its turn, `None`
    /// if that is not known.
    pub fn off_turn(&mut self) -> Option<Duration> {
        self.meters.game_ends(Instant::now(), &self.connection.process)
    }
}
