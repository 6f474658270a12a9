//! What is set up outside for a confined engine, and taken down when it is gone.
//!
//! The names hold this process's number, so that what a killed referee left is known as such and
//! swept up by the next one.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, test_kill_process, waitpid};

use super::confine::{Confinement, is_root};

const FOLDER: (&str, &str) = ("outflank-sandbox-", ".tmp");
const GROUP: &str = "outflank-";

/// A temporary folder and a control group, as far as a confinement takes them.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) folder: Option<tempfile::TempDir>,
    pub(super) group: Option<Group>,
}

impl Cell {
    /// Sets it up for the engine of this mark.
    pub(super) fn open(confinement: &Confinement, mark: &str) -> io::Result<Self> {
        let folder = confinement.sandbox.then(make_folder).transpose()?;
        let most = confinement.resources.processes.filter(|_| is_root());
        Ok(Self { folder, group: most.map(|most| Group::open(most, mark)).transpose()? })
    }
}

fn make_folder() -> io::Result<tempfile::TempDir> {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| sweep_folders(&std::env::temp_dir()));
    let prefix = format!("{}{}-", FOLDER.0, std::process::id());
    tempfile::Builder::new().prefix(&prefix).suffix(FOLDER.1).tempdir()
}

/// Removes the folders that referees of this user left here who were killed.
fn sweep_folders(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(owner_of_folder) else { continue };
        // Not one of somebody who took such a name, nor what a link of such a name leads to.
        let ours = entry.metadata().is_ok_and(|found| {
            found.is_dir()
                && found.uid() == rustix::process::geteuid().as_raw()
                && found.mode() & 0o777 == 0o700
        });
        if ours && is_gone(owner) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whose folder it is by its name: the prefix, a process's number, and six letters or digits before the suffix.
fn owner_of_folder(name: &str) -> Option<Pid> {
    let (owner, rest) = name.strip_prefix(FOLDER.0)?.strip_suffix(FOLDER.1)?.split_once('-')?;
    let random = rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if random { Pid::from_raw(owner.parse().ok()?) } else { None }
}

/// Whether there is no such process any more.
fn is_gone(process: Pid) -> bool {
    test_kill_process(process) == Err(Errno::SRCH)
}

/// A control group in which processes are counted.
#[derive(Debug)]
pub(super) struct Group(pub(super) PathBuf);

impl Group {
    fn open(most: u64, mark: &str) -> io::Result<Self> {
        const OLD: &str = "/sys/fs/cgroup/pids";
        const NEW: &str = "/sys/fs/cgroup";
        let lists_pids = |file: &str| {
            let list = fs::read_to_string(format!("{NEW}/{file}")).unwrap_or_default();
            list.split_whitespace().any(|controller| controller == "pids")
        };
        let parent = if Path::new(OLD).join("cgroup.procs").exists() {
            OLD
        } else if lists_pids("cgroup.subtree_control") {
            NEW
        } else {
            return Err(io::Error::other(
                "the processes of root can be counted only in a control group, and there is none for that; run as another user",
            ));
        };
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep_groups(Path::new(parent)));
        let group = Path::new(parent).join(format!("{GROUP}{}-{mark}", std::process::id()));
        let inside = |error: io::Error| {
            io::Error::new(error.kind(), format!("cannot count processes in {}: {error}", group.display()))
        };
        fs::create_dir(&group).map_err(inside)?;
        let made = Self(group.clone());
        fs::write(group.join("pids.max"), most.to_string()).map_err(inside)?;
        Ok(made)
    }

    /// Kills what is in it: whatever hid from us (by an empty environment) is still found here.
    fn kill(&self) {
        let list = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        for process in list.lines().filter_map(|line| line.parse().ok().and_then(Pid::from_raw)) {
            let _ = kill_process(process, Signal::KILL);
            let _ = waitpid(Some(process), WaitOptions::NOHANG);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A process that was killed is in its group until it is quite gone.
        const ROUNDS: u32 = 1000;
        for _ in 0..ROUNDS {
            match fs::remove_dir(&self.0) {
                Err(error) if error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => self.kill(),
                _ => return,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Removes the groups of referees that were killed. One that is not empty stays.
fn sweep_groups(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(GROUP)?.split_once('-'));
        let owner = owner.and_then(|(number, _)| Pid::from_raw(number.parse().ok()?));
        if owner.is_some_and(is_gone) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_a_folder_that_was_ours_names_an_owner() {
        let owner = |name| owner_of_folder(name).map(Pid::as_raw_pid);
        assert_eq!(owner("outflank-sandbox-4711-aB3xYz.tmp"), Some(4711));
        for other in [
            "outflank-sandbox-4711-backup",
            "outflank-sandbox-4711-mine.tmp",
            "outflank-sandbox-x-aB3xYz.tmp",
            "outflank-sandbox-0-aB3xYz.tmp",
            "outflank-4711-aB3xYz.tmp",
        ] {
            assert_eq!(owner(other), None, "{other}");
        }
    }

    #[test]
    fn folders_of_the_dead_are_swept_and_of_the_living_are_not() {
        let place = tempfile::tempdir().expect("a folder");
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        child.wait().expect("its end");
        let make = |name: String, mode| {
            let path = place.path().join(name);
            fs::create_dir(&path).expect("a folder");
            fs::write(path.join("notes"), "x").expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode");
            path
        };
        let dead = make(format!("outflank-sandbox-{}-aaaaaa.tmp", child.id()), 0o700);
        let living = make(format!("outflank-sandbox-{}-aaaaaa.tmp", std::process::id()), 0o700);
        let open = make(format!("outflank-sandbox-{}-bbbbbb.tmp", child.id()), 0o755);
        sweep_folders(place.path());
        assert_eq!((dead.exists(), living.exists(), open.exists()), (false, true, true));
    }
}
