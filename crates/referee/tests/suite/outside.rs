//! What comes from outside decides no game: a stop of the whole process tree, and a pause.

use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{Arena, Outcome, Running, children, faulty, nobody_left_within, until};

const DEFINITION: &str = "\
name = \"t\"
seed = 3
pairs = 300
concurrency = 2
time = \"nodes=20\"
[[engine]]
name = \"a\"
command = \"greedy\"
[[engine]]
name = \"b\"
command = \"random\"
";

/// All processes of a run: the referee's two, and below them the engines and what keeps them.
fn members(running: &Running) -> Vec<i32> {
    let mut found = vec![running.pid().as_raw_pid()];
    let mut next = 0;
    while let Some(&process) = found.get(next) {
        next += 1;
        found.extend(children(process));
    }
    found
}

fn send(process: i32, signal: Signal) {
    if let Some(process) = Pid::from_raw(process) {
        let _ = kill_process(process, signal);
    }
}

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound as u64).expect("small")
    }
}

/// Stops a run so often at random moments, by random signals to random members of its process tree in random order, as
/// systemd, Slurm or a shutdown may do. The last ones are for one of the referee's own processes.
fn stop_often(stops: usize) {
    let leaves = format!("[\"{}\", \"leaves-on-signal\"]", faulty().display());
    let definition = DEFINITION.replace("\"random\"", &leaves);
    let whole = Arena::new();
    whole.write("t.toml", &definition);
    whole.expect(0, &["run", "t.toml", "--quiet"]);
    for more in ["", "freeze = true\n"] {
        let arena = Arena::new();
        arena.write("t.toml", format!("{more}{definition}"));
        let mut numbers = Numbers(7);
        for stop in 0..stops {
            let running = arena.start(&["run", "t.toml", "--quiet"]);
            let before = arena.lines("t").len();
            let mut running = running;
            until("a few more games", || {
                arena.lines("t").len() > before + numbers.below(4) || !running.is_running()
            });
            let mut members = members(&running);
            let own = members[..2.min(members.len())].to_vec();
            while members.len() > 3 && numbers.below(3) > 0 {
                members.swap_remove(numbers.below(members.len()));
            }
            while !members.is_empty() {
                let signal = [Signal::TERM, Signal::INT, Signal::HUP, Signal::KILL][numbers.below(4)];
                send(members.swap_remove(numbers.below(members.len())), signal);
            }
            for process in own {
                send(process, Signal::TERM);
            }
            running.wait();
            nobody_left_within(arena.mark(), Duration::from_secs(5));
            let faults = arena.games("t").into_iter().filter(|game| game["termination"] != "normal");
            let faults: Vec<_> = faults.collect();
            assert!(faults.is_empty(), "{more}stop {stop}: {faults:#?}");
        }
        arena.expect(0, &["run", "t.toml", "--quiet"]);
        assert!(arena.signature("t") == whole.signature("t"), "{more}");
    }
}

#[test]
fn a_stop_of_the_whole_tree_is_no_crash() {
    stop_often(10);
}

#[test]
#[ignore = "takes minutes: bash .ci/long"]
fn a_hundred_stops_of_the_whole_tree_are_no_crash() {
    stop_often(50);
}

/// A pair of games that takes some seconds.
fn slow() -> Arena {
    let arena = Arena::new();
    let slow = DEFINITION.replace("pairs = 300", "pairs = 1");
    let slow = slow.replace("nodes=20", "movetime=30ms\"\nmargin = \"400ms");
    arena.write("t.toml", slow.replace("command = \"greedy\"", "command = \"mcts\""));
    arena
}

/// Runs it. The referee, or everything, stands still for longer than a move may take.
fn paused(arena: &Arena, everything: bool) -> Outcome {
    let running = arena.start(&["run", "t.toml"]);
    until("the games to go on", || running.out().contains("games at once: 2") && members(&running).len() > 4);
    let stopped = if everything { members(&running) } else { vec![running.inner().as_raw_pid()] };
    stopped.iter().for_each(|&process| send(process, Signal::STOP));
    // The pause itself.
    sleep(Duration::from_secs(2));
    stopped.iter().for_each(|&process| send(process, Signal::CONT));
    running.wait().expect(0)
}

#[test]
fn a_pause_is_no_timeout() {
    for everything in [false, true] {
        let arena = slow();
        let outcome = paused(&arena, everything);
        let games = arena.games("t");
        assert!(games.iter().all(|game| game["termination"] == "normal"), "{games:#?}");
        assert_eq!(games.len(), 2);
        let dropped = arena.read("results/t/dropped.jsonl");
        assert!(dropped.contains("\"reason\":\"paused\""), "{dropped}");
        assert!(outcome.err.contains("stood still"), "{}", outcome.err);
    }
}

#[test]
fn a_game_that_was_dropped_three_times_counts() {
    let arena = slow();
    let dropped =
        |game| format!("{{\"game\":{game},\"reason\":\"paused\",\"offender\":null,\"attempt\":3}}\n");
    let earlier = dropped(0) + &dropped(1);
    arena.write("results/t/dropped.jsonl", &earlier);
    let outcome = paused(&arena, false);
    assert_eq!(arena.games("t").len(), 2);
    assert_eq!(arena.read("results/t/dropped.jsonl"), earlier);
    assert!(outcome.err.contains("was played 3 times more and counts now"), "{}", outcome.err);
}
