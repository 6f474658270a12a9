//! The engine that is being checked. It is kept running from check to check for as long as it does
//! nothing wrong, and started anew where it did.

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

/// What is to be checked, as the user said it.
pub struct Target {
    /// How it is started.
    pub launch: Launch,
    /// What it is called as long as it has not said so.
    pub program: String,
    /// The protocols that it may speak.
    pub protocols: Vec<ProtocolId>,
    /// How it is told its time.
    pub clock: ClockStyle,
    /// The options to set, by name and value.
    pub options: Vec<(String, String)>,
    /// The game to play.
    pub variant: Variant,
    /// What limits it, where it takes no notice of its time.
    pub limited_by: LimitedBy,
}

/// What limits an engine that takes no notice of its time, by the name that it gives itself; `None` if nothing is known.
pub type LimitedBy = Box<dyn Fn(Option<&str>) -> Option<String> + Send>;

/// A line of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Since the exchange began.
    pub at: Duration,
    /// By whom.
    pub by: Sender,
    /// Cut to what fits a screen.
    pub text: String,
}

/// So many lines of an exchange are shown.
pub(crate) const SHOWN: usize = 12;

/// A search without a clock may take so long...
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// ...and so long, once the engine has been silent for that long.
pub(crate) const LESS_PATIENCE: Duration = Duration::from_secs(2);
/// The same for all else.
const READY: Duration = Duration::from_secs(5);
/// An engine that does not get ready so often in a row is not started again.
const STARTS: u32 = 3;

/// The limits that are not about a move.
pub(crate) const LIMITS: Limits = Limits {
    start: Duration::from_secs(10),
    ready: READY,
    move_: PATIENCE,
    quit: Duration::from_secs(2),
    sync: Duration::from_millis(50),
};

/// The engine under examination.
pub struct EngineUnderTest {
    target: Target,
    protocol: ProtocolId,
    settings: Vec<Setting>,
    cancel: CancelToken,
    runtime: Rc<Runtime>,
    engine: Option<BlockingEngine>,
    pub(crate) identity: Identity,
    /// The game that it is checked by: what was target, if it can play that.
    pub(crate) variant: Variant,
    /// Whether it answers queries; unknown before it was asked.
    pub(crate) answers_queries: bool,
    /// What was to be set and it does not declare.
    pub(crate) refused: Option<String>,
    /// How often it was silent past a limit.
    pub(crate) silences: u32,
    /// How often in a row it did not get ready.
    failed_starts: u32,
    /// What was said with an engine that is gone, and how much before that is left out.
    said: (Vec<Line>, u64),
}

impl EngineUnderTest {
    /// Nothing is started yet.
    ///
    /// # Errors
    /// If the system gives no files for a runtime.
    pub fn new(target: Target, cancel: CancelToken) -> io::Result<Self> {
        let protocol = target.protocols.first().copied().unwrap_or_default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Self {
            protocol,
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
            said: (Vec::new(), 0),
        })
    }

    /// What it speaks, or the first that was tried.
    #[must_use]
    pub fn protocol(&self) -> ProtocolId {
        self.protocol
    }

    /// The game that it is checked by.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// What limits it, where it is known to take no notice of its time.
    pub(crate) fn limited_by(&self) -> Option<String> {
        (self.target.limited_by)(self.identity.name.as_deref())
    }

    /// What was asked for.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// What it calls itself, else its program's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.identity.name.as_deref().unwrap_or(&self.target.program)
    }

    /// It was found to speak this; `settings` are what it is to be sent.
    pub(crate) fn met(&mut self, engine: BlockingEngine, protocol: ProtocolId, settings: Vec<Setting>) {
        self.protocol = protocol;
        self.identity = engine.identity().clone();
        self.settings = settings;
        self.engine = Some(engine);
    }

    /// A process that has not been spoken to.
    pub(crate) fn open(&mut self, protocol: ProtocolId, unsure: bool) -> Result<BlockingEngine, NotPassed> {
        let Target { launch, clock, .. } = &self.target;
        let spawner = Spawner::new(self.limits(), &self.cancel);
        Ok(BlockingEngine::open(&self.runtime, &spawner, launch, protocol, *clock, unsure)?)
    }

    pub(crate) fn limits(&self) -> Limits {
        let ready = if self.silences == 0 { READY } else { LESS_PATIENCE };
        Limits { ready, ..LIMITS }
    }

    /// A check begins: nothing that was said before belongs to it.
    pub(crate) fn begin_check(&mut self) {
        self.said = (Vec::new(), 0);
        if let Some(engine) = &mut self.engine {
            if engine.ended().is_some() {
                self.stop(StopMode::Now);
                return;
            }
            engine.clear_log();
            engine.set_write_mode(WriteMode::Whole);
        }
    }

    /// A check failed: what was said, and the engine is not used any more.
    pub(crate) fn break_off(&mut self) -> (Vec<Line>, u64) {
        if let Some(engine) = self.engine.take() {
            self.keep(engine.journal());
            engine.stop(StopMode::Broken);
        }
        std::mem::take(&mut self.said)
    }

    /// Keeps the end of an exchange for the report.
    pub(crate) fn keep(&mut self, journal: &DialogueLog) {
        let lines = journal.beginning().chain(journal.end());
        let mut kept: Vec<Line> =
            lines.map(|said| Line { at: said.at, by: said.by, text: shortened(said.line) }).collect();
        let surplus = kept.len().saturating_sub(SHOWN);
        kept.drain(..surplus);
        self.said = (kept, surplus as u64 + journal.dropped());
    }

    /// What was kept of an exchange, and how much before it was left out.
    pub(crate) fn take_said(&mut self) -> (Vec<Line>, u64) {
        std::mem::take(&mut self.said)
    }

    /// Keeps several exchanges as one.
    pub(crate) fn keep_said(&mut self, lines: Vec<Line>, left_out: u64) {
        self.said = (lines, left_out);
    }

    /// Stops the engine, if one is running.
    pub fn stop(&mut self, manner: StopMode) {
        if let Some(engine) = self.engine.take() {
            engine.stop(manner);
        }
    }

    /// The engine, started if it is not running.
    pub(crate) fn engine(&mut self) -> Result<&mut BlockingEngine, NotPassed> {
        if self.engine.is_none() {
            let engine = self.start()?;
            return Ok(self.engine.insert(engine));
        }
        self.engine.as_mut().ok_or(NotPassed::Cancelled)
    }

    /// A new process, greeted and with its options set, beside the one that is running.
    pub(crate) fn start(&mut self) -> Result<BlockingEngine, NotPassed> {
        let mut engine = self.greeted()?;
        match engine.configure(&self.settings) {
            Ok(()) => {
                self.failed_starts = 0;
                Ok(engine)
            }
            Err(trouble) => {
                self.failed_starts += 1;
                Err(self.given_up(engine, trouble))
            }
        }
    }

    /// A new process, greeted.
    pub(crate) fn greeted(&mut self) -> Result<BlockingEngine, NotPassed> {
        if self.failed_starts >= STARTS {
            return Err(NotPassed::skipped(format!("it did not get ready, {STARTS} times in a row")));
        }
        let mut engine = self.open(self.protocol, false)?;
        match engine.introduce() {
            Ok(()) => Ok(engine),
            Err(trouble) => {
                self.failed_starts += 1;
                Err(self.given_up(engine, trouble))
            }
        }
    }

    /// An engine that is of no use any more, and why.
    pub(crate) fn given_up(&mut self, engine: BlockingEngine, why: impl Into<NotPassed>) -> NotPassed {
        self.keep(engine.journal());
        engine.stop(StopMode::Broken);
        why.into()
    }

    /// A process of its own for a check, which it must hand back or let leave.
    pub(crate) fn alone(&mut self) -> Result<BlockingEngine, NotPassed> {
        self.stop(StopMode::Polite);
        self.start()
    }

    /// The engine that is running, for the caller to let leave.
    pub(crate) fn take(&mut self) -> Result<BlockingEngine, NotPassed> {
        self.engine.take().ok_or(NotPassed::Cancelled)
    }

    /// Hands back an engine that may be used for what comes.
    pub(crate) fn hand_back(&mut self, engine: BlockingEngine) {
        self.engine = Some(engine);
    }

    /// Lets an engine leave: `say` goodbye to it, `close` its input, or both.
    pub(crate) fn leave(
        &mut self,
        mut engine: BlockingEngine,
        say: bool,
        close: bool,
        patience: Duration,
    ) -> ShutdownReport {
        let goodbye = if say { engine.goodbye() } else { Vec::new() };
        let (departure, journal) = engine.leave(&goodbye, close, patience);
        self.keep(&journal);
        departure
    }

    /// Sets how what is said to it is written.
    pub(crate) fn set_write_mode(&mut self, mode: WriteMode) -> Result<(), NotPassed> {
        self.engine()?.set_write_mode(mode);
        Ok(())
    }

    /// Notes what a check that failed says of the patience it deserves.
    pub(crate) fn note(&mut self, fault: &Fault) {
        if fault.hint == Some(hints::SILENT) {
            self.silences += 1;
        }
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
