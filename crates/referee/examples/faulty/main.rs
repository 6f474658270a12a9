//! An engine for the referee's own tests: it plays by the rules until it is told to misbehave.
//!
//! `faulty BEHAVIOUR [--at N] [--name NAME] [--mark WORD] [--ms N]`
//!
//! From its N-th search of a game on (default: the third) it does what BEHAVIOUR says. It also
//! watches the referee: what is not UGI, not legal or out of order ends it with status 70.
//! Whatever happens it is gone after two minutes.

mod surroundings;

use std::env;
use std::fs::File;
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command as Program, Stdio, exit};
use std::thread;
use std::time::{Duration, Instant};

use protocol::ugi::{Command, Limits, StartPosition};
use rules::{ByColor, Position, SplitMix64, Turn};

const LIFE: Duration = Duration::from_secs(120);
const OUT_OF_ORDER: i32 = 70;

fn main() {
    thread::spawn(|| {
        thread::sleep(LIFE);
        exit(99);
    });
    let mut player = Player::from_arguments();
    match &*player.behaviour {
        "hang-at-start" => sleep_on(),
        // What a helper does that is started below.
        "sleeper" => deaf(|| sleep_on()),
        "spinner" => loop {
            std::hint::spin_loop();
        },
        "exit-at-start" => {
            eprintln!("no such book: /nowhere/book.bin");
            exit(3);
        }
        "leaves-on-signal" => drop(thread::spawn(leave_on_signal)),
        "slow-start" => thread::sleep(Duration::from_millis(400)),
        // So it never sees that nobody writes there any more.
        "holds-input" => {
            std::mem::forget(File::options().write(true).open("/proc/self/fd/0").expect("its input"))
        }
        "banner" => print!("\n  ** uciok readyok bestmove a1 **\n\nbestmove h8\nreadyok\n"),
        _ => {}
    }
    if player.behaviour.starts_with("helper") {
        player.start_helper();
    }
    if player.behaviour.starts_with("deaf") || player.behaviour == "helper-deaf" {
        deaf(|| player.listen());
        sleep_on();
    }
    player.listen();
}

/// Leaves in good order when it is told to by a signal.
fn leave_on_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("runtime");
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).expect("signal handler");
        let mut interrupt = signal(SignalKind::interrupt()).expect("signal handler");
        let mut hangup = signal(SignalKind::hangup()).expect("signal handler");
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    });
    exit(0);
}

/// Runs something with TERM, INT and HUP caught and forgotten.
fn deaf(run: impl FnOnce()) {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("runtime");
    let _entered = runtime.enter();
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let _caught = kinds.map(|kind| signal(kind).expect("signal handler"));
    run();
}

fn sleep_on() -> ! {
    loop {
        thread::sleep(LIFE);
    }
}

struct Player {
    behaviour: String,
    name: String,
    mark: String,
    at: u32,
    ms: u64,
    /// The game so far, as it was told last, and the move that was answered to it.
    position: Position,
    told: Vec<String>,
    answered: Option<String>,
    searches: u32,
    greeted: bool,
    ready: bool,
}

impl Player {
    fn from_arguments() -> Self {
        let mut arguments = env::args().skip(1);
        let behaviour = arguments.next().unwrap_or_else(|| "good".to_owned());
        let mut player = Self {
            name: format!("faulty {behaviour}"),
            behaviour,
            mark: String::new(),
            at: 3,
            ms: 100,
            position: Position::start(rules::BoardSize::Eight),
            told: Vec::new(),
            answered: None,
            searches: 0,
            greeted: false,
            ready: false,
        };
        while let Some(option) = arguments.next() {
            let value = arguments.next().expect("an option has a value");
            match &*option {
                "--at" => player.at = value.parse().expect("a number"),
                "--ms" => player.ms = value.parse().expect("a number"),
                "--name" => player.name = value,
                "--mark" => player.mark = value,
                _ => panic!("unknown option {option}"),
            }
        }
        player
    }

    /// Starts another process that outlives this one: in the same process group, in a session of its
    /// own with its parent gone, or also without the environment it should inherit.
    fn start_helper(&self) {
        let me = env::current_exe().expect("own path");
        let arguments = ["sleeper", "--mark", &self.mark];
        let away = ["-c", "\"$0\" \"$@\" & exit 0"];
        let started = match &*self.behaviour {
            "helper-away" => {
                let new_session =
                    Program::new("setsid").arg("sh").args(away).arg(&me).args(arguments).status();
                new_session.or_else(|_| {
                    Program::new("sh").args(away).arg(&me).args(arguments).process_group(0).status()
                })
            }
            "helper-bare" => {
                let mut shell = Program::new("/bin/sh");
                shell.args(away).arg(&me).args(arguments).env_clear().process_group(0);
                shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
            }
            _ => Program::new(&me).args(arguments).spawn().map(|_| Default::default()),
        };
        started.expect("a helper");
    }

    fn listen(&mut self) {
        for line in io::stdin().lock().lines() {
            let line = line.unwrap_or_else(|error| out_of_order(&error.to_string()));
            if line.ends_with('\r') || line.starts_with(' ') || line.contains("  ") {
                out_of_order(&line);
            }
            let command =
                Command::parse(&line).unwrap_or_else(|error| out_of_order(&format!("{line}: {error}")));
            if !self.obey(command, &line) {
                return;
            }
        }
    }

    fn obey(&mut self, command: Command<'_>, line: &str) -> bool {
        if !self.greeted && command != Command::Ugi && command != Command::Quit {
            out_of_order(line);
        }
        match command {
            Command::Ugi => {
                self.greeted = true;
                self.greet();
            }
            Command::IsReady if self.behaviour == "no-readyok" => {}
            Command::IsReady => {
                if self.behaviour == "slow-ready" && !self.told.is_empty() {
                    thread::sleep(Duration::from_millis(300));
                }
                if self.behaviour == "crowded-ready" && !self.told.is_empty() {
                    // Threads that wait for each other on the engine's core.
                    let until = Instant::now() + Duration::from_millis(300);
                    let spin = move || {
                        while Instant::now() < until {
                            std::hint::spin_loop();
                        }
                    };
                    (0..3).for_each(|_| drop(thread::spawn(spin)));
                    spin();
                }
                self.ready = true;
                self.say("readyok");
            }
            Command::NewGame if self.behaviour == "exit-on-new-game" => exit(4),
            Command::NewGame => {
                self.searches = 0;
                self.told.clear();
                self.answered = None;
                self.ready = false;
            }
            Command::Position { start, moves } => self.set_up(start, moves, line),
            Command::Go(limits) => {
                if !self.ready || !matches!(self.position.turn(), Turn::Place(_)) {
                    out_of_order(line);
                }
                self.ready = false;
                self.searches += 1;
                self.search(&limits);
            }
            Command::Quit if self.behaviour.starts_with("deaf") => {}
            Command::Quit => return false,
            Command::SetOption { .. } | Command::Stop | Command::Query(_) => {}
        }
        true
    }

    fn greet(&mut self) {
        match &*self.behaviour {
            "uci-only" => return self.say("Unknown command: ugi"),
            "endless-options" => loop {
                self.say("option name Hash type spin default 1 min 1 max 9");
            },
            "banner" => self.say("Loading ugiok.bin ... done"),
            "unicode-name" => self.name = "Ödlå, \"the 黒\"; l'É😀".to_owned(),
            _ => {}
        }
        self.say(&format!("id name {}", self.name));
        match &*self.behaviour {
            "two-names" => self.say("id name Somebody Else"),
            "odd-options" => {
                self.say("option name Clear Hash type button");
                self.say("option name Book File type string default");
                self.say(
                    "option name Style of type play type combo default Very Solid var Very Solid var Risky",
                );
                self.say("option name Hash type spin default 0 min 1 max 1024");
                self.say("option name Hash type spin default 16 min 1 max 1024");
                self.say("option name Strange type slider default x");
                self.say("option name type");
                self.say("option");
            }
            "options" => {
                self.say("option name Hash type spin default 16 min 1 max 1024");
                self.say("option name Ponder type check default false");
                self.say("option name Style type combo default Solid var Solid var Risky");
            }
            _ => self.say("id author the tests"),
        }
        self.say("ugiok");
    }

    /// Follows the moves by the rules; a pass has to stand where it is forced, and only there.
    fn set_up(&mut self, start: StartPosition<'_>, moves: &str, line: &str) {
        if start != StartPosition::Standard {
            out_of_order(line);
        }
        let told: Vec<String> = moves.split_ascii_whitespace().map(str::to_owned).collect();
        let mut expected = self.told.clone();
        expected.extend(self.answered.take());
        if self.behaviour != "babbles" && !told.starts_with(&expected) {
            out_of_order(&format!("{line}: does not continue {expected:?}"));
        }
        let mut position = Position::start(rules::BoardSize::Eight);
        for word in &told {
            let played = word.parse().ok().and_then(|ply| position.play(ply).ok());
            position = played.unwrap_or_else(|| out_of_order(&format!("{line}: {word}")));
        }
        (self.position, self.told, self.ready) = (position, told, false);
    }

    /// The move that turns over least: dull, but games are long and hold passes.
    fn best(&self) -> String {
        match self.position.turn() {
            Turn::Place(moves) => {
                let best = moves.iter().min_by_key(|each| each.flips().len());
                best.unwrap_or(moves.first()).square().to_string()
            }
            Turn::Pass(_) | Turn::Over(_) => "pass".to_owned(),
        }
    }

    fn search(&mut self, limits: &Limits) {
        if one_form(limits) != 1 {
            out_of_order(&format!("{limits:?}"));
        }
        let best = self.best();
        if self.searches < self.at || !self.misbehave(limits, &best) {
            self.answer(&best);
        }
    }

    fn answer(&mut self, best: &str) {
        self.say(&format!("info depth 1 score cp 100 nodes {} pv {best}", self.searches));
        self.say(&format!("bestmove {best}"));
        self.answered = Some(best.to_owned());
        let over = best.parse().is_ok_and(|ply| self.position.play(ply).is_ok_and(Position::is_over));
        if over && self.behaviour == "leaves-when-over" {
            exit(0);
        }
    }

    /// Does its worst; `true` if that stands for the answer.
    fn misbehave(&mut self, limits: &Limits, best: &str) -> bool {
        let bestmove = format!("bestmove {best}\n");
        match &*self.behaviour {
            "hang" | "deaf-hang" => sleep_on(),
            "leaves-group" => deaf(|| {
                leave_group();
                sleep_on()
            }),
            "reads-own-output" => deaf(|| {
                for _ in 0..8 {
                    thread::spawn(|| swallow(File::open("/proc/self/fd/1").expect("its own output")));
                }
                sleep_on()
            }),
            "late" => {
                let mine = limits.time[self.position.side_to_move()].or(limits.movetime);
                thread::sleep(mine.unwrap_or_default() + Duration::from_millis(self.ms));
                return false;
            }
            "thinks" => {
                // Claims as nodes how long it thought, in microseconds by its own measure.
                let begun = Instant::now();
                thread::sleep(Duration::from_millis(self.ms));
                let micros = begun.elapsed().as_micros();
                self.say(&format!("info nodes {micros}"));
                self.say(bestmove.trim_end());
                self.answered = Some(best.to_owned());
            }
            "computes" => {
                burn(Duration::from_millis(self.ms));
                return false;
            }
            "takes-cores" => {
                // Each in a session of its own, so that the system gives each as much as the opponent.
                let me = env::current_exe().expect("own path");
                for _ in 0..12 {
                    let spinner =
                        Program::new("setsid").arg(&me).args(["spinner", "--mark", &self.mark]).spawn();
                    std::mem::forget(spinner.expect("a process"));
                }
                self.at = u32::MAX;
                return false;
            }
            "burns" => {
                // Thinks on, for so much processor time, when it has answered.
                self.answer(best);
                burn(Duration::from_millis(self.ms));
            }
            "flood" => loop {
                put("info depth 1\n".repeat(1000).as_bytes());
            },
            "flood-both" => {
                thread::spawn(|| {
                    loop {
                        let _ = io::stderr().write_all(&b"all is well, and on and on\n".repeat(1000));
                    }
                });
                loop {
                    put("info depth 1 string and on and on and on\n".repeat(1000).as_bytes());
                }
            }
            "endless-line" => loop {
                put(&[b'x'; 1 << 16]);
            },
            "no-newline" => {
                put(bestmove.trim_end().as_bytes());
                sleep_on();
            }
            "crash-signal" => {
                eprintln!("assertion failed: discs > 0");
                // The first one only takes the handler of the standard library away.
                loop {
                    let me = rustix::process::getpid();
                    let _ = rustix::process::kill_process(me, rustix::process::Signal::SEGV);
                }
            }
            "exit0-on-go" => exit(0),
            "exit0-after-move" => {
                put(bestmove.as_bytes());
                exit(0);
            }
            "close-stdout" => {
                let elsewhere = File::open("/dev/null").expect("null");
                rustix::stdio::dup2_stdout(&elsewhere).expect("another stdout");
                sleep_on();
            }
            "occupied" => put(b"bestmove d4\n"),
            "spins" => loop {
                std::hint::spin_loop();
            },
            "crowds" => {
                // More threads than there are cores for them.
                let cores = thread::available_parallelism().map_or(1, usize::from);
                let spin = || loop {
                    std::hint::spin_loop();
                };
                (1..4 * cores).for_each(|_| drop(thread::spawn(spin)));
                spin()
            }
            "eats-memory" => {
                let mut eaten: Vec<Vec<u8>> = Vec::new();
                while eaten.len() < 1 << 10 {
                    eaten.push(vec![1; 1 << 20]);
                }
                std::hint::black_box(eaten);
                return false;
            }
            "opens-files" => {
                let open = || File::open("/dev/null").unwrap_or_else(|error| failed(&error));
                let files: Vec<File> = (0..200).map(|_| open()).collect();
                drop(files);
                return false;
            }
            "writes-much" => {
                let mut file = tempfile::tempfile().expect("a file");
                for _ in 0..16 {
                    file.write_all(&[b'x'; 1 << 20]).unwrap_or_else(|error| failed(&error));
                }
                return false;
            }
            "multiplies" => {
                for _ in 0..30 {
                    let spawned = thread::Builder::new().spawn(|| thread::sleep(LIFE));
                    drop(spawned.unwrap_or_else(|error| failed(&error)));
                }
                return false;
            }
            "inherits" => {
                surroundings::inherit_nothing();
                return false;
            }
            "snoops" => {
                surroundings::snoop();
                return false;
            }
            "no-flip" => {
                let wrong = (self.position.empty() - self.position.moves()).first().expect("such a square");
                put(format!("bestmove {wrong}\n").as_bytes());
            }
            "pass" => put(b"bestmove pass\n"),
            "stale" => {
                let before = self.told.iter().rev().nth(1).expect("an earlier move").clone();
                put(format!("bestmove {before}\n{bestmove}").as_bytes());
            }
            "garbage" => put(b"bestmove banana\n"),
            "empty" => put(b"bestmove\n"),
            "null-move" => put(b"bestmove 0000\n"),
            "resign" => put(b"bestmove resign\n"),
            "babbles" => self.babble(best),
            "coloured" => put(format!("bestmove \x1b[32m{best}\x1b[0m\n").as_bytes()),
            "nul-move" => put(format!("bestmove {best}\0\n").as_bytes()),
            "not-utf8-move" => put(b"bestmove \xff\xfez\n"),
            "few-errors" => {
                let _ = io::stderr().write_all(&[b'x'; 3 << 20]);
                sleep_on();
            }
            _ => return self.oddity(best),
        }
        true
    }

    /// Writes whatever comes to mind, seeded by `--ms`; most often it answers, sometimes it leaves.
    fn babble(&mut self, best: &str) {
        const WORDS: [&str; 20] = [
            "bestmove",
            "bestmove ",
            "info",
            "score cp",
            "depth",
            "nodes",
            "pv",
            "readyok",
            "ugiok",
            "id name",
            "option name",
            "\n",
            "\n",
            " ",
            "\0",
            "\x1b[2J",
            "é",
            "a1",
            "99999999999999999999",
            "nan",
        ];
        let mut rng = SplitMix64::new(self.ms.wrapping_mul(1_000_003) + u64::from(self.searches) + 1);
        let mut draw = |below| rng.below(below);
        for _ in 0..draw(40) {
            match draw(8) {
                0 => put(&(0..draw(50)).map(|_| draw(256) as u8).collect::<Vec<_>>()),
                1 => put(&vec![draw(256) as u8; draw(100_000) as usize]),
                _ => put(WORDS[draw(20) as usize].as_bytes()),
            }
        }
        match draw(20) {
            0 => exit(0),
            1 => {}
            _ => put(format!("\nbestmove {best}\n").as_bytes()),
        }
        self.answered = None;
    }

    /// What is odd but has to be accepted.
    fn oddity(&mut self, best: &str) -> bool {
        match &*self.behaviour {
            "double" => put(format!("bestmove {best}\nbestmove {best}\n").as_bytes()),
            "ponder" => put(format!("bestmove {best} ponder a1\n").as_bytes()),
            "upper" => put(format!("bestmove {}\n", best.to_uppercase()).as_bytes()),
            "chatty" => {
                for depth in 0..200 {
                    self.say(&format!("info depth {depth} string bestmove a1 readyok ugiok"));
                }
                return false;
            }
            "stderr" => {
                let mut errors = io::stderr().lock();
                let _ = errors.write_all(&b"thinking hard about it\n".repeat(20_000));
                let _ = errors.write_all(b"\r 50%\r\x1b[31m99%\xff\xfe\0 no end of line");
                return false;
            }
            "stderr-flood" => {
                let line = [b"all is well, ".repeat(5), b"\n".to_vec()].concat();
                let _ = io::stderr().write_all(&line.repeat((17 << 20) / line.len()));
                return false;
            }
            "many-lines" => {
                put(&b"info depth 1\n".repeat(150_000));
                return false;
            }
            "long-line" => put(format!("info string {}\nbestmove {best}\n", "x".repeat(70_000)).as_bytes()),
            "early" => {
                // The answer to a question that was not asked yet is no answer to it.
                put(format!("bestmove {best}\nbestmove a1\n").as_bytes());
            }
            "binary-info" => {
                put(b"info string \xff\xfe\0\x01\x1b[2J\ninfo score cp nan nodes -5 depth 1e9 time\n\0\0\n");
                return false;
            }
            "unknown-lines" => {
                put(b"bestmoves a1\nbest move a1\nBESTMOVE\n\n   \nresult: bestmove a1\n");
                return false;
            }
            "bytes" => bytes_one_by_one(&format!("bestmove {best}\n")),
            _ => return false,
        }
        self.answered = Some(best.to_owned());
        true
    }

    fn say(&self, line: &str) {
        match &*self.behaviour {
            "crlf" => put(format!("{line}\r\n").as_bytes()),
            "spaces" => put(format!(" \t{} \t \n", line.replace(' ', " \t  ")).as_bytes()),
            _ => put(format!("{line}\n").as_bytes()),
        }
    }
}

/// How many kinds of limit stand in a `go`; times have to be complete and positive.
fn one_form(limits: &Limits) -> usize {
    let ByColor { black, white } = limits.time;
    let complete = limits.increment.black.is_some() && limits.increment.white.is_some();
    let clock =
        black.is_some_and(|time| !time.is_zero()) && white.is_some_and(|time| !time.is_zero()) && complete;
    let kinds = [clock, limits.movetime.is_some(), limits.nodes.is_some(), limits.depth.is_some()];
    kinds.into_iter().filter(|&there| there).count()
}

/// Makes itself a member of a process group that is another's.
fn leave_group() {
    let mut sleeper = Program::new("sleep");
    let mut other = sleeper.arg("100").process_group(0).stdout(Stdio::null()).spawn().expect("a process");
    // Whoever leads a session can't.
    let _ = rustix::process::setpgid(None, Some(rustix::process::Pid::from_child(&other)));
    thread::spawn(move || other.wait());
}

/// Reads for ever.
fn swallow(mut file: File) {
    let mut bytes = [0; 100];
    while io::Read::read(&mut file, &mut bytes).is_ok() {}
}

/// Uses so much processor time.
fn burn(time: Duration) {
    use rustix::time::{ClockId, clock_gettime};
    let used = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("never negative");
    let end = used() + time;
    while used() < end {
        std::hint::spin_loop();
    }
}

/// What the system refused.
fn failed(error: &io::Error) -> ! {
    eprintln!("refused: {error}");
    exit(5)
}

fn bytes_one_by_one(text: &str) {
    for byte in text.bytes() {
        put(&[byte]);
    }
}

/// Writes to standard output at once. When nobody reads any more this is over.
fn put(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn out_of_order(what: &str) -> ! {
    eprintln!("out of order: {what}");
    exit(OUT_OF_ORDER);
}
