//! Limits and the sandbox for an engine's processes, enforced by the operating system.
//!
//! An engine that is confined is started by way of this same program under the name `outflank-confine`: it
//! sets the limits on itself, closes itself in, and then becomes the engine. So no moment passes in which
//! the engine runs without them, and everything it starts inherits them.
//!
//! - Memory, processor time, open files and the size of files are resource limits, each process's own.
//! - Processes are counted in a user namespace of the engine's own; for root, whom that does not
//!   bind, in a control group.
//! - In the sandbox there is a network namespace without a network, one of its own for shared memory and
//!   queues of messages (SysV, POSIX), and Landlock leaves of the file
//!   system only reading, but for a temporary folder of the engine's own. Where the kernel knows how,
//!   signals reach no process outside either. A filter on system calls sees to what Landlock does not:
//!   modes, owners, times and attributes of files, sockets of the file system, priorities of others.

mod cgroup;
mod cleanup_thread;
pub mod enter;
mod policy;
mod remove_dir;
mod scratch_dir;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod seccomp;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use cgroup::Cgroup;
use enter::NAME;
use policy::is_root;
use scratch_dir::ScratchDir;

pub use policy::SandboxPolicy;

/// Waits at the end of a run until all groups and folders are removed, at most so long. The next run removes the rest.
pub fn finish(patience: Duration) {
    cleanup_thread::finish(patience);
}

/// A control group and a temporary folder, as far as a confinement takes them. They go in this order: who was killed
/// with the group fills the folder no more.
#[derive(Debug, Default)]
pub struct SandboxResources {
    group: Option<Cgroup>,
    folder: Option<ScratchDir>,
}

impl SandboxResources {
    /// Sets it up for the engine of this mark.
    pub fn open(confinement: &SandboxPolicy, mark: &str) -> io::Result<Self> {
        let folder = confinement.sandbox.then(ScratchDir::open).transpose()?;
        let most = confinement.resources.processes.filter(|_| is_root());
        Ok(Self { group: most.map(|most| Cgroup::open(most, mark)).transpose()?, folder })
    }

    /// The words by which a process is told how to confine itself here; to be followed by `--`, the program and its
    /// arguments.
    pub fn words(&self, confinement: &SandboxPolicy) -> Vec<OsString> {
        let mut words = confinement.words();
        if let Some(folder) = &self.folder {
            words.push(word("sandbox=", folder.path().as_os_str()));
        }
        if let Some(group) = &self.group {
            words.push(word("group=", group.path().as_os_str()));
        }
        words
    }

    /// True if there is nothing to remove.
    pub fn is_empty(&self) -> bool {
        self.group.is_none() && self.folder.is_none()
    }
}

/// Finds out whether this system can confine a process like this, by doing it.
///
/// # Errors
/// Why it can't, in one line.
pub fn probe(confinement: &SandboxPolicy) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_in_a_group_is_killed_with_it_before_the_folder_goes() {
        let Ok(group) = Cgroup::open(8, "test") else { return println!("skipped: no control group") };
        let place = tempfile::tempdir().expect("a folder");
        let folder = ScratchDir::make(place.path(), std::process::id()).expect("a folder");
        let (group_path, folder_path) = (group.path().to_owned(), folder.path().to_owned());
        // It goes on making directories for as long as it lives.
        let script = "echo $$ > \"$0/cgroup.procs\"; while :; do i=$((i + 1)); mkdir -p $i/a; done";
        let mut shell = std::process::Command::new("sh");
        let shell = shell.args(["-c", script]).arg(&group_path).current_dir(&folder_path);
        let mut child = shell.spawn().expect("a shell");
        while !folder_path.join("1").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(SandboxResources { group: Some(group), folder: Some(folder) });
        assert!(cleanup_thread::finish(Duration::from_secs(60)));
        assert!(!group_path.exists() && !folder_path.exists());
        let _ = child.wait(); // Most often it was waited for already.
    }
}
