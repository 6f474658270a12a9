//! What the benches share: an engine to play with, and games that nobody watches.

#![allow(dead_code, reason = "each bench uses some of it")]

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use protocol::ugi::{Command, Limits, StartPosition};
use records::{GameLog, GameRecord, read_games};
use referee::display::{Display, Progress};
use referee::machine::signals::Interrupts;
use referee::machine::slots::Slots;
use referee::prepare::{Prepared, prepare};
use referee::run::coordinator::{Conclusion, Run, run_tournament};
use referee::run::game_queue::GameQueue;
use rules::{BoardSize, Ply, Position, Turn};
use rustix::time::{ClockId, clock_gettime};
use tournament::definition::{Definition, EngineDefinition, Origin};
use tournament::known::KnownEngines;
use tournament::standings::Standings;

/// An engine on standard input and output that plays its first legal move after a search, which says what comes
/// before the answer; without a search result it says nothing.
pub(crate) fn answer(mut search: impl FnMut(Position, &Limits) -> Option<String>) {
    let mut position = Position::start(BoardSize::Eight);
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let written = match Command::parse(&line) {
            Ok(Command::Ugi) => writeln!(out, "ugiok"),
            Ok(Command::IsReady) => writeln!(out, "readyok"),
            Ok(Command::Position { start: StartPosition::Standard, moves }) => {
                let plies = moves.split_ascii_whitespace().map(|word| word.parse::<Ply>().expect("a ply"));
                position = rules::replay(Position::start(BoardSize::Eight), plies).expect("legal").position();
                Ok(())
            }
            Ok(Command::Go(limits)) => {
                let Turn::Place(moves) = position.turn() else { return };
                match search(position, &limits) {
                    Some(info) => writeln!(out, "{info}\nbestmove {}", moves.first()),
                    None => Ok(()),
                }
            }
            Ok(Command::Quit) => return,
            _ => Ok(()),
        };
        if written.and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// An entry for this very program, started with these arguments.
pub(crate) fn this_program(name: &str, arguments: &[&str]) -> EngineDefinition {
    let program = std::env::current_exe().expect("this program").display().to_string();
    let command = [program].into_iter().chain(arguments.iter().map(|&argument| argument.to_owned()));
    let mut engine = EngineDefinition::new(command.collect());
    engine.name = Some(name.to_owned());
    engine
}

/// A definition of so many pairs between these engines.
pub(crate) fn definition(engines: Vec<EngineDefinition>, pairs: u64) -> Definition {
    let mut definition = Definition::new("bench".to_owned(), engines, Origin::CommandLine);
    definition.pairs = pairs;
    definition.seed = Some(1);
    definition
}

/// Plays it to its end in these slots, and returns the time and our own processor time that this took once everything
/// was prepared. The record is in this folder then.
pub(crate) fn play(
    definition: Definition,
    slots: &Slots,
    folder: &Path,
    display: &mut impl Display,
) -> (Duration, Duration) {
    let engines = definition.engines.len();
    let (mut log, _) = GameLog::open(&folder.join("games.jsonl")).expect("a record");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (notices, mut notified) = tokio::sync::mpsc::unbounded_channel();
        let starts = std::sync::Arc::new(play::engine::Starts::new(notices));
        let known = KnownEngines::default();
        let mut prepared = prepare(definition, &known, None, &starts).await.expect("prepared");
        let mut interrupts = Interrupts::listen().expect("signals");
        let queue = GameQueue::new(prepared.schedule.clone(), engines, None);
        let (begun, used) = (Instant::now(), cpu_time());
        let run = Run { log: &mut log, slots, max_engines: 4, starts, notices: &mut notified };
        let conclusion = run_tournament(&mut prepared, queue, run, &mut interrupts, display).await;
        assert_eq!(conclusion.expect("played"), Conclusion::Complete);
        (begun.elapsed(), cpu_time() - used)
    })
}

/// The processor time that this process has used.
pub(crate) fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).expect("never negative")
}

/// The CPU time of all children that have ended, to 10 ms (fields 16 and 17 of `/proc/self/stat`).
pub(crate) fn children_cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this system has it");
    let (_, rest) = stat.rsplit_once(')').expect("the name ends there");
    let ticks = rest.split_ascii_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.map(|field| field.parse::<u64>().expect("a number")).sum();
    Duration::from_secs(ticks)
        / u32::try_from(rustix::param::clock_ticks_per_second()).expect("a small number")
}

/// The proportional set size of this process, in kB.
pub(crate) fn memory() -> i64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").expect("this system has it");
    let line = text.lines().find(|line| line.starts_with("Pss:")).expect("a line");
    line.split_ascii_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number")
}

/// Plays it to its end in these slots, and returns its games.
pub(crate) fn games(definition: Definition, slots: &Slots) -> Vec<GameRecord> {
    let folder = tempfile::tempdir().expect("a folder");
    play(definition, slots, folder.path(), &mut Nothing);
    let games = read_games(&folder.path().join("games.jsonl")).expect("the record");
    games.map(|game| game.expect("a game").record).collect()
}

/// For every move of these games, in ascending order, the milliseconds charged minus those that the engine counted
/// and told as so many nanoseconds of `nodes`.
pub(crate) fn delays<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Vec<f64> {
    let moves = games.into_iter().flat_map(|game| &game.moves);
    let delay = |spent: Duration, nodes: u64| spent.as_secs_f64() * 1e3 - nodes as f64 / 1e6;
    let mut delays: Vec<f64> = moves.filter_map(|played| Some(delay(played.spent, played.nodes?))).collect();
    delays.sort_by(f64::total_cmp);
    delays
}

/// The value below which this share of ascending values lies.
pub(crate) fn at(share: f64, values: &[f64]) -> f64 {
    values[((values.len() - 1) as f64 * share) as usize]
}

/// A display that shows nothing but warnings.
pub(crate) struct Nothing;

impl Display for Nothing {
    fn begin(&mut self, _: &Prepared, _: usize, _: Progress) {}
    fn game(&mut self, _: &GameRecord, _: Progress) {}
    fn warning(&mut self, text: &str) {
        eprintln!("warning: {text}");
    }
    fn tick(&mut self, _: Progress) {}
    fn end(&mut self, _: &Standings, _: Progress, _: &str) {}
}
