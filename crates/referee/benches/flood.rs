//! Whether a flood in one game delays another: what two engines are charged above their own count, while in the
//! other slot a third says nothing at all, and while it floods.
//!
//!     cargo bench -p referee --bench flood
//!
//! Needs an idle machine with two cores or more. A question and its answer are measured together: what is charged runs from
//! the writing of `go` to the arrival of the move, an engine's own count from its reading to its writing.

use std::io::Write as _;
use std::time::{Duration, Instant};

use clock::TimeControl;
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

/// What an answer may come later for a flood elsewhere, in milliseconds.
const WANTED: f64 = 1.0;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_asked = |word: &str| arguments.iter().any(|argument| argument == word);
    if is_asked("--think") || is_asked("--silent") || is_asked("--flood") {
        return engine(is_asked("--silent"), is_asked("--flood"));
    }
    let cores = pinning::allowed_cores();
    if cores.len() < 2 {
        return println!("two slots need two cores");
    }
    println!("what is charged minus the engine's own count, in ms, with in the other slot");
    let medians = ["--silent", "--flood"].map(|other| {
        let mut delays = measure(&cores, other);
        delays.sort_by(f64::total_cmp);
        let at = |share: f64| delays[((delays.len() - 1) as f64 * share) as usize];
        println!(
            "  {other}: median {:.4}, 90 % {:.4}, 99 % {:.4}, worst {:.4}, of {} moves",
            at(0.5),
            at(0.9),
            at(0.99),
            at(1.0),
            delays.len()
        );
        at(0.5)
    });
    let grown = medians[1] - medians[0];
    let verdict = if grown < WANTED { "within" } else { "ABOVE" };
    println!("  the median grows by {grown:.4} ({verdict} {WANTED})");
}

/// An engine that computes for 5 ms, tells as `nodes` how many nanoseconds that took, and plays its first legal
/// move; or one that never answers.
fn engine(silent: bool, flood: bool) {
    let mut position = Position::start(BoardSize::Eight);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { return };
        let begun = Instant::now();
        let written = match Command::parse(&line) {
            Ok(Command::Ugi) => writeln!(out, "ugiok"),
            Ok(Command::IsReady) => writeln!(out, "readyok"),
            Ok(Command::Position { start: Start::Standard, moves }) => {
                let plies = moves.split_ascii_whitespace().map(|word| word.parse::<Ply>().expect("a ply"));
                position = rules::replay(Position::start(BoardSize::Eight), plies).expect("legal").position();
                Ok(())
            }
            Ok(Command::Go(_)) if silent => Ok(()),
            Ok(Command::Go(_)) if flood => {
                let lines = "info depth 1 string and on and on and on\n".repeat(1000);
                while out.write_all(lines.as_bytes()).is_ok() {}
                return;
            }
            Ok(Command::Go(_)) => {
                let Turn::Place(moves) = position.turn() else { return };
                let chosen = moves.first();
                while begun.elapsed() < Duration::from_millis(5) {
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

/// Milliseconds charged minus milliseconds counted, for the moves of the games between the two that think. A game
/// against the third takes as long as its clock, ten times as long as one of theirs: so in the other slot it is nearly always the third that
/// is asked, but for the first round.
fn measure(cores: &[usize], other: &str) -> Vec<f64> {
    let program = std::env::current_exe().expect("this program").display().to_string();
    let engine = |name: &str, what: &str| {
        let mut engine = EngineDefinition::new(vec![program.clone(), what.to_owned()]);
        engine.name = Some(name.to_owned());
        engine
    };
    let mut third = engine("third", other);
    third.time = Some(TimeControl::Game { main: Duration::from_secs(3), increment: Duration::ZERO });
    let engines = vec![engine("a", "--think"), engine("b", "--think"), third];
    let mut definition = Definition::new("flood".to_owned(), engines, Origin::CommandLine);
    definition.pairs = 7;
    definition.seed = Some(1);
    definition.time = TimeControl::Game { main: Duration::from_secs(60), increment: Duration::ZERO };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.jsonl");
    let (log, _) = GameLog::open(&path).expect("a record");
    let dealt = pinning::deal(cores, 1, Some(2), true, u64::MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut prepared = prepare(definition, &KnownEngines::default(), None).await.expect("prepared");
        let mut interrupts = Interrupts::listen().expect("signals");
        let ledger = Ledger::new(prepared.schedule.clone(), 3, None);
        conduct(&mut prepared, ledger, log, &dealt, 4, &mut interrupts, &mut Nothing).await.expect("played");
    });
    let games = read_games(&path).expect("the record").map(|game| game.expect("a game").record);
    let between_thinkers =
        games.filter(|game| game.round > 0 && game.black != "third" && game.white != "third");
    let moves = between_thinkers.flat_map(|game| game.moves);
    moves.filter_map(|played| Some(played.spent.as_secs_f64() * 1e3 - played.nodes? as f64 / 1e6)).collect()
}

/// A display that shows nothing.
struct Nothing;

impl Display for Nothing {
    fn begin(&mut self, _: &Prepared, _: usize, _: Progress) {}
    fn game(&mut self, _: &records::GameRecord, _: Progress) {}
    fn warning(&mut self, _: &str) {}
    fn tick(&mut self, _: Progress) {}
    fn end(&mut self, _: &Standings, _: Progress, _: &str) {}
}
