//! The engine under examination, asked and waited for one request at a time. `check` talks to one engine and has
//! nothing else to do meanwhile, so its checks are plain functions.

use std::ops::Deref;
use std::rc::Rc;
use std::time::Duration;

use protocol::dialect::{ClockStyle, ProtocolId};
use protocol::message::{Go, NewGame, Request};
use protocol::option::Setting;
use tokio::runtime::Runtime;

use play::engine::{
    Answer, DialogueLog, Engine, EngineError, ExitStatus, Launch, ShutdownReport, Spawner, StopMode,
    WriteMode,
};

/// An engine, and the runtime in which it is waited for. What needs no waiting is asked of the [`Engine`] itself.
#[derive(Debug)]
pub(crate) struct BlockingEngine {
    engine: Engine,
    runtime: Rc<Runtime>,
}

impl Deref for BlockingEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl BlockingEngine {
    /// [`Spawner::open`].
    pub(crate) fn open(
        runtime: &Rc<Runtime>,
        spawner: &Spawner,
        launch: &Launch,
        protocol: ProtocolId,
        clock: ClockStyle,
        detecting: bool,
    ) -> Result<Self, EngineError> {
        let engine = runtime.block_on(spawner.open(launch, protocol, clock, detecting))?;
        Ok(Self { engine, runtime: Rc::clone(runtime) })
    }

    /// [`Engine::introduce`].
    pub(crate) fn introduce(&mut self) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.introduce())
    }

    /// [`Engine::configure`].
    pub(crate) fn configure(&mut self, settings: &[Setting]) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.configure(settings))
    }

    /// [`Engine::new_game`].
    pub(crate) fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.new_game(game))
    }

    /// [`Engine::ask_ready`].
    pub(crate) fn ask_ready(&mut self, request: &Request<'_>) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.ask_ready(request))
    }

    /// [`Engine::go`].
    pub(crate) fn go(&mut self, go: &Go, allowance: Duration) -> Result<Answer, EngineError> {
        self.runtime.block_on(self.engine.go(go, allowance))
    }

    /// [`Engine::go_and_stop`].
    pub(crate) fn go_and_stop(
        &mut self,
        go: &Go,
        after: Duration,
        allowance: Duration,
    ) -> Result<(Option<Duration>, Answer), EngineError> {
        self.runtime.block_on(self.engine.go_and_stop(go, after, allowance))
    }

    /// [`Engine::begin_search`].
    pub(crate) fn begin_search(&mut self, go: &Go) {
        self.runtime.block_on(self.engine.begin_search(go));
    }

    /// [`Engine::send_raw`].
    pub(crate) fn send_raw<T>(
        &mut self,
        text: &[u8],
        limit: Duration,
        judge: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, EngineError> {
        self.runtime.block_on(self.engine.send_raw(text, limit, judge))
    }

    /// [`Engine::set_write_mode`].
    pub(crate) fn set_write_mode(&mut self, mode: WriteMode) {
        self.engine.set_write_mode(mode);
    }

    /// [`Engine::clear_log`].
    pub(crate) fn clear_log(&mut self) {
        self.engine.clear_log();
    }

    /// [`Engine::goodbye`].
    pub(crate) fn goodbye(&mut self) -> Vec<u8> {
        self.engine.goodbye()
    }

    /// [`Engine::leave`].
    pub(crate) fn leave(
        self,
        goodbye: &[u8],
        close: bool,
        patience: Duration,
    ) -> (ShutdownReport, DialogueLog) {
        self.runtime.block_on(self.engine.leave(goodbye, close, patience))
    }

    /// [`Engine::stop`].
    pub(crate) fn stop(self, manner: StopMode) -> Option<ExitStatus> {
        self.runtime.block_on(self.engine.stop(manner))
    }
}
