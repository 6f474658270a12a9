//! The processes of an engine (its own and all that it started), their processor time, and how to
//! hold them.
//!
//! They are found below the engine's process, and, where they left that tree, among the orphans that
//! were handed to us (see [`strays`]). What the system does not tell is left out: none of this is
//! needed for a game.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid, kill_process};

use super::strays;

/// The processes of the engine of this number and mark that run now, its own in front.
pub(super) fn members(leader: Pid, mark: &str) -> Vec<Pid> {
    let mut members = vec![leader];
    members.extend(strays::adopted(mark));
    let mut next = 0;
    while let Some(&member) = members.get(next) {
        next += 1;
        for child in strays::children_of(member) {
            if !members.contains(&child) {
                members.push(child);
            }
        }
    }
    members
}

/// The processor time used up to now by all that this engine started: what runs, to the nanosecond, and what
/// has ended and was waited for, to 10 ms. What the system does not tell is left out.
pub(super) fn others_time(leader: Pid, mark: &str) -> Duration {
    let members = members(leader, mark);
    let running = members[1..].iter().copied().filter_map(own_time);
    let ended = members.iter().copied().filter_map(time_of_children);
    running.chain(ended).sum()
}

/// How long the threads of this engine that run now could have run and had no core, all together (the second number
/// in `/proc/PID/task/TID/schedstat`, in nanoseconds; see Documentation/scheduler/sched-stats.rst of Linux). What the
/// system does not tell is left out.
pub(super) fn waited_for_a_core(leader: Pid, mark: &str) -> Duration {
    let tasks =
        |pid: Pid| fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).into_iter().flatten().flatten();
    let threads = members(leader, mark).into_iter().flat_map(tasks);
    let lines = threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    lines
        .filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
        .map(Duration::from_nanos)
        .sum()
}

/// Whether this system tells what processor time a process has used.
pub(crate) fn is_processor_time_known() -> bool {
    own_time(getpid()).is_some()
}

/// The processor time that this process has used up to now; `None` if the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn own_time(pid: Pid) -> Option<Duration> {
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(pid.as_raw_pid())).ok()?;
    clock.now().ok().map(Duration::from)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn own_time(_: Pid) -> Option<Duration> {
    None
}

/// Fields 16 and 17 of `/proc/PID/stat` (proc(5)), in ticks of the clock.
fn time_of_children(pid: Pid) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    let ticks = ticks_of_children(&stat)?;
    Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

fn ticks_of_children(stat: &str) -> Option<u64> {
    // The second field is the name, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields = rest.split_ascii_whitespace().skip(13).take(2);
    fields.map(|field| field.parse::<u64>().ok()).sum()
}

/// Sends a signal to each of them, also to those that are started meanwhile.
pub(super) fn signal_all(leader: Pid, mark: &str, signal: Signal) {
    // Whoever was told to stop starts nothing any more, so the second round finds the last ones but
    // for those whose parent was not yet known in the first.
    const ROUNDS: usize = 4;
    let mut told: Vec<Pid> = Vec::new();
    for _ in 0..ROUNDS {
        let members = members(leader, mark);
        let fresh: Vec<Pid> = members.into_iter().filter(|pid| !told.contains(pid)).collect();
        if fresh.is_empty() {
            return;
        }
        for &pid in &fresh {
            let _ = kill_process(pid, signal);
        }
        // Alone, and it was running nothing else: the usual case, without a second look.
        if told.is_empty() && fresh.len() == 1 && strays::children_of(leader).is_empty() {
            return;
        }
        told.extend(fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn ticks_stand_behind_any_name() {
        let stat = "7 (a ) b (c)) S 1 7 7 0 -1 4194560 1 2 3 4 50 60 70 8 20 0 1 0 99";
        assert_eq!(ticks_of_children(stat), Some(78));
        assert_eq!(ticks_of_children("7 x S 1"), None);
    }

    #[test]
    fn a_family_is_found_and_its_time_grows() {
        // A child that counts for ever.
        let script = "(while :; do :; done) & echo; wait";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        let mut shell = command.spawn().expect("a shell");
        let leader = Pid::from_child(&shell);
        let mut out = shell.stdout.take().expect("its output");
        std::io::Read::read_exact(&mut out, &mut [0]).expect("a line");
        let members = members(leader, "no such mark");
        assert_eq!((members[0], members.len()), (leader, 2), "{members:?}");
        while others_time(leader, "no such mark") < Duration::from_millis(20) {
            std::thread::yield_now();
        }
        assert!(own_time(leader).is_some_and(|time| time > Duration::ZERO));
        signal_all(leader, "no such mark", Signal::KILL);
        shell.wait().expect("its end");
    }
}
