//! Whether the clock is true: engines that measure their own thinking, against what they are charged.
//!
//!     cargo bench -p referee --bench clock
//!
//! Needs an idle machine.

use std::io::Write as _;
use std::time::{Duration, Instant};

use protocol::ugi::{Command, Start};
use records::{GameLog, read_games};
use referee::coordinator::conduct;
use referee::display::{Display, Progress};
use referee::interrupts::Interrupts;
use referee::ledger::Ledger;
use referee::pinning;
use referee::prepare::{Prepared, prepare};
use rules::{BoardSize, Ply, Position, Turn};
use tournament::definition::{Definition, EngineDefinition, Origin};
use tournament::known::KnownEngines;
use tournament::standings::Standings;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--think") {
        return think(Duration::from_micros(arguments[at + 1].parse().expect("microseconds")));
    }
    let cores = pinning::allowed_cores();
    println!("time charged minus the engine's own count, in ms");
    for thinks in [5_700, 10_000] {
        for slots in (1..=cores.len().min(2)).rev() {
            let mut errors = measure(thinks, slots);
            errors.sort_by(f64::total_cmp);
            let at = |share: f64| errors[((errors.len() - 1) as f64 * share) as usize];
            let mean = errors.iter().sum::<f64>() / errors.len() as f64;
            let within =
                errors.iter().filter(|error| error.abs() <= 0.1).count() as f64 / errors.len() as f64;
            println!(
                "  {:.1} ms a move, {slots} at once: mean {mean:+.4}, median {:+.4}, 1 % {:+.4}, 99 % {:+.4}, worst {:+.4}; {:.2} % within ±0.1 of {} moves",
                f64::from(thinks) / 1000.0,
                at(0.5),
                at(0.01),
                at(0.99),
                at(1.0),
                100.0 * within,
                errors.len()
            );
        }
    }
}

/// An engine that computes for so long, tells as `nodes` how many nanoseconds that took, and plays
/// its first legal move.
fn think(time: Duration) {
    let mut position = Position::start(BoardSize::Eight);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { return };
        let begun = Instant::now();
        let written = match Command::parse(&line) {
            Ok(Command::Ugi) => writeln!(out, "id name thinks\nugiok"),
            Ok(Command::IsReady) => writeln!(out, "readyok"),
            Ok(Command::Position { start: Start::Standard, moves }) => {
                let plies = moves.split_ascii_whitespace().map(|word| word.parse::<Ply>().expect("a ply"));
                position = rules::replay(Position::start(BoardSize::Eight), plies).expect("legal").position();
                Ok(())
            }
            Ok(Command::Go(_)) => {
                let Turn::Place(moves) = position.turn() else { return };
                let chosen = moves.first();
                while begun.elapsed() < time {
                    std::hint::spin_loop();
                }
                let own = begun.elapsed().as_nanos();
                writeln!(out, "info nodes {own}\nbestmove {chosen}")
            }
            Ok(Command::Quit) => return,
            _ => Ok(()),
        };
        if written.and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

/// Milliseconds charged minus milliseconds counted, for every move of some games.
fn measure(thinks: u32, slots: usize) -> Vec<f64> {
    let engine = |name: &str| {
        let program = std::env::current_exe().expect("this program").display().to_string();
        let mut engine = EngineDefinition::new(vec![program, "--think".to_owned(), thinks.to_string()]);
        engine.name = Some(name.to_owned());
        engine
    };
    let mut definition =
        Definition::new("clock".to_owned(), vec![engine("a"), engine("b")], Origin::CommandLine);
    definition.pairs = 4;
    definition.seed = Some(1);
    definition.time = clock::TimeControl::Game { main: Duration::from_secs(60), increment: Duration::ZERO };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.jsonl");
    let (log, _) = GameLog::open(&path).expect("a record");
    let cores = pinning::allowed_cores();
    let dealt = pinning::deal(&cores, 1, Some(slots), true, u64::MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut prepared = prepare(definition, &KnownEngines::default(), None).await.expect("prepared");
        let mut interrupts = Interrupts::listen().expect("signals");
        let ledger = Ledger::new(prepared.schedule.clone(), 2, None);
        conduct(&mut prepared, ledger, log, &dealt, 4, &mut interrupts, &mut Nothing).await.expect("played");
    });
    let games = read_games(&path).expect("the record").map(|game| game.expect("a game").record);
    let moves = games.flat_map(|game| game.moves);
    moves.filter_map(|played| Some(played.spent.as_secs_f64() * 1e3 - played.nodes? as f64 / 1e6)).collect()
}

/// A display that shows nothing.
struct Nothing;

impl Display for Nothing {
    fn begin(&mut self, _: &Prepared, _: usize, _: Progress) {}
    fn game(&mut self, _: &records::GameRecord, _: Progress) {}
    fn warning(&mut self, text: &str) {
        eprintln!("warning: {text}");
    }
    fn tick(&mut self, _: Progress) {}
    fn end(&mut self, _: &Standings, _: Progress, _: &str) {}
}
