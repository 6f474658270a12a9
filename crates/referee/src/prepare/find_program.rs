//! Finding an engine's program, and saying what is wrong with it before the first game.

use std::env;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a program can't be started.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LocateError {
    /// A path that leads nowhere.
    #[error("no such program: {}", .0.display())]
    Missing(PathBuf),
    /// A bare name that was found nowhere.
    #[error("no program `{name}` beside the referee ({}) or on PATH; a program that is named by its place is written with a /, as in ./{name}", beside.display())]
    NotOnPath {
        /// The name.
        name: String,
        /// The folder of the referee.
        beside: PathBuf,
    },
    /// A folder.
    #[error("{} is a folder, not a program", .0.display())]
    Folder(PathBuf),
    /// A file that may not be executed.
    #[error("{} is not executable; try chmod +x", .0.display())]
    NotExecutable(PathBuf),
    /// A script whose first line names an interpreter that is not there.
    #[error("{} wants the interpreter {interpreter}, which does not exist", program.display())]
    NoInterpreter {
        /// The script.
        program: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
}

/// Finds a program: a bare name beside the referee, then on PATH; a name with a `/` as a path, from
/// `folder` (the definition's) or else from the working directory. The result is absolute.
///
/// # Errors
/// [`LocateError`] if there is none, or it can't be started.
pub fn locate(program: &str, folder: Option<&Path>) -> Result<PathBuf, LocateError> {
    let found = if program.contains('/') {
        let from = folder.map_or_else(PathBuf::new, Path::to_owned);
        absolute(&from.join(program))
    } else {
        find_by_name(program)?
    };
    check(&found)?;
    Ok(found)
}

/// A path made absolute without following links; as it is if the working directory is gone.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // `a/./b` and `a//b` are tidied by the components; `..` stays, since links may be meant.
    path.components().collect()
}

fn find_by_name(name: &str) -> Result<PathBuf, LocateError> {
    let beside = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned)).unwrap_or_default();
    let on_path = env::var_os("PATH").unwrap_or_default();
    let folders =
        std::iter::once(beside.clone()).chain(env::split_paths(&on_path).map(|folder| absolute(&folder)));
    let candidates: Vec<PathBuf> =
        folders.map(|folder| folder.join(name)).filter(|path| path.is_file()).collect();
    // As a shell does: the first that can be executed, else the first that is there at all.
    let executable = candidates.iter().find(|path| is_executable(path));
    executable
        .or(candidates.first())
        .cloned()
        .ok_or_else(|| LocateError::NotOnPath { name: name.to_owned(), beside })
}

fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
        && fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

fn check(program: &Path) -> Result<(), LocateError> {
    let Ok(data) = fs::metadata(program) else { return Err(LocateError::Missing(program.to_owned())) };
    if data.is_dir() {
        return Err(LocateError::Folder(program.to_owned()));
    }
    if !is_executable(program) {
        return Err(LocateError::NotExecutable(program.to_owned()));
    }
    match interpreter(program) {
        Some(interpreter) if !Path::new(&interpreter).exists() => {
            Err(LocateError::NoInterpreter { program: program.to_owned(), interpreter })
        }
        _ => Ok(()),
    }
}

/// What the first line of a script names behind `#!`.
fn interpreter(program: &Path) -> Option<String> {
    let mut start = [0; 256];
    let length = File::open(program).ok()?.read(&mut start).ok()?;
    let line = start[..length].strip_prefix(b"#!")?;
    let line = String::from_utf8_lossy(line.split(|&byte| byte == b'\n').next()?).into_owned();
    line.split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_told_apart() {
        let folder = tempfile::tempdir().expect("folder");
        let file = |name: &str, text: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("write");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
            path
        };
        file("good", "#!/bin/sh\n", 0o755);
        let plain = file("plain", "#!/bin/sh\n", 0o644);
        let script = file("script", "#!/nowhere/python9 -u\n", 0o755);
        let find = |program: &str| locate(program, Some(folder.path()));
        assert_eq!(find("./good"), Ok(folder.path().join("good")));
        assert_eq!(find("./plain"), Err(LocateError::NotExecutable(plain)));
        assert_eq!(find("./none"), Err(LocateError::Missing(folder.path().join("none"))));
        assert_eq!(find("./"), Err(LocateError::Folder(folder.path().to_owned())));
        assert_eq!(
            find("./script"),
            Err(LocateError::NoInterpreter { program: script, interpreter: "/nowhere/python9".into() })
        );
        assert!(matches!(find("no-such-program-anywhere"), Err(LocateError::NotOnPath { .. })));
        assert!(find("sh").is_ok_and(|path| path.is_absolute()));
    }
}
