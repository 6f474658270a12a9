//! Engines as the referee sees them: a dialogue with a process that may do anything.
//!
//! States of an engine: *started* (process up, handshake going on) -> *ready* (between games or
//! between questions) -> *asked* (an answer is owed) -> *ready*, and from each of them -> *stopped*,
//! which is final. A dialogue that broke off is never taken up again: the engine is stopped and a
//! new one started for the next game.

mod attendant;
pub(crate) mod cell;
pub mod confine;
mod exit;
pub(crate) mod family;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod filter;
mod journal;
pub(crate) mod keeper;
mod meter;
mod oddities;
mod probing;
mod process;
mod stop;
pub(crate) mod strays;
mod testimony;
mod turn;
mod words;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use protocol::dialect::{Choice, Dialect, DialectKind, Telling};
use protocol::framing::{LineBuffer, quote};
use protocol::message::{Claims, Heard, Identity, Question, Reply, Setting};
use records::Termination;

use meter::{Meters, Ration, Waits};
use oddities::{MOST_BYTES, MOST_LINES};
use process::{Came, Process};

pub use exit::ExitStatus;
pub use journal::{Journal, Said, Speaker};
pub use oddities::Oddities;
pub use probing::{Delivery, Departure};
pub use process::Launch;
pub use stop::Manner;
pub use testimony::Testimony;
pub use turn::{Answer, AnswerKind};

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
    /// How it is told its time.
    pub clock: Telling,
    /// The options that are set before its first game.
    pub settings: Vec<Setting>,
    /// Whether each game starts it anew.
    pub restart: bool,
    /// What becomes of it between its turns, and what it is charged.
    pub conduct: Conduct,
}

/// How an engine is treated in its games, beyond its protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// Whether its processes are held while it is not its turn.
    pub freeze: bool,
    /// Whether it is charged the processor time of its processes, not the time on the wall.
    pub cpu_clock: bool,
}

/// How an engine failed, and how a game that it plays is lost by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The termination of the game.
    pub termination: Termination,
    /// What happened, in words.
    pub detail: String,
}

/// Why there is no answer that a game could go on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The engine failed.
    Failed(Failure),
    /// We were told to drop everything.
    Called,
}

/// Why an engine did not get through its start, and what was said meanwhile.
#[derive(Debug)]
pub struct NotStarted {
    /// Why.
    pub trouble: Trouble,
    /// What was said; nothing if there never was a process.
    pub testimony: Option<Box<Testimony>>,
}

impl From<Trouble> for NotStarted {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, testimony: None }
    }
}

/// A call to drop everything, heard by everybody who waits for an engine.
#[derive(Clone, Debug, Default)]
pub struct Recall(Arc<AtomicBool>);

impl Recall {
    /// Calls: whoever waits for an engine gives up.
    pub fn call(&self) {
        self.0.store(true, Ordering::SeqCst);
        attendant::wake_all();
    }

    /// Whether it was called.
    #[must_use]
    pub fn is_called(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How soon the processor time of a search is looked at again at the soonest, and at the latest: what an engine started
/// and ended between two looks may be counted by nobody.
const SOON: Duration = Duration::from_millis(1);
const LATER: Duration = Duration::from_millis(10);

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
    journal: Journal,
    /// Whether a game has begun since its start.
    has_begun: bool,
    surplus: u64,
    floods: u64,
    /// What it had written when it was asked last.
    before: Written,
    limits: Limits,
    recall: Recall,
    conduct: Conduct,
    meters: Meters,
    waits: Waits,
    /// In a search that is charged processor time.
    ration: Option<Ration>,
    /// Whether it is not known yet that it speaks this protocol.
    unsure: bool,
    /// How what is said to it is written.
    delivery: Delivery,
    /// When it was asked, or, since then, when something last came from it.
    now: Instant,
}

/// How much an engine has written.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    lines: u64,
    bytes: u64,
    /// Lines with bytes that are not UTF-8.
    cleaned: u64,
    /// Lines that were left out since they were too long.
    skipped: u64,
    /// Bytes on standard error.
    errors: u64,
}

/// Why an answer did not come.
#[derive(Debug)]
enum Silence {
    /// The time is out.
    TimedOut,
    /// The process ended or closed its output.
    Gone,
    /// We were told to drop everything.
    Called,
}

impl Engine {
    /// Starts a process and greets it.
    ///
    /// # Errors
    /// [`Trouble`] if it can't be started, ends, or doesn't answer within the start limit, or if
    /// `recall` is called. Nothing of it is left then.
    pub fn greet(
        launch: &Launch,
        protocol: DialectKind,
        clock: Telling,
        limits: Limits,
        recall: &Recall,
    ) -> Result<Self, Trouble> {
        Self::begin(launch, protocol, clock, limits, recall, false).map_err(|failed| failed.trouble)
    }

    /// Starts a process and greets it in each of the protocols that it may speak, until it answers;
    /// each time anew, since nobody knows what the words of another protocol did to it.
    ///
    /// # Errors
    /// [`Trouble`], as for [`greet`](Self::greet), if it answers in none of them.
    pub fn recognise(
        launch: &Launch,
        protocol: Choice,
        clock: Telling,
        limits: Limits,
        recall: &Recall,
    ) -> Result<(Self, DialectKind), Trouble> {
        let candidates = protocol.candidates();
        let unsure = candidates.len() > 1;
        let mut failures: Vec<(DialectKind, Failure)> = Vec::new();
        for &kind in &candidates {
            match Self::begin(launch, kind, clock, limits, recall, unsure) {
                Ok(engine) => return Ok((engine, kind)),
                Err(NotStarted { trouble: Trouble::Failed(failure), .. }) => failures.push((kind, failure)),
                Err(NotStarted { trouble: Trouble::Called, .. }) => return Err(Trouble::Called),
            }
        }
        let termination = failures.first().map_or(Termination::Stall, |(_, failure)| failure.termination);
        let detail = match &failures[..] {
            [(_, only)] => only.detail.clone(),
            all => {
                let each = all.iter().map(|(kind, failure)| format!("{kind}: {}", failure.detail));
                let each = each.collect::<Vec<_>>().join("; ");
                format!(
                    "speaks none of the protocols tried; {each} (protocols that are not tried have to be named)"
                )
            }
        };
        Err(Trouble::Failed(Failure { termination, detail }))
    }

    fn begin(
        launch: &Launch,
        protocol: DialectKind,
        clock: Telling,
        limits: Limits,
        recall: &Recall,
        unsure: bool,
    ) -> Result<Self, NotStarted> {
        let mut engine = Self::open(launch, protocol, clock, limits, recall, unsure)?;
        engine = engine.settled(&Question::Greet, limits.start)?;
        engine.unsure = false;
        Ok(engine)
    }

    /// Starts an engine and brings it to where its first game can begin.
    ///
    /// # Errors
    /// [`NotStarted`], for the reasons of [`greet`](Self::greet).
    pub fn start(spec: &EngineSpec, limits: Limits, recall: &Recall) -> Result<Self, NotStarted> {
        let mut engine = Self::begin(&spec.launch, spec.protocol, spec.clock, limits, recall, false)?;
        engine.conduct = spec.conduct;
        engine.settled(&Question::Configure(&spec.settings), limits.ready)
    }

    /// The engine once it has answered, or nothing of it.
    fn settled(mut self, question: &Question<'_>, limit: Duration) -> Result<Self, NotStarted> {
        match self.settle(question, limit) {
            Ok(()) => Ok(self),
            Err(trouble) => {
                let testimony = Box::new(self.stop_and_testify(Manner::Broken));
                Err(NotStarted { trouble, testimony: Some(testimony) })
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

    /// What was said between us since its current game began.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// How its process ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<ExitStatus> {
        self.process.exit_status()
    }

    /// What it has done that is odd.
    #[must_use]
    pub fn oddities(&self) -> Oddities {
        let tally = self.inbox.tally();
        Oddities {
            surplus: self.surplus,
            long_lines: tally.skipped,
            not_utf8: tally.cleaned,
            nul: tally.nul,
            escapes: tally.escapes,
            floods: self.floods,
            errors: self.process.watch().errors_written(),
        }
    }

    /// Stops it and everything it started; how its process ended.
    pub fn stop(mut self, manner: Manner) -> Option<ExitStatus> {
        self.out.clear();
        self.dialect.ask(&Question::Quit, &mut self.out);
        self.process.stop(manner, self.limits.quit, &self.out)
    }

    /// Stops it, as [`stop`](Self::stop) does, and tells what was said until then.
    pub fn stop_and_testify(self, manner: Manner) -> Testimony {
        let mut testimony = self.testify();
        let watch = Arc::clone(self.process.watch());
        testimony.stopped = testimony.ended.is_none();
        testimony.ended = self.stop(manner);
        (testimony.errors, testimony.errors_written) = watch.errors();
        testimony
    }

    /// What was said since its current game began, and what else is known of it.
    #[must_use]
    pub fn testify(&self) -> Testimony {
        let unfinished = self.inbox.unfinished().trim_ascii();
        let (errors, errors_written) = self.process.watch().errors();
        Testimony {
            journal: self.journal.clone(),
            unfinished: unfinished[..unfinished.len().min(4096)].to_vec(),
            skipped_lines: self.inbox.tally().skipped,
            errors,
            errors_written,
            ended: self.ended(),
            stopped: false,
        }
    }

    /// Asks what is answered by nothing but "done".
    fn settle(&mut self, question: &Question<'_>, limit: Duration) -> Result<(), Trouble> {
        self.out.clear();
        self.noise.clear();
        let reply = self.dialect.ask(question, &mut self.out);
        self.now = Instant::now();
        self.journal.sent(&self.out, self.now);
        let deadline = self.now + limit;
        if reply == Reply::None {
            // Whether it takes it shows in what it does next.
            let _ = self.write_out(deadline);
            return Ok(());
        }
        let failed = |termination, detail| Err(Trouble::Failed(Failure { termination, detail }));
        match self.exchange(deadline, &mut Claims::default()) {
            Ok(Heard::Unreadable(detail)) => failed(Termination::ProtocolError, detail),
            Ok(_) => Ok(()),
            Err(Silence::Called) => Err(Trouble::Called),
            Err(Silence::Gone) => {
                let when = match question {
                    Question::Greet | Question::Configure(_) => "before it was ready",
                    Question::NewGame(_) => "when the game was to begin",
                    _ => "after its last answer, before its next move",
                };
                failed(Termination::Crash, self.how_it_ended(when))
            }
            Err(Silence::TimedOut) => {
                let asked = match question {
                    Question::Greet => "the greeting",
                    Question::Configure(_) => "its options",
                    Question::NewGame(_) => "the new game",
                    Question::Position { .. } => "the position",
                    Question::Go(_) | Question::Stop | Question::Quit => "the question",
                };
                let within = clock::format_duration(limit);
                let pending = self.what_is_pending();
                failed(Termination::Stall, format!("no answer to {asked} within {within}{pending}"))
            }
        }
    }

    /// Sends what stands in `out` and waits for the answer; `now` is the moment of its arrival.
    /// Output never re-arms the deadline, and a flood does not hide it.
    fn exchange(&mut self, deadline: Instant, claims: &mut Claims) -> Result<Heard, Silence> {
        self.process.watch().owe(deadline);
        let heard = self.hear_until(deadline, claims);
        self.process.watch().settle();
        heard
    }

    fn hear_until(&mut self, deadline: Instant, claims: &mut Claims) -> Result<Heard, Silence> {
        self.before = self.written();
        let mut flooded = false;
        self.write_out(deadline)?;
        loop {
            while let Some(line) = self.inbox.next_line() {
                if flooded {
                    self.journal.passed_over();
                } else {
                    self.journal.heard(line, self.now);
                }
                self.out.clear();
                match self.dialect.hear(line, &mut self.out) {
                    Heard::Nothing | Heard::Claims(_) if flooded => {}
                    Heard::Nothing if self.unsure && self.dialect.is_foreign(line) => {
                        return Ok(Heard::Unreadable(format!("answered {}", quote(line.trim()))));
                    }
                    Heard::Nothing => {
                        if self.noise.len() == NOISE_KEPT {
                            self.noise.pop_front();
                        }
                        self.noise.push_back(line.chars().take(200).collect());
                    }
                    Heard::Claims(newer) => claims.update(newer),
                    Heard::Surplus => self.surplus += 1,
                    Heard::Unreadable(why) => {
                        let codes = words::what_is_odd(line);
                        let cleaned = self.inbox.tally().cleaned > self.before.cleaned;
                        let left_out = if cleaned { "; bytes that are not UTF-8 were left out" } else { "" };
                        return Ok(Heard::Unreadable(format!("{why}{codes}{left_out}")));
                    }
                    answer => return Ok(answer),
                }
                if !self.out.is_empty() {
                    self.journal.sent(&self.out, self.now);
                    self.write_out(deadline)?;
                }
            }
            // What is in the pipe counts before the end of the process.
            if self.recall.is_called() {
                return Err(Silence::Called);
            }
            if self.process.watch().has_ended() && !self.process.has_output() {
                return Err(self.gone());
            }
            if self.now >= deadline {
                return Err(Silence::TimedOut);
            }
            if let Some(ration) = &mut self.ration {
                let left = ration.left(&self.process);
                if left.is_zero() {
                    return Err(Silence::TimedOut);
                }
                // Not much sooner could one thread use it up. To be woken would put a blank into the dialogue.
                let look = left.clamp(SOON, LATER).min(deadline.saturating_duration_since(self.now));
                if !self.process.has_output_within(look) {
                    self.now = Instant::now();
                    continue;
                }
            }
            if self.process.read(&mut self.inbox) == Came::End {
                return Err(self.gone());
            }
            self.now = Instant::now();
            if !flooded && self.is_flooding() {
                flooded = true;
                self.floods += 1;
            }
        }
    }

    /// Its end has come to our notice.
    fn gone(&mut self) -> Silence {
        self.now = Instant::now();
        Silence::Gone
    }

    fn written(&self) -> Written {
        let tally = self.inbox.tally();
        let errors = self.process.watch().errors_written();
        Written {
            lines: tally.lines,
            bytes: tally.bytes,
            cleaned: tally.cleaned,
            skipped: tally.skipped,
            errors,
        }
    }

    /// Whether it has written more since it was asked than anybody needs to say.
    fn is_flooding(&self) -> bool {
        let tally = self.inbox.tally();
        tally.lines - self.before.lines > MOST_LINES || tally.bytes - self.before.bytes > MOST_BYTES
    }

    fn write_out(&mut self, deadline: Instant) -> Result<(), Silence> {
        if self.delivery.write(&mut self.process, &self.out, deadline, &self.recall) {
            return Ok(());
        }
        Err(if self.recall.is_called() { Silence::Called } else { Silence::TimedOut })
    }
}
