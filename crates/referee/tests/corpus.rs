//! What the fuzzer found to be worth keeping, and what once went wrong, through the same laws, without a fuzzer.
//!
//! `fuzz/corpus` has a folder a target; `fuzz/run` is the fuzzer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[expect(unreachable_pub, reason = "the crate of the fuzzer has it public")]
#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

#[track_caller]
fn every_input(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("an input");
        let held = catch_unwind(AssertUnwindSafe(|| run(&bytes)));
        assert!(held.is_ok(), "{} breaks a law: see above", path.display());
        inputs += 1;
    }
    assert!(inputs > 0, "{} is empty", folder.display());
}

#[test]
fn dialects() {
    every_input("dialects", fuzz::dialects::run);
}

#[test]
fn games() {
    every_input("game", fuzz::game::run);
}

#[test]
fn formats() {
    every_input("formats", fuzz::formats::run);
}

#[test]
fn definitions() {
    every_input("definition", fuzz::definition::run);
}
