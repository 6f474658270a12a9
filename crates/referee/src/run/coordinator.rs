//! The one task that owns the schedule, the record and the display. It hands out games, records them when workers
//! report them, and decides when to stop.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use records::dropped::{DROPPED, append_dropped, read_dropped};
use records::{DropReason, DroppedGame, GameLog, GameRecord, LogError};
use rules::{ByColor, Color};
use thiserror::Error;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior};
use tournament::schedule::Fixture;
use tournament::sprt::PairTest;
use tournament::withdrawal_tracker::FAILED_STARTS;

use crate::display::{Display, Progress};
use crate::machine::signals::Interrupts;
use crate::machine::slots::Slots;
use crate::prepare::Prepared;
use crate::run::game_queue::{Assignment, GameQueue, Release};
use crate::run::worker::{Event, RunState, Worker, WorkerContext};
use engine_process::supervisor;
use engine_process::{pause_watch, procfs};
use play::engine::{CancelToken, Refusal, Remedy, Starts};
use play::game::Setup;
use play::{GameJob, Unplayed};

/// Why a tournament could not go on.
#[derive(Debug, Error)]
pub enum ConductError {
    /// The record can't be written. Games recorded before are safe.
    #[error("{0}; every game recorded before is safe, run again to go on")]
    Record(LogError),
    /// The record was deleted, replaced or cut off while games were played.
    #[error("{0}; the run has stopped, and the reports are left as they were")]
    Changed(LogError),
    /// A sync of the record has failed: what the system had taken over may not be on the disk.
    #[error("{0}; the games recorded last may be lost if the machine fails, run again to go on")]
    Sync(LogError),
    /// The system refuses threads or signals.
    #[error("cannot begin to play: {0}")]
    System(#[from] io::Error),
    /// The system refuses something that the start of an engine needs.
    #[error("{engine}: {refusal}{}; every game recorded before is safe, run again to go on", lack(refusal, *remedy))]
    Refused {
        /// The engine's name.
        engine: String,
        /// What was refused.
        refusal: Refusal,
        /// What to do about it.
        remedy: Remedy,
    },
    /// A dropped game can't be noted.
    #[error("cannot write {}: {error}; every game recorded before is safe, run again to go on", path.display())]
    Dropped {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl From<LogError> for ConductError {
    fn from(error: LogError) -> Self {
        if matches!(error, LogError::Changed { .. }) { Self::Changed(error) } else { Self::Record(error) }
    }
}

/// The remedy of a refusal, to follow its message.
fn lack(refusal: &Refusal, remedy: Remedy) -> String {
    match remedy {
        Remedy::Retry => format!(" ({}), for a minute", refusal.lack()),
        Remedy::RaiseLimit(key) => format!("; its own limit `{key}` is too small for its start, raise it"),
        Remedy::MendCommand => String::new(),
    }
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Every game is recorded, or the sequential test has decided.
    Complete,
    /// Interrupted; can be resumed.
    Interrupted,
    /// Aborted by a third interruption, or its supervisor is gone.
    Aborted,
}

/// The surroundings of a run.
#[derive(Debug)]
pub struct Run<'a> {
    /// The record. Our caller keeps it locked until the reports are written.
    pub log: &'a mut GameLog,
    /// The slots that play games.
    pub slots: &'a Slots,
    /// The most engines that a slot keeps running.
    pub max_engines: usize,
    /// Shared by all starts of engines.
    pub starts: Arc<Starts>,
    /// Notices about starts, to be shown.
    pub notices: &'a mut mpsc::UnboundedReceiver<String>,
}

/// Plays a tournament until every game is recorded or it is interrupted.
///
/// # Errors
/// [`ConductError`]. No engine is left running in any case.
pub async fn run_tournament(
    tournament: &mut Prepared,
    queue: GameQueue,
    run: Run<'_>,
    interrupts: &mut Interrupts,
    display: &mut dyn Display,
) -> Result<Conclusion, ConductError> {
    let (phase, watched) = watch::channel(RunState::Play);
    let (cancel, stopping) = (CancelToken::default(), CancelToken::default());
    let Run { log, slots, max_engines, starts, notices } = run;
    let folder = log.path().parent().unwrap_or(Path::new(".")).to_owned();
    let dropped =
        read_dropped(&folder).map_err(|error| ConductError::Dropped { path: folder.join(DROPPED), error })?;
    for game in dropped.iter().filter(|game| game.reason == DropReason::NoCore) {
        game.offender.iter().for_each(|name| starts.hold(name));
    }
    pause_watch::start();
    let (events, mut inbox) = mpsc::unbounded_channel();
    let shared = WorkerContext {
        specs: tournament.specs.clone(),
        limits: tournament.definition.limits.timeouts,
        max_engines,
        phase: watched,
        cancel: cancel.clone(),
        stopping: stopping.clone(),
        starts,
        events,
        evidence: tournament.evidence.clone(),
        // With fewer games at once, no earlier game that has not begun can withdraw an engine.
        report_ready: slots.count() > FAILED_STARTS as usize,
    };
    let (mut jobs, mut threads) = (Vec::new(), Vec::new());
    for place in &slots.threads {
        let worker = Worker::start(jobs.len(), place, &shared)?;
        jobs.extend(worker.slots);
        threads.push(worker.thread);
    }
    drop(shared);
    let progress = Progress {
        recorded: queue.recorded(),
        fresh: 0,
        games: queue.schedule().games() - queue.not_played(),
        elapsed: Duration::ZERO,
    };
    let mut coordinator = Coordinator {
        tournament,
        queue,
        log,
        display,
        phase,
        cancel,
        stopping,
        folder,
        dropped: BTreeMap::new(),
        queued: vec![0; jobs.len()],
        begun: Instant::now(),
        progress,
        warned: BTreeMap::new(),
        withdrawn: BTreeSet::new(),
        repeated_openings: false,
        unsynced: false,
        syncing: None,
        failed: None,
    };
    dropped.into_iter().for_each(|game| coordinator.count_dropped(&game));
    let conclusion = coordinator.run(&jobs, &mut inbox, notices, interrupts).await;
    coordinator.finish_sync();
    if let Err(error) = coordinator.log.sync() {
        coordinator.fail(ConductError::Sync(error));
    }
    let failed = coordinator.failed.take();
    coordinator.show_repeated_warnings();
    if conclusion == Conclusion::Aborted {
        procfs::kill_all_children();
    } else {
        join_workers(jobs, threads, &mut inbox, interrupts).await;
    }
    match failed {
        Some(error) => Err(error),
        None => Ok(conclusion),
    }
}

/// Waits until the workers have stopped their engines. Every game is recorded by now, so the second interruption kills
/// the engines.
async fn join_workers(
    jobs: Vec<mpsc::UnboundedSender<GameJob>>,
    threads: Vec<JoinHandle<()>>,
    inbox: &mut mpsc::UnboundedReceiver<Event>,
    interrupts: &mut Interrupts,
) {
    let mut supervisor_gone = std::pin::pin!(supervisor::supervisor_gone());
    let slots = jobs.len();
    drop(jobs);
    let mut left = 0;
    while left < slots {
        tokio::select! {
            event = inbox.recv() => match event {
                Some(Event::SlotEnded) => left += 1,
                Some(_) => {}
                None => break,
            },
            count = interrupts.next() => {
                if count >= 2 {
                    procfs::kill_all_children();
                }
            }
            () = &mut supervisor_gone => return procfs::kill_all_children(),
        }
    }
    for thread in threads {
        // The panic of a worker was already printed. Our caller kills its engines.
        let _ = thread.join();
    }
}

struct Coordinator<'a> {
    tournament: &'a mut Prepared,
    queue: GameQueue,
    log: &'a mut GameLog,
    display: &'a mut dyn Display,
    phase: watch::Sender<RunState>,
    cancel: CancelToken,
    stopping: CancelToken,
    /// The results folder.
    folder: PathBuf,
    /// How often each game was dropped, by reason.
    dropped: BTreeMap<u64, BTreeMap<DropReason, u32>>,
    /// The number of unfinished jobs of each slot.
    queued: Vec<usize>,
    begun: Instant,
    progress: Progress,
    warned: BTreeMap<String, u64>,
    /// The engines that are known to be withdrawn.
    withdrawn: BTreeSet<usize>,
    repeated_openings: bool,
    /// True if something was appended since the last sync began.
    unsynced: bool,
    /// The sync that is going on, in a thread of its own, so that games do not wait.
    syncing: Option<JoinHandle<io::Result<()>>>,
    failed: Option<ConductError>,
}

impl Coordinator<'_> {
    async fn run(
        &mut self,
        slots: &[mpsc::UnboundedSender<GameJob>],
        inbox: &mut mpsc::UnboundedReceiver<Event>,
        notices: &mut mpsc::UnboundedReceiver<String>,
        interrupts: &mut Interrupts,
    ) -> Conclusion {
        let mut ticks = tokio::time::interval(Duration::from_millis(250));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut supervisor_gone = std::pin::pin!(supervisor::supervisor_gone());
        // If the signal is not available, orphans are reaped at each tick only.
        let mut ended = signal(SignalKind::child()).ok();
        loop {
            self.assign_jobs(slots);
            let over = self.queue.is_complete() || *self.phase.borrow() > RunState::Play;
            if over && self.queue.is_idle() {
                break;
            }
            tokio::select! {
                biased;
                () = &mut supervisor_gone => return self.abort(),
                count = interrupts.next() => match count {
                    1 => {
                        self.enter(RunState::Finish);
                        self.display.warning("interrupted: running games are finished, no new ones begin; again to stop them");
                    }
                    2 => self.enter(RunState::Abort),
                    _ => return self.abort(),
                },
                event = inbox.recv() => match event {
                    Some(Event::SlotEnded) | None => {
                        self.display.warning("a game slot has ended by itself; stopping");
                        return self.abort();
                    }
                    Some(event) => self.take(event),
                },
                Some(notice) = notices.recv() => self.display.warning(&notice),
                () = child_ended(&mut ended) => procfs::reap_orphans(),
                _ = ticks.tick() => {
                    procfs::reap_orphans();
                    self.tick();
                }
            }
        }
        let decided = self.tournament.test.as_ref().is_some_and(PairTest::is_decided);
        if self.queue.is_complete() || decided { Conclusion::Complete } else { Conclusion::Interrupted }
    }

    /// Keeps workers from starting engines while our caller kills them.
    fn abort(&mut self) -> Conclusion {
        self.enter(RunState::Abort);
        Conclusion::Aborted
    }

    fn enter(&mut self, phase: RunState) {
        self.phase.send_if_modified(|now| {
            let further = phase > *now;
            *now = phase.max(*now);
            further
        });
        if phase >= RunState::Finish {
            self.stopping.cancel();
        }
        if phase == RunState::Abort {
            self.cancel.cancel();
        }
    }

    /// Gives every slot a job. If games take less than 50 ms each slot gets two, so that it need not wait for the
    /// coordinator.
    fn assign_jobs(&mut self, slots: &[mpsc::UnboundedSender<GameJob>]) {
        if *self.phase.borrow() > RunState::Play {
            return;
        }
        let missing = self.progress.games - self.progress.recorded;
        let plenty = missing > 4 * slots.len() as u64;
        let depth = if plenty && self.progress.fresh > 0 && self.progress.rate() > 20.0 { 2 } else { 1 };
        for (number, slot) in slots.iter().enumerate() {
            while self.queued[number] < depth {
                match self.queue.assign() {
                    Assignment::Play(fixture) => {
                        let job = self.job(&fixture);
                        self.queued[number] += 1;
                        if let Err(unsent) = slot.send(job) {
                            self.queue.dropped(unsent.0.game);
                            break;
                        }
                    }
                    Assignment::Nothing => return,
                }
            }
        }
    }

    fn job(&mut self, fixture: &Fixture) -> GameJob {
        let definition = &self.tournament.definition;
        let opening = self.tournament.openings.get(fixture.round);
        let opening = opening.expect("the first opening was made before the first game, so there are some");
        if opening.repeated && !self.repeated_openings {
            self.repeated_openings = true;
            let text = format!("the openings have run out: from round {} on they repeat", fixture.round);
            self.display.warning(&text);
        }
        let setup = Setup {
            variant: definition.variant,
            empties: definition.empties,
            time: fixture.players.map(|engine| definition.time_of(engine)),
            margin: definition.margin,
            move_limit: definition.limits.timeouts.move_,
            start: opening.start,
            opening: opening.plies,
        };
        let names = fixture.players.map(|engine| self.tournament.specs[engine].name.clone());
        let seed = tournament::seeds::game_seed(self.tournament.resolved.seed, fixture.game);
        let Fixture { game, pair, round, players } = *fixture;
        let dropped = self.dropped.get(&game).cloned().unwrap_or_default();
        GameJob { game, pair, round, players, setup, seed, names, dropped }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Ready { game } => self.queue.engines_ready(game),
            Event::Unplayed { slot, game, why, warnings } => {
                self.queued[slot] -= 1;
                warnings.iter().for_each(|text| self.warn(text));
                self.unplayed(game, why);
                self.queue.dropped(game);
            }
            Event::Finished { slot, record, line, warnings } => {
                self.queued[slot] -= 1;
                warnings.iter().for_each(|text| self.warn(text));
                self.queue.finished(record, line);
            }
            Event::SlotEnded => {}
        }
        while self.failed.is_none() {
            let Some(release) = self.queue.next_recordable() else { break };
            match release {
                Release::AsPlayed(record, line) => self.record(&record, &line),
                Release::NotPlayed(fixture) => {
                    if let Some(evidence) = &self.tournament.evidence {
                        evidence.forget(fixture.game);
                    }
                }
            }
        }
        let withdrawn: Vec<_> =
            self.queue.withdrawn().map(|(engine, _, why)| (engine, why.to_owned())).collect();
        for (engine, why) in withdrawn {
            if self.withdrawn.insert(engine) {
                let name = &self.tournament.specs[engine].name;
                self.display
                    .warning(&format!("{name} is withdrawn: its games that are left are not played; {why}"));
            }
        }
        self.progress.games = self.queue.schedule().games() - self.queue.not_played();
    }

    /// A game has no record. If it was dropped for a reason of its own, that is kept, and it is played again.
    fn unplayed(&mut self, game: u64, why: Unplayed) {
        let name = |side: Color| {
            let fixture = self.queue.schedule().fixture(game)?;
            Some(self.tournament.specs[fixture.players[side]].name.clone())
        };
        match why {
            Unplayed::Cancelled => {}
            Unplayed::Refused { side, refusal, remedy } => {
                let engine = name(side).unwrap_or_default();
                self.fail(ConductError::Refused { engine, refusal, remedy });
            }
            Unplayed::Dropped { reason, offender } => {
                let offender = offender.and_then(name);
                let attempt =
                    self.dropped.get(&game).and_then(|by| by.get(&reason)).map_or(1, |count| count + 1);
                let noted = DroppedGame { game, reason, offender, attempt };
                let by = noted.offender.as_deref().map_or(String::new(), |name| format!(" ({name})"));
                self.warn(&format!("a game was dropped and is played again: {}{by}", reason.words()));
                if let (DropReason::NoCore, Some(name)) = (reason, &noted.offender) {
                    self.warn(&format!("{name} is suspended while it is not its turn, from now on"));
                }
                match append_dropped(&self.folder, &noted) {
                    Ok(()) => self.count_dropped(&noted),
                    Err(error) => {
                        let path = self.folder.join(DROPPED);
                        self.fail(ConductError::Dropped { path, error });
                    }
                }
            }
        }
    }

    fn count_dropped(&mut self, game: &DroppedGame) {
        let count = self.dropped.entry(game.game).or_default().entry(game.reason).or_default();
        *count = (*count).max(game.attempt);
    }

    /// The run can't go on. The first reason is kept.
    fn fail(&mut self, error: ConductError) {
        self.failed.get_or_insert(error);
        self.enter(RunState::Abort);
    }

    /// Appends a game to the record. If that fails the run ends: a game that is not recorded must
    /// not be counted.
    fn record(&mut self, record: &GameRecord, line: &[u8]) {
        match self.log.append(line) {
            Ok(()) => {
                self.unsynced = true;
                self.progress.recorded += 1;
                self.progress.fresh += 1;
                self.progress.elapsed = self.begun.elapsed();
                self.display.game(record, self.progress);
                self.test(record);
                self.look_for_repeats(record);
            }
            Err(error) => self.fail(error.into()),
        }
    }

    /// Counts a recorded game in the sequential test. Once that has decided, no new games begin; running games finish and
    /// are recorded.
    fn test(&mut self, record: &GameRecord) {
        let fixture = self.queue.schedule().fixture(record.game);
        let (Some(test), Some(fixture)) = (&mut self.tournament.test, fixture) else { return };
        if test.add_game(&fixture, record) {
            let decided = test.is_decided();
            self.display.test(test);
            if decided {
                self.enter(RunState::Finish);
            }
        }
    }

    /// Warns, once a run, if both games of a pair repeat an earlier pair.
    fn look_for_repeats(&mut self, record: &GameRecord) {
        let Some(fixture) = self.queue.schedule().fixture(record.game) else { return };
        if self.tournament.repeats.add_game(&fixture, record) {
            let ByColor { black, white } = fixture.players;
            let names =
                [black.min(white), black.max(white)].map(|engine| &self.tournament.specs[engine].name);
            self.display.warning(&format!(
                "{} and {} have played both games of pair {} before, move by move (mirrored or not): engines that \
                 always answer alike make the sample smaller than it looks; give more distinct openings (more plies, \
                 a longer file) or fewer pairs",
                names[0], names[1], record.pair
            ));
        }
    }

    /// Shows each warning once and counts how often it repeats.
    fn warn(&mut self, text: &str) {
        let count = self.warned.entry(text.to_owned()).or_default();
        *count += 1;
        if *count == 1 {
            self.display.warning(text);
        }
    }

    fn show_repeated_warnings(&mut self) {
        for (text, count) in &self.warned {
            if *count > 1 {
                self.display.warning(&format!("{text} ({count} games)"));
            }
        }
    }

    fn tick(&mut self) {
        self.progress.elapsed = self.begun.elapsed();
        self.display.tick(self.progress);
        if self.failed.is_some() {
            return;
        }
        if let Err(error) = self.log.unchanged() {
            return self.fail(error.into());
        }
        if self.syncing.as_ref().is_none_or(JoinHandle::is_finished) {
            self.finish_sync();
            self.start_sync();
        }
    }

    /// Syncs the record to the disk if something was appended. If there is no thread or file for it, the next tick tries
    /// again, and the sync at the end is waited for.
    fn start_sync(&mut self) {
        if !self.unsynced {
            return;
        }
        let Ok(file) = self.log.handle() else { return };
        let thread = std::thread::Builder::new().name("sync".to_owned());
        if let Ok(syncing) = thread.spawn(move || file.sync_data()) {
            self.syncing = Some(syncing);
            self.unsynced = false;
        }
    }

    /// Waits for the sync that is going on. Its error must not be lost: the system reports it only once.
    fn finish_sync(&mut self) {
        let Some(syncing) = self.syncing.take() else { return };
        let synced = syncing.join().unwrap_or_else(|_| Err(io::Error::other("the thread has panicked")));
        if let Err(error) = synced {
            let error = self.log.not_synced(error);
            self.fail(ConductError::Sync(error));
        }
    }
}

/// Completes when a child process has ended; never if that signal is not available.
async fn child_ended(ended: &mut Option<Signal>) {
    match ended {
        Some(ended) => {
            ended.recv().await;
        }
        None => std::future::pending().await,
    }
}
