//! A results folder is taken up where it was left, or not touched at all.

use std::fs;

use rustix::process::Signal;

use crate::common::{Arena, faulty_engine};

const DEFINITION: &str = "\
name = \"t\"
seed = 5
pairs = 3
board = 6
time = \"nodes=5\"
openings = { random = 4 }
[[engine]]
command = \"greedy\"
[[engine]]
command = \"random\"
[[engine]]
name = \"P\"
command = \"positional\"
options = { Mobility = 2 }
";

/// Three engines, three rounds: 18 games, all played.
fn finished() -> Arena {
    let arena = Arena::new();
    arena.write("t.toml", DEFINITION);
    // One after the other, so that lines stand in the order of games.
    arena.expect(0, &["run", "t.toml", "--quiet", "--concurrency", "1"]);
    assert_eq!(arena.lines("t").len(), 18);
    arena
}

/// All files of the results folder with their contents.
fn contents(arena: &Arena) -> Vec<(String, Vec<u8>)> {
    let found = fs::read_dir(arena.path("results/t")).expect("results");
    let mut files: Vec<_> = found
        .map(|entry| {
            let path = entry.expect("an entry").path();
            (path.display().to_string(), fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_finished_tournament_plays_nothing() {
    let arena = finished();
    let before = contents(&arena);
    let again = arena.expect(0, &["run", "t.toml"]);
    assert!(again.out.contains("all 18 games were played before"), "{}", again.out);
    assert_eq!(contents(&arena), before);
}

#[test]
fn more_pairs_plays_just_the_rest() {
    let arena = finished();
    let before = arena.lines("t");
    arena.write("t.toml", DEFINITION.replace("pairs = 3", "pairs = 5"));
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.lines("t")[..18], before);
    let whole = Arena::new();
    whole.write("t.toml", DEFINITION.replace("pairs = 3", "pairs = 5"));
    whole.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.signature("t").len(), 30);
    assert!(arena.signature("t") == whole.signature("t"));
}

#[test]
fn what_changes_no_game_may_change() {
    let arena = finished();
    let changed = format!("concurrency = 1\npin = false\n{DEFINITION}").replace(
        "[[engine]]\ncommand = \"greedy",
        "[limits]\nstart = \"9s\"\n[[engine]]\ncommand = \"greedy",
    );
    arena.write("t.toml", changed);
    arena.expect(0, &["run", "t.toml"]);
    assert_eq!(arena.lines("t").len(), 18);
}

#[test]
fn a_change_is_refused_and_named() {
    let arena = finished();
    let before = contents(&arena);
    let changes = [
        ("nodes=5", "nodes=6", "nodes=6"),
        ("seed = 5", "seed = 6", "seed"),
        ("random = 4", "random = 5", "openings"),
        ("pairs = 3", "pairs = 2", "pairs"),
        ("\"positional\"", "\"mcts\"", "command"),
        ("Mobility = 2", "Mobility = 3", "options"),
        ("\"P\"", "\"Q\"", "name"),
        ("board = 6", "board = 8", "board"),
        ("seed = 5", "seed = 5\nvariant = \"reversed\"", "variant"),
        ("seed = 5", "seed = 5\nempties = \"none\"", "empties"),
        ("seed = 5", "seed = 5\nmargin = \"5ms\"", "margin"),
        (
            "[[engine]]\nname = \"P\"\ncommand = \"positional\"\noptions = { Mobility = 2 }\n",
            "",
            "number of engines",
        ),
    ];
    for (old, new, word) in changes {
        let changed = DEFINITION.replace(old, new);
        // An option that another engine does not know would be refused for that.
        let changed =
            if word == "command" { changed.replace("options = { Mobility = 2 }", "") } else { changed };
        assert_ne!(changed, DEFINITION);
        arena.write("t.toml", changed);
        let refused = arena.expect(2, &["run", "t.toml"]);
        assert!(refused.complaint().contains(word), "{word} is wanted: {}", refused.err);
        assert!(refused.complaint().contains("--fresh"), "{}", refused.err);
        assert_eq!(contents(&arena), before, "{word}");
    }
}

#[test]
fn a_torn_last_line_is_cut_off_and_its_game_replayed() {
    let arena = finished();
    let whole = arena.signature("t");
    let record = arena.record("t");
    let bytes = fs::read(&record).expect("the record");
    let last = bytes[..bytes.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("lines") + 1;
    for torn in [last + 1, last + 40, bytes.len() - 2] {
        fs::write(&record, &bytes[..torn]).expect("written");
        let resumed = arena.expect(0, &["run", "t.toml", "--quiet"]);
        assert!(resumed.err.contains("torn"), "{}", resumed.err);
        assert!(arena.signature("t") == whole, "torn at {torn}");
    }
}

#[test]
fn an_earlier_prefix_leads_to_the_same_end() {
    let arena = finished();
    let (whole, lines) = (arena.signature("t"), arena.lines("t"));
    for kept in [0, 1, 7, 12] {
        fs::write(
            arena.record("t"),
            lines[..kept].iter().map(|line| format!("{line}\n")).collect::<String>(),
        )
        .expect("written");
        arena.expect(0, &["run", "t.toml", "--quiet"]);
        assert!(arena.signature("t") == whole, "after {kept} games");
    }
}

#[test]
fn lines_that_are_no_games_of_this_tournament_are_refused() {
    let arena = finished();
    let lines = arena.lines("t");
    let record = arena.record("t");
    let cases = [
        (lines[2].replace("\"seed\":", "\"seed\":1"), 2, "seed"),
        (lines[2].replace("\"greedy\"", "\"Greedy\""), 2, "Greedy"),
        (lines[2].replace("\"game\":2,", "\"game\":400,"), 2, "game 400"),
        (lines[2].replace("\"format\":1", "\"format\":99"), 4, "format 99"),
        (lines[2].replace("\"discs\":[", "\"discs\":[9"), 4, "discs"),
        ("{\"hello\":1}".to_owned(), 4, "not a game record"),
        ("nonsense".to_owned(), 4, "not a game record"),
    ];
    for (line, code, word) in cases {
        let mut changed = lines[..6].to_vec();
        assert_ne!(changed[2], line);
        changed[2] = line;
        let text = changed.join("\n") + "\n";
        fs::write(&record, &text).expect("written");
        let refused = arena.expect(code, &["run", "t.toml"]);
        let complaint = refused.complaint();
        assert!(
            complaint.contains("games.jsonl:3") && complaint.contains(word),
            "{word} is wanted: {complaint}"
        );
        assert!(arena.read("results/t/games.jsonl") == text, "{word}: the record was touched");
    }
}

#[test]
fn games_without_a_definition_are_not_taken_over() {
    let arena = finished();
    fs::remove_file(arena.path("results/t/definition.json")).expect("removed");
    let refused = arena.expect(2, &["run", "t.toml"]);
    assert!(refused.complaint().contains("definition.json"), "{}", refused.err);
    arena.write("results/t/definition.json", "{");
    let refused = arena.expect(4, &["run", "t.toml"]);
    assert!(refused.complaint().contains("definition.json"), "{}", refused.err);
    assert_eq!(arena.lines("t").len(), 18);
}

#[test]
fn fresh_renames_the_old_results() {
    let arena = finished();
    let before = arena.lines("t");
    arena.write("t.toml", DEFINITION.replace("seed = 5", "seed = 6"));
    for number in 1..=2 {
        let fresh = arena.expect(0, &["run", "t.toml", "--fresh", "--quiet"]);
        assert!(fresh.err.contains(&format!("t.old-{number}")), "{}", fresh.err);
    }
    assert_eq!(arena.lines("t.old-1"), before);
    assert_eq!((arena.lines("t.old-2").len(), arena.lines("t").len()), (18, 18));
    assert_eq!(arena.signature("t.old-2")[0]["seed"], arena.signature("t")[0]["seed"]);
}

#[test]
fn a_drawn_seed_is_kept() {
    let arena = Arena::new();
    let without = DEFINITION.replace("seed = 5\n", "");
    arena.write("t.toml", &without);
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    let lines = arena.lines("t");
    fs::write(arena.record("t"), lines[..9].join("\n") + "\n").expect("written");
    let whole: Vec<_> = lines.iter().map(|line| line.replace("\"started\"", "")).collect();
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(whole.len(), arena.signature("t").len());
    let seeds = |lines: &[String]| {
        let mut seeds: Vec<_> = lines
            .iter()
            .map(|line| line.split("\"seed\":").nth(1).map(|rest| rest[..9].to_owned()))
            .collect();
        seeds.sort();
        seeds
    };
    assert_eq!(seeds(&lines), seeds(&arena.lines("t")));
}

#[test]
fn two_referees_do_not_share_a_folder() {
    let arena = Arena::new();
    let engines = faulty_engine("A", &["hang"], "") + &faulty_engine("B", &["good"], "");
    arena.write(
        "t.toml",
        format!("name = \"t\"\ntime = \"600s\"\nopenings = {{ random = 0 }}\nseed = 1\n{engines}"),
    );
    let first = arena.start(&["run", "t.toml"]);
    crate::common::until("the first to begin", || first.out().contains("games at once"));
    let second = arena.expect(4, &["run", "t.toml"]);
    assert!(second.complaint().contains("in use by another referee"), "{}", second.err);
    first.signal(Signal::TERM);
    first.wait().expect(3);
    arena.nobody_left();
}
