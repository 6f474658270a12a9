//! The example of the crate's documentation, with two programs of ours.

use std::process::Command;

#[test]
fn the_example_plays_a_game() {
    // Programs lie beside the folder of the tests. `cargo test` builds the example, but no engines.
    let test = std::env::current_exe().expect("this program");
    let folder = test.ancestors().nth(2).expect("the folder of programs");
    let build = |what: &[&str]| {
        let status = Command::new(env!("CARGO")).args(["build", "--quiet"]).args(what).status();
        assert!(status.expect("cargo starts").success(), "{what:?}");
    };
    build(&["-p", "random", "-p", "greedy", "-p", "positional", "-p", "mcts"]);
    let example = folder.join("examples/one_game");
    if !example.exists() {
        build(&["-p", "play", "--examples"]);
    }
    let program = |name: &str| folder.join(name).display().to_string();
    let (black, white) = (program("random"), program("greedy"));
    let output = Command::new(&example).args([&black, &white]).output().expect("the example");
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.lines().last().unwrap_or_default();
    assert!(said.contains("both are ready"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(last.starts_with(&format!("{black} - {white}: ")) && last.ends_with(", normal"), "{said}");
}
