//! Processes that engines started and left behind.
//!
//! A process whose parent has ended is handed to the nearest ancestor that asked for it (`prctl
//! PR_SET_CHILD_SUBREAPER`): to us. So whatever outlives its engine becomes our child, also when it
//! made a process group or session of its own, and can be found among our children.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, test_kill_process, waitpid};

/// Marks everything that an engine starts: children inherit it, so a helper is known as this engine's even when it left
/// the process group and its parent has died.
pub const MARK: &str = "OUTFLANK_ENGINE";

/// From now on orphans below us are handed to us. Without effect where the system can't.
pub fn become_subreaper() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

/// True if the system lists the children of a process (CONFIG_PROC_CHILDREN of Linux).
static ARE_LISTED: LazyLock<bool> = LazyLock::new(|| Path::new("/proc/thread-self/children").exists());

/// The children of a process, of all its threads.
pub fn children_of(pid: Pid) -> Vec<Pid> {
    if !*ARE_LISTED {
        return children_by_parent(pid);
    }
    threads_of(pid).flat_map(|thread| thread.children()).collect()
}

/// A thread of a process.
pub struct Thread {
    process: Pid,
    /// Its folder below `/proc`.
    folder: PathBuf,
}

/// The threads of a process, in no order.
pub fn threads_of(process: Pid) -> impl Iterator<Item = Thread> {
    let entries =
        fs::read_dir(format!("/proc/{}/task", process.as_raw_pid())).into_iter().flatten().flatten();
    entries.map(move |entry| Thread { process, folder: entry.path() })
}

impl Thread {
    /// A thread of a process.
    pub fn new(process: Pid, thread: Pid) -> Self {
        let folder = format!("/proc/{}/task/{}", process.as_raw_pid(), thread.as_raw_pid());
        Self { process, folder: folder.into() }
    }

    /// Its children; where the system does not list them by thread, the first thread gets those of all threads.
    pub fn children(&self) -> Vec<Pid> {
        if *ARE_LISTED {
            return numbers(&fs::read_to_string(self.folder.join("children")).unwrap_or_default());
        }
        let first = self.folder.file_name().and_then(|name| name.to_str()?.parse().ok());
        if first == Some(self.process.as_raw_pid()) { children_by_parent(self.process) } else { Vec::new() }
    }

    /// How long it ran, and how long it was ready to run and had no core: the first two numbers in its `schedstat`, in
    /// nanoseconds. A wait counts once it is over.
    pub fn ran_and_waited(&self) -> Option<(Duration, Duration)> {
        let line = fs::read_to_string(self.folder.join("schedstat")).ok()?;
        let mut numbers =
            line.split_ascii_whitespace().map(|word| word.parse().ok().map(Duration::from_nanos));
        Some((numbers.next()??, numbers.next()??))
    }

    /// True if it runs or is ready to run.
    pub fn is_runnable(&self) -> bool {
        let stat = fs::read_to_string(self.folder.join("stat")).unwrap_or_default();
        fields(&stat).is_some_and(|mut fields| fields.next() == Some("R"))
    }
}

/// How many processes the kernel has killed since the machine was out of memory, in all control groups; `None` if it
/// does not tell.
pub fn oom_kills() -> Option<u64> {
    let counters = fs::read_to_string("/proc/vmstat").ok()?;
    counters.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

/// The children of a process, looked for among all processes.
fn children_by_parent(parent: Pid) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    all.filter(|&pid| parent_of(pid) == Some(parent)).collect()
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = stat_of(pid)?;
    Pid::from_raw(fields(&stat)?.nth(1)?.parse().ok()?)
}

/// What `/proc/PID/stat` says of a process (proc(5)).
pub fn stat_of(pid: Pid) -> Option<String> {
    fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()
}

/// Its fields from the third on, the state: the second is the name, which may hold anything.
pub fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_ascii_whitespace())
}

/// All that is below a process.
pub fn descendants(pid: Pid) -> Vec<Pid> {
    let mut found = children_of(pid);
    add_descendants(&mut found);
    found
}

/// Adds to some processes all that is below them.
pub fn add_descendants(found: &mut Vec<Pid>) {
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        for child in children_of(parent) {
            if !found.contains(&child) {
                found.push(child);
            }
        }
    }
}

/// What was handed to our first thread, which starts no engine itself; nothing where the system does not tell the children of
/// one thread from those of another.
fn orphans() -> Vec<Pid> {
    let path = format!("/proc/self/task/{}/children", getpid().as_raw_pid());
    numbers(&fs::read_to_string(path).unwrap_or_default())
}

/// A process whose parent has ended, of the engine with this mark.
#[derive(Debug)]
pub struct Orphan {
    pub pid: Pid,
    pub mark: String,
}

/// All orphans that carry an engine's mark.
pub fn orphans_with_mark() -> Vec<Orphan> {
    let marked = |pid| Some(Orphan { pid, mark: mark_of(pid)? });
    orphans().into_iter().filter_map(marked).collect()
}

fn numbers(list: &str) -> Vec<Pid> {
    list.split_ascii_whitespace().filter_map(|word| word.parse().ok().and_then(Pid::from_raw)).collect()
}

/// Our children whose environment holds this engine's mark.
pub fn children_with_mark(mark: &str) -> Vec<Pid> {
    children_of(getpid()).into_iter().filter(|&pid| mark_of(pid).as_deref() == Some(mark)).collect()
}

/// Takes note of the end of orphans: until somebody does, each keeps a number that no other process can have. To be called
/// when a child has ended, while our first thread waits for no child of its own.
pub fn reap_orphans() {
    for orphan in orphans() {
        let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
    }
}

/// The mark in a process's environment.
fn mark_of(pid: Pid) -> Option<String> {
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_pid())).ok()?;
    let mut variables = environment.split(|&byte| byte == 0).filter_map(|it| std::str::from_utf8(it).ok());
    variables.find_map(|variable| Some(variable.strip_prefix(MARK)?.strip_prefix('=')?.to_owned()))
}

/// Kills all children and whatever is handed to us when they end, until none is left or, against
/// all expectation, new ones keep coming. To be called when no engine is wanted any more.
pub fn kill_all_children() {
    const ROUNDS: u32 = 10_000;
    for _ in 0..ROUNDS {
        let children = children_of(getpid());
        if children.is_empty() {
            return;
        }
        for child in &children {
            // From below: should we be killed before we are through, whoever is left has a subreaper still.
            for below in descendants(*child) {
                let _ = kill_process(below, Signal::KILL);
            }
            let _ = kill_process(*child, Signal::KILL);
        }
        for child in children {
            // KILL cannot be refused: this waits for as long as the system takes to end it.
            let _ = waitpid(Some(child), WaitOptions::empty());
        }
    }
}

/// True if there is no such process any more, or only what nobody has waited for (in a container for ever).
pub fn is_gone(process: Pid) -> bool {
    let is_zombie = |stat: &str| fields(stat).is_some_and(|mut fields| fields.next() == Some("Z"));
    test_kill_process(process) == Err(Errno::SRCH) || stat_of(process).as_deref().is_some_and(is_zombie)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn children_are_found_without_a_list_too() {
        let mut child = Command::new("sleep").arg("100").spawn().expect("a process");
        let pid = Pid::from_child(&child);
        assert!(children_of(getpid()).contains(&pid) && children_by_parent(getpid()).contains(&pid));
        child.kill().expect("it runs");
        child.wait().expect("its end");
        assert!(!children_by_parent(getpid()).contains(&pid));
    }

    #[test]
    fn orphans_that_have_ended_are_taken_note_of() {
        become_subreaper();
        let before = orphans().len();
        let script = "for i in 1 2 3 4 5; do sleep 0 & done; exit 0";
        Command::new("sh").args(["-c", script]).status().expect("a shell");
        // They are ours now, and end one by one.
        while orphans().len() > before {
            reap_orphans();
            std::thread::yield_now();
        }
    }
}
