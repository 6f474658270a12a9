//! The example of the crate's documentation, with two programs of ours.

use std::process::Command;

#[test]
fn the_example_plays_a_game() {
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO")).args(arguments).output().expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    cargo(&["build", "--package", "random", "--package", "greedy"]);
    // Programs lie beside the folder of the tests.
    let folder = std::env::current_exe().expect("this program");
    let program = |name: &str| folder.ancestors().nth(2).map(|folder| folder.join(name)).unwrap_or_default();
    let (black, white) = (program("random").display().to_string(), program("greedy").display().to_string());
    let said = cargo(&["run", "--quiet", "--package", "play", "--example", "one_game", "--", &black, &white]);
    let last = said.lines().last().unwrap_or_default();
    assert!(said.contains("both are ready"), "{said}");
    assert!(last.starts_with(&format!("{black} - {white}: ")) && last.ends_with(", normal"), "{said}");
}
