//! Engines as the referee sees them: a dialogue with a process that may do anything.
//!
//! States of an engine: *started* (process up, handshake going on) -> *ready* (between games or
//! between questions) -> *asked* (an answer is owed) -> *ready*, and from each of them -> *stopped*,
//! which is final. A dialogue that broke off is never taken up again: the engine is stopped and a
//! new one started for the next game.

mod exit;
mod process;
mod stderr;
mod stop;
pub(crate) mod strays;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use protocol::dialect::{Dialect, DialectKind};
use protocol::framing::{LineBuffer, quote};
use protocol::message::{Claims, Go, Heard, Identity, NewGame, Played, Question, Reply, Setting};
use records::Termination;
use rules::Ply;
use tokio::time::{Instant, Sleep};

use process::Process;

pub use exit::ExitStatus;
pub use process::Launch;
pub use stop::Manner;

/// The limits on an engine that are not the game clock.
pub use tournament::definition::Limits;

/// Everything needed to start an engine and to bring it to its first game.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// What reports call it.
    pub name: String,
    /// How its process is started.
    pub launch: Launch,
    /// What it speaks.
    pub protocol: DialectKind,
    /// The options that are set before its first game.
    pub settings: Vec<Setting>,
    /// Whether each game starts it anew.
    pub restart: bool,
}

/// How an engine failed, and how a game that it plays is lost by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The termination of the game.
    pub termination: Termination,
    /// What happened, in words.
    pub detail: String,
}

/// What came of asking for a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// From the moment `go` was sent to the arrival of the answer.
    pub spent: Duration,
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
    /// The process ended or closed its output.
    Gone(String),
}

/// Lines of an engine that meant nothing, the last few, to show when it falls silent.
const NOISE_KEPT: usize = 3;

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    process: Process,
    dialect: Box<dyn Dialect>,
    inbox: LineBuffer,
    out: Vec<u8>,
    noise: VecDeque<String>,
    /// One timer for answers that are due by a limit, one for moves: each is then mostly put off
    /// and seldom brought forward, which costs far less.
    limit_timer: Pin<Box<Sleep>>,
    move_timer: Pin<Box<Sleep>>,
    surplus: u64,
    limits: Limits,
    /// When it was asked, or, since then, when something last came from it.
    now: Instant,
}

/// Why an answer did not come.
#[derive(Debug)]
enum Silence {
    /// The time is out.
    TimedOut,
    /// The process ended or closed its output.
    Gone,
}

/// Which of an engine's timers bounds a wait.
#[derive(Clone, Copy, Debug)]
enum Timer {
    Limit,
    Move,
}

impl Engine {
    /// Starts a process and greets it.
    ///
    /// # Errors
    /// [`Failure`] if it can't be started, ends, or doesn't answer within the start limit. Nothing
    /// of it is left then.
    pub async fn greet(launch: &Launch, protocol: DialectKind, limits: Limits) -> Result<Self, Failure> {
        let process = Process::spawn(launch).map_err(|error| Failure {
            termination: Termination::Crash,
            detail: format!("cannot start {}: {error}", launch.program.display()),
        })?;
        let now = Instant::now();
        let mut engine = Self {
            process,
            dialect: protocol.dialogue(),
            inbox: LineBuffer::default(),
            out: Vec::new(),
            noise: VecDeque::new(),
            limit_timer: Box::pin(tokio::time::sleep_until(now)),
            move_timer: Box::pin(tokio::time::sleep_until(now)),
            surplus: 0,
            limits,
            now,
        };
        match engine.settle(&Question::Greet, limits.start).await {
            Ok(()) => Ok(engine),
            Err(failure) => {
                engine.stop(Manner::Broken).await;
                Err(failure)
            }
        }
    }

    /// Starts an engine and brings it to where its first game can begin.
    ///
    /// # Errors
    /// [`Failure`], as for [`greet`](Self::greet).
    pub async fn start(spec: &EngineSpec, limits: Limits) -> Result<Self, Failure> {
        let mut engine = Self::greet(&spec.launch, spec.protocol, limits).await?;
        match engine.settle(&Question::Configure(&spec.settings), limits.ready).await {
            Ok(()) => Ok(engine),
            Err(failure) => {
                engine.stop(Manner::Broken).await;
                Err(failure)
            }
        }
    }

    /// Who it says it is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        self.dialect.identity()
    }

    /// The engine's side of its protocol.
    #[must_use]
    pub fn dialect(&self) -> &dyn Dialect {
        &*self.dialect
    }

    /// Tells it that a game begins and waits until it is ready.
    ///
    /// # Errors
    /// [`Failure`]; the engine has to be stopped then.
    pub async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Failure> {
        self.settle(&Question::NewGame(game), self.limits.ready).await
    }

    /// Tells it the game so far and waits until it has it.
    ///
    /// # Errors
    /// [`Failure`]; the engine has to be stopped then.
    pub async fn position(&mut self, played: &[Played]) -> Result<(), Failure> {
        self.settle(&Question::Position(played), self.limits.ready).await
    }

    /// Asks for a move and waits for it, at most for `allowance`. The time starts when `go` is handed
    /// to the system, not a moment later: on a busy core the engine may think before we run again.
    pub async fn go(&mut self, go: &Go, allowance: Duration) -> Answer {
        // Whole lines that wait here or in the pipe were written before `go`: they answer nothing.
        self.process.read_now(&mut self.inbox);
        while self.inbox.next_line().is_some() {
            self.surplus += 1;
        }
        self.out.clear();
        self.dialect.ask(&Question::Go(go), &mut self.out);
        let asked = Instant::now();
        self.move_timer.as_mut().reset(asked + allowance);
        let mut claims = Claims::default();
        self.now = asked;
        let answer = self.exchange(Timer::Move, &mut claims).await;
        let spent = self.now.duration_since(asked);
        let kind = match answer {
            Ok(Heard::Move(ply)) => AnswerKind::Ply(ply),
            Ok(Heard::Resigned) => AnswerKind::Resigned,
            Ok(Heard::Unreadable(why)) => AnswerKind::Unreadable(why),
            Ok(other) => AnswerKind::Unreadable(format!("{other:?} is no answer to a request for a move")),
            Err(Silence::TimedOut) => AnswerKind::Silent(self.what_is_pending()),
            Err(Silence::Gone) => AnswerKind::Gone(self.how_it_ended().await),
        };
        Answer { spent, claims, kind }
    }

    /// How its process ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<ExitStatus> {
        self.process.exit_status()
    }

    /// How many lines have answered nothing so far.
    #[must_use]
    pub fn surplus(&self) -> u64 {
        self.surplus
    }

    /// How many lines were skipped for their length.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.inbox.skipped_lines()
    }

    /// Stops it and everything it started; how its process ended.
    pub async fn stop(mut self, manner: Manner) -> Option<ExitStatus> {
        self.out.clear();
        self.dialect.ask(&Question::Quit, &mut self.out);
        self.process.stop(manner, self.limits.quit, &self.out).await
    }

    /// Asks what is answered by nothing but "done".
    async fn settle(&mut self, question: &Question<'_>, limit: Duration) -> Result<(), Failure> {
        self.out.clear();
        self.noise.clear();
        let reply = self.dialect.ask(question, &mut self.out);
        self.now = Instant::now();
        self.limit_timer.as_mut().reset(self.now + limit);
        if reply == Reply::None {
            let _ = self.process.write(&self.out).await;
            return Ok(());
        }
        let mut claims = Claims::default();
        match self.exchange(Timer::Limit, &mut claims).await {
            Ok(Heard::Unreadable(detail)) => Err(Failure { termination: Termination::ProtocolError, detail }),
            Ok(_) => Ok(()),
            Err(Silence::Gone) => {
                Err(Failure { termination: Termination::Crash, detail: self.how_it_ended().await })
            }
            Err(Silence::TimedOut) => {
                let asked = match question {
                    Question::Greet => "the greeting",
                    Question::Configure(_) => "its options",
                    Question::NewGame(_) => "the new game",
                    Question::Position(_) => "the position",
                    Question::Go(_) | Question::Stop | Question::Quit => "the question",
                };
                let within = clock::format_duration(limit);
                let detail = format!("no answer to {asked} within {within}{}", self.what_is_pending());
                Err(Failure { termination: Termination::Stall, detail })
            }
        }
    }

    /// Sends what stands in `out` and waits for the answer; `now` is the moment of its arrival.
    async fn exchange(&mut self, timer: Timer, claims: &mut Claims) -> Result<Heard, Silence> {
        self.write_out(timer).await?;
        loop {
            while let Some(line) = self.inbox.next_line() {
                self.out.clear();
                match self.dialect.hear(line, &mut self.out) {
                    Heard::Nothing => {
                        if self.noise.len() == NOISE_KEPT {
                            self.noise.pop_front();
                        }
                        self.noise.push_back(line.chars().take(200).collect());
                    }
                    Heard::Claims(newer) => claims.update(newer),
                    Heard::Surplus => self.surplus += 1,
                    answer => return Ok(answer),
                }
                if !self.out.is_empty() {
                    self.write_out(timer).await?;
                }
            }
            // Output never re-arms a deadline, and a flood does not hide it.
            if self.now >= self.deadline(timer) {
                return Err(Silence::TimedOut);
            }
            self.read_more(timer).await?;
            self.now = Instant::now();
        }
    }

    fn deadline(&self, timer: Timer) -> Instant {
        match timer {
            Timer::Limit => self.limit_timer.deadline(),
            Timer::Move => self.move_timer.deadline(),
        }
    }

    /// Writes `out` unless the time runs out before it is taken. A write that fails is no verdict
    /// yet: what the engine has still said is read first.
    async fn write_out(&mut self, timer: Timer) -> Result<(), Silence> {
        let sleep = match timer {
            Timer::Limit => &mut self.limit_timer,
            Timer::Move => &mut self.move_timer,
        };
        let mut write = std::pin::pin!(self.process.write(&self.out));
        poll_fn(|cx| match write.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(Ok(())),
            Poll::Pending => sleep.as_mut().poll(cx).map(|()| Err(Silence::TimedOut)),
        })
        .await
    }

    /// Reads until something came. What is in the pipe counts before the end of the process, and
    /// that before the time.
    async fn read_more(&mut self, timer: Timer) -> Result<(), Silence> {
        let sleep = match timer {
            Timer::Limit => &mut self.limit_timer,
            Timer::Move => &mut self.move_timer,
        };
        poll_fn(|cx| {
            match self.process.poll_read(&mut self.inbox, cx) {
                Poll::Ready(true) => return Poll::Ready(Ok(())),
                Poll::Ready(false) => return Poll::Ready(Err(Silence::Gone)),
                Poll::Pending => {}
            }
            if self.process.poll_exit(cx).is_ready() {
                // It may have written between our last look at the pipe and its end.
                return match self.process.poll_read(&mut self.inbox, cx) {
                    Poll::Ready(true) => Poll::Ready(Ok(())),
                    _ => Poll::Ready(Err(Silence::Gone)),
                };
            }
            sleep.as_mut().poll(cx).map(|()| Err(Silence::TimedOut))
        })
        .await
    }

    /// What an engine that fell silent has said last: a line without an end, or lines that nobody
    /// understood.
    fn what_is_pending(&self) -> String {
        let unfinished = self.inbox.unfinished();
        if self.inbox.is_skipping() {
            "; in a line without an end, longer than 64 KiB".to_owned()
        } else if !unfinished.is_empty() {
            format!("; an unfinished line is waiting: {}", quote(&String::from_utf8_lossy(unfinished)))
        } else if let Some(last) = self.noise.iter().rev().find(|line| !line.trim().is_empty()) {
            format!("; its last words: {}", quote(last))
        } else {
            String::new()
        }
    }

    async fn how_it_ended(&mut self) -> String {
        let end = match self.process.exit_status_soon().await {
            Some(status) => status.to_string(),
            None => "closed its output, but is still running".to_owned(),
        };
        // Let what it wrote to standard error before its end arrive.
        self.process.settle_errors().await;
        let errors = self.process.errors().last_lines(3);
        if errors.is_empty() { end } else { format!("{end}; standard error: {errors}") }
    }
}
