//! Room for what a run needs: processes and threads, disk space and inodes. What is missing is told before the first
//! game, and not by the first engine that can't be started.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use engine_process::procfs;
use rustix::process::{Pid, Resource, geteuid, getrlimit};

/// The least free space, in bytes: the record of some thousand games, with its reports.
const LEAST_SPACE: u64 = 16 << 20;
/// The least number of free inodes: the files of a results folder, and a folder for each engine in the sandbox.
const LEAST_INODES: u64 = 100;
/// Processes and threads of an engine: its own process, and what keeps it or what it starts.
const OF_AN_ENGINE: u64 = 4;
/// Threads of the referee itself, beside one for each slot.
const OF_THE_REFEREE: u64 = 8;

/// What a folder's file system has left.
#[derive(Clone, Copy, Debug)]
struct FreeSpace {
    bytes: u64,
    /// `None` where the file system makes inodes as it needs them.
    inodes: Option<u64>,
}

/// What there is too little of for so many games at once, each of which keeps so many engines running; `None` if there
/// is enough, as far as the system tells. `folders` are written to.
#[must_use]
pub fn shortage(slots: usize, max_engines: usize, folders: &[&Path]) -> Option<String> {
    let needed = slots as u64 * (max_engines as u64 * OF_AN_ENGINE + 1) + OF_THE_REFEREE;
    let of_processes = room_for_processes().and_then(|room| too_few_processes(needed, room));
    let of_folder = |folder: &&Path| too_little_space(folder, free_space(folder).ok()?);
    of_processes.or_else(|| folders.iter().find_map(of_folder))
}

fn too_few_processes(needed: u64, room: u64) -> Option<String> {
    (room < needed).then(|| {
        format!(
            "there is room for {room} more processes and threads, and these games take about {needed}; \
             raise the limit (ulimit -u, pids.max) or play fewer games at once (--concurrency)"
        )
    })
}

fn too_little_space(folder: &Path, free: FreeSpace) -> Option<String> {
    let folder = folder.display();
    if free.bytes < LEAST_SPACE {
        let (free, least) = (free.bytes >> 20, LEAST_SPACE >> 20);
        return Some(format!(
            "only {free} MiB are free in {folder}, and at least {least} are wanted; make room"
        ));
    }
    let inodes = free.inodes.filter(|&inodes| inodes < LEAST_INODES)?;
    Some(format!(
        "only {inodes} more files fit into {folder} (df -i), and at least {LEAST_INODES} are wanted; remove some"
    ))
}

fn free_space(folder: &Path) -> io::Result<FreeSpace> {
    let found = rustix::fs::statvfs(folder)?;
    let inodes = (found.f_files > 0).then_some(found.f_favail);
    Ok(FreeSpace { bytes: found.f_bavail.saturating_mul(found.f_frsize), inodes })
}

/// How many more processes and threads this user and this control group may have; `None` if there is no limit.
fn room_for_processes() -> Option<u64> {
    // Root is bound by none of its own.
    let of_user = getrlimit(Resource::Nproc).current.filter(|_| !geteuid().is_root());
    let of_user = of_user.map(|limit| limit.saturating_sub(threads_of_user()));
    of_user.into_iter().chain(room_in_group()).min()
}

/// The processes and threads of this user.
fn threads_of_user() -> u64 {
    let user = geteuid().as_raw();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user));
    let pids = own.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    pids.map(|pid| procfs::threads_of(pid).count() as u64).sum()
}

/// What the control group of this process has left (`pids.max`, version 2 of control groups).
fn room_in_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let folder = Path::new("/sys/fs/cgroup").join(path);
    let number =
        |file: &str| -> Option<u64> { fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok() };
    Some(number("pids.max")?.saturating_sub(number("pids.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(too_few_processes(20, 20), None);
        let text = too_few_processes(21, 20).expect("too few");
        assert!(text.contains("room for 20 more") && text.contains("about 21"), "{text}");
        let folder = Path::new("/results");
        let space = |bytes, inodes| too_little_space(folder, FreeSpace { bytes, inodes });
        assert_eq!(space(LEAST_SPACE, Some(LEAST_INODES)), None);
        assert_eq!(space(u64::MAX, None), None);
        assert!(space(3 << 20, None).is_some_and(|text| text.contains("only 3 MiB are free in /results")));
        assert!(
            space(u64::MAX, Some(7)).is_some_and(|text| text.contains("only 7 more files fit into /results"))
        );
    }

    #[test]
    fn this_machine_has_room_for_a_game() {
        assert_eq!(shortage(1, 2, &[Path::new("/proc/self/cwd")]), None);
        assert!(threads_of_user() > 0);
    }
}
