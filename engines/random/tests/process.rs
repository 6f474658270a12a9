//! The program itself, over pipes.

#[path = "../../../crates/engine-kit/tests/driver/mod.rs"]
mod driver;

#[test]
fn it_plays_by_the_rules() {
    driver::check(env!("CARGO_BIN_EXE_random"), "random", &["depth 1"]);
}
