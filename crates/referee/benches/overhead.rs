//! What the referee costs, in ratios to a bare loop over the same pipes, measured in one run:
//!
//!     cargo bench -p referee
//!
//! Needs an idle machine: everything is pinned, and whatever else runs is measured with it.

mod shared;

use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine_process::affinity;
use records::GameRecord;
use referee::display::{Display, Progress};
use referee::machine::slots::{self, Slots};
use referee::prepare::Prepared;
use tournament::definition::{Definition, EngineDefinition, OpeningsDefinition};
use tournament::standings::Standings;

use shared::{children_cpu_time, cpu_time, definition, play};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--echo") {
        return echo();
    }
    if arguments.iter().any(|argument| argument == "--scripted") {
        return scripted();
    }
    let games = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(2000);
    let cores = affinity::allowed_cores();
    scaling(&cores, games);
    if arguments.iter().any(|argument| argument == "--scaling") {
        return;
    }
    let engines = build_engines();

    println!(
        "one core, {games} games between two instant engines, against a bare loop of as many round trips"
    );
    let this = std::env::current_exe().expect("this program").display().to_string();
    let instant = vec![this, "--scripted".to_owned()];
    let random = vec![engines.join("random").display().to_string()];
    let one = slots::assign_cores(&cores[..1], 1, Some(1), true, u64::MAX);
    let bare = best(|| bare_loop(cores[0], 30_000));
    let referee = best(|| tournament(&instant, games, &one, plain));
    println!(
        "  bare loop: {:.2} µs a ply (two round trips), {:.2} µs of them its own processor time",
        bare.wall, bare.cpu
    );
    println!(
        "  referee:   {:.2} µs a ply, {:.2} µs of them its own processor time",
        referee.wall, referee.cpu
    );
    ratio("wall time a ply, to the bare loop's", referee.wall / bare.wall, 1.5);
    ratio("processor time a ply, to the bare loop's", referee.cpu / bare.cpu, 2.5);
    let thinking = best(|| tournament(&random, games, &one, plain));
    println!(
        "  with two `random` under nodes=1 instead: {:.2} µs a ply, the engines' own work included",
        thinking.wall
    );

    let held = best(|| tournament(&instant, games, &one, |definition| definition.freeze = true));
    let extra = held.wall - referee.wall;
    println!("  referee that holds engines between their turns: {extra:.2} µs more a ply (wanted: 100)");

    if cores.len() >= 2 {
        let both = slots::assign_cores(&cores, 1, Some(2), true, u64::MAX);
        let scripted = best(|| tournament(&instant, games * 2, &both, plain));
        let thinking = best(|| tournament(&random, games * 2, &both, plain));
        println!(
            "two cores: {:.0} games of sixty plies a second (wanted: 2500), {:.0} between two `random`",
            1.0 / scripted.seconds_a_game,
            1.0 / thinking.seconds_a_game
        );
    }

    let starts = 300;
    let bare = best(|| bare_starts(&engines, cores[0], starts)).seconds_a_game;
    let anew_each = |definition: &mut Definition| {
        definition.engines.iter_mut().for_each(|engine| engine.restart = Some(true))
    };
    let anew = best(|| tournament(&random, starts, &one, anew_each)).seconds_a_game;
    let kept = best(|| tournament(&random, starts, &one, plain)).seconds_a_game;
    let extra = anew - kept;
    println!("starting two engines: bare {:.0} µs, referee {:.0} µs a game", bare * 1e6, extra * 1e6);
    ratio("engines anew for each game, to two bare process starts", extra / bare, 1.3);
}

/// Prints the cost of a ply by the number of games at once, dealt to the cores as a tournament deals them.
fn scaling(cores: &[usize], games: u64) {
    let bare = best(|| bare_loop(cores[0], 30_000));
    println!(
        "instant engines on {} cores; two bare round trips take {:.2} µs, {:.2} µs of them our own CPU time",
        cores.len(),
        bare.wall,
        bare.cpu
    );
    println!("  games at once   wall µs a ply   our CPU   all CPU   games/s   memory kB (PSS)");
    let this = std::env::current_exe().expect("this program").display().to_string();
    let instant = vec![this, "--scripted".to_owned()];
    let rows = [1, 2, 4, 16, 64].map(|at_once| {
        let slots = slots::assign_cores(cores, 1, Some(at_once), true, u64::MAX);
        let few = (2 * at_once as u64).max(100);
        let (short, long) = (scale(&instant, few, &slots), scale(&instant, few + games, &slots));
        let plies = (long.plies - short.plies) as f64;
        let a_ply = |of: fn(&Scale) -> Duration| (of(&long) - of(&short)).as_secs_f64() * 1e6 / plies;
        let busy = at_once.min(cores.len()) as f64;
        let (wall, own, all) = (a_ply(|it| it.wall) * busy, a_ply(|it| it.own), a_ply(|it| it.all));
        let a_second = games as f64 / (long.wall - short.wall).as_secs_f64();
        println!("  {at_once:>13} {wall:>15.2} {own:>9.2} {all:>9.2} {a_second:>9.0} {:>17}", long.memory);
        (wall, all, a_second, long.memory)
    });
    let [one, two, four, sixteen, many] = rows;
    ratio("wall a ply at 1 game, to two bare round trips", one.0 / bare.wall, 1.35);
    ratio("all CPU a ply at 16 games, to that at 2", sixteen.1 / two.1, 1.15);
    ratio("games a second at 2, to those at 4", two.2 / four.2, 1.0);
    ratio("games a second at 2, to those at 16", two.2 / sixteen.2, 1.0);
    ratio("memory of a further game, kB", (many.3 - two.3) as f64 / 62.0, 100.0);
}

/// One tournament, from its start to its end.
struct Scale {
    wall: Duration,
    /// CPU time of the referee.
    own: Duration,
    /// CPU time of the referee and of the engines.
    all: Duration,
    plies: usize,
    /// The referee's proportional set size in kB, in the middle.
    memory: i64,
}

fn scale(command: &[String], games: u64, slots: &Slots) -> Scale {
    let mut definition = definition(vec![named(command, "a"), named(command, "b")], games / 2);
    definition.time = clock::TimeControl::Nodes(1);
    definition.openings = OpeningsDefinition::random(0);
    let folder = tempfile::tempdir().expect("a folder");
    let mut watch = Stopwatch { sample_at: games / 2, ..Stopwatch::default() };
    let before = children_cpu_time();
    let (wall, own) = play(definition, slots, folder.path(), &mut watch);
    let all = own + children_cpu_time() - before;
    Scale { wall, own, all, plies: watch.plies, memory: watch.memory }
}

fn named(command: &[String], name: &str) -> EngineDefinition {
    let mut engine = EngineDefinition::new(command.to_vec());
    engine.name = Some(name.to_owned());
    engine
}

/// The least of several measurements in each respect: what disturbs a measurement only ever adds.
fn best(measure: impl Fn() -> Measured) -> Measured {
    const TIMES: usize = 5;
    let all: Vec<Measured> = (0..TIMES).map(|_| measure()).collect();
    let least = |of: fn(&Measured) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
    Measured {
        wall: least(|measured| measured.wall),
        cpu: least(|measured| measured.cpu),
        seconds_a_game: least(|measured| measured.seconds_a_game),
    }
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

/// A game of sixty plies without a pass.
const SCRIPT: &str = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6";

/// An engine that answers at once, as the referee's own cost is wanted and not an engine's: it plays
/// a game that is written down, and finds its place in it by the length of the `position`.
fn scripted() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let (mut buffer, mut plies) = ([0; 4096], 0);
    while let Ok(bytes @ 1..) = input.read(&mut buffer) {
        let asked = &buffer[..bytes];
        let mut answer = *b"bestmove ..\n";
        let said: &[u8] = if asked.starts_with(b"go") {
            answer[9..11].copy_from_slice(&SCRIPT.as_bytes()[2 * plies..2 * plies + 2]);
            &answer
        } else if asked.starts_with(b"position") {
            let moves = asked.len() - "\nisready\n".len();
            plies = moves.saturating_sub("position startpos moves".len()) / " f5".len();
            b"readyok\n"
        } else if asked.starts_with(b"ugi\n") {
            b"id name scripted\nugiok\n"
        } else if asked.starts_with(b"quit") {
            return;
        } else {
            b"readyok\n"
        };
        if output.write_all(said).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// What a measurement gives; what was not measured is zero.
#[derive(Default)]
struct Measured {
    /// Microseconds of wall time a ply and slot.
    wall: f64,
    /// Microseconds of the referee's own processor time a ply.
    cpu: f64,
    seconds_a_game: f64,
}

/// A blocking loop: two round trips a ply, with lines as long as a referee's.
fn bare_loop(core: usize, plies: u32) -> Measured {
    let measured = std::thread::spawn(move || {
        affinity::keep_to(&[core]);
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
        Measured { wall: a_ply(wall), cpu: a_ply(cpu), ..Measured::default() }
    });
    measured.join().expect("the loop ran")
}

/// Seconds for starting two engines, greeting them, and waiting for their end.
fn bare_starts(engines: &Path, core: usize, games: u64) -> Measured {
    let program = engines.join("random");
    let measured = std::thread::spawn(move || {
        affinity::keep_to(&[core]);
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
        Measured { seconds_a_game: begun.elapsed().as_secs_f64() / games as f64, ..Measured::default() }
    });
    measured.join().expect("the loop ran")
}

/// Plays games between two of these, a slot for each set of cores, with what else is to be set.
fn tournament(command: &[String], games: u64, slots: &Slots, set: impl Fn(&mut Definition)) -> Measured {
    let mut definition = definition(vec![named(command, "a"), named(command, "b")], games / 2);
    definition.time = clock::TimeControl::Nodes(1);
    definition.openings = OpeningsDefinition::random(0);
    set(&mut definition);
    let folder = tempfile::tempdir().expect("a folder");
    let mut watch = Stopwatch::default();
    let (wall, cpu) = play(definition, slots, folder.path(), &mut watch);
    let plies = watch.plies as f64;
    Measured {
        wall: wall.as_secs_f64() * 1e6 * slots.count() as f64 / plies,
        cpu: cpu.as_secs_f64() * 1e6 / plies,
        seconds_a_game: wall.as_secs_f64() / games as f64,
    }
}

/// As it is by default.
fn plain(_: &mut Definition) {}

/// A display that shows nothing and counts the moves that were asked for.
#[derive(Default)]
struct Stopwatch {
    plies: usize,
    games: u64,
    /// The game after which the memory is looked at.
    sample_at: u64,
    memory: i64,
}

impl Display for Stopwatch {
    fn begin(&mut self, _: &Prepared, _: usize, _: Progress) {}
    fn game(&mut self, record: &GameRecord, _: Progress) {
        assert!(record.offender.is_none(), "{:?}", record.detail);
        self.plies += record.moves.iter().filter(|played| played.ply != rules::Ply::Pass).count();
        self.games += 1;
        if self.games == self.sample_at {
            self.memory = shared::memory();
        }
    }
    fn warning(&mut self, _: &str) {}
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
