//! What is set up outside for a confined engine, and taken down when it is gone.
//!
//! The names hold this process's number, so that what a killed referee left is known as such and
//! swept up by the next one. How long folders take to go is up to the engines that filled them, so that is done on
//! a thread of its own, and no game waits for it.

mod removal;
mod sweeper;

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, test_kill_process, waitpid};

use super::confine::{NAME, SandboxPolicy, is_root};
use super::procfs;

const FOLDER: (&str, &str) = ("outflank-sandbox-", ".tmp");
const GROUP: &str = "outflank-";

/// Waits at the orderly end until all that is to go is gone, at most so long. What is left then is swept up by the
/// next run.
pub(crate) fn finish(patience: Duration) {
    sweeper::finish(patience);
}

/// A control group and a temporary folder, as far as a confinement takes them. They go in this order: who was killed
/// with the group fills the folder no more.
#[derive(Debug, Default)]
pub(super) struct SandboxResources {
    pub(super) group: Option<Cgroup>,
    pub(super) folder: Option<ScratchDir>,
}

impl SandboxResources {
    /// Sets it up for the engine of this mark.
    pub(super) fn open(confinement: &SandboxPolicy, mark: &str) -> io::Result<Self> {
        let folder = confinement.sandbox.then(ScratchDir::open).transpose()?;
        let most = confinement.resources.processes.filter(|_| is_root());
        Ok(Self { group: most.map(|most| Cgroup::open(most, mark)).transpose()?, folder })
    }

    /// The words by which a process is told how to confine itself here; to be followed by `--`, the program and its
    /// arguments.
    pub(super) fn words(&self, confinement: &SandboxPolicy) -> Vec<OsString> {
        let mut words = confinement.words();
        if let Some(folder) = &self.folder {
            words.push(word("sandbox=", folder.path().as_os_str()));
        }
        if let Some(group) = &self.group {
            words.push(word("group=", group.0.as_os_str()));
        }
        words
    }

    /// Whether there is nothing to remove.
    pub(super) fn is_empty(&self) -> bool {
        self.group.is_none() && self.folder.is_none()
    }
}

/// Finds out whether this system can confine a process like this, by doing it.
///
/// # Errors
/// Why it can't, in one line.
pub(crate) fn probe(confinement: &SandboxPolicy) -> Result<(), String> {
    if confinement.is_none() {
        return Ok(());
    }
    let cell = SandboxResources::open(confinement, "probe").map_err(|error| error.to_string())?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(NAME).args(cell.words(confinement)).stdin(Stdio::null());
    let ended = command.output().map_err(|error| error.to_string())?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    Err(said.lines().last().unwrap_or("the system gives no reason").to_owned())
}

fn word(key: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(key);
    word.push(value);
    word
}

/// A temporary folder that nobody else may enter.
#[derive(Debug)]
pub(super) struct ScratchDir(PathBuf);

impl ScratchDir {
    fn open() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let place = std::env::temp_dir();
        SWEPT.call_once(|| {
            let place = place.clone();
            sweeper::later(move || sweep_folders(&place));
        });
        Self::make(&place, std::process::id())
    }

    fn make(place: &Path, owner: u32) -> io::Result<Self> {
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
        sweeper::later(move || {
            // What stays is the next run's.
            let _ = removal::remove(&folder);
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
        if ours && is_gone(owner) {
            let _ = removal::remove(&entry.path());
        }
    }
}

/// Whose folder it is by its name: the prefix, a process's number, and six letters or digits before the suffix.
fn owner_of_folder(name: &str) -> Option<Pid> {
    let (owner, rest) = name.strip_prefix(FOLDER.0)?.strip_suffix(FOLDER.1)?.split_once('-')?;
    let random = rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if random { Pid::from_raw(owner.parse().ok()?) } else { None }
}

/// Whether there is no such process any more, or only what nobody has waited for (in a container for ever).
fn is_gone(process: Pid) -> bool {
    let is_zombie = |stat: &str| procfs::fields(stat).is_some_and(|mut fields| fields.next() == Some("Z"));
    test_kill_process(process) == Err(Errno::SRCH)
        || procfs::stat_of(process).as_deref().is_some_and(is_zombie)
}

/// A control group in which processes are counted.
#[derive(Debug)]
pub(super) struct Cgroup(pub(super) PathBuf);

impl Cgroup {
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
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // A process that was killed is in its group until it is quite gone, as a rule for a few milliseconds. One
        // that the system holds for longer holds up no result.
        const AT_ONCE: u32 = 5;
        const LATER: u32 = 1000;
        if !is_removed(&self.0, AT_ONCE) {
            let group = std::mem::take(&mut self.0);
            sweeper::later(move || {
                is_removed(&group, LATER);
            });
        }
    }
}

/// Kills what is in a group and removes it; whether it is gone after so many rounds of a millisecond.
fn is_removed(group: &Path, rounds: u32) -> bool {
    for _ in 0..rounds {
        match fs::remove_dir(group) {
            Err(error) if error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => kill(group),
            _ => return true,
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

/// Kills what is in a group: whatever hid from us (by an empty environment) is still found here.
fn kill(group: &Path) {
    // Nobody starts another meanwhile.
    let _ = fs::write(group.join("pids.max"), "0");
    let list = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    for process in list.lines().filter_map(|line| line.parse().ok().and_then(Pid::from_raw)) {
        let _ = kill_process(process, Signal::KILL);
        let _ = waitpid(Some(process), WaitOptions::NOHANG);
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
    use rustix::process::{WaitId, WaitIdOptions, waitid};

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
    fn who_is_in_a_group_is_killed_with_it_before_the_folder_goes() {
        let Ok(group) = Cgroup::open(8, "test") else { return println!("skipped: no control group") };
        let place = tempfile::tempdir().expect("a folder");
        let folder = ScratchDir::make(place.path(), std::process::id()).expect("a folder");
        let (group_path, folder_path) = (group.0.clone(), folder.path().to_owned());
        // It goes on making directories for as long as it lives.
        let script = "echo $$ > \"$0/cgroup.procs\"; while :; do i=$((i + 1)); mkdir -p $i/a; done";
        let mut shell = std::process::Command::new("sh");
        let shell = shell.args(["-c", script]).arg(&group_path).current_dir(&folder_path);
        let mut child = shell.spawn().expect("a shell");
        while !folder_path.join("1").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(SandboxResources { group: Some(group), folder: Some(folder) });
        assert!(sweeper::finish(Duration::from_secs(60)));
        assert!(!group_path.exists() && !folder_path.exists());
        let _ = child.wait(); // Most often it was waited for already.
    }

    #[test]
    fn a_folder_is_private_and_goes_with_its_cell() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = ScratchDir::make(place.path(), std::process::id()).expect("a folder");
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o7777, 0o700);
        fs::create_dir_all(path.join("a/b/c")).expect("directories");
        drop(SandboxResources { group: None, folder: Some(folder) });
        assert!(sweeper::finish(Duration::from_secs(60)));
        assert!(!path.exists());
    }
}
