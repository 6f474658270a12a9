//! Sequential tests and the formats: one verdict, whatever happens on the way.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{Arena, nobody_left_within};

/// Two engines of unlike strength: decided long before the pairs run out.
const WORDS: [&str; 16] = [
    "match",
    "greedy",
    "random",
    "--name",
    "t",
    "--seed",
    "3",
    "--board",
    "6",
    "--time",
    "depth=1",
    "--pairs",
    "400",
    "--openings",
    "random=6",
    "--quiet",
];

fn verdict_line(out: &str) -> String {
    out.lines().find(|line| line.starts_with("SPRT of")).expect("a verdict").to_owned()
}

#[test]
fn a_verdict_stops_the_match_and_falls_at_the_same_pair() {
    let mut verdicts = Vec::new();
    for concurrency in ["1", "4"] {
        let arena = Arena::new();
        let words = [&WORDS[..], &["--sprt", "-60,-10", "--concurrency", concurrency]].concat();
        let outcome = arena.expect(0, &words);
        verdicts.push(verdict_line(&outcome.out));
        let games = arena.games("t").len();
        assert!(games < 800, "it was decided before the games ran out: {games}");
        let table = arena.read("results/t/sprt.csv");
        assert!(table.starts_with("pairs,llr,lower,upper,elo,elo_low,elo_high,state\n1,"), "{table}");
        let last = table.lines().last().expect("a row");
        assert!(last.ends_with(",H1") || last.ends_with(",H0"), "{last}");
        assert!(!table.contains("NaN") && !table.contains("inf"));

        let again = arena.expect(0, &words);
        assert_eq!(verdict_line(&again.out), verdicts[0], "run again it plays nothing and says the same");
        assert_eq!(arena.games("t").len(), games);
    }
    assert_eq!(verdicts[0], verdicts[1]);
}

#[test]
fn an_interrupted_test_comes_to_the_same_verdict() {
    let whole = Arena::new();
    let test = ["--sprt", "-60,-10"];
    let words = [&WORDS[..], &test].concat();
    let expected = verdict_line(&whole.expect(0, &words).out);
    let arena = Arena::new();
    let running = arena.start(&words);
    arena.until_recorded("t", 3);
    running.signal(Signal::KILL);
    running.wait();
    nobody_left_within(arena.mark(), Duration::from_secs(5));
    assert_eq!(verdict_line(&arena.expect(0, &words).out), expected);
}

#[test]
fn what_was_expected_is_the_exit_code() {
    let arena = Arena::new();
    let words = [&WORDS[..], &["--sprt", "-60,-10"]].concat();
    let decided = verdict_line(&arena.expect(0, &words).out);
    let (right, wrong) = if decided.contains("H1 accepted") { ("h1", "h0") } else { ("h0", "h1") };
    arena.expect(0, &[&words[..], &["--expect", right]].concat());
    arena.expect(1, &[&words[..], &["--expect", wrong]].concat());
}

#[test]
fn games_that_ran_out_are_no_decision() {
    let arena = Arena::new();
    let few =
        ["match", "greedy", "random", "--name", "t", "--seed", "3", "--time", "depth=1", "--pairs", "2"];
    let outcome = arena.expect(0, &[&few[..], &["--sprt", "0,5", "--quiet"]].concat());
    assert!(verdict_line(&outcome.out).contains("no decision in 2 pairs"), "{}", outcome.out);
    arena.expect(1, &[&few[..], &["--sprt", "0,5", "--quiet", "--expect", "h1"]].concat());
    let events = arena.expect(0, &[&few[..], &["--sprt", "0,5", "--json"]].concat()).out;
    let verdict: serde_json::Value =
        serde_json::from_str(events.lines().last().expect("events")).expect("JSON");
    assert_eq!((&verdict["event"], &verdict["state"]), (&"verdict".into(), &"continue".into()), "{verdict}");
    let nothing = arena.expect(2, &[&few[..], &["--expect", "h1"]].concat());
    assert!(nothing.err.contains("--expect: nothing is tested"), "{}", nothing.err);
}

#[test]
fn tests_that_cannot_be_are_refused_in_one_line() {
    let arena = Arena::new();
    let engines = "[[engine]]\ncommand = \"greedy\"\n[[engine]]\ncommand = \"random\"\n[[engine]]\ncommand = \"mcts\"\n";
    for (sprt, told) in [
        ("elo0 = 5\nelo1 = 0", "must be below"),
        ("elo0 = 0\nelo1 = 5\nalpha = 0.5", "alpha"),
        ("elo0 = 0\nelo1 = 500", "±150"),
        ("elo0 = 0\nelo1 = 5\nmodel = \"bayes\"", "normalized, logistic"),
        ("elo0 = 0\nelo1 = 5", "pair = "),
        ("elo0 = 0\nelo1 = 5\npair = [\"greedy\", \"nobody\"]", "no engine is called"),
        ("elo0 = 0\nelo1 = 5\npair = [\"greedy\", \"greedy\"]", "two names"),
        ("elo0 = 0\nelo1 = 5\npair = [\"greedy\", \"mcts\"]\n[limits]\n", "repeat"),
    ] {
        let head = "name = \"t\"\npairs = 10\nopenings = { random = 2 }\n[sprt]\n";
        arena.write("t.toml", format!("{head}{sprt}\n{engines}"));
        let outcome = arena.expect(2, &["run", "t.toml"]);
        assert!(outcome.err.contains(told), "{sprt}: {}", outcome.err);
        assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
        assert!(!arena.path("results").exists());
    }
}

#[test]
fn a_gauntlet_is_run_by_its_seeds() {
    let arena = Arena::new();
    let engine = |name: &str| format!("[[engine]]\nname = \"{name}\"\ncommand = \"random\"\n");
    let engines = ["a", "b", "c", "d"].map(engine).concat();
    let head = "name = \"t\"\nformat = \"gauntlet\"\nseeds = 2\npairs = 1\nboard = 4\ntime = \"nodes=1\"\nopenings = { random = 1 }\n";
    arena.write("t.toml", format!("{head}{engines}"));
    arena.expect(0, &["run", "t.toml"]);
    let met: Vec<Value> = arena.games("t");
    assert_eq!(met.len(), 8);
    for game in met {
        let seeds =
            [&game["black"], &game["white"]].iter().filter(|name| **name == "a" || **name == "b").count();
        assert_eq!(seeds, 1, "{game}");
    }
    fs::write(arena.path("m.toml"), format!("name = \"m\"\nformat = \"match\"\n{engines}")).expect("write");
    assert!(arena.expect(2, &["run", "m.toml"]).err.contains("between two engines"));
}
