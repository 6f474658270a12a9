//! Definition files: every key, every default, and what is said about files that are wrong.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clock::TimeControl;
use protocol::dialect::ProtocolChoice;
use rules::{BoardSize, Empties, Position, Variant};
use tournament::definition::{
    Definition, DefinitionError, EngineDefinition, Format, OpeningOrder, OpeningSource, StartPosition,
};

const FILE: &str = "games/cup.toml";
const ENGINES: &str = "[[engine]]\ncommand = 'mcts'\n[[engine]]\ncommand = 'greedy'\n";

fn parse(text: &str) -> Result<Definition, DefinitionError> {
    Definition::parse(Path::new(FILE), text)
}

fn sound(text: &str) -> Definition {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A sound definition with these lines at its top; the first of them is line 2.
fn with(lines: &str) -> String {
    format!("name = 'cup'\n{lines}\n{ENGINES}")
}

/// A sound definition with these lines in its first engine; the first of them is line 4.
fn with_engine(lines: &str) -> String {
    format!("name = 'cup'\n[[engine]]\ncommand = 'mcts'\n{lines}\n[[engine]]\ncommand = 'greedy'\n")
}

/// The definition is refused at this line and key, in one line that holds these words.
#[track_caller]
fn refused(text: &str, line: usize, key: &str, words: &[&str]) {
    let error = parse(text).expect_err(text);
    let message = error.to_string();
    let place = if key.is_empty() { format!("{FILE}:{line}: ") } else { format!("{FILE}:{line}: {key}: ") };
    assert!(message.starts_with(&place), "{message}\nis not at {place}\n{text}");
    for word in words {
        assert!(message.contains(word), "{message}\ndoes not say {word:?}\n{text}");
    }
    assert!(!message.contains(char::is_control), "{message:?}");
}

#[test]
fn every_key_is_read() {
    let definition = sound(
        r#"
name = "heuristics"
format = "round-robin"
pairs = 20
seed = 2026
concurrency = 2
variant = "reversed"
board = 6
empties = "none"
time = "60s+0.5s"
margin = "35ms"
pin = false
openings = { file = "x.txt", order = "random" }

cpu_clock = true
freeze = true

[limits]
start = "11s"
ready = "12s"
move = "2m"
quit = "250ms"
memory = "512MiB"
processes = 8

[faults]
withdraw_after = 5

[[engine]]
name = "mobility"
command = "positional"
options = { Mobility = 2, Corners = 0, Book = true, Style = "wild card", Weight = 0.5 }
threads = 3
protocol = "ugi"
directory = "engines/edax"
env = { OMP_NUM_THREADS = "1", DEPTH = 4 }
time = "movetime=100ms"
restart = true
limits = { processes = 2, cpu = "60s" }
sandbox = true

[[engine]]
command = "greedy"
"#,
    );
    let ms = Duration::from_millis;
    assert_eq!((definition.name.as_str(), definition.format), ("heuristics", Format::RoundRobin));
    assert_eq!((definition.pairs, definition.seed, definition.concurrency), (20, Some(2026), Some(2)));
    assert_eq!(
        (definition.variant, definition.board, definition.empties),
        (Variant::Reversed, BoardSize::Six, Empties::None)
    );
    assert_eq!(definition.time, TimeControl::Game { main: ms(60_000), increment: ms(500) });
    assert_eq!((definition.margin, definition.pin), (ms(35), false));
    let openings = OpeningSource::File { path: "x.txt".into(), order: OpeningOrder::Random, plies: None };
    assert_eq!(definition.opening_source(), Ok(openings));
    assert_eq!(definition.path(Path::new("x.txt")), Path::new("games/x.txt"));
    let limits = definition.limits.timeouts;
    assert_eq!(
        [limits.start, limits.ready, limits.move_, limits.quit],
        [11_000, 12_000, 120_000, 250].map(ms)
    );
    assert!(definition.cpu_clock && definition.freeze);
    assert_eq!(definition.faults.withdraw_after, Some(5));
    let (first, second) = (definition.resources_of(0), definition.resources_of(1));
    assert_eq!((first.memory, first.processes, first.cpu), (Some(512 << 20), Some(2), Some(60)));
    assert_eq!((second.memory, second.processes, second.cpu), (Some(512 << 20), Some(8), None));
    assert_eq!((definition.is_in_sandbox(0), definition.is_in_sandbox(1)), (true, false));
    let engine = &definition.engines[0];
    assert_eq!(
        (engine.name.as_deref(), engine.threads(), definition.restarts(0)),
        (Some("mobility"), 3, true)
    );
    assert_eq!(
        (&engine.command[..], engine.protocol()),
        (&["positional".to_owned()][..], ProtocolChoice::default())
    );
    let options: Vec<_> = engine.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let in_the_order_written =
        [("Mobility", "2"), ("Corners", "0"), ("Book", "true"), ("Style", "wild card"), ("Weight", "0.5")];
    assert_eq!(options, in_the_order_written);
    assert_eq!(engine.directory, Some(PathBuf::from("engines/edax")));
    let env: Vec<_> = engine.env.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(env, [("DEPTH", "4"), ("OMP_NUM_THREADS", "1")]);
    assert_eq!(engine.time, Some(TimeControl::MoveTime(ms(100))));
    assert_eq!(definition.time_of(0), TimeControl::MoveTime(ms(100)));
    assert_eq!(definition.time_of(1), definition.time);
}

#[test]
fn defaults() {
    let definition = sound(&format!("name = 'cup'\n{ENGINES}"));
    assert_eq!((definition.format, definition.pairs), (Format::RoundRobin, 1));
    assert_eq!((definition.seed, definition.concurrency), (None, None));
    assert_eq!(
        (definition.variant, definition.board, definition.empties),
        (Variant::Othello, BoardSize::Eight, Empties::Winner)
    );
    assert_eq!(definition.time, TimeControl::MoveTime(Duration::from_millis(50)));
    assert_eq!((definition.margin, definition.pin), (Duration::from_millis(20), true));
    assert_eq!(definition.opening_source(), Ok(OpeningSource::Random(8)));
    let limits = definition.limits.timeouts;
    let seconds = [10, 10, 60, 2].map(Duration::from_secs);
    assert_eq!([limits.start, limits.ready, limits.move_, limits.quit], seconds);
    for (engine, program) in definition.engines.iter().zip(["mcts", "greedy"]) {
        assert_eq!((engine.name.as_ref(), engine.program_name().as_str()), (None, program));
        assert_eq!(
            (engine.threads(), engine.protocol(), engine.restart),
            (1, ProtocolChoice::default(), None)
        );
        assert!(engine.options.is_empty() && engine.env.is_empty());
        assert_eq!((engine.directory.as_ref(), engine.time), (None, None));
    }
}

#[test]
fn a_byte_order_mark_and_carriage_returns_change_nothing() {
    let text = with("pairs = 7\nopenings = { random = 4 }\n[limits]\nmove = '5s'");
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(format!("{:?}", sound(&text)), format!("{:?}", sound(&marked)));
    let wrong = with("pairs = 7\npears = 8").replace('\n', "\r\n");
    refused(&format!("\u{feff}{wrong}"), 3, "pears", &["unknown key"]);
}

#[test]
fn unknown_keys_are_refused_with_a_hint() {
    refused(&with("concurency = 2"), 2, "concurency", &["unknown key", "`concurrency`"]);
    refused(&with("quack = 2"), 2, "quack", &["unknown key", "pairs", "openings"]);
    refused(&with("[limits]\nstrat = '1s'"), 3, "limits.strat", &["`start`"]);
    refused(&with("openings = { randon = 8 }"), 2, "openings.randon", &["`random`"]);
    refused(&with_engine("thread = 2"), 4, "engine[1].thread", &["`threads`"]);
    refused(&with("\"a\\nb\" = 1"), 2, "", &["unknown key"]);
    // A required key that is misspelt is not only missing.
    refused(&format!("nmae = 'cup'\n{ENGINES}"), 1, "nmae", &["`name`"]);
    let comand = "name = 'cup'\n[[engine]]\ncomand = 'a'\n[[engine]]\ncommand = 'b'\n";
    refused(comand, 3, "engine[1].comand", &["`command`"]);
    let engines = "name = 'cup'\n[[engines]]\ncommand = 'a'\n[[engines]]\ncommand = 'b'\n";
    refused(engines, 2, "engines", &["`engine`"]);
}

#[test]
fn wrong_types_are_named() {
    for (line, key, words) in [
        ("pairs = '5'", "pairs", ["whole number", "\"5\""]),
        ("pairs = true", "pairs", ["whole number", "true"]),
        ("pairs = [5]", "pairs", ["whole number", "an array"]),
        ("format = 1", "format", ["text in quotes", "1"]),
        ("pin = 1", "pin", ["true or false", "1"]),
        ("pin = 'yes'", "pin", ["true or false", "\"yes\""]),
        ("seed = 1979-05-27", "seed", ["whole number", "1979-05-27"]),
        ("board = '8'", "board", ["whole number", "\"8\""]),
        ("time = true", "time", ["time", "true"]),
        ("margin = []", "margin", ["time", "array"]),
        ("limits = 5", "limits", ["a table", "5"]),
        ("openings = 'x.txt'", "openings", ["{ file = ", "x.txt"]),
        ("variant = {}", "variant", ["text in quotes", "a table"]),
    ] {
        refused(&with(line), 2, key, &words);
    }
    for (line, key, words) in [
        ("threads = '2'", "threads", ["whole number", "\"2\""]),
        ("name = 5", "name", ["text in quotes", "5"]),
        ("options = 'Hash=5'", "options", ["a table", "Hash=5"]),
        ("options = { Hash = [1] }", "options.Hash", ["text, a number", "an array"]),
        ("env = ['A']", "env", ["a table", "an array"]),
        ("env = { A = {} }", "env.A", ["text", "a table"]),
        ("directory = 5", "directory", ["text in quotes", "5"]),
        ("restart = 0", "restart", ["true or false", "0"]),
    ] {
        refused(&with_engine(line), 4, &format!("engine[1].{key}"), &words);
    }
    refused("name = 'cup'\n[engine]\ncommand = 'a'\n", 2, "engine", &["[[engine]]", "a table"]);
    refused("name = 'cup'\nengine = 'a'\n", 2, "engine", &["[[engine]]"]);
    refused("name = 'cup'\nengine = ['a', 'b']\n", 2, "engine[1]", &["a table", "\"a\""]);
    refused(&format!("name = 5\n{ENGINES}"), 1, "name", &["text in quotes", "5"]);
}

#[test]
fn numbers_out_of_range_are_refused_with_key_and_value() {
    for value in ["0", "-3", "1.5", "99999999999999999999", "1000000001", "nan", "-0"] {
        refused(&with(&format!("pairs = {value}")), 2, "pairs", &["whole number from 1", value]);
    }
    for value in ["0", "-1", "10001"] {
        refused(&with(&format!("concurrency = {value}")), 2, "concurrency", &["whole number from 1", value]);
    }
    for value in ["-1", "9007199254740992"] {
        refused(&with(&format!("seed = {value}")), 2, "seed", &["whole number from 0", value]);
    }
    for value in ["3", "5", "7", "10", "0"] {
        refused(&with(&format!("board = {value}")), 2, "board", &[value]);
    }
    refused(&with("openings = { random = 60 }"), 2, "openings.random", &["from 0 to 59", "60"]);
    refused(&with("openings = { random = -1 }"), 2, "openings.random", &["from 0 to 59", "-1"]);
    for value in ["0", "4097"] {
        refused(&with_engine(&format!("threads = {value}")), 4, "engine[1].threads", &["from 1", value]);
    }
    let definition = sound(&with("pairs = 1_000\nseed = 0x10"));
    assert_eq!((definition.pairs, definition.seed), (1000, Some(16)));
}

#[test]
fn words_that_are_none_are_refused_with_those_that_are() {
    refused(&with("format = 'knockout'"), 2, "format", &["knockout", "round-robin"]);
    refused(&with("variant = 'Go'"), 2, "variant", &["Go", "othello", "reversed", "historical"]);
    refused(&with("empties = 'loser'"), 2, "empties", &["loser", "winner", "none"]);
    refused(&with_engine("protocol = 'telepathy'"), 4, "engine[1].protocol", &["telepathy", "ugi"]);
    let openings = "openings = { file = 'x.txt', order = 'backwards' }";
    refused(&with(openings), 2, "openings.order", &["backwards", "sequential", "random"]);
}

#[test]
fn times() {
    let ms = Duration::from_millis;
    for (value, time) in [
        ("'1000ms'", TimeControl::Game { main: ms(1000), increment: ms(0) }),
        ("60", TimeControl::Game { main: ms(60_000), increment: ms(0) }),
        ("0.5", TimeControl::Game { main: ms(500), increment: ms(0) }),
        ("'60+0.5'", TimeControl::Game { main: ms(60_000), increment: ms(500) }),
        ("'movetime=100ms'", TimeControl::MoveTime(ms(100))),
        ("'nodes=2000'", TimeControl::Nodes(2000)),
        ("'depth=6'", TimeControl::Depth(6)),
    ] {
        assert_eq!(sound(&with(&format!("time = {value}"))).time, time, "{value}");
        assert_eq!(sound(&with_engine(&format!("time = {value}"))).time_of(0), time, "{value}");
    }
    for value in ["'0'", "0", "'-5'", "-5", "'5 minutes'", "'movetime=0'", "'nodes=0'", "''", "inf"] {
        let quoted = format!("`{}`", value.trim_matches('\''));
        refused(&with(&format!("time = {value}")), 2, "time", &[&quoted]);
        refused(&with_engine(&format!("time = {value}")), 4, "engine[1].time", &[&quoted]);
    }
    for value in ["0+0.1", "0+0"] {
        refused(&with(&format!("time = '{value}'")), 2, "time", &["more than zero"]);
    }
    refused(&with("margin = '-1ms'"), 2, "margin", &["`-1ms`"]);
    for key in ["start", "ready", "move"] {
        let text = with(&format!("[limits]\n{key} = 0"));
        refused(&text, 3, &format!("limits.{key}"), &["more than zero"]);
    }
    assert_eq!(sound(&with("margin = 0\n[limits]\nquit = 0")).limits.timeouts.quit, Duration::ZERO);
}

#[test]
fn what_stands_twice_is_refused_at_the_second() {
    refused(&with("pairs = 2\nseed = 5\npairs = 3"), 4, "", &["duplicate key"]);
    refused(&with("[limits]\nmove = '5s'\n[limits]\nquit = '1s'"), 4, "", &["duplicate key"]);
    refused(&with_engine("threads = 1\nthreads = 1"), 5, "", &["duplicate key"]);
    refused(&with("openings = { random = 1, random = 2 }"), 2, "", &["duplicate key"]);
    refused(&with("openings = { random = 1 }\n[openings]\nrandom = 2"), 3, "", &["duplicate key"]);
}

#[test]
fn what_is_not_toml_is_refused_at_its_line() {
    for line in
        ["pairs = ", "pairs == 2", "time = 'movetime=50ms", "pairs 2", "pairs = 2 seed = 3", "\u{1b}[2J"]
    {
        refused(&with(line), 2, "", &["not TOML"]);
    }
    refused("{\"name\": \"cup\"}", 1, "", &["not TOML"]);
}

#[test]
fn what_is_missing_is_said() {
    refused(ENGINES, 1, "name", &["missing"]);
    refused("", 1, "name", &["missing"]);
    refused("name = 'cup'", 1, "engine", &["missing", "[[engine]]"]);
    refused("name = 'cup'\n[[engine]]\ncommand = 'a'\n", 2, "engine", &["two"]);
    refused("name = 'cup'\nengine = []\n", 2, "engine", &["two"]);
    let second = "name = 'cup'\n[[engine]]\ncommand = 'a'\n[[engine]]\nname = 'b'\n";
    refused(second, 4, "engine[2].command", &["missing"]);
}

#[test]
fn names() {
    for name in ["cup", "Cup-2026_b", "Pokal-Köln", "杯"] {
        assert_eq!(sound(&format!("name = '{name}'\n{ENGINES}")).name, name);
    }
    let (long, many_bytes) = ("x".repeat(101), "杯".repeat(90));
    for name in ["", "a b", "../up", "a/b", "a.b", ".", "a\\b", &long, &many_bytes] {
        refused(&format!("name = '{name}'\n{ENGINES}"), 1, "name", &["cannot name a folder", "letters"]);
    }
    for name in ["A, B", "\"quoted\"", "Éric le Grand", "名人", "a=b #2"] {
        let definition = sound(&with_engine(&format!("name = '{name}'")));
        assert_eq!(definition.engines[0].name.as_deref(), Some(name));
    }
    for name in ["''", "' Good'", "'Good '", "\"a\\tb\"", "\"a\\u001b[1mb\""] {
        refused(&with_engine(&format!("name = {name}")), 4, "engine[1].name", &["characters"]);
    }
}

#[test]
fn two_engines_of_one_name_are_refused_and_of_nearly_one_are_not() {
    let two = |first: &str, second: &str| {
        let engine = |command, name| format!("[[engine]]\ncommand = '{command}'\nname = '{name}'\n");
        format!("name = 'cup'\n{}{}", engine("a", first), engine("b", second))
    };
    refused(&two("Good", "Good"), 7, "engine[2].name", &["Good", "engine[1]"]);
    assert_eq!(sound(&two("Good", "good")).engines.len(), 2);
    // The same program twice is self-play.
    assert_eq!(sound(&two("one", "two").replace("'b'", "'a'")).engines[1].command, ["a"]);
}

#[test]
fn commands() {
    let with_command = |written: &str| with("").replacen("'mcts'", written, 1);
    for (written, words) in [
        ("'mcts'", &["mcts"][..]),
        ("'python3 good.py --fast'", &["python3", "good.py", "--fast"]),
        (r#"'"my engines (new)/good" --name "A, B"'"#, &["my engines (new)/good", "--name", "A, B"]),
        (r"'my\ engines/good'", &["my engines/good"]),
        (r#""'a b' c""#, &["a b", "c"]),
        ("['my engines (new)/good', '--name', 'A, B']", &["my engines (new)/good", "--name", "A, B"]),
        (r#"['a "b', '']"#, &["a \"b", ""]),
    ] {
        assert_eq!(sound(&with_command(written)).engines[0].command, words, "{written}");
    }
    for (written, key, word) in [
        ("''", "", "no program"),
        ("'  '", "", "no program"),
        ("[]", "", "no program"),
        ("['', 'a']", "", "no program"),
        (r#"'a "b'"#, "", "quote"),
        ("5", "", "text in quotes"),
        ("[5]", "[1]", "text in quotes"),
        ("['a', 5]", "[2]", "text in quotes"),
        ("\"a\\u0000b\"", "", "NUL"),
        ("['a', \"\\u0000\"]", "", "NUL"),
    ] {
        refused(&with_command(written), 4, &format!("engine[1].command{key}"), &[word]);
    }
}

#[test]
fn openings() {
    let file = |path: &str, order| OpeningSource::File { path: path.into(), order, plies: None };
    let sequential = OpeningOrder::Sequential;
    for (written, openings) in [
        ("openings = { random = 0 }", OpeningSource::Random(0)),
        ("openings = { random = 59 }", OpeningSource::Random(59)),
        ("openings = { file = 'x.txt' }", file("x.txt", OpeningOrder::Sequential)),
        ("openings = { file = 'a b/x.txt', order = 'random' }", file("a b/x.txt", OpeningOrder::Random)),
        (
            "openings = { file = 'x.wtb', plies = 8, balanced = true }",
            OpeningSource::File { path: "x.wtb".into(), order: sequential, plies: Some(8) },
        ),
        ("openings.file = 'x.txt'", file("x.txt", OpeningOrder::Sequential)),
        ("[openings]\nrandom = 3", OpeningSource::Random(3)),
        ("openings = { random = 3, balanced = true }", OpeningSource::Random(3)),
        ("openings = { every = 4 }", OpeningSource::Every { plies: 4, order: OpeningOrder::Sequential }),
        (
            "openings = { every = 4, order = 'random', balanced = true }",
            OpeningSource::Every { plies: 4, order: OpeningOrder::Random },
        ),
    ] {
        let definition = sound(&with(written));
        assert_eq!(definition.opening_source(), Ok(openings), "{written}");
        assert_eq!(definition.openings.balanced, written.contains("balanced"), "{written}");
    }
    for (written, key, word) in [
        ("openings = {}", "openings", "{ random = PLIES }"),
        ("openings = { order = 'random' }", "openings", "{ random = PLIES }"),
        ("openings = { random = 8, file = 'x.txt' }", "openings.file", "choose one"),
        ("openings = { every = 8, random = 8 }", "openings.every", "choose one"),
        ("openings = { every = 60 }", "openings.every", "whole number"),
        ("openings = { random = 8, balanced = 1 }", "openings.balanced", "true or false"),
        ("openings = { random = 8, order = 'random' }", "openings.order", "goes with `file`"),
        ("openings = { random = 8, plies = 8 }", "openings.plies", "goes with `file` alone"),
        ("openings = { file = 'x', plies = 0 }", "openings.plies", "whole number"),
        ("openings = { file = 'x', plies = 60 }", "openings.plies", "whole number"),
        ("openings = { file = 5 }", "openings.file", "text in quotes"),
        ("openings = { file = '' }", "openings.file", "no file"),
        ("openings = { random = 'eight' }", "openings.random", "whole number"),
        ("openings = 8", "openings", "{ random = PLIES }"),
    ] {
        refused(&with(written), 2, key, &[word]);
    }
}

#[test]
fn openings_on_the_command_line() {
    let read = |word| {
        let engines = vec![EngineDefinition::new(vec!["a".to_owned()]); 2];
        let definition = Definition::from_flags([("name", "m"), ("openings", word)], engines)?;
        Ok::<_, DefinitionError>((definition.opening_source()?, definition.openings.balanced))
    };
    let file = |order, plies| OpeningSource::File { path: "x:y.wtb".into(), order, plies };
    let (sequential, random) = (OpeningOrder::Sequential, OpeningOrder::Random);
    for (word, source, balanced) in [
        ("x:y.wtb", file(sequential, None), false),
        ("file=x:y.wtb:plies=8", file(sequential, Some(8)), false),
        ("x:y.wtb:random:plies=8:balanced", file(random, Some(8)), true),
        ("x:y.wtb:balanced:plies=59:random", file(random, Some(59)), true),
        ("x:y.wtb:plies=1:balanced:sequential", file(sequential, Some(1)), true),
        ("every=4:balanced:random", OpeningSource::Every { plies: 4, order: random }, true),
        ("random=8:balanced", OpeningSource::Random(8), true),
    ] {
        assert_eq!(read(word).expect(word), (source, balanced), "{word}");
    }
    for (word, told) in [
        ("x:plies=0", "openings.plies: must be a whole number from 1 to 59, not the text \"0\""),
        ("x:plies=many:random", "openings.plies: must be a whole number from 1 to 59, not the text \"many\""),
        ("random=8:plies=8", "openings.plies: goes with `file` alone"),
        ("every=4:plies=8", "openings.plies: goes with `file` alone"),
        ("random=8:random", "openings.order: goes with `file` or `every`"),
        ("random=60", "openings.random: must be a whole number from 0 to 59, not the text \"60\""),
        (":plies=8", "names no file"),
    ] {
        let error = read(word).expect_err(word).to_string();
        assert!(error.contains(told), "{word}: {error}");
    }
}

#[test]
fn options_are_sent_as_their_engine_reads_them() {
    let options = "options = { A = 0x10, B = 1_000, C = +5, D = -7, E = false, F = '' }";
    let definition = sound(&with_engine(options));
    let values: Vec<_> = definition.engines[0].options.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["16", "1000", "5", "-7", "false", ""]);
    let table = with_engine("[engine.options]\nHash = 64\nThreads = 2");
    assert_eq!(sound(&table).engines[0].options.len(), 2);
    // Nobody puts a line of the protocol into an option.
    refused(&with_engine("options = { A = \"1\\nquit\" }"), 4, "engine[1].options.A", &["one line"]);
    for name in ["\"A\\nquit\"", "''"] {
        let error = parse(&with_engine(&format!("options = {{ {name} = 1 }}"))).expect_err(name).to_string();
        assert!(error.starts_with(&format!("{FILE}:4: engine[1].options.")), "{error}");
        assert!(!error.contains(char::is_control), "{error:?}");
    }
}

#[test]
fn an_environment_holds_what_an_environment_can() {
    for written in ["{ 'A=B' = 1 }", "{ '' = 1 }", "{ A = \"\\u0000\" }"] {
        let error = parse(&with_engine(&format!("env = {written}"))).expect_err(written).to_string();
        assert!(error.starts_with(&format!("{FILE}:4: engine[1].env")), "{error}");
        assert!(error.contains("environment"), "{error}");
    }
}

#[test]
fn starts() {
    let board = "---------------------------OO------XX---------------------------";
    for (written, start) in [
        ("", StartPosition::Diagonal),
        ("start = 'diagonal'", StartPosition::Diagonal),
        ("board = 6\nstart = 'parallel'", StartPosition::Parallel),
        ("variant = 'historical'", StartPosition::Empty),
        ("variant = 'historical'\nstart = 'diagonal'", StartPosition::Diagonal),
        (
            &format!("start = '{board} O'"),
            StartPosition::Custom(format!("{board} O").parse().expect("a position")),
        ),
    ] {
        assert_eq!(sound(&with(written)).start(), start, "{written}");
    }
    refused(&with("start = 'sideways'"), 2, "start", &["diagonal", "parallel", "position"]);
    refused(&with(&format!("start = 'XX{} X'", "-".repeat(62))), 2, "start", &["nobody can move"]);
    let historical = sound(&with("variant = 'historical'\nboard = 6"));
    assert_eq!(historical.start_position(), Position::empty_board(BoardSize::Six));
    for start in ["empty".to_owned(), format!("{} X", "-".repeat(64))] {
        let open = Definition::parse(Path::new("t.toml"), &with(&format!("start = '{start}'")));
        assert!(open.expect_err("an open centre").to_string().contains("variant = \"historical\""));
    }
    let other = Definition::parse(Path::new("t.toml"), &with(&format!("board = 6\nstart = '{board} O'")));
    assert!(other.expect_err("another board").to_string().contains("start: is a position on another board"));
}
