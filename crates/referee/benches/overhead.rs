//! What the referee costs, in ratios to a bare loop over the same pipes, measured in one run:
//!
//!     cargo bench -p referee
//!
//! Needs an idle machine: everything is pinned, and whatever else runs is measured with it.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use records::{GameLog, GameRecord};
use referee::coordinator::{Conclusion, conduct};
use referee::display::{Display, Progress};
use referee::ledger::Ledger;
use referee::pinning::{self, Slots};
use referee::prepare::{Prepared, prepare};
use rustix::time::{ClockId, clock_gettime};
use tournament::definition::{Definition, EngineDefinition, Origin};
use tournament::standings::Standings;

/// Plies asked for in a game from the start: about sixty.
const PLIES: f64 = 60.0;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--echo") {
        return echo();
    }
    let games = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(2000);
    let engines = build_engines();
    let cores = pinning::allowed_cores();

    println!(
        "one core, {games} games between two `random` under nodes=1, against a bare loop of as many round trips"
    );
    let bare = bare_loop(cores[0], 30_000);
    println!(
        "  bare loop: {:.2} µs a ply (two round trips), {:.2} µs of them its own processor time",
        bare.wall, bare.cpu
    );
    let one = tournament(&engines, games, &[vec![cores[0]]], false);
    println!("  referee:   {:.2} µs a ply, {:.2} µs of them its own processor time", one.wall, one.cpu);
    ratio("wall time a ply, to the bare loop's", one.wall / bare.wall, 1.5);
    ratio("processor time a ply, to the bare loop's", one.cpu / bare.cpu, 2.5);

    if cores.len() >= 2 {
        let both = tournament(&engines, games * 2, &[vec![cores[0]], vec![cores[1]]], false);
        println!("two cores: {:.0} games a second (wanted: 2500)", both.games_a_second);
        let many = tournament(&engines, games * 2, &vec![Vec::new(); 16], false);
        let two = tournament(&engines, games * 2, &vec![Vec::new(); 2], false);
        ratio("processor time a ply at 16 games at once, to that at 2", many.cpu / two.cpu, 1.1);
    }

    let starts = 300;
    let bare = bare_starts(&engines, cores[0], starts);
    let anew = tournament(&engines, starts, &[vec![cores[0]]], true);
    let kept = tournament(&engines, starts, &[vec![cores[0]]], false);
    let extra = anew.seconds_a_game - kept.seconds_a_game;
    println!("starting two engines: bare {:.0} µs, referee {:.0} µs a game", bare * 1e6, extra * 1e6);
    ratio("engines anew for each game, to two bare process starts", extra / bare, 1.3);
}

fn ratio(what: &str, ratio: f64, wanted: f64) {
    let verdict = if ratio <= wanted { "within" } else { "ABOVE" };
    println!("  {what}: {ratio:.2} ({verdict} {wanted})");
}

/// The child of the bare loop: answers every line that ends a question with a line as long as an
/// engine's answer.
fn echo() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut buffer = [0; 4096];
    while let Ok(bytes @ 1..) = input.read(&mut buffer) {
        let answer: &[u8] = if buffer[..bytes].starts_with(b"go") { b"bestmove d3\n" } else { b"readyok\n" };
        if output.write_all(answer).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

struct Cost {
    wall: f64,
    cpu: f64,
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A blocking loop: two round trips a ply, with lines as long as a referee's.
fn bare_loop(core: usize, plies: u32) -> Cost {
    let measured = std::thread::spawn(move || {
        pinning::keep_to(&[core]);
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .arg("--echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a child");
        let mut input = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        let position = format!("position startpos moves{}\nisready\n", " d3".repeat(30));
        let mut buffer = [0; 4096];
        let mut ply = || {
            for question in [position.as_bytes(), b"go nodes 1\n"] {
                input.write_all(question).expect("the child reads");
                black_box(output.read(&mut buffer).expect("the child answers"));
            }
        };
        (0..1000).for_each(|_| ply());
        let (begun, used) = (Instant::now(), cpu_time());
        (0..plies).for_each(|_| ply());
        let (wall, cpu) = (begun.elapsed(), cpu_time() - used);
        drop(input);
        child.wait().expect("the child ends");
        let a_ply = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(plies);
        Cost { wall: a_ply(wall), cpu: a_ply(cpu) }
    });
    measured.join().expect("the loop ran")
}

/// Seconds for starting two engines, greeting them, and waiting for their end.
fn bare_starts(engines: &Path, core: usize, games: u64) -> f64 {
    let program = engines.join("random");
    let measured = std::thread::spawn(move || {
        pinning::keep_to(&[core]);
        let begun = Instant::now();
        for _ in 0..2 * games {
            let mut child = Command::new(&program)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("a child");
            let mut input = child.stdin.take().expect("piped");
            let mut output = BufReader::new(child.stdout.take().expect("piped"));
            let mut line = String::new();
            input.write_all(b"ugi\n").expect("it reads");
            while !line.starts_with("ugiok") {
                line.clear();
                output.read_line(&mut line).expect("it answers");
            }
            input.write_all(b"quit\n").expect("it reads");
            drop(input);
            child.wait().expect("it ends");
        }
        begun.elapsed().as_secs_f64() / games as f64
    });
    measured.join().expect("the loop ran")
}

struct Measured {
    /// Microseconds of wall time a ply and slot.
    wall: f64,
    /// Microseconds of the referee's own processor time a ply.
    cpu: f64,
    games_a_second: f64,
    seconds_a_game: f64,
}

fn tournament(engines: &Path, games: u64, cores: &[Vec<usize>], restart: bool) -> Measured {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let engine = |name: &str| {
        let mut engine = EngineDefinition::new(vec![engines.join("random").display().to_string()]);
        engine.name = Some(name.to_owned());
        engine.restart = restart;
        engine
    };
    let mut definition =
        Definition::new("bench".to_owned(), vec![engine("a"), engine("b")], Origin::CommandLine);
    definition.pairs = games / 2;
    definition.seed = Some(1);
    definition.time = clock::TimeControl::Nodes(1);
    let folder = tempfile::tempdir().expect("a folder");
    let (log, _) = GameLog::open(&folder.path().join("games.jsonl")).expect("a record");
    let slots = Slots { cores: cores.to_vec(), warning: None };
    runtime.block_on(async {
        let mut prepared = prepare(definition, None).await.expect("prepared");
        let ledger = Ledger::new(prepared.schedule.clone(), 2);
        let mut watch = Stopwatch;
        let (begun, used) = (Instant::now(), cpu_time());
        let conclusion = conduct(&mut prepared, ledger, log, &slots, 4, &mut watch).await.expect("played");
        let (wall, cpu) = (begun.elapsed(), cpu_time() - used);
        assert_eq!(conclusion, Conclusion::Complete);
        let plies = games as f64 * PLIES;
        Measured {
            wall: wall.as_secs_f64() * 1e6 * cores.len() as f64 / plies,
            cpu: cpu.as_secs_f64() * 1e6 / plies,
            games_a_second: games as f64 / wall.as_secs_f64(),
            seconds_a_game: wall.as_secs_f64() / games as f64,
        }
    })
}

/// A display that shows nothing.
struct Stopwatch;

impl Display for Stopwatch {
    fn begin(&mut self, _: &Prepared, _: usize, _: Progress) {}
    fn game(&mut self, record: &GameRecord, _: Progress) {
        assert!(record.offender.is_none(), "{:?}", record.detail);
    }
    fn warning(&mut self, text: &str) {
        eprintln!("warning: {text}");
    }
    fn tick(&mut self, _: Progress) {}
    fn end(&mut self, _: &Standings, _: Progress, _: &str) {}
}

/// Builds the engines in the release profile and returns their folder.
fn build_engines() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--release", "-p", "random"]).status();
    assert!(built.is_ok_and(|status| status.success()), "cargo build -p random");
    let bench = std::env::current_exe().expect("this program");
    bench.ancestors().nth(2).expect("target/release").to_owned()
}
