//! A temporary folder for each engine in the sandbox.
//!
//! Its name holds this process's number, so that a folder that a killed referee left is known as such, and removed by
//! the next one. The engine decides how long a folder takes to go, so that is done by a thread of its own.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Once;

use rustix::process::Pid;

use super::{cleanup_thread, remove_dir};
use crate::procfs;

const FOLDER: (&str, &str) = ("outflank-sandbox-", ".tmp");

/// A temporary folder that nobody else may enter.
#[derive(Debug)]
pub(super) struct ScratchDir(PathBuf);

impl ScratchDir {
    pub(super) fn open() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let place = std::env::temp_dir();
        SWEPT.call_once(|| {
            let place = place.clone();
            cleanup_thread::later(move || sweep_folders(&place));
        });
        Self::make(&place, std::process::id())
    }

    pub(super) fn make(place: &Path, owner: u32) -> io::Result<Self> {
        let private = Permissions::from_mode(PRIVATE);
        let prefix = format!("{}{owner}-", FOLDER.0);
        let mut builder = tempfile::Builder::new();
        let made = builder.prefix(&prefix).suffix(FOLDER.1).permissions(private.clone()).tempdir_in(place)?;
        // The umask may have taken of it.
        fs::set_permissions(made.path(), private)?;
        Ok(Self(made.keep()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.0);
        cleanup_thread::later(move || {
            // The next run removes the rest.
            let _ = remove_dir::remove(&folder);
        });
    }
}

/// The mode of a folder.
const PRIVATE: u32 = 0o700;

/// Removes the folders that referees of this user left here who were killed.
fn sweep_folders(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(owner_of_folder) else { continue };
        // Not one of somebody who took such a name, nor what a link of such a name leads to.
        let ours = entry.metadata().is_ok_and(|found| {
            found.is_dir()
                && found.uid() == rustix::process::geteuid().as_raw()
                && found.mode() & 0o7777 == PRIVATE
        });
        if ours && procfs::is_gone(owner) {
            let _ = remove_dir::remove(&entry.path());
        }
    }
}

/// Whose folder it is by its name: the prefix, a process's number, and six letters or digits before the suffix.
fn owner_of_folder(name: &str) -> Option<Pid> {
    let (owner, rest) = name.strip_prefix(FOLDER.0)?.strip_suffix(FOLDER.1)?.split_once('-')?;
    let random = rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if random { Pid::from_raw(owner.parse().ok()?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    use std::time::Duration;

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
        // It has ended, but is not waited for yet.
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), ended).expect("its end");
        let left = |owner| {
            let folder = ScratchDir::make(place.path(), owner).expect("a folder");
            fs::write(folder.path().join("notes"), "x").expect("a file");
            // As it is left by who is killed.
            let path = folder.path().to_owned();
            std::mem::forget(folder);
            path
        };
        let (dead, living, open) = (left(child.id()), left(std::process::id()), left(child.id()));
        fs::set_permissions(&open, Permissions::from_mode(0o755)).expect("its mode");
        sweep_folders(place.path());
        assert_eq!((dead.exists(), living.exists(), open.exists()), (false, true, true));
        let dead_for_long = left(child.id());
        child.wait().expect("its end");
        sweep_folders(place.path());
        assert!(!dead_for_long.exists());
    }

    #[test]
    fn a_folder_is_private_and_goes_when_it_is_dropped() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = ScratchDir::make(place.path(), std::process::id()).expect("a folder");
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o7777, 0o700);
        fs::create_dir_all(path.join("a/b/c")).expect("directories");
        drop(folder);
        assert!(cleanup_thread::finish(Duration::from_secs(60)));
        assert!(!path.exists());
    }
}
