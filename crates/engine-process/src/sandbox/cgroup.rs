//! A control group for each engine of root's whose processes are counted: resource limits do not bind root.
//!
//! Its name holds this process's number, so that the next referee removes a group that a killed one left.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::cleanup_thread;
use crate::procfs;

const GROUP: &str = "outflank-";

/// A control group in which processes are counted.
#[derive(Debug)]
pub(super) struct Cgroup(PathBuf);

impl Cgroup {
    pub(super) fn open(most: u64, mark: &str) -> io::Result<Self> {
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

    pub(super) fn path(&self) -> &Path {
        &self.0
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
            cleanup_thread::later(move || {
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
        if owner.is_some_and(procfs::is_gone) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}
