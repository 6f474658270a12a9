//! What the system refuses before an engine's own program runs costs nobody a game.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use rustix::process::Signal;

use crate::common::{Arena, Running, binaries, engine, until};

/// A tournament in which `a`, a copy of `random` in the arena, is started anew for each game.
struct Refused {
    arena: Arena,
    program: PathBuf,
}

impl Refused {
    fn new(more: &str) -> Self {
        let arena = Arena::new();
        let program = arena.path("engine");
        fs::copy(binaries().join("random"), &program).expect("a copy");
        let head = "name = \"t\"\nseed = 1\npairs = 100000\nconcurrency = 2\ntime = \"nodes=2\"\n";
        let a = engine("a", &["./engine"], &format!("restart = true\n{more}"));
        arena.write("t.toml", format!("{head}{a}{}", engine("b", &["random"], "")));
        Self { arena, program }
    }

    /// Starts it, waits until games are recorded, and until a start is refused by what `refuse` does.
    fn refuse<T>(&self, referee: Command, refuse: impl FnOnce(&Running) -> T) -> (Running, T) {
        let running = self.arena.start_command(referee);
        self.arena.until_recorded("t", 3);
        let refused = refuse(&running);
        until("a start to be refused", || running.err().contains("trying again for 60 s"));
        (running, refused)
    }

    /// It goes on, and no game is lost by a fault.
    fn goes_on(&self, running: Running) {
        let so_far = self.arena.lines("t").len();
        self.arena.until_recorded("t", so_far + 10);
        running.signal(Signal::INT);
        let outcome = running.wait().expect(3);
        let faults = self.arena.games("t").iter().filter(|game| game["termination"] != "normal").count();
        assert_eq!(faults, 0, "{outcome:?}");
        self.arena.nobody_left();
    }

    fn referee(&self) -> Command {
        self.arena.referee(&["run", "t.toml"])
    }
}

/// With limits the program is executed behind our own process, and the error comes through a pipe.
const BOTH_WAYS: [&str; 2] = ["", "limits = { files = 100 }\n"];

#[test]
fn a_program_that_is_away_for_a_while() {
    for more in BOTH_WAYS {
        let case = Refused::new(more);
        let aside = case.arena.path("aside");
        let (running, ()) =
            case.refuse(case.referee(), |_| fs::rename(&case.program, &aside).expect("it is moved"));
        assert!(running.err().contains("the program is gone"), "{}", running.err());
        fs::rename(&aside, &case.program).expect("it is back");
        case.goes_on(running);
    }
}

#[test]
fn a_program_that_is_being_written() {
    for more in BOTH_WAYS {
        let case = Refused::new(more);
        let (running, open) = case.refuse(case.referee(), |_| {
            loop {
                // It is also refused to us while the engine runs.
                if let Ok(file) = OpenOptions::new().append(true).open(&case.program) {
                    break file;
                }
            }
        });
        assert!(running.err().contains("the program is being written to"), "{}", running.err());
        drop(open);
        case.goes_on(running);
    }
}

#[test]
fn a_program_that_was_never_there_is_the_definition_s() {
    for more in BOTH_WAYS {
        let case = Refused::new(more);
        fs::write(&case.program, "#!/no/such/interpreter\n").expect("a script");
        let outcome = case.arena.expect(2, &["run", "t.toml"]);
        assert!(outcome.err.contains("./engine") || outcome.err.contains("/engine"), "{}", outcome.err);
        assert!(!case.arena.record("t").exists());
    }
}

/// Sets the limit on open files of the referee's inner process.
fn set_open_files(running: &Running, limit: &str) {
    let inner = running.inner().as_raw_pid().to_string();
    let done = Command::new("prlimit").args(["--pid", &inner, &format!("--nofile={limit}:")]).status();
    assert!(done.expect("prlimit starts").success());
}

#[test]
fn no_open_files_for_a_while() {
    for more in BOTH_WAYS {
        let case = Refused::new(more);
        let (running, ()) = case.refuse(case.referee(), |running| set_open_files(running, "12"));
        set_open_files(&running, "1024");
        case.goes_on(running);
    }
}

/// A user of our own, for whom nobody else runs anything.
const USER: &str = "54321";

fn as_user(arena: &Arena, shell: &str) -> Command {
    let mut command = arena.command("setpriv");
    command.args(["--reuid", USER, "--regid", USER, "--clear-groups", "sh", "-c", shell]);
    command
}

/// Ends what it started when it is dropped.
struct Hog(Child);

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        // Nothing starts others any more.
        let is_there =
            || Command::new("pkill").args(["-KILL", "-U", USER, "sleep"]).status().is_ok_and(|s| s.success());
        until("its children to end", || !is_there());
    }
}

#[test]
fn no_room_for_processes_for_a_while() {
    if !rustix::process::geteuid().is_root() {
        return println!("skipped: only root can become another user");
    }
    for more in BOTH_WAYS {
        let case = Refused::new(more);
        let whole = case.arena.path("").display().to_string();
        let given = Command::new("chown").args(["-R", USER, &whole]).status();
        assert!(given.expect("chown starts").success());
        let shell = format!("exec prlimit --nproc=40 '{}' run t.toml", env!("CARGO_BIN_EXE_referee"));
        let (running, hog) = case.refuse(as_user(&case.arena, &shell), |_| {
            let many = "i=0; while [ $i -lt 60 ]; do sleep 600 & i=$((i + 1)); done; wait";
            Hog(as_user(&case.arena, many).spawn().expect("a shell"))
        });
        assert!(running.err().contains("no room for another process"), "{}", running.err());
        drop(hog);
        case.goes_on(running);
    }
}

#[test]
fn no_inodes_for_a_while() {
    let case = Refused::new("sandbox = true\n");
    let folder = case.arena.path("tmp");
    fs::create_dir(&folder).expect("a folder");
    let mount = ["-t", "tmpfs", "-o", "nr_inodes=64", "none"];
    if !Command::new("mount").args(mount).arg(&folder).output().is_ok_and(|done| done.status.success()) {
        return println!("skipped: a small file system cannot be mounted here");
    }
    let mut referee = case.referee();
    referee.env("TMPDIR", &folder);
    let (running, ()) = case.refuse(referee, |_| {
        (0..).map(|number| fs::write(folder.join(format!("f{number}")), "")).find(Result::is_err);
    });
    assert!(running.err().contains("no space, inodes"), "{}", running.err());
    remove_files(&folder);
    case.goes_on(running);
    let _ = Command::new("umount").arg(&folder).status();
}

fn remove_files(folder: &Path) {
    for entry in fs::read_dir(folder).expect("the folder").flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
