//! A definition that is wrong is refused before anything is started or written, with one line that
//! says where: file, line and key.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Arena, faulty};

/// Two engines that are there, as the end of a definition.
const ENGINES: &str = "[[engine]]\ncommand = \"greedy\"\n[[engine]]\ncommand = \"random\"\n";

/// Refused with exit code 2 and one line that holds these words; no results folder is begun. The
/// place is the line with `#!`, if there is one.
#[track_caller]
fn refused(arena: &Arena, text: &str, words: &[&str]) {
    let path = arena.write("t.toml", text);
    let before = arena.entries();
    let outcome = arena.expect(2, &["run", "t.toml"]);
    let complaint = outcome.complaint();
    let place =
        text.lines().position(|line| line.ends_with("#!")).map(|line| format!("t.toml:{}:", line + 1));
    let file = path.display().to_string();
    assert!(complaint.contains("t.toml"), "the file is wanted ({file}): {complaint}\n{text}");
    for word in words.iter().copied().chain(place.as_deref()) {
        assert!(complaint.contains(word), "{word:?} is wanted: {complaint}\n{text}");
    }
    assert!(outcome.out.is_empty(), "{}", outcome.out);
    assert_eq!(arena.entries(), before, "nothing is written");
    arena.nobody_left();
}

#[test]
fn keys_and_values() {
    let arena = Arena::new();
    let heads: &[(&str, &[&str])] = &[
        ("concurency = 2 #!", &["concurency", "concurrency"]),
        ("pairs = \"3\" #!", &["pairs"]),
        ("pairs = 0 #!", &["pairs", "0"]),
        ("pairs = -3 #!", &["pairs", "-3"]),
        ("pairs = 1.5 #!", &["pairs", "1.5"]),
        ("pairs = 99999999999999999999 #!", &["pairs", "99999999999999999999"]),
        ("concurrency = 0 #!", &["concurrency", "0"]),
        ("concurrency = -1 #!", &["concurrency", "-1"]),
        ("seed = -1 #!", &["seed", "-1"]),
        ("time = \"fast\" #!", &["time", "fast"]),
        ("time = \"0s\" #!", &["time", "0s"]),
        ("time = \"0+0\" #!", &["time", "0+0"]),
        ("time = \"-5\" #!", &["time", "-5"]),
        ("time = \"movetime=0ms\" #!", &["time"]),
        ("time = \"nodes=0\" #!", &["time"]),
        ("time = true #!", &["time"]),
        ("board = 7 #!", &["board", "7"]),
        ("variant = \"chess\" #!", &["variant", "chess"]),
        ("format = \"swiss\" #!", &["format", "swiss"]),
        ("empties = \"mine\" #!", &["empties", "mine"]),
        ("openings = { random = 99 } #!", &["random", "99"]),
        ("openings = { random = 1, order = \"random\" } #!", &["order"]),
        ("openings = 5 #!", &["openings"]),
        ("openings = { } #!", &["openings"]),
        ("pin = \"yes\" #!", &["pin"]),
        ("limits = { start = \"0s\" } #!", &["start"]),
        ("limits = { startup = \"1s\" } #!", &["startup"]),
        ("pairs = 1\npairs = 2 #!", &["duplicate key"]),
        ("pairs = #!", &[]),
    ];
    for (head, words) in heads {
        refused(&arena, &format!("name = \"t\"\n{head}\n{ENGINES}"), words);
    }
    let wholes: &[(&str, &[&str])] = &[
        ("", &["name"]),
        ("name = \"t\"\n", &["engine"]),
        ("name = \"t\"\n[[engine]]\ncommand = \"greedy\"\n", &["two"]),
        ("name = \"a/b\" #!\n", &["a/b"]),
        ("name = \"\" #!\n", &["name"]),
        ("name = \"t\"\n[limits]\n[limits] #!\n", &["duplicate key"]),
    ];
    for (head, words) in wholes {
        let engines = if head.contains("#!") { ENGINES } else { "" };
        refused(&arena, &format!("{head}{engines}"), words);
    }
}

#[test]
fn engines() {
    let arena = Arena::new();
    arena.write("plain.py", "print()\n");
    arena.script("script.py", "#!/nowhere/python9\n");
    fs::create_dir(arena.path("folder")).expect("a folder");
    let faulty = faulty().display();
    let folder = arena.path("none").display().to_string();
    let options = |value: &str| format!("command = [\"{faulty}\", \"options\"]\noptions = {{ {value} }} #!");
    let cases: &[(&str, &[&str])] = &[
        ("command = \"./none\" #!", &["command", &folder]),
        ("command = \"no-such-engine-anywhere\" #!", &["command", "no-such-engine-anywhere", "PATH"]),
        ("command = \"./folder\" #!", &["folder, not a program"]),
        ("command = \"./plain.py\" #!", &["not executable", "chmod"]),
        ("command = \"./script.py\" #!", &["/nowhere/python9"]),
        ("command = \"\" #!", &["command"]),
        ("command = [] #!", &["command"]),
        ("command = \"a 'b\" #!", &["quote"]),
        ("command = 5 #!", &["command"]),
        ("name = \"no command\"", &["command"]),
        ("command = \"random\"\ndirectory = \"none\" #!", &["directory", &folder]),
        ("command = \"random\"\nthreads = 0 #!", &["threads", "0"]),
        ("command = \"random\"\nprotocol = \"uci2\" #!", &["protocol", "uci2"]),
        ("command = \"random\"\nnname = \"x\" #!", &["nname", "name"]),
        ("command = \"random\"\nname = \"\" #!", &["name"]),
        ("command = \"random\"\nname = \" x\" #!", &["name"]),
        ("command = \"random\"\ntime = \"soon\" #!", &["time", "soon"]),
        ("command = \"random\"\nname = \"greedy\" #!", &["greedy", "engine[1]", "engine[2]"]),
        ("command = \"greedy\" #!", &["greedy", "engine[1]", "engine[2]"]),
        ("command = \"random\"\noptions = { Nonsense = 1 } #!", &["Nonsense"]),
        (&options("Hash = 0"), &["Hash", "1", "1024"]),
        (&options("Hash = 4096"), &["Hash", "4096", "1024"]),
        (&options("Hash = \"big\""), &["Hash", "big"]),
        (&options("Ponder = \"yes\""), &["Ponder", "yes"]),
        (&options("Ponder = 1"), &["Ponder", "1"]),
        (&options("Style = \"Wild\""), &["Style", "Wild", "Risky"]),
        (&options("Style = \"a\\nquit\""), &["Style"]),
    ];
    for (entry, words) in cases {
        let text = format!("name = \"t\"\n[[engine]]\ncommand = \"greedy\"\n[[engine]]\n{entry}\n");
        refused(&arena, &text, words);
    }
    // What they do take.
    let text = format!(
        "name = \"t\"\nboard = 8\ntime = \"depth=1\"\n[[engine]]\ncommand = \"random\"\n[[engine]]\n{}\n",
        options("Ponder = true, Hash = 1024, Style = \"Risky\"")
    );
    arena.write("t.toml", text);
    arena.expect(0, &["run", "t.toml", "--quiet"]);
}

#[test]
fn opening_files() {
    let arena = Arena::new();
    let with = |file: &str| format!("name = \"t\"\nopenings = {{ file = {file:?} }}\n{ENGINES}");
    fs::create_dir(arena.path("folder")).expect("a folder");
    let missing = arena.path("none.txt").display().to_string();
    refused(&arena, &with("none.txt"), &["t.toml:2: openings.file", "no such file", &missing]);
    refused(&arena, &with("folder"), &["openings", "folder"]);
    refused(&arena, &with("/dev/zero"), &["openings", "/dev/zero is larger than 256 MiB"]);
    refused(&arena, &with(""), &["file"]);
    let lines: &[(&[u8], &[&str])] = &[
        (b"# nothing\n\n", &["o.txt", "no opening"]),
        (b"", &["o.txt", "no opening"]),
        (b"f5\nf5 d6\nf5 d6 c3 d3\nf5 d6 c3 d3 a1\n", &["o.txt:4", "a1", "5"]),
        (b"f5\nd3c3b3d2e1d6d7e3f4\n", &["o.txt:2", "over"]),
        (b"f5 pass\n", &["o.txt:1", "pass"]),
        (b"f5\nf5 i9\n", &["o.txt:2", "i9"]),
        (b"f5\nf5 \xff\n", &["o.txt:2", "UTF-8"]),
    ];
    for (text, words) in lines {
        arena.write("o.txt", text);
        let path = arena.write("t.toml", with("o.txt"));
        let outcome = arena.expect(2, &["run", path.to_str().expect("UTF-8")]);
        let complaint = outcome.complaint();
        assert!(words.iter().all(|word| complaint.contains(word)), "{words:?} are wanted: {complaint}");
        assert!(!arena.path("results").exists());
    }
}

#[test]
fn the_file_itself() {
    let arena = Arena::new();
    fs::create_dir(arena.path("folder.toml")).expect("a folder");
    arena.write("binary.toml", b"name = \"\xff\"\n");
    for (file, word) in [("none.toml", "no such file"), ("folder.toml", "folder"), ("binary.toml", "UTF-8")] {
        let outcome = arena.expect(2, &["run", file]);
        let complaint = outcome.complaint();
        let path = arena.path(file).display().to_string();
        assert!(complaint.contains(&path) && complaint.contains(word), "{word:?} is wanted: {complaint}");
    }
    assert!(!arena.path("results").exists());
}

#[test]
fn carriage_returns_and_a_byte_order_mark_are_read_past() {
    let arena = Arena::new();
    let text = format!("name = \"t\"\ntime = \"depth=1\"\nopenings = {{ file = \"o.txt\" }}\n{ENGINES}");
    arena.write("t.toml", format!("\u{feff}{}", text.replace('\n', "\r\n")));
    arena.write("o.txt", "\u{feff}# a comment\r\n\r\nf5\r\n");
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.games("t")[0]["opening"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_results_folder() {
    let arena = Arena::new();
    arena.write(
        "t.toml",
        format!("name = \"t\"\nboard = 4\ntime = \"depth=1\"\nopenings = {{ random = 1 }}\n{ENGINES}"),
    );
    arena.write("results/t", "a file");
    let outcome = arena.expect(2, &["run", "t.toml"]);
    assert!(outcome.complaint().contains("is a file"), "{}", outcome.err);
    arena.write("file", "a file");
    let outcome = arena.run(&["run", "t.toml", "--results", "file"]);
    assert!(matches!(outcome.code, Some(2 | 4)), "{outcome:?}");
    assert!(outcome.complaint().contains("file"), "{}", outcome.err);
    // Made with all the folders above it.
    arena.expect(0, &["run", "t.toml", "--results", "new/and/deep", "--quiet"]);
    assert!(arena.path("new/and/deep/t/standings.csv").exists());
    // Read-only, where that means anything (not to root).
    let locked = arena.path("locked");
    fs::create_dir(&locked).expect("a folder");
    fs::set_permissions(&locked, PermissionsExt::from_mode(0o555)).expect("mode");
    if fs::write(locked.join("probe"), "").is_err() {
        let outcome = arena.expect(4, &["run", "t.toml", "--results", "locked"]);
        assert!(outcome.complaint().contains("locked"), "{}", outcome.err);
    }
}

#[test]
fn the_command_line() {
    let arena = Arena::new();
    let cases: &[&[&str]] = &[
        &["run"],
        &["run", "t.toml", "--concurrency", "0"],
        &["run", "t.toml", "--quiet", "--json"],
        &["run", "t.toml", "--nonsense"],
        &["nonsense"],
        &["perft", "--board", "7"],
        &["perft", "--depth", "-1"],
        &["perft", "--position", "XO X"],
        &[
            "perft",
            "--board",
            "6",
            "--position",
            "---------------------------OX------XO--------------------------- X",
        ],
        &["match", "greedy", "random", "--pairs", "0"],
        &["match", "greedy", "random", "--time", "soon"],
        &["match", "greedy", "random", "--margin", "x"],
        &["match", "greedy"],
        &["match", "greedy", "no-such-engine-anywhere"],
        &["match", "greedy", "random", "--openings", "none.txt"],
        &["match", "--engine", "greedy", "colour=red", "--engine", "random"],
        &["match", "--engine", "greedy", "option.Nonsense=1", "--engine", "random"],
        &["match", "greedy", "random", "--name", "a/b"],
    ];
    for arguments in cases {
        let outcome = arena.expect(2, arguments);
        assert!(!outcome.err.trim().is_empty() && outcome.out.is_empty(), "{arguments:?}: {outcome:?}");
        assert!(!outcome.err.contains("panicked"), "{arguments:?}: {}", outcome.err);
        assert!(arena.entries().is_empty(), "{arguments:?}");
    }
    // Without any argument the help is shown.
    assert!(arena.expect(2, &[]).err.contains("Usage"));
}
