//! What an engine may take from the machine and touch on it, enforced by the operating system.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::{Child, Command};

use crate::common::{Arena, engine, faulty, faulty_engine, living, until};
use crate::faults::{in_parallel, told};

/// A behaviour, a limit on it, and words of the detail; the game goes well without the limit.
const BREACHES: &[(&str, &str, &str)] = &[
    ("spins", "cpu = \"1s\"", "by its limit cpu = 1s"),
    ("eats-memory", "memory = \"256MiB\"", "limits in force: memory = 256MiB"),
    ("writes-much", "file_size = \"1MiB\"", "by its limit file_size = 1MiB"),
    ("opens-files", "files = 64", "limits in force: files = 64"),
    ("multiplies", "processes = 8", "limits in force: processes = 8"),
];

#[test]
fn a_breach_is_a_crash_that_names_the_limit() {
    in_parallel(BREACHES.to_vec(), |(behaviour, limit, words)| {
        let arena = Arena::new();
        let subject =
            faulty_engine("X", &[behaviour, "--mark", arena.mark()], &format!("limits = {{ {limit} }}"));
        let head = "name = \"t\"\nconcurrency = 1\ntime = \"600s\"\nopenings = { random = 0 }\n";
        arena.write("t.toml", format!("{head}{subject}{}", faulty_engine("Good", &["good"], "")));
        let outcome = arena.run(&["run", "t.toml"]);
        let unable = ["namespaces of our own", "control group"];
        if outcome.code == Some(2) && unable.iter().any(|words| outcome.err.contains(words)) {
            println!("skipped: {}", outcome.err);
            return Ok(());
        }
        let games = arena.games("t");
        let crashed = games.iter().all(|game| {
            let detail = game["detail"].as_str().unwrap_or_default();
            game["termination"] == "crash" && detail.contains(words)
        });
        let left = living(arena.mark());
        if outcome.code == Some(1) && games.len() == 2 && crashed && left.is_empty() {
            Ok(())
        } else {
            Err(format!("{behaviour}, {limit}: {left:?}\n{}", told(&games, &outcome)))
        }
    });
}

#[test]
fn within_its_limits_an_engine_plays_as_ever() {
    let arena = Arena::new();
    let limits = "[limits]\nmemory = \"4GiB\"\ncpu = \"10m\"\nfiles = 256\nfile_size = \"64MiB\"\n";
    let engines = ["eats-memory", "opens-files", "writes-much"];
    let engines: Vec<String> =
        engines.iter().map(|what| faulty_engine(what, &[what, "--at", "25"], "")).collect();
    arena.write("t.toml", format!("name = \"t\"\ntime = \"600s\"\n{limits}{}", engines.concat()));
    arena.expect(0, &["run", "t.toml"]);
    let games = arena.games("t");
    assert!(games.len() == 6 && games.iter().all(|game| game["termination"] == "normal"), "{games:?}");
}

/// A process of the same user that is no engine's. It ends with the test.
struct Sleeper(Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn in_the_sandbox_there_is_no_network_and_nothing_to_write_on_but_a_folder_of_ones_own() {
    let arena = Arena::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let target = arena.path("written-by-an-engine");
    let (victim, socket, datagrams) = (arena.path("victim"), arena.path("socket"), arena.path("datagrams"));
    let _listener = UnixListener::bind(&socket).expect("a socket");
    let _receiver = UnixDatagram::bind(&datagrams).expect("a socket");
    let memory = std::fs::read_link("/proc/self/ns/ipc").unwrap_or_default();
    let sleeper = Sleeper(Command::new("sleep").arg("100").spawn().expect("a process"));
    let subject = |sandbox: bool| {
        let env = format!(
            "env = {{ TARGET = {target:?}, ADDRESS = \"{address}\", VICTIM = {victim:?}, SOCKET = {socket:?}, \
             DATAGRAMS = {datagrams:?}, MEMORY = {memory:?}, SLEEPER = \"{}\", TMPDIR = \"/tmp\" }}",
            sleeper.0.id()
        );
        let own = if sandbox { env.replace(", TMPDIR = \"/tmp\"", "") } else { env };
        faulty_engine(
            "X",
            &["snoops"],
            &format!("{own}\nsandbox = {sandbox}\nlimits = {{ memory = \"4GiB\" }}"),
        )
    };
    let good = faulty_engine("Good", &["good"], "");
    for sandbox in [true, false] {
        arena.write("victim", "a file of the same user");
        arena.write("t.toml", format!("name = \"t\"\ntime = \"60s\"\n{}{good}", subject(sandbox)));
        let outcome = arena.run(&["run", "t.toml", "--fresh"]);
        if sandbox && outcome.code == Some(2) {
            assert!(outcome.complaint().contains("cannot confine the engine so"), "{}", outcome.err);
            println!("skipped: {}", outcome.err);
            return;
        }
        let games = arena.games("t");
        if sandbox {
            assert!(games.iter().all(|game| game["termination"] == "normal"), "{}", told(&games, &outcome));
            assert!(!target.exists());
        } else {
            let all = [
                "could write a file",
                "could connect",
                "could signal its parent",
                "could change a mode",
                "could change an open file's mode",
                "could change a time",
                "could change an owner",
                "could connect to a socket of the file system",
                "could send to a socket of the file system",
                "could change another's priority",
                "could move another",
                "could share memory with others",
                "could take memory that no limit counts",
            ];
            // Not every container has terminals.
            let terminal = File::open("/dev/ptmx").is_ok().then_some("could change a terminal");
            let evidence = arena.read("results/t/evidence/game-000000.log");
            for found in all.into_iter().chain(terminal) {
                assert!(evidence.contains(found), "the probe must find what is allowed: {found}, {evidence}");
            }
        }
    }
}

#[test]
fn no_control_group_is_left_by_an_engine_that_left_a_process() {
    let arena = Arena::new();
    let subject = faulty_engine("X", &["helper-bare", "--mark", arena.mark()], "limits = { processes = 40 }");
    let head = "name = \"t\"\ntime = \"60s\"\n";
    arena.write("t.toml", format!("{head}{subject}{}", faulty_engine("Good", &["good"], "")));
    let running = arena.start(&["run", "t.toml"]);
    let inner = running.inner().as_raw_pid();
    let outcome = running.wait();
    assert!(matches!(outcome.code, Some(0 | 2)), "{}", outcome.err);
    for place in ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"] {
        let groups = std::fs::read_dir(place).into_iter().flatten().flatten();
        let left: Vec<_> = groups
            .filter(|group| group.file_name().to_string_lossy().starts_with(&format!("outflank-{inner}-")))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn on_the_command_line_too() {
    let arena = Arena::new();
    let program = format!("{} eats-memory", faulty().display());
    let outcome = arena.expect(
        1,
        &[
            "match",
            "--engine",
            &program,
            "name=X",
            "limits.memory=128MiB",
            "--engine",
            "random",
            "--time",
            "60s",
            "--name",
            "m",
        ],
    );
    let games = arena.games("m");
    let detail = games[0]["detail"].as_str().unwrap_or_default();
    assert!(detail.contains("limits in force: memory = 128MiB"), "{}", told(&games, &outcome));
    let refused =
        arena.expect(2, &["match", "--engine", &program, "limits.memory=lots", "--engine", "random"]);
    assert!(refused.complaint().contains("`lots` is not a size"), "{}", refused.err);
}

/// Fills its folder with directories that lie deep and may not be read, and plays on at random.
const FILLER: &str = "#!/bin/sh
cd \"$TMPDIR\" || exit 9
mkdir -m 700 wide wide/a wide/b wide/b/c
echo x > wide/b/c/file
mkdir -m 300 closed
mkdir closed/inner
i=0
while [ $i -lt 300 ]; do mkdir d && cd d || exit 9; i=$((i + 1)); done
cd /
exec \"$0.engine\"
";

#[test]
fn no_folder_is_left_by_an_engine_that_filled_it() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
    let arena = Arena::new();
    arena.script("filler", FILLER);
    arena.script("filler.engine", &format!("#!/bin/sh\nexec {:?} good\n", faulty()));
    let place = arena.path("place");
    std::fs::create_dir(&place).expect("a folder");
    let subject = engine("X", &["./filler"], "sandbox = true");
    let head = "name = \"t\"\ntime = \"60s\"\n";
    arena.write("t.toml", format!("{head}{subject}{}", faulty_engine("Good", &["good"], "")));
    // What a referee left that was killed, and what is not a referee's.
    let mut gone = Command::new("true").spawn().expect("a process");
    gone.wait().expect("its end");
    let left = place.join(format!("outflank-sandbox-{}-aB3xYz.tmp", gone.id()));
    std::fs::create_dir_all(left.join("a/b/c")).expect("a folder");
    std::fs::set_permissions(&left, PermissionsExt::from_mode(0o700)).expect("its mode");
    std::fs::create_dir(place.join("notes")).expect("a folder");
    let mut referee = arena.referee(&["run", "t.toml"]);
    referee.env("TMPDIR", &place);
    let mut running = arena.start_command(referee);
    let mut modes = Vec::new();
    until("a folder is made", || {
        let folders = std::fs::read_dir(&place).into_iter().flatten().flatten();
        let ours = folders.filter(|found| found.file_name() != "notes" && found.path() != left);
        modes.extend(ours.filter_map(|found| Some(found.metadata().ok()?.mode() & 0o777)));
        !modes.is_empty() || !running.is_running()
    });
    let outcome = running.wait();
    if outcome.code == Some(2) {
        assert!(outcome.complaint().contains("cannot confine the engine so"), "{}", outcome.err);
        println!("skipped: {}", outcome.err);
        return;
    }
    let games = arena.games("t");
    assert!(games.iter().all(|game| game["termination"] == "normal"), "{}", told(&games, &outcome));
    assert!(!modes.is_empty() && modes.iter().all(|&mode| mode == 0o700), "{modes:?}");
    let found = std::fs::read_dir(&place).expect("the folder").flatten().map(|entry| entry.file_name());
    assert_eq!(found.collect::<Vec<_>>(), ["notes"], "{}", outcome.err);
}
