//! What the tests share: a folder to play in, the referee as a process, and a look at what it left.

mod engines;
mod left;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use engines::{binaries, faulty};
pub(crate) use left::{children, living, nobody_left_within};

/// The variable by which everything that a test starts is found again.
pub(crate) const MARK: &str = "OUTFLANK_TEST_MARK";

/// Nothing that a test waits for takes longer, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(150);

/// Waits until something holds. It is looked at often, and never for ever.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain for: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// A folder with definitions and results, and a mark for all processes that are started in it.
pub(crate) struct Arena {
    folder: TempDir,
    captured: TempDir,
    mark: String,
}

impl Arena {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        binaries();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            captured: tempfile::tempdir().expect("a folder"),
            mark: format!("mark-{}-{number}-end", std::process::id()),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        fs::write(&path, text).expect("a file");
        path
    }

    /// Writes a file that can be executed.
    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.write(name, text);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(path, mode).expect("mode");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// What is in the folder, sorted.
    pub(crate) fn entries(&self) -> Vec<String> {
        let found = fs::read_dir(self.folder.path()).expect("the folder");
        let names = found.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// A command that runs in the folder, marked.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env(MARK, &self.mark).stdin(Stdio::null());
        command
    }

    /// The referee with these arguments.
    pub(crate) fn referee(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_referee"));
        command.args(arguments);
        command
    }

    /// Runs the referee to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        self.start(arguments).wait()
    }

    /// Runs the referee and wants this exit code.
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> Outcome {
        self.run(arguments).expect(code)
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        self.start_command(self.referee(arguments))
    }

    /// Starts a command with its output caught in files.
    pub(crate) fn start_command(&self, mut command: Command) -> Running {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let out = self.captured.path().join(format!("out-{number}"));
        let err = self.captured.path().join(format!("err-{number}"));
        command.stdout(File::create(&out).expect("out")).stderr(File::create(&err).expect("err"));
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Running { child, out, err }
    }

    /// The record lines of a tournament as they stand in the file; empty before there are any.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.record(name)).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| line.trim_end().to_owned()).collect()
    }

    /// The record lines of a tournament, in the order of the file.
    pub(crate) fn games(&self, name: &str) -> Vec<Value> {
        let parse = |line: &String| serde_json::from_str(line).expect("a record line is JSON");
        self.lines(name).iter().map(parse).collect()
    }

    pub(crate) fn record(&self, name: &str) -> PathBuf {
        self.path("results").join(name).join("games.jsonl")
    }

    /// The games without what is different each time, in the order of the schedule. Panics if one
    /// is there twice.
    pub(crate) fn signature(&self, name: &str) -> Vec<Value> {
        let mut games = self.games(name);
        games.sort_by_key(|game| game["game"].as_u64());
        for game in &mut games {
            let fields = game.as_object_mut().expect("a record is an object");
            fields.remove("started");
            fields.remove("seconds");
            fields.remove("off_turn_cpu_ms");
            for each in fields["moves"].as_array_mut().expect("moves") {
                each.as_object_mut().expect("a move is an object").remove("ms");
            }
        }
        for pair in games.windows(2) {
            assert_ne!(pair[0]["game"], pair[1]["game"], "a game was recorded twice");
        }
        games
    }

    /// Waits until so many games are recorded.
    pub(crate) fn until_recorded(&self, name: &str, games: usize) {
        until(&format!("{games} games"), || self.lines(name).len() >= games);
    }

    pub(crate) fn nobody_left(&self) {
        nobody_left_within(&self.mark, Duration::ZERO);
    }
}

/// A referee at work. It is killed if the test ends before it.
pub(crate) struct Running {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Running {
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The inner one of the two processes, once it is there.
    pub(crate) fn inner(&self) -> Pid {
        let outer = self.pid().as_raw_pid();
        let mut found = None;
        until("the inner process", || {
            found = children(outer).first().copied();
            found.is_some()
        });
        found.and_then(Pid::from_raw).expect("a process number")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it runs");
    }

    pub(crate) fn out(&self) -> String {
        text(&self.out)
    }

    pub(crate) fn err(&self) -> String {
        text(&self.err)
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_none()
    }

    pub(crate) fn wait(self) -> Outcome {
        self.wait_for(PATIENCE)
    }

    /// Waits for a tournament that takes its time.
    pub(crate) fn wait_long(self) -> Outcome {
        self.wait_for(4 * PATIENCE)
    }

    fn wait_for(mut self, patience: Duration) -> Outcome {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                return Outcome { code: status.code(), out: text(&self.out), err: text(&self.err) };
            }
            assert!(Instant::now() < deadline, "does not end: {}{}", text(&self.out), text(&self.err));
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn text(path: &Path) -> String {
    String::from_utf8(fs::read(path).expect("captured output")).expect("output is UTF-8")
}

/// How a referee ended and what it said.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Outcome {
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "exit code\n--- stdout\n{}--- stderr\n{}", self.out, self.err);
        self
    }

    /// The only line of standard error.
    #[track_caller]
    pub(crate) fn complaint(&self) -> &str {
        assert_eq!(self.err.lines().count(), 1, "one line is wanted:\n{}", self.err);
        self.err.trim_end()
    }
}

/// The exit code of a run with these games, of which no engine was withdrawn: one all of whose games were lost by faults
/// says nothing.
pub(crate) fn exit_code_of(games: &[Value]) -> Option<i32> {
    let is_fault = |game: &Value| game["termination"] != "normal" && game["termination"] != "resigned";
    Some(i32::from(games.iter().all(is_fault)))
}

/// An entry `[[engine]]` with a command taken as it is.
pub(crate) fn engine(name: &str, command: &[&str], more: &str) -> String {
    format!("[[engine]]\nname = {name:?}\ncommand = {command:?}\n{more}\n")
}

/// An entry `[[engine]]` for the misbehaving engine.
pub(crate) fn faulty_engine(name: &str, arguments: &[&str], more: &str) -> String {
    let program = faulty().to_str().expect("a path in UTF-8");
    engine(name, &[&[program], arguments].concat(), more)
}
