//! Nothing that an engine is or starts outlives the referee, also when one of its two processes is
//! killed with KILL in the middle of a game.

use std::time::Duration;

use rustix::process::{Signal, kill_process};

use crate::common::{Arena, children, engine, faulty, faulty_engine, living, nobody_left_within, until};
use crate::faults::in_parallel;

#[derive(Clone, Copy, Debug)]
enum Victim {
    Outer,
    Inner,
    /// Both in the same instant.
    Both,
    /// The inner one while it ends everything, since the outer is gone.
    OuterThenInner,
}

#[test]
fn no_engine_outlives_a_killed_referee() {
    let subjects = ["deaf", "helper", "helper-deaf", "helper-away", "helper-bare", "wrapped"];
    let victims = [Victim::Outer, Victim::Inner];
    let jobs = subjects.into_iter().flat_map(|subject| victims.map(|victim| (subject, victim)));
    in_parallel(jobs.collect(), |(subject, victim)| kill_in_a_game(subject, victim, ""));
}

/// Engines are stopped (SIGSTOP) or keep themselves from seeing the end of their input.
#[test]
fn no_kept_engine_outlives_a_killed_referee() {
    let subjects = ["deaf", "helper-bare", "holds-input", "wrapped"];
    let victims = [Victim::Outer, Victim::Inner, Victim::Both, Victim::OuterThenInner];
    let jobs = subjects.into_iter().flat_map(|subject| victims.map(|victim| (subject, victim)));
    in_parallel(jobs.collect(), |(subject, victim)| kill_in_a_game(subject, victim, "freeze = true\n"));
}

/// The subject plays against an engine that ignores everything and never moves.
fn kill_in_a_game(subject: &str, victim: Victim, more: &str) -> Result<(), String> {
    let arena = Arena::new();
    let first = if subject == "wrapped" {
        wrapped(&arena)
    } else {
        faulty_engine("S", &[subject, "--mark", arena.mark()], "")
    };
    let second = faulty_engine("H", &["deaf-hang", "--at", "1"], "");
    let head = "name = \"t\"\ntime = \"600s\"\nopenings = { random = 0 }\nconcurrency = 2\n";
    let limits = "[limits]\nquit = \"1s\"\n";
    arena.write("t.toml", format!("{head}{more}{limits}{first}{second}"));
    let running = arena.start(&["run", "t.toml"]);
    // Two games: two hanging engines, two subjects, each with what it has started.
    let wanted = if subject.starts_with("helper") { "sleeper" } else { subject.trim_end_matches("ped") };
    until("both games to go on", || {
        let living = living(arena.mark());
        let count = |word: &str| living.iter().filter(|each| each.contains(word)).count();
        // The greeting has started one of each as well, which may still be there.
        running.out().contains("games at once: 2") && count("deaf-hang") >= 2 && count(wanted) >= 2
    });
    let inner = running.inner();
    let strike = |signal| kill_process(inner, signal).expect("it runs");
    match victim {
        Victim::Outer => running.signal(Signal::KILL),
        Victim::Inner => strike(Signal::KILL),
        Victim::Both => {
            running.signal(Signal::STOP);
            strike(Signal::STOP);
            running.signal(Signal::KILL);
            strike(Signal::KILL);
        }
        Victim::OuterThenInner => {
            running.signal(Signal::KILL);
            // It may be through already.
            let _ = kill_process(inner, Signal::KILL);
        }
    }
    let outcome = running.wait();
    nobody_left_within(arena.mark(), Duration::from_secs(5));
    let expected = match victim {
        Victim::Outer | Victim::Both | Victim::OuterThenInner => None,
        Victim::Inner => Some(3),
    };
    if outcome.code != expected {
        return Err(format!("{subject}, {victim:?}: {outcome:?}"));
    }
    Ok(())
}

/// A shell script with the engine as its child.
fn wrapped(arena: &Arena) -> String {
    let script = format!("#!/bin/sh\n'{}' deaf --name wrap\nexit 0\n", faulty().display());
    arena.script("wrap.sh", &script);
    engine("S", &["./wrap.sh"], "")
}

/// A kill by name, as by pkill(1), means the process that the user started, and that alone.
#[test]
fn our_processes_have_names_of_their_own() {
    let arena = Arena::new();
    let engines = ["X", "Y"].map(|name| faulty_engine(name, &["hang", "--at", "1"], ""));
    arena.write("t.toml", format!("name = \"t\"\ntime = \"600s\"\nfreeze = true\n{}", engines.concat()));
    let running = arena.start(&["run", "t.toml"]);
    let name = |pid: i32| std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let inner = running.inner().as_raw_pid();
    until("both to have their names", || {
        let keepers = children(inner).into_iter().filter(|&pid| name(pid) == "outflank-keeper\n");
        name(inner) == "outflank-inner\n" && keepers.count() >= 2
    });
    assert_eq!(name(running.pid().as_raw_pid()), "referee\n");
    running.signal(Signal::TERM);
    running.wait().expect(3);
}

/// Files that whoever started the referee left open are not the engines' to write.
#[test]
fn engines_inherit_no_open_files() {
    for more in ["", "freeze = true\n"] {
        let arena = Arena::new();
        let subject = faulty_engine("X", &["inherits"], "");
        let head = "name = \"t\"\nconcurrency = 1\ntime = \"60s\"\n";
        arena.write("t.toml", format!("{head}{more}{subject}{}", faulty_engine("Good", &["good"], "")));
        let mut shell = arena.command("sh");
        let referee = env!("CARGO_BIN_EXE_referee");
        shell.args(["-c", "exec 7<>mine.txt; exec \"$0\" run t.toml", referee]);
        arena.start_command(shell).wait().expect(0);
        let games = arena.games("t");
        assert!(games.iter().all(|game| game["termination"] == "normal"), "{games:#?}");
    }
}
