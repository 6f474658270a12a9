//! When nothing more can be written the run ends, and no recorded game is lost.

use std::path::Path;
use std::process::Command;

use crate::common::Arena;

const DEFINITION: &str = "\
name = \"t\"
seed = 5
pairs = 40
time = \"nodes=2\"
[[engine]]
command = \"greedy\"
[[engine]]
command = \"random\"
";

/// Without a limit on the size of files or the disk; run before it is compared with.
fn resumed_like_never_interrupted(arena: &Arena) {
    let whole = Arena::new();
    whole.write("t.toml", DEFINITION);
    whole.expect(0, &["run", "t.toml", "--quiet"]);
    assert!(arena.signature("t") == whole.signature("t"));
}

#[test]
fn a_file_that_may_not_grow() {
    let arena = Arena::new();
    arena.write("t.toml", DEFINITION);
    let mut limited = arena.command("sh");
    // Blocks of 512 or 1024 bytes, by the shell. Some games fit, not all.
    let shell = "trap '' XFSZ; ulimit -f 60; exec \"$0\" run t.toml --quiet";
    limited.args(["-c", shell, env!("CARGO_BIN_EXE_referee")]);
    let outcome = arena.start_command(limited).wait().expect(4);
    assert!(outcome.complaint().contains("games.jsonl"), "{}", outcome.err);
    assert!(outcome.err.contains("every game recorded before is safe"), "{}", outcome.err);
    arena.nobody_left();
    let recorded = arena.lines("t");
    assert!(recorded.len() > 3 && recorded.len() < 80, "{} games", recorded.len());
    assert!(arena.read("results/t/games.jsonl").ends_with('\n'), "no part of a game is left");
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.lines("t")[..recorded.len()], recorded);
    resumed_like_never_interrupted(&arena);
}

/// A small file system, gone again at the end.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(path: &'a Path, size: &str) -> Option<Self> {
        std::fs::create_dir(path).expect("a folder");
        let mount = ["-t", "tmpfs", "-o", size, "none"];
        let done = Command::new("mount").args(mount).arg(path).output();
        done.is_ok_and(|done| done.status.success()).then_some(Self(path))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk() {
    let arena = Arena::new();
    arena.write("t.toml", DEFINITION);
    let path = arena.path("results");
    let Some(_disk) = SmallDisk::mount(&path, "size=64k") else {
        println!("skipped: a small file system cannot be mounted here");
        return;
    };
    let outcome = arena.expect(4, &["run", "t.toml", "--quiet"]);
    assert!(outcome.err.contains("warning: only 0 MiB are free in results/t"), "{}", outcome.err);
    assert!(outcome.err.contains("cannot append to results/t/games.jsonl"), "{}", outcome.err);
    let recorded = arena.lines("t");
    assert!(!recorded.is_empty() && recorded.len() < 80, "{} games", recorded.len());
    let grown = Command::new("mount").args(["-o", "remount,size=4m"]).arg(&path).status();
    assert!(grown.expect("mount starts").success());
    arena.expect(0, &["run", "t.toml", "--quiet"]);
    assert_eq!(arena.lines("t")[..recorded.len()], recorded);
    resumed_like_never_interrupted(&arena);
}
