//! Engines as the referee sees them: a dialogue with a process that may do anything.
//!
//! States of an engine: *started* (process up, handshake going on) -> *ready* (between games or
//! between questions) -> *asked* (an answer is owed) -> *ready*, and from each of them -> *stopped*,
//! which is final. A dialogue that broke off is never taken up again: the engine is stopped and a
//! new one started for the next game.

mod check_io;
mod connection;
mod diagnostics;
mod dialogue_log;
mod failure_text;
mod output_anomalies;
mod search;
#[cfg(test)]
mod tests;
mod write_mode;

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use protocol::dialect::{ClockStyle, Dialect, ProtocolChoice, ProtocolId};
use protocol::framing::quote;
use protocol::message::{ExpectsReply, Identity, Request, Response, SearchInfo};
use protocol::option::Setting;
use records::Termination;
use tokio::sync::mpsc;

use connection::{Connection, NoAnswer};
use engine_process::cpu_meter::{CpuBudget, Meters};
use output_anomalies::{MOST_BYTES, MOST_LINES};

pub use diagnostics::Diagnostics;
pub use dialogue_log::{DialogueLog, LogLine, Sender};
pub use engine_process::cancel::CancelToken;
pub use engine_process::cpu_meter::Waited;
pub use engine_process::exit_status::ExitStatus;
pub use engine_process::launch::Launch;
pub use engine_process::process::ShutdownReport;
pub use engine_process::refusal::{Refusal, Remedy};
pub use engine_process::stop::StopMode;
pub use output_anomalies::OutputAnomalies;
pub use search::{Answer, AnswerKind};
pub use write_mode::WriteMode;

/// The limits on an engine that are not the game clock.
pub use clock::Limits;

/// Everything needed to start an engine and to bring it to its first game.
#[derive(Clone, Debug)]
pub struct EngineSpec {
    /// Its name in reports.
    pub name: String,
    /// How its process is started.
    pub launch: Launch,
    /// Its protocol.
    pub protocol: ProtocolId,
    /// How it is told its time.
    pub clock: ClockStyle,
    /// The options that are set before its first game.
    pub settings: Vec<Setting>,
    /// True if each game starts it anew.
    pub restart: bool,
    /// How its CPU time is treated.
    pub cpu_policy: CpuPolicy,
    /// True if a position and the request for a move in it are sent together where no clock runs and its protocol lets them.
    pub pipelined: bool,
}

impl EngineSpec {
    /// An engine that speaks UGI and is started with nothing else said.
    #[must_use]
    pub fn new(name: &str, launch: Launch) -> Self {
        Self {
            name: name.to_owned(),
            launch,
            protocol: ProtocolId::default(),
            clock: ClockStyle::default(),
            settings: Vec::new(),
            restart: false,
            cpu_policy: CpuPolicy::default(),
            pipelined: true,
        }
    }
}

/// How an engine is treated in its games, beyond its protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuPolicy {
    /// True if its processes are held while it is not its turn.
    pub freeze: bool,
    /// True if it is charged the processor time of its processes, not the time on the wall.
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

/// Why a dialogue with an engine can't go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// The engine failed.
    Failed(Failure),
    /// The system refused what its start needs: its program never ran.
    Refused(Refusal),
    /// Everything was cancelled.
    Cancelled,
}

/// Why an engine did not get through its start, and what was said meanwhile.
#[derive(Debug)]
pub struct NotStarted {
    /// Why.
    pub error: EngineError,
    /// The dialogue; `None` if there never was a process.
    pub testimony: Option<Box<Diagnostics>>,
    /// True if the system has killed it for lack of memory.
    pub was_killed_for_memory: bool,
}

impl From<EngineError> for NotStarted {
    fn from(error: EngineError) -> Self {
        Self { error, testimony: None, was_killed_for_memory: false }
    }
}

/// How engines are started: the same for all engines of a thread.
#[derive(Clone, Debug)]
pub struct Spawner {
    /// The limits that are not the game clock.
    pub limits: Limits,
    /// The cores that the engines may use; empty for all.
    pub cores: Arc<[usize]>,
    /// Cancels every wait for one of them.
    pub cancel: CancelToken,
    /// Cancelled when the run is to end, even if running games are played on.
    pub stopping: CancelToken,
    /// What is known of earlier starts.
    pub starts: Arc<Starts>,
}

/// What all starts of a run share.
#[derive(Debug, Default)]
pub struct Starts {
    /// The programs that were started before: they are there.
    started: Mutex<HashSet<PathBuf>>,
    /// The names of the engines that are suspended out of their turn, since they took the cores of their opponents.
    held: Mutex<HashSet<String>>,
    /// Where it is told that a start waits for the machine.
    notices: Option<mpsc::UnboundedSender<String>>,
    /// Is told of each start of an engine for a game.
    listener: OnceLock<std::sync::mpsc::Sender<Option<EngineStart>>>,
}

/// An engine was started for a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineStart {
    /// The index of the engine.
    pub engine: usize,
    /// The index of the game.
    pub game: u64,
}

impl Starts {
    /// Nothing is known. Waiting for the machine is told here.
    #[must_use]
    pub fn new(notices: mpsc::UnboundedSender<String>) -> Self {
        Self { notices: Some(notices), ..Self::default() }
    }

    /// From now on each start of an engine for a game is told here. Only the first listener is taken.
    pub fn listen(&self, listener: std::sync::mpsc::Sender<Option<EngineStart>>) {
        let _ = self.listener.set(listener);
    }

    pub(crate) fn tell_start(&self, start: EngineStart) {
        if let Some(listener) = self.listener.get() {
            let _ = listener.send(Some(start));
        }
    }

    /// From now on an engine is suspended while it is not its turn.
    pub fn hold(&self, name: &str) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    /// True if this engine is suspended while it is not its turn.
    #[must_use]
    pub fn is_held(&self, name: &str) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    /// True if this program was started before in this run.
    #[must_use]
    pub fn has_started(&self, program: &Path) -> bool {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).contains(program)
    }

    fn note_start(&self, program: &Path) {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).insert(program.to_owned());
    }
}

impl Spawner {
    /// Starts engines on any core, with these limits.
    #[must_use]
    pub fn new(limits: Limits, cancel: &CancelToken) -> Self {
        Self {
            limits,
            cores: Arc::default(),
            cancel: cancel.clone(),
            stopping: cancel.clone(),
            starts: Arc::default(),
        }
    }

    /// Starts a process and says nothing to it yet.
    ///
    /// # Errors
    /// [`EngineError`] if it can't be started.
    pub async fn open(
        &self,
        launch: &Launch,
        protocol: ProtocolId,
        clock: ClockStyle,
        detecting_protocol: bool,
    ) -> Result<Engine, EngineError> {
        if self.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let connection = Connection::open(launch, &self.cores, &self.cancel).await;
        let connection = connection.map_err(EngineError::Refused)?;
        Ok(Engine {
            connection,
            dialect: protocol.new_dialect(clock),
            search: Search::default(),
            out: Vec::new(),
            limits: self.limits,
            cpu_policy: CpuPolicy::default(),
            meters: Meters::default(),
            pipelined: false,
            has_begun: false,
            knows_position: false,
            surplus: 0,
            floods: 0,
            detecting_protocol,
        })
    }

    /// Starts a process and greets it in each of the protocols that it may speak, until it answers. Each protocol gets a
    /// new process, since the words of another protocol may have confused the old one.
    ///
    /// # Errors
    /// [`EngineError`] if it answers in none of them.
    pub async fn recognise(
        &self,
        launch: &Launch,
        protocol: ProtocolChoice,
        clock: ClockStyle,
    ) -> Result<(Engine, ProtocolId), EngineError> {
        let candidates = protocol.candidates();
        let detecting = candidates.len() > 1;
        let mut failures: Vec<(ProtocolId, Failure)> = Vec::new();
        for &kind in &candidates {
            match self.greet(launch, kind, clock, detecting).await {
                Ok(engine) => return Ok((engine, kind)),
                Err(NotStarted { error: EngineError::Failed(failure), .. }) => failures.push((kind, failure)),
                Err(NotStarted { error, .. }) => return Err(error),
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
        Err(EngineError::Failed(Failure { termination, detail }))
    }

    /// Starts a process and greets it. What the system refuses is tried again, with growing pauses, for a minute.
    async fn greet(
        &self,
        launch: &Launch,
        protocol: ProtocolId,
        clock: ClockStyle,
        detecting: bool,
    ) -> Result<Engine, NotStarted> {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let refusal = match self.greet_once(launch, protocol, clock, detecting).await {
                Err(NotStarted { error: EngineError::Refused(refusal), .. }) => refusal,
                Ok(engine) => {
                    self.starts.note_start(&launch.program);
                    return Ok(engine);
                }
                failed => return failed,
            };
            let has_started = self.starts.has_started(&launch.program);
            let remedy = refusal.remedy(has_started, &launch.confinement.resources);
            if remedy != Remedy::Retry || begun.elapsed() + pause > LONGEST_RETRY {
                return Err(EngineError::Refused(refusal).into());
            }
            if let Some(notices) = self.starts.notices.as_ref().filter(|_| pause == FIRST_PAUSE) {
                let minute = LONGEST_RETRY.as_secs();
                let _ = notices.send(format!("{refusal}: {}; trying again for {minute} s", refusal.lack()));
            }
            tokio::select! {
                () = self.cancel.cancelled() => return Err(EngineError::Cancelled.into()),
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn greet_once(
        &self,
        launch: &Launch,
        protocol: ProtocolId,
        clock: ClockStyle,
        detecting: bool,
    ) -> Result<Engine, NotStarted> {
        let mut engine = self.open(launch, protocol, clock, detecting).await?;
        match engine.introduce().await {
            Ok(()) => Ok(engine),
            Err(error) => Err(engine.not_started(error).await),
        }
    }

    /// Starts an engine and brings it to where its first game can begin.
    ///
    /// # Errors
    /// [`NotStarted`] if it can't be started, ends, does not answer within the limits, or if everything is cancelled.
    /// Nothing of it is left then.
    pub async fn start(&self, spec: &EngineSpec) -> Result<Engine, NotStarted> {
        let mut engine = self.greet(&spec.launch, spec.protocol, spec.clock, false).await?;
        (engine.cpu_policy, engine.pipelined) = (spec.cpu_policy, spec.pipelined);
        match engine.configure(&spec.settings).await {
            Ok(()) => Ok(engine),
            Err(error) => Err(engine.not_started(error).await),
        }
    }
}

/// The pauses between two tries to start an engine that the system refuses, and how long this goes on in all.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// True if a line replies to something although nothing was asked.
fn is_reply(dialect: &mut dyn Dialect, line: &str) -> bool {
    dialect.parse_line(line, &mut Vec::new()) == Response::Unexpected
}

/// Lines of an engine that meant nothing, the last few, to show when it falls silent.
const IGNORED_LINES_KEPT: usize = 3;

/// After so many lines at once the other games of this core get a turn.
const BATCH: u32 = 256;

/// The times between two looks at the CPU budget of a search: what an engine started and ended between two looks may
/// be missed.
const SOONEST_LOOK: Duration = Duration::from_millis(1);
const LATEST_LOOK: Duration = Duration::from_millis(10);

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    /// Lives as long as the process.
    connection: Connection,
    dialect: Box<dyn Dialect>,
    /// Its last question.
    search: Search,
    /// Text to be sent; kept so that its memory is used again.
    out: Vec<u8>,
    limits: Limits,
    cpu_policy: CpuPolicy,
    meters: Meters,
    pipelined: bool,
    /// True if a game has begun since its start.
    has_begun: bool,
    /// True if it was sent a position since its start.
    knows_position: bool,
    /// Lines that answered nothing although they might have.
    surplus: u64,
    /// Questions that it answered with a flood.
    floods: u64,
    /// True if it is not known yet that it speaks this protocol.
    detecting_protocol: bool,
}

/// One question and what has come of it so far.
#[derive(Debug, Default)]
struct Search {
    /// Score, depth and nodes, as it reports them.
    info: SearchInfo,
    /// The CPU time that it may use, where that is charged.
    budget: Option<CpuBudget>,
    /// The last lines that meant nothing.
    ignored_lines: VecDeque<String>,
    /// Its output before the question.
    before: Written,
    /// True once it has written more since than the limits for a flood.
    is_flooding: bool,
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

impl Engine {
    /// Stops it and tells why it did not get through its start.
    async fn not_started(self, error: EngineError) -> NotStarted {
        let was_killed_for_memory = self.was_killed_for_memory();
        let testimony = Some(Box::new(self.stop_with_diagnostics(StopMode::Broken).await));
        NotStarted { error, testimony, was_killed_for_memory }
    }

    /// Greets it.
    ///
    /// # Errors
    /// [`EngineError`]; what was said until then stays in the journal.
    pub async fn introduce(&mut self) -> Result<(), EngineError> {
        self.ask_ready(&Request::Handshake).await?;
        self.detecting_protocol = false;
        self.connection.process.program_runs();
        Ok(())
    }

    /// Sets its options, as before its first game.
    ///
    /// # Errors
    /// [`EngineError`].
    pub async fn configure(&mut self, settings: &[Setting]) -> Result<(), EngineError> {
        self.ask_ready(&Request::SetOptions(settings)).await
    }

    /// Its name, author and options, as it reports them.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        self.dialect.identity()
    }

    /// The engine's side of its protocol.
    #[must_use]
    pub fn dialect(&self) -> &dyn Dialect {
        &*self.dialect
    }

    /// The dialogue since its current game began.
    #[must_use]
    pub fn journal(&self) -> &DialogueLog {
        &self.connection.log
    }

    /// How its process ended, if it has.
    #[must_use]
    pub fn ended(&self) -> Option<ExitStatus> {
        self.connection.process.exit_status()
    }

    /// True if the system has killed it for lack of memory, and not by a limit of its own.
    #[must_use]
    pub fn was_killed_for_memory(&self) -> bool {
        self.connection.process.was_killed_for_memory()
    }

    /// Its odd output so far.
    #[must_use]
    pub fn oddities(&self) -> OutputAnomalies {
        let stats = self.connection.lines.stats();
        OutputAnomalies {
            surplus: self.surplus + stats.stale,
            long_lines: stats.too_long,
            not_utf8: stats.not_utf8,
            nul: stats.nul,
            escapes: stats.escapes,
            floods: self.floods,
            errors: self.connection.process.stderr.written(),
        }
    }

    /// Stops it and everything it started; how its process ended.
    pub async fn stop(mut self, manner: StopMode) -> Option<ExitStatus> {
        self.end(manner).await
    }

    async fn end(&mut self, manner: StopMode) -> Option<ExitStatus> {
        let goodbye = self.goodbye();
        self.connection.process.stop(manner, self.limits.quit, &goodbye).await
    }

    /// Stops it, as [`stop`](Self::stop) does, and tells what was said until then.
    pub async fn stop_with_diagnostics(mut self, manner: StopMode) -> Diagnostics {
        let mut testimony = self.diagnostics();
        testimony.stopped = testimony.ended.is_none();
        testimony.ended = self.end(manner).await;
        let stderr = &self.connection.process.stderr;
        (testimony.errors, testimony.errors_written) = (stderr.text(), stderr.written());
        testimony
    }

    /// The dialogue since its current game began, its standard error and its exit status.
    #[must_use]
    pub fn diagnostics(&self) -> Diagnostics {
        let Connection { lines, log, process, .. } = &self.connection;
        let unfinished = lines.partial_line().trim_ascii();
        Diagnostics {
            journal: log.clone(),
            unfinished: unfinished[..unfinished.len().min(4096)].to_vec(),
            skipped_lines: lines.stats().too_long,
            errors: process.stderr.text(),
            errors_written: process.stderr.written(),
            ended: self.ended(),
            stopped: false,
        }
    }

    /// The text that makes it quit; empty if its protocol has none.
    pub fn goodbye(&mut self) -> Vec<u8> {
        self.out.clear();
        self.dialect.write_request(&Request::Quit, &mut self.out);
        std::mem::take(&mut self.out)
    }

    /// Sends a request that is answered by nothing but "done", and waits for that.
    ///
    /// # Errors
    /// [`EngineError`]; the engine has to be stopped then.
    pub async fn ask_ready(&mut self, request: &Request<'_>) -> Result<(), EngineError> {
        self.connection.give_way().await;
        self.connection.process.thaw().await;
        let limit = if matches!(request, Request::Handshake) { self.limits.start } else { self.limits.ready };
        let reply = self.ask(request, limit, Search::default()).await;
        self.check_ready(reply, request, limit).await
    }

    /// Judges the reply to a request that is answered by nothing but "done".
    async fn check_ready(
        &mut self,
        reply: Result<Response, NoAnswer>,
        request: &Request<'_>,
        limit: Duration,
    ) -> Result<(), EngineError> {
        let failed = |termination, detail| Err(EngineError::Failed(Failure { termination, detail }));
        match reply {
            Ok(Response::Unreadable(detail)) => failed(Termination::ProtocolError, detail),
            Ok(_) => Ok(()),
            Err(NoAnswer::Cancelled) => Err(EngineError::Cancelled),
            Err(NoAnswer::Gone) => {
                self.connection.process.exit_status_soon().await;
                if let Some(refusal) = self.connection.process.refusal() {
                    return Err(EngineError::Refused(refusal));
                }
                let when = match request {
                    Request::Handshake | Request::SetOptions(_) => "before it was ready",
                    Request::NewGame(_) => "when the game was to begin",
                    _ => "after its last answer, before its next move",
                };
                failed(Termination::Crash, self.how_it_ended(when).await)
            }
            Err(NoAnswer::TimedOut) => {
                let asked = match request {
                    Request::Handshake => "the greeting",
                    Request::SetOptions(_) => "its options",
                    Request::NewGame(_) => "the new game",
                    Request::Position { .. } => "the position",
                    Request::Go(_) | Request::Stop | Request::Quit => "the question",
                };
                let within = clock::format_duration(limit);
                let pending = self.what_is_pending();
                failed(Termination::Stall, format!("no answer to {asked} within {within}{pending}"))
            }
        }
    }

    /// Sends a request and waits for its reply, at most for `patience` from the moment it was sent. No output puts that
    /// moment off, and a flood does not hide it.
    async fn ask(
        &mut self,
        request: &Request<'_>,
        patience: Duration,
        search: Search,
    ) -> Result<Response, NoAnswer> {
        // What can be read when a search is to stop may answer it.
        if !matches!(request, Request::Stop) {
            // Nothing was in the pipe when the engine said just now that it is ready.
            self.drop_stale(matches!(request, Request::Go(_)), is_reply);
        }
        self.search = Search { before: self.written(), ..search };
        self.out.clear();
        let reply = self.dialect.write_request(request, &mut self.out);
        let sent = self.connection.ask(&self.out, patience).await;
        if reply == ExpectsReply::No {
            // A write that failed shows when the next answer is read.
            return Ok(Response::Ignored);
        }
        sent?;
        self.reply(self.connection.deadline(patience)).await
    }

    /// Reads away what can be read at this moment, before a request is sent: it was written before, so it answers nothing.
    /// No more is read than is there now, so a flood has an end. Lines for which `is_reply` holds are counted.
    fn drop_stale(&mut self, since_read: bool, is_reply: fn(&mut dyn Dialect, &str) -> bool) {
        let mut waiting = self.connection.waiting_bytes(since_read);
        let now = self.connection.now();
        loop {
            while let Some(line) = self.connection.lines.next_line() {
                self.connection.log.heard(line, now);
                self.surplus += u64::from(is_reply(&mut *self.dialect, line));
            }
            let read = if waiting > 0 { self.connection.read_waiting() } else { 0 };
            if read == 0 {
                return self.connection.lines.drop_partial_line();
            }
            waiting = waiting.saturating_sub(read);
        }
    }

    /// Waits for the reply to what was sent, at most until `deadline`.
    async fn reply(&mut self, deadline: Instant) -> Result<Response, NoAnswer> {
        let mut lines = 0;
        loop {
            let now = self.connection.now();
            while let Some(line) = self.connection.lines.next_line() {
                let Search { info, ignored_lines, before, is_flooding, .. } = &mut self.search;
                if *is_flooding {
                    self.connection.log.passed_over();
                } else {
                    self.connection.log.heard(line, now);
                }
                self.out.clear();
                match self.dialect.parse_line(line, &mut self.out) {
                    Response::Ignored | Response::Info(_) if *is_flooding => {}
                    Response::Ignored
                        if self.detecting_protocol && self.dialect.shows_other_protocol(line) =>
                    {
                        return Ok(Response::Unreadable(format!("answered {}", quote(line.trim()))));
                    }
                    Response::Ignored => {
                        if ignored_lines.len() == IGNORED_LINES_KEPT {
                            ignored_lines.pop_front();
                        }
                        ignored_lines.push_back(line.chars().take(200).collect());
                    }
                    Response::Info(newer) => info.update(newer),
                    Response::Unexpected => self.surplus += 1,
                    Response::Unreadable(why) => {
                        let odd = failure_text::unprintable_characters(line);
                        let cleaned = self.connection.lines.stats().not_utf8 > before.cleaned;
                        let left_out = if cleaned { "; bytes that are not UTF-8 were left out" } else { "" };
                        return Ok(Response::Unreadable(format!("{why}{odd}{left_out}")));
                    }
                    answer => return Ok(answer),
                }
                if !self.out.is_empty() {
                    let next = std::mem::take(&mut self.out);
                    self.drop_stale(false, |_, line| !line.trim().is_empty());
                    self.connection.send(&next, deadline).await?;
                    self.out = next;
                }
                lines += 1;
                if lines % BATCH == 0 {
                    tokio::task::yield_now().await;
                }
            }
            self.wait(deadline).await?;
            if !self.search.is_flooding && self.has_flooded() {
                self.search.is_flooding = true;
                self.floods += 1;
            }
        }
    }

    /// Waits until something comes, at most until `deadline`, or until the CPU budget of the search is used up.
    async fn wait(&mut self, deadline: std::time::Instant) -> Result<(), NoAnswer> {
        let Self { connection, search, .. } = self;
        let Some(budget) = &mut search.budget else { return connection.receive(deadline).await };
        loop {
            let left = budget.left(&connection.process).await;
            if left.is_zero() {
                return Err(NoAnswer::TimedOut);
            }
            // One thread could not use it up much sooner.
            let look = connection.now() + left.clamp(SOONEST_LOOK, LATEST_LOOK);
            match connection.receive(look.min(deadline)).await {
                Err(NoAnswer::TimedOut) if look < deadline => {}
                other => return other,
            }
        }
    }

    fn written(&self) -> Written {
        let stats = self.connection.lines.stats();
        Written {
            lines: stats.lines,
            bytes: stats.bytes,
            cleaned: stats.not_utf8,
            skipped: stats.too_long,
            errors: self.connection.process.stderr.written(),
        }
    }

    fn has_flooded(&self) -> bool {
        let (stats, before) = (self.connection.lines.stats(), &self.search.before);
        stats.lines - before.lines > MOST_LINES || stats.bytes - before.bytes > MOST_BYTES
    }
}
