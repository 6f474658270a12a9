//! An [`Engine`] whose questions block until they are answered. A run of checks talks to one engine at a time and has
//! nothing else to do meanwhile, so checks are plain functions.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::time::Duration;

use protocol::message::{Go, NewGame, PlayedPly, Request};
use protocol::option::Setting;
use tokio::runtime::Runtime;

use play::engine::{Answer, DialogueLog, Engine, EngineError, ExitStatus, ShutdownReport, StopMode};

/// An engine and the runtime that drives it. Whatever needs no waiting is a method of [`Engine`] itself.
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

impl DerefMut for BlockingEngine {
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

/// Each method is that of the same name in [`Engine`].
impl BlockingEngine {
    /// Waits for an engine that is being opened.
    pub(crate) fn new(
        runtime: &Rc<Runtime>,
        opening: impl Future<Output = Result<Engine, EngineError>>,
    ) -> Result<Self, EngineError> {
        Ok(Self { engine: runtime.block_on(opening)?, runtime: Rc::clone(runtime) })
    }

    pub(crate) fn introduce(&mut self) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.introduce())
    }

    pub(crate) fn configure(&mut self, settings: &[Setting]) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.configure(settings))
    }

    pub(crate) fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.new_game(game))
    }

    pub(crate) fn ask_ready(&mut self, request: &Request<'_>) -> Result<(), EngineError> {
        self.runtime.block_on(self.engine.ask_ready(request))
    }

    pub(crate) fn go(&mut self, go: &Go, allowance: Duration) -> Result<Answer, EngineError> {
        self.runtime.block_on(self.engine.go(go, allowance))
    }

    pub(crate) fn position_and_go(
        &mut self,
        played: &[PlayedPly],
        go: &Go,
        allowance: Duration,
    ) -> Result<Answer, EngineError> {
        self.runtime.block_on(self.engine.position_and_go(played, go, allowance))
    }

    pub(crate) fn go_and_stop(
        &mut self,
        go: &Go,
        after: Duration,
        allowance: Duration,
    ) -> Result<(Option<Duration>, Answer), EngineError> {
        self.runtime.block_on(self.engine.go_and_stop(go, after, allowance))
    }

    pub(crate) fn begin_search(&mut self, go: &Go) {
        self.runtime.block_on(self.engine.begin_search(go));
    }

    pub(crate) fn send_raw<T>(
        &mut self,
        text: &[u8],
        limit: Duration,
        judge: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, EngineError> {
        self.runtime.block_on(self.engine.send_raw(text, limit, judge))
    }

    pub(crate) fn leave(
        self,
        goodbye: &[u8],
        close: bool,
        patience: Duration,
    ) -> (ShutdownReport, DialogueLog) {
        self.runtime.block_on(self.engine.leave(goodbye, close, patience))
    }

    pub(crate) fn stop(self, mode: StopMode) -> Option<ExitStatus> {
        self.runtime.block_on(self.engine.stop(mode))
    }
}
