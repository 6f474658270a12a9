//! A game as one engine sees it: told of it, told the position, asked for a move, and at rest in between.

use std::time::{Duration, Instant};

use protocol::message::{Claims, Go, NewGame, Played, Question};
use rules::Ply;

use super::meter::{Meters, Ration};
use super::{Engine, Trouble};

/// What came of asking for a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// From the moment `go` was sent to the arrival of the answer.
    pub spent: Duration,
    /// How long its threads, all together, could have run meanwhile and had no core; zero where it is not late, or the
    /// system does not tell.
    pub waited: Duration,
    /// What the engine said of its search.
    pub claims: Claims,
    /// What it answered.
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
    /// [`Trouble`]; the engine has to be stopped then.
    pub fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Trouble> {
        // How an engine was started belongs to its first game.
        if std::mem::replace(&mut self.has_begun, true) {
            self.journal.reopen();
        }
        self.process.thaw();
        self.settle(&Question::NewGame(game), self.limits.ready)?;
        self.meters = Meters::game_begins(self.now, &self.process);
        self.rest();
        Ok(())
    }

    /// Its turn is over: it is held until the next one where it is so agreed.
    fn rest(&mut self) {
        if self.conduct.freeze {
            self.process.freeze();
        }
    }

    /// Tells it the game so far, and how long its next move may take, and waits until it has it.
    ///
    /// # Errors
    /// [`Trouble`]; the engine has to be stopped then.
    pub fn position(&mut self, played: &[Played], go: &Go) -> Result<(), Trouble> {
        self.process.thaw();
        self.settle(&Question::Position { played, go }, self.limits.ready)
    }

    /// Asks for a move and waits for it, at most for `allowance`. The time starts when `go` is handed
    /// to the system, not a moment later: on a busy core the engine may think before we run again.
    ///
    /// Where processor time is charged, `allowance` is so much of that, for a search with a clock; on the wall it
    /// may take ten times as long, and the limit on moves on top, since it may have to wait for a core.
    ///
    /// # Errors
    /// [`Trouble::Called`] only; what an engine does wrong is an answer.
    pub fn go(&mut self, go: &Go, allowance: Duration) -> Result<Answer, Trouble> {
        self.drop_what_waits();
        self.noise.clear();
        self.out.clear();
        self.dialect.ask(&Question::Go(go), &mut self.out);
        let now = Instant::now();
        self.meters.turn_begins(now, &self.process);
        self.waits.turn_begins(now, &self.process);
        let most = if go.has_clock() { allowance } else { Duration::MAX };
        self.ration = if self.conduct.cpu_clock { Ration::new(most, &self.process) } else { None };
        let is_rationed = self.ration.is_some() && go.has_clock();
        let patience = if is_rationed { allowance * 10 + self.limits.move_ } else { allowance };
        let asked = Instant::now();
        self.journal.sent(&self.out, asked);
        self.now = asked;
        let mut claims = Claims::default();
        let answer = self.exchange(asked + patience, &mut claims);
        let took = self.now.duration_since(asked);
        let ration = self.ration.take();
        let spent = ration.map(|ration| ration.used(&self.process));
        self.meters.turn_ends(self.now, took, &self.process);
        let is_late = spent.is_none() && took >= allowance;
        let waited = if is_late { self.waits.since(&self.process) } else { Duration::ZERO };
        let mut kind = self.answer_of(answer)?;
        if let Some(used) = spent.filter(|_| is_rationed) {
            kind = kind.by_processor_time(used, allowance, took);
        }
        self.rest();
        Ok(Answer { spent: spent.unwrap_or(took), waited, claims, kind })
    }

    /// The game is over: the processor time that its processes used while it was not its turn, `None`
    /// if that is not known.
    pub fn off_turn(&mut self) -> Option<Duration> {
        self.meters.game_ends(Instant::now(), &self.process)
    }

    /// Whole lines that wait here or in the pipe were written before `go`: they answer nothing.
    pub(super) fn drop_what_waits(&mut self) {
        if self.process.has_output() {
            self.process.read_what_waits(&mut self.inbox);
        }
        while let Some(line) = self.inbox.next_line() {
            self.journal.heard(line, self.now);
            self.surplus += u64::from(!line.trim().is_empty());
        }
    }
}
