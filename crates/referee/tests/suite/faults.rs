//! Engines that misbehave lose their games, and nothing else happens.

use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::common::{Arena, Outcome, exit_code_of, faulty_engine, living};

/// Games that are running at once, each pair in a referee of its own.
const AT_ONCE: usize = 4;

/// A behaviour of the example `faulty`, how its games end, and a word of `detail`.
type Case = (&'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    ("hang-at-start", "stall", "at start: no answer to the greeting within 2s"),
    ("uci-only", "stall", "Unknown command: ugi"),
    ("endless-options", "stall", "greeting"),
    ("no-readyok", "stall", "within 2s"),
    ("exit-at-start", "crash", "exit status 3"),
    ("hang", "timeout", "it wrote nothing"),
    ("deaf-hang", "timeout", "no move within"),
    ("leaves-group", "timeout", "no move within"),
    ("reads-own-output", "timeout", "no move within"),
    ("late", "timeout", "no move within"),
    ("slow-ready", "timeout", "went into getting ready for the position"),
    ("crowded-ready", "timeout", "went into getting ready for the position"),
    ("flood", "timeout", "it floods: more than 100000 lines"),
    ("endless-line", "timeout", "in a line without an end, longer than 64 KiB"),
    ("few-errors", "timeout", "it wrote nothing; meanwhile it wrote 3 MiB to standard error"),
    ("no-newline", "timeout", "bestmove"),
    ("crash-signal", "crash", "SIGSEGV"),
    ("exit0-on-go", "crash", "exit status 0, while it was to move"),
    ("exit0-after-move", "crash", "exit status 0, after its last answer"),
    ("close-stdout", "crash", "closed its output"),
    ("occupied", "illegal-move", "d4"),
    ("no-flip", "illegal-move", "illegal move"),
    ("pass", "illegal-move", "pass"),
    ("stale", "illegal-move", "an older question"),
    ("garbage", "protocol-error", "banana"),
    ("empty", "protocol-error", "bestmove"),
    ("null-move", "protocol-error", "0000"),
    ("resign", "protocol-error", "resign"),
    ("coloured", "protocol-error", "escape characters"),
    ("nul-move", "protocol-error", "NUL characters"),
    ("not-utf8-move", "protocol-error", "not UTF-8"),
    ("good", "normal", ""),
    ("slow-start", "normal", ""),
    ("banner", "normal", ""),
    ("two-names", "normal", ""),
    ("odd-options", "normal", ""),
    ("unicode-name", "normal", ""),
    ("double", "normal", ""),
    ("ponder", "normal", ""),
    ("upper", "normal", ""),
    ("chatty", "normal", ""),
    ("stderr", "normal", ""),
    ("binary-info", "normal", ""),
    ("unknown-lines", "normal", ""),
    ("bytes", "normal", ""),
    ("crlf", "normal", ""),
    ("spaces", "normal", ""),
    ("deaf", "normal", ""),
    ("helper", "normal", ""),
    ("helper-deaf", "normal", ""),
    ("helper-away", "normal", ""),
    ("helper-bare", "normal", ""),
];

#[test]
fn each_fault_costs_its_game_and_no_more() {
    in_parallel(CASES.iter().enumerate().collect(), |(number, &case)| play(case, number % 2 == 0, ""));
}

/// A keeper stands between us and the engines then.
#[test]
fn each_fault_of_a_kept_engine_costs_its_game_and_no_more() {
    let kept = "freeze = true\n";
    in_parallel(CASES.iter().enumerate().collect(), |(number, &case)| play(case, number % 2 == 1, kept));
}

/// What is odd but costs nothing: a behaviour, and words of the warning.
const ODDITIES: &[(&str, &str)] = &[
    ("double", "second answer"),
    ("early", "nobody waited for"),
    ("long-line", "longer than 64 KiB"),
    ("binary-info", "not UTF-8"),
    ("binary-info", "NUL"),
    ("binary-info", "escape characters"),
    ("many-lines", "more than 100,000 lines"),
    ("stderr-flood", "more than 16 MiB to standard error"),
];

#[test]
fn what_is_odd_is_told_once_and_costs_nothing() {
    in_parallel(ODDITIES.to_vec(), |(behaviour, words)| {
        let arena = Arena::new();
        let engines =
            faulty_engine("X", &[behaviour, "--at", "9"], "") + &faulty_engine("Good", &["good"], "");
        let head = "name = \"t\"\nconcurrency = 1\ntime = \"60s\"\nopenings = { random = 0 }\n";
        arena.write("t.toml", format!("{head}{engines}"));
        let outcome = arena.run(&["run", "t.toml"]);
        let games = arena.games("t");
        let warned = outcome.err.lines().filter(|line| line.contains("X ") && line.contains(words));
        // Once when it happens, and once more with the number of games at the end.
        let fine = outcome.code == Some(0) && (1..=2).contains(&warned.count());
        let normal = games.len() == 2 && games.iter().all(|game| game["termination"] == "normal");
        if fine && normal {
            Ok(())
        } else {
            Err(format!("{behaviour}, {words}:\n{}", told(&games, &outcome)))
        }
    });
}

/// The game loop fed with anything: every game is recorded in some way, and the babbler never makes
/// the other one lose.
#[test]
fn whatever_is_babbled_ends_in_a_record() {
    in_parallel((0..6).collect(), |seed: u32| {
        let arena = Arena::new();
        let seed = seed.to_string();
        let subject =
            faulty_engine("X", &["babbles", "--at", "1", "--ms", &seed, "--mark", arena.mark()], "");
        let head = "name = \"t\"\nseed = 1\npairs = 6\nconcurrency = 1\ntime = \"300ms+200ms\"\n";
        arena.write(
            "t.toml",
            format!("{head}{subject}{}", faulty_engine("Good", &["good"], "time = \"60s\"")),
        );
        let outcome = arena.run(&["run", "t.toml"]);
        let (games, left) = (arena.games("t"), living(arena.mark()));
        let by_good = |game: &Value| game["offender"].as_str().is_some_and(|side| game[side] == "Good");
        let odd = outcome.code != exit_code_of(&games)
            || games.len() != 12
            || games.iter().any(by_good)
            || !left.is_empty();
        let shown = outcome.out.contains(|c: char| c.is_control() && c != '\n');
        if odd || shown { Err(format!("seed {seed}: {left:?}\n{}", told(&games, &outcome))) } else { Ok(()) }
    });
}

/// Works through jobs, several at a time; all of them, also when some fail, and panics at the end.
pub(crate) fn in_parallel<J: Send>(jobs: Vec<J>, work: impl Fn(J) -> Result<(), String> + Sync) {
    let queue = Mutex::new(jobs.into_iter());
    let failures = Mutex::new(Vec::new());
    let next = || queue.lock().expect("the queue").next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(job) = next() {
                    if let Err(failure) = work(job) {
                        failures.lock().expect("the failures").push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("the failures");
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

/// What happened, for the one who looks into it.
pub(crate) fn told(games: &[Value], outcome: &Outcome) -> String {
    let game = |game: &Value| {
        let moves = game["moves"].as_array().map_or(0, Vec::len);
        format!("  {} by {}: {}, {moves} moves\n", game["termination"], game["offender"], game["detail"])
    };
    let games: String = games.iter().map(game).collect();
    format!("{games}  exit code {:?}\n{}", outcome.code, outcome.err)
}

/// One pair of games, so that the misbehaving engine is once Black and once White; it is the first or
/// the second of the definition.
fn play((behaviour, termination, word): Case, first: bool, more: &str) -> Result<(), String> {
    let arena = Arena::new();
    // Short where it is meant to run out, long where a busy machine might be slow.
    let time = match (behaviour, termination) {
        // A hundred thousand lines have to be read in it.
        ("flood", _) => "time = \"8s\"",
        (_, "timeout") => "time = \"1500ms\"",
        _ => "",
    };
    let subject = faulty_engine("X", &[behaviour, "--mark", arena.mark()], time);
    let partner = faulty_engine("Good", &["good"], "");
    let engines = if first { [subject, partner] } else { [partner, subject] };
    let start = if termination == "stall" { "2s" } else { "60s" };
    let limits = format!("[limits]\nstart = \"{start}\"\nready = \"{start}\"\nquit = \"300ms\"\n");
    let head = "name = \"t\"\nseed = 1\nconcurrency = 1\ntime = \"60s\"\nopenings = { random = 0 }\n";
    // Programs that never start are to lose their games here.
    let faults = "[faults]\nstart = \"forfeit\"\n";
    arena.write("t.toml", format!("{head}{more}{limits}{faults}{}", engines.concat()));
    let outcome = arena.run(&["run", "t.toml"]);
    let left = living(arena.mark());
    let games = arena.games("t");
    let wrong = |what: &str| Err(format!("{behaviour}, first {first}: {what}\n{}", told(&games, &outcome)));
    if outcome.code != exit_code_of(&games) {
        return wrong("exit code");
    }
    if !left.is_empty() {
        return wrong(&format!("left behind: {left:?}"));
    }
    if games.len() != 2 {
        return wrong("two games are wanted");
    }
    if outcome.out.contains(|c: char| c.is_control() && c != '\n') {
        return wrong("control characters on standard output");
    }
    for game in &games {
        let moves = game["moves"].as_array().map_or(0, Vec::len);
        let offender = game["offender"].as_str().map(|side| &game[side]);
        let detail = game["detail"].as_str().unwrap_or_default();
        if game["termination"] != termination {
            return wrong("termination");
        }
        if termination == "normal" {
            if offender.is_some() || moves < 20 {
                return wrong("a game to its end");
            }
        } else if offender.is_none_or(|name| name != "X") {
            return wrong("the offender");
        }
        if !detail.contains(word) || detail.contains(char::is_control) {
            return wrong(&format!("detail, {word:?} is wanted"));
        }
        let at_start = ["hang-at-start", "uci-only", "endless-options", "no-readyok", "exit-at-start"];
        if at_start.contains(&behaviour) != (moves == 0) {
            return wrong("moves up to the fault");
        }
    }
    Ok(())
}
