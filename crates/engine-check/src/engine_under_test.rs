//! The engine that is being checked. It is kept running from check to check as long as it does nothing wrong, and
//! started anew where it did.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use protocol::dialect::{ClockStyle, ProtocolId};
use protocol::message::Identity;
use protocol::option::Setting;
use rules::Variant;
use tokio::runtime::Runtime;

use crate::blocking_engine::BlockingEngine;
use crate::hints;
use crate::verdict::{Fault, NotPassed};
use play::engine::{
    CancelToken, DialogueLog, Launch, Limits, Sender, ShutdownReport, Spawner, StopMode, WriteMode,
};

/// The program to check, and how.
pub struct Target {
    /// How it is started.
    pub launch: Launch,
    /// Its name until it gives one.
    pub program: String,
    /// The protocols that it may speak.
    pub protocols: Vec<ProtocolId>,
    /// How it is told its time.
    pub clock: ClockStyle,
    /// The options to set, by name and value.
    pub options: Vec<(String, String)>,
    /// The variant to play.
    pub variant: Variant,
    /// Tells what limits an engine that ignores its time.
    pub limited_by: LimitedBy,
}

impl Target {
    /// A program that is checked by Othello, with nothing else said.
    #[must_use]
    pub fn new(launch: Launch, protocols: Vec<ProtocolId>) -> Self {
        Self {
            program: launch.program.display().to_string(),
            launch,
            protocols,
            clock: ClockStyle::default(),
            options: Vec::new(),
            variant: Variant::Othello,
            limited_by: Box::new(|_| None),
        }
    }
}

/// From the name that an engine gives to what limits it where it ignores its time, such as an argument; `None` for an
/// engine that heeds its time, or is not known.
pub type LimitedBy = Box<dyn Fn(Option<&str>) -> Option<String> + Send>;

/// A line of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When, from the beginning of the dialogue.
    pub at: Duration,
    /// Who sent it.
    pub by: Sender,
    /// At most 480 characters, none of them a control character.
    pub text: String,
}

/// The end of a dialogue, and the number of lines before that.
pub(crate) type Exchange = (Vec<Line>, u64);

/// The number of lines of a dialogue that are shown.
pub(crate) const SHOWN: usize = 12;

/// The longest wait for the answer to a search without a clock...
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// ...and for any answer, after the engine has been silent for that long once.
pub(crate) const LESS_PATIENCE: Duration = Duration::from_secs(2);

/// The limits that are not about a move.
pub(crate) const LIMITS: Limits = Limits {
    start: Duration::from_secs(10),
    ready: Duration::from_secs(5),
    move_: PATIENCE,
    quit: Duration::from_secs(2),
    sync: Duration::from_millis(50),
};

/// After this many failed starts in a row the engine is not started again.
const MOST_FAILED_STARTS: u32 = 3;

/// The engine that is being checked.
pub struct EngineUnderTest {
    pub(crate) target: Target,
    protocol: ProtocolId,
    settings: Vec<Setting>,
    cancel: CancelToken,
    runtime: Rc<Runtime>,
    engine: Option<BlockingEngine>,
    pub(crate) identity: Identity,
    /// The variant that it is checked by: that of the target, or Othello if it cannot play that.
    pub(crate) variant: Variant,
    /// True once it has answered queries about a position.
    pub(crate) answers_queries: bool,
    /// Why an option of the target cannot be set.
    pub(crate) refused: Option<String>,
    /// The number of checks in which it was silent past a limit.
    pub(crate) silences: u32,
    /// Failed starts in a row.
    failed_starts: u32,
    /// The dialogue with the last engine that is gone.
    exchange: Exchange,
}

impl EngineUnderTest {
    /// Starts nothing yet.
    ///
    /// # Errors
    /// If the system gives no files for a runtime.
    pub fn new(target: Target, cancel: CancelToken) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self {
            protocol: target.protocols.first().copied().unwrap_or_default(),
            variant: target.variant,
            target,
            settings: Vec::new(),
            cancel,
            runtime: Rc::new(runtime),
            engine: None,
            identity: Identity::default(),
            answers_queries: false,
            refused: None,
            silences: 0,
            failed_starts: 0,
            exchange: Exchange::default(),
        })
    }

    /// The protocol it speaks; before the greeting, the first that is tried.
    #[must_use]
    pub fn protocol(&self) -> ProtocolId {
        self.protocol
    }

    /// The variant that it is checked by.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The name it gives itself, else its program's.
    #[must_use]
    pub fn name(&self) -> &str {
        self.identity.name.as_deref().unwrap_or(&self.target.program)
    }

    /// What limits it, if it is known to ignore its time.
    pub(crate) fn limited_by(&self) -> Option<String> {
        (self.target.limited_by)(self.identity.name.as_deref())
    }

    /// Keeps an engine that answered the greeting. `settings` are the options that each process is sent.
    pub(crate) fn set_greeted(
        &mut self,
        engine: BlockingEngine,
        protocol: ProtocolId,
        settings: Vec<Setting>,
    ) {
        self.protocol = protocol;
        self.identity = engine.identity().clone();
        self.settings = settings;
        self.engine = Some(engine);
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { ready: if self.silences == 0 { LIMITS.ready } else { LESS_PATIENCE }, ..LIMITS }
    }

    /// Forgets the dialogue before a check.
    pub(crate) fn begin_check(&mut self) {
        self.exchange = Exchange::default();
        if let Some(engine) = &mut self.engine {
            if engine.ended().is_some() {
                self.stop(StopMode::Now);
                return;
            }
            engine.clear_log();
            engine.set_write_mode(WriteMode::Whole);
        }
    }

    /// Stops the engine after a check that failed. Returns the dialogue.
    pub(crate) fn break_off(&mut self, fault: &Fault) -> Exchange {
        if fault.hint == Some(hints::SILENT) {
            self.silences += 1;
        }
        if let Some(engine) = self.engine.take() {
            self.keep_exchange(engine.journal());
            engine.stop(StopMode::Broken);
        }
        self.take_exchange()
    }

    fn keep_exchange(&mut self, log: &DialogueLog) {
        let lines = log.beginning().chain(log.end());
        let mut kept: Vec<Line> =
            lines.map(|said| Line { at: said.at, by: said.by, text: shortened(said.line) }).collect();
        let surplus = kept.len().saturating_sub(SHOWN);
        kept.drain(..surplus);
        self.exchange = (kept, surplus as u64 + log.dropped());
    }

    pub(crate) fn take_exchange(&mut self) -> Exchange {
        std::mem::take(&mut self.exchange)
    }

    /// Replaces the dialogue that is reported if the check fails.
    pub(crate) fn set_exchange(&mut self, exchange: Exchange) {
        self.exchange = exchange;
    }

    /// Stops the engine, if it is running.
    pub fn stop(&mut self, mode: StopMode) {
        if let Some(engine) = self.engine.take() {
            engine.stop(mode);
        }
    }

    /// The engine, started if it is not running.
    pub(crate) fn engine(&mut self) -> Result<&mut BlockingEngine, NotPassed> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => self.start()?,
        };
        Ok(self.engine.insert(engine))
    }

    /// A new process that nothing was sent to. `detecting` is true if it is not known whether it speaks this protocol.
    pub(crate) fn open(
        &mut self,
        protocol: ProtocolId,
        detecting: bool,
    ) -> Result<BlockingEngine, NotPassed> {
        let Target { launch, clock, .. } = &self.target;
        let spawner = Spawner::new(self.limits(), &self.cancel);
        Ok(BlockingEngine::new(&self.runtime, spawner.open(launch, protocol, *clock, detecting))?)
    }

    /// A new process, greeted.
    pub(crate) fn greeted(&mut self) -> Result<BlockingEngine, NotPassed> {
        if self.failed_starts >= MOST_FAILED_STARTS {
            let why = format!("it did not get ready, {MOST_FAILED_STARTS} times in a row");
            return Err(NotPassed::skipped(why));
        }
        let mut engine = self.open(self.protocol, false)?;
        match engine.introduce() {
            Ok(()) => Ok(engine),
            Err(error) => {
                self.failed_starts += 1;
                Err(self.give_up(engine, error))
            }
        }
    }

    /// A new process, greeted and with its options set, beside the one that is running.
    pub(crate) fn start(&mut self) -> Result<BlockingEngine, NotPassed> {
        let mut engine = self.greeted()?;
        match engine.configure(&self.settings) {
            Ok(()) => {
                self.failed_starts = 0;
                Ok(engine)
            }
            Err(error) => {
                self.failed_starts += 1;
                Err(self.give_up(engine, error))
            }
        }
    }

    /// A new process, started as [`Self::start`] does, in place of the one that is running.
    pub(crate) fn restart(&mut self) -> Result<BlockingEngine, NotPassed> {
        self.stop(StopMode::Polite);
        self.start()
    }

    /// Stops an engine that failed, keeps the dialogue and returns the reason.
    pub(crate) fn give_up(&mut self, engine: BlockingEngine, why: impl Into<NotPassed>) -> NotPassed {
        self.keep_exchange(engine.journal());
        engine.stop(StopMode::Broken);
        why.into()
    }

    /// The engine that is running, to be made to leave.
    pub(crate) fn take(&mut self) -> Result<BlockingEngine, NotPassed> {
        self.engine.take().ok_or(NotPassed::Cancelled)
    }

    /// Keeps an engine for the next requests.
    pub(crate) fn put(&mut self, engine: BlockingEngine) {
        self.engine = Some(engine);
    }

    /// Makes an engine leave: sends `quit` if `say_quit`, closes its input if `close`, and waits for `patience`.
    pub(crate) fn leave(
        &mut self,
        mut engine: BlockingEngine,
        say_quit: bool,
        close: bool,
        patience: Duration,
    ) -> ShutdownReport {
        let goodbye = if say_quit { engine.goodbye() } else { Vec::new() };
        let (report, log) = engine.leave(&goodbye, close, patience);
        self.keep_exchange(&log);
        report
    }
}

fn shortened(line: &str) -> String {
    const LONGEST: usize = 480;
    let printable = line.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    let mut text: String = printable.take(LONGEST).collect();
    if line.chars().count() > LONGEST {
        text.push_str("...");
    }
    text
}
