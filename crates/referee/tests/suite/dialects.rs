//! Engines that speak other protocols than ours, with the habits of those that are about.

use std::path::PathBuf;

use crate::common::{Arena, Outcome, binaries, engine, exit_code_of, living};
use crate::faults::{in_parallel, told};

fn standin(name: &str, words: &[&str], keys: &str) -> String {
    let program: PathBuf = binaries().join("examples/standin");
    let mut command = vec![program.to_str().expect("a path")];
    command.extend(words);
    engine(name, &command, keys)
}

/// Protocol and habits, the time, how its games end, and a word of `detail`.
type Case = (&'static [&'static str], &'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    (&["gtp"], "60s+1s", "normal", ""),
    (&["gtp", "keeps-id"], "60s", "normal", ""),
    (&["gtp", "upper", "chatty"], "movetime=60s", "normal", ""),
    (&["gtp", "passes-by-itself"], "60s", "normal", ""),
    (&["gtp", "no-list"], "60s", "normal", ""),
    (&["gtp", "no-clock"], "60s", "normal", ""),
    (&["gtp", "banner"], "60s", "normal", ""),
    (&["gtp", "resigns"], "60s", "resigned", "resigned"),
    (&["gtp", "error"], "60s", "protocol-error", "`cannot move`"),
    (&["gtp", "refuses"], "60s", "protocol-error", "refused the legal `play"),
    (&["gtp", "illegal"], "60s", "illegal-move", "d4 is occupied"),
    (&["gtp", "hang"], "1s", "timeout", "no move within"),
    (&["gtp", "endless-answer"], "1s", "timeout", "its last words: `= "),
    (&["nboard"], "depth=3", "normal", ""),
    (&["nboard", "slashes", "late-pongs", "banner"], "60s", "normal", ""),
    (&["nboard", "clocked"], "60s+0.5s", "normal", ""),
    (&["nboard", "illegal"], "depth=3", "illegal-move", "d4 is occupied"),
    (&["nboard", "garbage", "slashes"], "depth=3", "protocol-error", "`=== BANANA/1.00/0.02`"),
    (&["nboard", "hang"], "1s", "timeout", "no move within"),
];

#[test]
fn engines_of_other_protocols_play_here_as_they_are() {
    in_parallel(CASES.iter().enumerate().collect(), |(number, &case)| play(case, number % 2 == 0));
}

/// Openings that lead to passes early and often, the engine being once Black and once White.
fn play((words, time, termination, word): Case, first: bool) -> Result<(), String> {
    let arena = Arena::new();
    let subject = standin("X", words, &format!("protocol = \"{}\"\ntime = \"{time}\"", words[0]));
    let partner = engine("Good", &["random"], "time = \"nodes=1\"");
    let engines = if first { [subject, partner] } else { [partner, subject] };
    let head = "name = \"t\"\nseed = 3\npairs = 4\nconcurrency = 1\nopenings = { random = 8 }\n";
    arena.write("t.toml", format!("{head}[limits]\nquit = \"300ms\"\n{}", engines.concat()));
    let outcome = arena.run(&["run", "t.toml"]);
    let left = living(arena.mark());
    let games = arena.games("t");
    let wrong = |what: &str| Err(format!("{words:?}, first {first}: {what}\n{}", told(&games, &outcome)));
    if outcome.code != exit_code_of(&games) || games.len() != 8 {
        return wrong("eight games are wanted");
    }
    if !left.is_empty() {
        return wrong(&format!("left behind: {left:?}"));
    }
    for game in &games {
        let offender = game["offender"].as_str().map(|side| &game[side]);
        if game["termination"] != termination
            || (termination != "normal") != offender.is_some_and(|name| name == "X")
        {
            return wrong("the termination");
        }
        if !game["detail"].as_str().unwrap_or_default().contains(word) {
            return wrong(&format!("detail, {word:?} is wanted"));
        }
    }
    Ok(())
}

fn two(arena: &Arena, subject: &str, keys: &str) -> Outcome {
    let partner = engine("Good", &["random"], "time = \"nodes=1\"");
    arena.write("t.toml", format!("name = \"t\"\nseed = 3\n{keys}{subject}{partner}"));
    arena.run(&["run", "t.toml"])
}

#[test]
fn a_protocol_that_is_not_named_is_found_out() {
    for (words, found) in [(&["gtp"][..], "gtp"), (&["nboard", "late-pongs"], "nboard")] {
        let arena = Arena::new();
        // The stand-ins end at a word that they do not know, as strict engines do.
        let subject = standin("X", words, "protocol = \"auto\"\ntime = \"60s\"");
        let outcome = two(&arena, &subject, "[limits]\nstart = \"20s\"\n").expect(0);
        assert!(outcome.err.contains(&format!("X speaks {found}")), "{}", outcome.err);
        assert!(arena.games("t").iter().all(|game| game["termination"] == "normal"));
        assert!(arena.read("results/t/definition.json").contains(&format!("\"protocol\": \"{found}\"")));
        arena.nobody_left();
    }
}

#[test]
fn who_is_not_told_the_time_is_named_before_the_first_game() {
    for (words, keys, said) in [
        (
            &["gtp", "no-clock"][..],
            "protocol = \"gtp\"\ntime = \"60s\"",
            "X is not told its limit, 60s: it has no commands for the time",
        ),
        (
            &["gtp"],
            "protocol = \"gtp\"\ntime = \"60s\"\nclock = \"none\"",
            "X is not told its limit, 60s: it is not to be told",
        ),
        (&["gtp"], "protocol = \"gtp\"\ntime = \"nodes=5\"", "no limit on nodes"),
        (&["gtp"], "protocol = \"gtp\"\ntime = \"movetime=1500ms\"", "whole seconds"),
        (&["nboard"], "protocol = \"nboard\"\ntime = \"movetime=60s\"", "game clocks and depths only"),
    ] {
        let arena = Arena::new();
        let outcome = two(&arena, &standin("X", words, keys), "").expect(0);
        assert!(outcome.err.contains(said), "{said}: {}", outcome.err);
    }
}

#[test]
fn what_a_protocol_cannot_do_is_refused_before_anything_is_written() {
    for (words, keys, whole, said) in [
        (
            &["gtp"][..],
            "protocol = \"gtp\"\noptions = { Depth = 3 }",
            "",
            "protocol gtp has no options; use arguments",
        ),
        (&["gtp"], "protocol = \"gtp\"", "board = 6\n", "only the usual start on 8x8"),
        (&["nboard"], "protocol = \"nboard\"", "variant = \"reversed\"\n", "only Othello on 8x8"),
        (&["nboard"], "protocol = \"nboard\"", "variant = \"historical\"\n", "only Othello on 8x8"),
        (&["gtp"], "protocol = \"gtp\"", "variant = \"historical\"\n", "knows no variant historical"),
        (
            &["nboard"],
            "protocol = \"nboard\"\nclock = \"fischer\"",
            "",
            "protocol nboard does not tell the clock in the way `fischer`",
        ),
        (
            &["gtp"],
            "protocol = \"gpt\"",
            "",
            "`gpt` is not a protocol; there is ugi, gtp, nboard, line, cassio, uci, auto",
        ),
        (
            &["gtp"],
            "protocol = \"auto\"\noptions = { Depth = 3 }",
            "[limits]\nstart = \"20s\"\n",
            "it speaks gtp, which has no options",
        ),
    ] {
        let arena = Arena::new();
        let outcome = two(&arena, &standin("X", words, keys), whole).expect(2);
        assert!(outcome.err.contains(said) && outcome.err.contains("t.toml:"), "{said}: {}", outcome.err);
        assert_eq!(arena.entries(), ["t.toml"]);
    }
}

/// The smallest player, in Python, as the documentation shows it.
#[test]
fn a_player_of_fourteen_lines_plays_every_game_there_is() {
    let Ok(python) = which("python3") else {
        println!("skipped: there is no python3");
        return;
    };
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/player.py");
    let text = std::fs::read_to_string(program).expect("the example");
    assert!(text.lines().count() <= 15, "it is meant to be short");
    let games = [
        "",
        "variant = \"reversed\"\n",
        "variant = \"historical\"\nopenings = { random = 1 }\n",
        "board = 6\n",
        "board = 4\nopenings = { random = 2 }\n",
    ];
    for whole in games {
        let arena = Arena::new();
        let subject = engine("X", &[&python, program], "protocol = \"line\"\ntime = \"60s\"");
        let outcome = two(&arena, &subject, whole).expect(0);
        let games = arena.games("t");
        assert!(games.iter().all(|game| game["termination"] == "normal"), "{}", told(&games, &outcome));
        arena.nobody_left();
    }
}

#[test]
fn a_player_that_prints_more_than_moves_is_told_so() {
    let arena = Arena::new();
    arena.script("chatty.py", "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    turn = json.loads(line)\n    if turn['ply'] > 12: print('I play', turn['moves'][0], flush=True)\n    else: print(turn['moves'][0], flush=True)\n");
    let subject = engine("X", &["./chatty.py"], "protocol = \"line\"\ntime = \"60s\"");
    two(&arena, &subject, "").expect(1);
    for game in arena.games("t") {
        let detail = game["detail"].as_str().unwrap_or_default();
        assert_eq!(game["termination"], "protocol-error");
        assert!(detail.contains("I play") && detail.contains("nothing else on standard output"), "{detail}");
    }
}

fn which(program: &str) -> Result<String, ()> {
    // Asked for once, since `python3` may be a slow script that looks for the right one.
    let asked =
        std::process::Command::new(program).args(["-c", "import sys; print(sys.executable)"]).output();
    asked.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).map_err(|_| ())
}

#[test]
fn known_engines_are_listed_and_used() {
    let arena = Arena::new();
    let program = binaries().join("examples/standin");
    let keys = format!(
        "about = \"stands in\"\ncommand = [{program:?}, \"gtp\"]\nprotocol = \"gtp\"\nlevel = [\"keeps-id\", \"level-{{}}\"]\nclock = \"none\"\nlimited_by = \"nothing\"\n"
    );
    arena.write("known/mine.toml", keys);
    let listed = arena.start_command({
        let mut command = arena.referee(&["engines", "--json"]);
        command.env("OUTFLANK_ENGINES", arena.path("known"));
        command
    });
    let listed = listed.wait().expect(0);
    let mine = listed.out.lines().find(|line| line.contains("\"mine\"")).expect("it is listed");
    assert!(mine.contains("stands in") && mine.contains(program.to_str().expect("a path")), "{mine}");
    assert!(listed.out.contains("\"edax\""));

    let partner = engine("Good", &["random"], "time = \"nodes=1\"");
    arena.write(
        "t.toml",
        format!("name = \"t\"\ntime = \"60s\"\n[[engine]]\nengine = \"mine\"\nlevel = 7\n{partner}"),
    );
    let run = |arguments: &[&str]| {
        let mut command = arena.referee(arguments);
        command.env("OUTFLANK_ENGINES", arena.path("known"));
        arena.start_command(command).wait()
    };
    let outcome = run(&["run", "t.toml"]).expect(0);
    let said = "Stand-in takes no notice of its time, 60s: it is limited by nothing";
    assert!(outcome.err.contains(said), "{}", outcome.err);
    assert!(arena.read("results/t/definition.json").contains("level-7"));
    let refused = run(&["match", "--engine", "engine=mein", "--engine", "random"]).expect(2);
    assert!(refused.err.contains("did you mean `mine`?"), "{}", refused.err);
    let refused = run(&["match", "--engine", "random", "level=3", "--engine", "random"]).expect(2);
    assert!(refused.err.contains("level"), "{}", refused.err);
    // With another command, and beside a file of another engine that is broken.
    arena.write("known/broken.toml", "about = ");
    let own = format!("'{}' gtp", program.display());
    let outcome =
        run(&["match", "--engine", &own, "engine=mine", "level=7", "--engine", "random", "--name", "own"])
            .expect(0);
    assert!(outcome.err.contains("broken.toml:1: not TOML"), "{}", outcome.err);
    assert!(arena.read("results/own/definition.json").contains("level-7"));
    assert!(run(&["engines"]).expect(2).out.contains("stands in"));
    let refused = run(&["match", "--engine", "engine=broken", "--engine", "random"]).expect(2);
    assert!(refused.err.contains("broken.toml:1: not TOML"), "{}", refused.err);
    arena.nobody_left();
}
