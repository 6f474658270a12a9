//! The engines that a worker keeps up from game to game.

use std::sync::Arc;
use std::time::Duration;

use records::{DropReason, GameRecord, Termination};
use rules::{ByColor, Color};

use tokio::task::JoinSet;

use crate::engine::{
    Diagnostics, Engine, EngineError, EngineSpec, EngineStart, ExitStatus, NotStarted, OutputAnomalies,
    Refusal, Remedy, Spawner, StopMode,
};

/// The warning about an engine that thinks on its opponent's time.
const THINKS_OFF_TURN: &str =
    "uses processor time while it is not its turn (off_turn_cpu_ms in standings.csv)";

/// True if so much processor time in the opponent's thinking time is more than tidying up.
fn is_thinking(off_turn: Duration, opponents: Duration) -> bool {
    const LEAST: Duration = Duration::from_millis(10);
    off_turn >= LEAST && off_turn > opponents / 20
}

/// How the offender of a game is stopped: one whose dialogue is still sound stays.
fn stop_mode_after(termination: Termination) -> Option<StopMode> {
    termination.is_fault().then_some(StopMode::Broken)
}

/// A worker's engines. At most so many are kept up; the one that has not played for longest makes
/// room for another.
#[derive(Debug)]
pub struct EnginePool {
    specs: Arc<[EngineSpec]>,
    spawner: Spawner,
    most: usize,
    /// The game for which engines are started now.
    game: u64,
    /// The engines that are up, the one that played last at the end.
    up: Vec<PooledEngine>,
    /// The last engine that did not get through its start.
    not_started: Option<(usize, NotStarted)>,
    warnings: Vec<String>,
}

#[derive(Debug)]
struct PooledEngine {
    index: usize,
    engine: Engine,
    /// True if it is suspended out of its turn although its definition does not say so.
    is_held: bool,
    /// True if it has come through a game since it was started.
    has_played: bool,
    /// The odd output that was already warned about.
    told: OutputAnomalies,
}

impl EnginePool {
    /// Nobody is up yet. `most` is at least two.
    #[must_use]
    pub fn new(specs: Arc<[EngineSpec]>, spawner: Spawner, most: usize) -> Self {
        Self {
            specs,
            spawner,
            most: most.max(2),
            game: 0,
            up: Vec::new(),
            not_started: None,
            warnings: Vec::new(),
        }
    }

    fn place(&self, index: usize) -> Option<usize> {
        self.up.iter().position(|seated| seated.index == index)
    }

    /// The engines that are started from now on are started for this game.
    pub(crate) fn begin(&mut self, game: u64) {
        self.game = game;
    }

    /// Sees to it that an engine is up for the game of these players.
    pub async fn ensure_running(&mut self, index: usize, players: ByColor<usize>) -> Result<(), EngineError> {
        if let Some(place) = self.place(index) {
            let seated = self.up.remove(place);
            match seated.engine.ended() {
                None if !self.specs[index].restart && seated.is_held == self.is_held(index) => {
                    self.up.push(seated);
                    return Ok(());
                }
                None => {
                    seated.engine.stop(StopMode::Polite).await;
                }
                Some(status) => {
                    self.warn(index, &format!("ended between two games ({status}); it is started anew"));
                    seated.engine.stop(StopMode::Now).await;
                }
            }
        }
        while self.up.len() >= self.most {
            let plays =
                |seated: &PooledEngine| Color::ALL.iter().any(|&color| players[color] == seated.index);
            let Some(idle) = self.up.iter().position(|seated| !plays(seated)) else { break };
            self.up.remove(idle).engine.stop(StopMode::Polite).await;
        }
        self.spawner.starts.tell_start(EngineStart { engine: index, game: self.game });
        let is_held = self.is_held(index);
        let started = if is_held {
            let mut spec = self.specs[index].clone();
            // A process that must be held has to be found, whatever it does.
            (spec.cpu_policy.freeze, spec.launch.keep) = (true, true);
            self.spawner.start(&spec).await
        } else {
            self.spawner.start(&self.specs[index]).await
        };
        let engine = started.map_err(|failed| {
            let error = failed.error.clone();
            self.not_started = Some((index, failed));
            error
        })?;
        let told = OutputAnomalies::default();
        self.up.push(PooledEngine { index, engine, is_held, has_played: false, told });
        Ok(())
    }

    /// From now on an engine is suspended while it is not its turn, in all pools of this run.
    pub fn hold(&self, index: usize) {
        self.spawner.starts.hold(&self.specs[index].name);
    }

    /// True if an engine is suspended while it is not its turn, by its definition or since [`hold`](Self::hold).
    #[must_use]
    pub fn is_held(&self, index: usize) -> bool {
        let spec = &self.specs[index];
        spec.cpu_policy.freeze || self.spawner.starts.is_held(&spec.name)
    }

    /// What to do about what the start of an engine was refused.
    #[must_use]
    pub fn remedy(&self, index: usize, refusal: &Refusal) -> Remedy {
        let launch = &self.specs[index].launch;
        refusal.remedy(self.spawner.starts.has_started(&launch.program), &launch.confinement.resources)
    }

    /// The CPU time that an engine used since its last answer while it was not its turn; `None` if it is not running.
    pub async fn off_turn_since_answer(&mut self, index: usize) -> Option<Duration> {
        let place = self.place(index)?;
        Some(self.up[place].engine.off_turn_since_answer().await)
    }

    /// Stops the engines of a game that is dropped: their dialogues may have broken off.
    pub async fn stop_players(&mut self, players: ByColor<usize>) {
        self.not_started = None;
        for color in Color::ALL {
            if let Some(place) = self.place(players[color]) {
                self.up.remove(place).engine.stop(StopMode::Broken).await;
            }
        }
    }

    /// True if an engine has left in good order, not having been started for this game.
    pub fn has_left(&self, index: usize) -> bool {
        let seated = self.place(index).map(|place| &self.up[place]);
        seated.is_some_and(|seated| seated.has_played && seated.engine.ended() == Some(ExitStatus::Code(0)))
    }

    /// The engines of a game, both of which are up.
    ///
    /// # Panics
    /// If one is not.
    pub fn engines(&mut self, players: ByColor<usize>) -> ByColor<&mut Engine> {
        let black = self.place(players.black).expect("Black was seated");
        let white = self.place(players.white).expect("White was seated");
        let [black, white] = self.up.get_disjoint_mut([black, white]).expect("nobody plays against itself");
        ByColor::new(&mut black.engine, &mut white.engine)
    }

    /// The processor time that each side used out of its turn in the game that has just ended, `None` unless
    /// both played and it is known of both. Warns of who thinks on the other's time.
    pub fn off_turn(&mut self, record: &GameRecord, players: ByColor<usize>) -> Option<ByColor<Duration>> {
        let places = ByColor::from_fn(|color| self.place(players[color]));
        let (black, white) = (places.black?, places.white?);
        let both = ByColor::new(self.up[black].engine.off_turn()?, self.up[white].engine.off_turn()?);
        let spent = record.spent();
        for color in Color::ALL {
            if is_thinking(both[color], spent[color.opposite()]) {
                let index = players[color];
                let advice = match self.specs[index].cpu_policy.freeze {
                    true => "; it thinks before it is ready for the position",
                    false => "; turn its pondering off, or hold it with freeze = true",
                };
                self.warn(index, &format!("{THINKS_OFF_TURN}{advice}"));
            }
        }
        Some(both)
    }

    /// Why a crash of this engine is not its fault: the run is being stopped from outside, which ends engines a little
    /// before we hear of it, or the system had no memory left. To be asked right after the crash.
    pub async fn excuse(&mut self, index: usize) -> Option<DropReason> {
        /// A stop of the whole process tree reaches us within this time.
        const MOMENT: Duration = Duration::from_millis(100);
        /// A stop that is older has ended what it ends.
        const RECENT: Duration = Duration::from_secs(1);
        let (ended, for_memory) = match (self.place(index), &self.not_started) {
            (Some(place), _) => {
                (self.up[place].engine.ended(), self.up[place].engine.was_killed_for_memory())
            }
            (None, Some((whose, failed))) if *whose == index => {
                let ended = failed.testimony.as_ref().and_then(|testimony| testimony.ended);
                (ended, failed.was_killed_for_memory)
            }
            _ => return None,
        };
        // Many programs catch such a signal and leave in order, so the exit status says nothing.
        ended?;
        let stopping = &self.spawner.stopping;
        let _ = tokio::time::timeout(MOMENT, stopping.cancelled()).await;
        // After Ctrl-C the games that are running are played on, and an engine may well crash in them.
        let is_stopped = self.spawner.cancel.is_cancelled() || stopping.age().is_some_and(|age| age < RECENT);
        match is_stopped {
            true => Some(DropReason::Stopped),
            false => for_memory.then_some(DropReason::OutOfMemory),
        }
    }

    /// What has to be done when a game is over: an offender whose dialogue broke off is stopped, and
    /// engines that are to be started anew for each game are too. Tells what was said if that is
    /// wanted.
    pub async fn after_game(
        &mut self,
        record: &GameRecord,
        players: ByColor<usize>,
        wanted: bool,
    ) -> ByColor<Option<Box<Diagnostics>>> {
        let mut told = ByColor::new(None, None);
        let not_started = self.not_started.take();
        for color in Color::ALL {
            let index = players[color];
            let Some(place) = self.place(index) else {
                let of_its = not_started.as_ref().filter(|(whose, _)| wanted && *whose == index);
                told[color] = of_its.and_then(|(_, failed)| failed.testimony.clone());
                continue;
            };
            self.up[place].has_played = true;
            self.collect_warnings(place);
            let broken =
                (record.offender == Some(color)).then(|| stop_mode_after(record.termination)).flatten();
            let manner = broken.or(self.specs[index].restart.then_some(StopMode::Polite));
            match manner {
                Some(manner) if wanted => {
                    let engine = self.up.remove(place).engine;
                    told[color] = Some(Box::new(engine.stop_with_diagnostics(manner).await));
                }
                Some(manner) => {
                    self.up.remove(place).engine.stop(manner).await;
                }
                None => told[color] = wanted.then(|| Box::new(self.up[place].engine.diagnostics())),
            }
        }
        told
    }

    fn collect_warnings(&mut self, place: usize) {
        let seated = &mut self.up[place];
        let (now, index) = (seated.engine.oddities(), seated.index);
        let earlier = std::mem::replace(&mut seated.told, now);
        for what in now.since(&earlier) {
            self.warn(index, what);
        }
    }

    fn warn(&mut self, index: usize, what: &str) {
        self.warnings.push(format!("{} {what}", self.specs[index].name));
    }

    /// Notes something that the user should know.
    pub fn take_note(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Stops all engines, all at the same time.
    pub async fn stop(&mut self, manner: StopMode) {
        let stopping: JoinSet<_> = self.up.drain(..).map(|seated| seated.engine.stop(manner)).collect();
        stopping.join_all().await;
    }
}
