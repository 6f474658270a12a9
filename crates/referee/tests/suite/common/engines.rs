//! The programs that play. Cargo builds `referee` for its tests, but not the engines of other
//! packages, and the example only sometimes: this does, once, into the folder of `referee`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The folder with `referee`, `random`, `greedy`, `positional` and `mcts`; in it `examples` with those
/// that misbehave or stand in for others.
pub(crate) fn binaries() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_referee")).parent().expect("a folder").to_owned();
        build(&folder, &["-p", "random", "-p", "greedy", "-p", "positional", "-p", "mcts"]);
        let written = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
        let is_old = |name: &&str| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
            let built = written(&folder.join("examples").join(name)).unwrap_or(SystemTime::UNIX_EPOCH);
            written(&source).is_none_or(|source| source > built)
        };
        // Present after a whole `cargo test`, but not after `cargo test --test suite`.
        if ["faulty", "standin"].iter().any(is_old) {
            build(&folder, &["-p", "referee", "--examples"]);
        }
        folder
    })
}

/// The engine of `examples/faulty/`.
pub(crate) fn faulty() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| binaries().join("examples/faulty"))
}

/// Builds by the same profile into the same target folder as these tests.
fn build(folder: &Path, what: &[&str]) {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--manifest-path", manifest]).args(what);
    cargo.env("CARGO_TARGET_DIR", folder.parent().expect("the target folder"));
    cargo.env_remove("CARGO_BUILD_TARGET");
    match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(profile) => {
            cargo.args(["--profile", profile]);
        }
    }
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "{cargo:?}: {status}");
}
