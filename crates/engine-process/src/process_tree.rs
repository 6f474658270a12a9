//! The processes of an engine (its own and all that it started), their processor time, and how to
//! hold and end them.
//!
//! Where an engine's processes have to be found whatever they do (it is confined, held between its turns, or charged
//! processor time), a [subreaper](crate::subreaper) stands between us and it: all of them are below the subreaper, and none
//! can leave. Otherwise they are those below the engine's own process, and, where they left that tree, the orphans that were
//! handed to us and carry the engine's mark (see [`procfs`]). Times that the system does not report are left out.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpgid, getpid, kill_process, kill_process_group, pidfd_open,
    waitpgid, waitpid,
};

use crate::procfs::{self, Orphan};

/// The processes of one engine.
#[derive(Debug)]
pub struct ProcessTree {
    /// Our own child: the engine, or its subreaper.
    child: Pid,
    mark: String,
    is_under_subreaper: bool,
    /// The engine's own process below its subreaper, once it was seen.
    below_subreaper: OnceLock<Pid>,
    /// Our child was waited for, so its number may be another's by now: no signal is sent any more.
    reaped: AtomicBool,
}

/// CPU time and waiting time of an engine's processes up to one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeTimes {
    /// CPU time of all that the engine's own process started: of running processes to the nanosecond, of ended ones
    /// that were waited for to 10 ms.
    pub others: Duration,
    /// How long the running threads, added up, were ready to run and had no core (the second number in
    /// `/proc/PID/task/TID/schedstat`, see Documentation/scheduler/sched-stats.rst of Linux).
    pub waited: Duration,
    /// How long the running threads, added up, ran.
    pub ran: Duration,
    /// The running threads.
    pub threads: u32,
}

impl ProcessTree {
    /// The tree below this child of ours, which is a subreaper or the engine itself.
    pub fn new(child: Pid, mark: String, is_under_subreaper: bool) -> Self {
        Self {
            child,
            mark,
            is_under_subreaper,
            below_subreaper: OnceLock::new(),
            reaped: AtomicBool::new(false),
        }
    }

    /// Our own child: the engine, or its subreaper.
    pub fn child(&self) -> Pid {
        self.child
    }

    /// True if there is a subreaper.
    pub fn is_under_subreaper(&self) -> bool {
        self.is_under_subreaper
    }

    /// The value of the environment variable by which its processes are recognised.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The engine's own process; `None` while its subreaper has not started it.
    pub fn engine(&self) -> Option<Pid> {
        if !self.is_under_subreaper {
            return Some(self.child);
        }
        let seen = self.below_subreaper.get().copied();
        // The subreaper's own child comes first in the list; orphans are appended.
        seen.or_else(|| {
            procfs::children_of(self.child).first().map(|&first| *self.below_subreaper.get_or_init(|| first))
        })
    }

    /// All that run now, the engine's own in front while it runs.
    fn members(&self) -> Vec<Pid> {
        let mut members =
            if self.is_under_subreaper { self.roots(&[]) } else { self.roots(&procfs::orphans_with_mark()) };
        procfs::add_descendants(&mut members);
        members
    }

    /// The processes that all others are below.
    fn roots(&self, orphans: &[Orphan]) -> Vec<Pid> {
        if self.is_under_subreaper {
            return procfs::children_of(self.child);
        }
        let left = orphans.iter().filter(|orphan| orphan.mark == self.mark).map(|orphan| orphan.pid);
        std::iter::once(self.child).chain(left).collect()
    }

    /// The processor time that the engine's own process has used up to now.
    pub fn own_time(&self) -> Option<Duration> {
        own_time(self.engine()?)
    }

    /// CPU time and waiting time of its processes up to now, read in one pass. `None` once the engine's own process is
    /// gone: its time is then among that of the ended.
    pub fn times(&self, orphans: &[Orphan]) -> Option<TreeTimes> {
        let mut found = self.roots(orphans);
        let mut times = TreeTimes::default();
        let mut next = 0;
        while let Some(&pid) = found.get(next) {
            next += 1;
            for thread in procfs::threads_of(pid) {
                times.threads += 1;
                let (ran, waited) = thread.ran_and_waited().unwrap_or_default();
                times.ran += ran;
                times.waited += waited;
                for child in thread.children() {
                    if !found.contains(&child) {
                        found.push(child);
                    }
                }
            }
        }
        let engine = self.engine();
        let running = found.iter().copied().filter(|&pid| Some(pid) != engine).filter_map(own_time);
        let subreaper = self.is_under_subreaper.then_some(self.child);
        times.others =
            running.chain(found.iter().copied().chain(subreaper).filter_map(time_of_children)).sum();
        // Looked at last: while its subreaper has not waited for it, it is not among the ended.
        self.own_time()?;
        Some(times)
    }

    /// How many threads of the engine's own process run or are ready to run at this moment.
    pub fn runnable_threads(&self) -> u32 {
        let threads = self.engine().into_iter().flat_map(procfs::threads_of);
        u32::try_from(threads.filter(procfs::Thread::is_runnable).count()).unwrap_or(u32::MAX)
    }

    /// The processor time of all up to now, each by itself; `None` if the system does not tell.
    pub fn usage(&self) -> Option<CpuSnapshot> {
        self.own_time()?;
        let members = self.members();
        let subreaper = self.is_under_subreaper.then_some(self.child);
        let used = members.into_iter().chain(subreaper).filter_map(|pid| {
            // The subreaper's own time is not the engine's.
            let own = if Some(pid) == subreaper { Duration::ZERO } else { own_time(pid)? };
            Some(ProcessCpu { pid, own, ended: time_of_children(pid).unwrap_or_default() })
        });
        Some(CpuSnapshot(used.collect()))
    }

    /// Sends a signal to each of them, also to those that are started meanwhile.
    pub fn signal_all(&self, signal: Signal) {
        // A stopped process cannot fork. So a second pass catches children forked during the first; further passes
        // catch theirs.
        const ROUNDS: usize = 4;
        if self.is_reaped() {
            return;
        }
        let mut told: Vec<Pid> = Vec::new();
        for _ in 0..ROUNDS {
            let members = self.members();
            let fresh: Vec<Pid> = members.into_iter().filter(|pid| !told.contains(pid)).collect();
            if fresh.is_empty() {
                return;
            }
            for &pid in &fresh {
                let _ = kill_process(pid, signal);
            }
            // Alone, and it was running nothing else: the usual case, without a second look.
            if told.is_empty() && fresh.len() == 1 && procfs::children_of(fresh[0]).is_empty() {
                return;
            }
            told.extend(fresh);
        }
    }

    /// Sends a signal to the engine's process group, and to its own process if that has left it.
    pub fn signal_engine(&self, signal: Signal) {
        let Some(engine) = self.engine().filter(|_| !self.is_reaped()) else { return };
        // When its subreaper has taken note of its end, another process may have its number.
        if self.is_under_subreaper && !procfs::children_of(self.child).contains(&engine) {
            return;
        }
        let _ = kill_process_group(engine, signal);
        if getpgid(Some(engine)) != Ok(engine) {
            let _ = kill_process(engine, signal);
        }
    }

    /// Kills the engine's process group, and with a subreaper all that is below it. The subreaper itself ends when the
    /// engine has ended, and ends what is left: what is below it is found only there.
    pub fn kill(&self) {
        self.signal_engine(Signal::KILL);
        if self.is_under_subreaper {
            self.signal_all(Signal::KILL);
        }
    }

    /// Kills our own child: the engine, or its subreaper.
    pub fn kill_child(&self) {
        if !self.is_reaped() {
            let _ = kill_process(self.child, Signal::KILL);
        }
    }

    /// Takes note of the end of our child and of its process group, and kills what the engine left elsewhere; true if
    /// nothing is left. A group is killed before its leader is reaped, since until then no other group can have its
    /// number. The children of a stray process become ours when it ends, so this is repeated until it returns true.
    pub fn reap(&self) -> bool {
        if !self.is_reaped() {
            self.signal_engine(Signal::KILL);
            if !matches!(waitpid(Some(self.child), WaitOptions::NOHANG), Ok(None)) {
                self.reaped.store(true, Ordering::SeqCst);
            }
        }
        let group_is_gone = loop {
            match waitpgid(self.child, WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        let strays = procfs::children_with_mark(&self.mark);
        for &stray in &strays {
            let _ = kill_process(stray, Signal::KILL);
            let _ = waitpid(Some(stray), WaitOptions::NOHANG);
        }
        self.is_reaped() && group_is_gone && strays.is_empty()
    }

    /// From now on no signal is sent, as the system does not let go of our child.
    pub fn give_up(&self) {
        self.reaped.store(true, Ordering::SeqCst);
    }

    fn is_reaped(&self) -> bool {
        self.reaped.load(Ordering::SeqCst)
    }

    /// Kills everything at once and waits for nothing but, for a moment, a subreaper: for an engine that is dropped
    /// without having been stopped.
    pub fn kill_and_forget(&self) {
        const PATIENCE: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };
        if self.is_reaped() {
            return;
        }
        self.kill();
        if self.is_under_subreaper
            && let Ok(exit) = pidfd_open(self.child, PidfdFlags::empty())
        {
            let _ = poll(&mut [PollFd::new(&exit, PollFlags::IN)], Some(&PATIENCE));
        }
        self.kill_child();
    }
}

/// The processor time of some processes at one moment.
#[derive(Debug)]
pub struct CpuSnapshot(Vec<ProcessCpu>);

/// The processor time of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessCpu {
    pid: Pid,
    own: Duration,
    /// That of its children that have ended and were waited for, and of theirs.
    ended: Duration,
}

impl CpuSnapshot {
    /// The CPU time used since an earlier moment. The time of a process that has ended meanwhile is known only if its parent
    /// has waited for it. Its earlier time is never subtracted from the time of the others.
    pub fn since(&self, earlier: &Self) -> Duration {
        let before = |now: &ProcessCpu| {
            let same =
                |then: &&ProcessCpu| then.pid == now.pid && then.own <= now.own && then.ended <= now.ended;
            earlier.0.iter().find(same)
        };
        let (mut used, mut ended) = (Duration::ZERO, Duration::ZERO);
        for now in &self.0 {
            let (own_before, ended_before) =
                before(now).map_or_else(Default::default, |then| (then.own, then.ended));
            ended += now.ended - ended_before;
            used += now.own - own_before + (now.ended - ended_before);
        }
        let is_gone = |then: &&ProcessCpu| !self.0.iter().any(|now| before(now) == Some(*then));
        let gone: Duration = earlier.0.iter().filter(is_gone).map(|then| then.own + then.ended).sum();
        used - gone.min(ended)
    }
}

/// True if this system tells what processor time a process has used.
pub fn is_processor_time_known() -> bool {
    own_time(getpid()).is_some()
}

/// The processor time that this process has used up to now; `None` if the system does not tell.
#[cfg(target_os = "linux")]
pub fn own_time(pid: Pid) -> Option<Duration> {
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(pid.as_raw_pid())).ok()?;
    clock.now().ok().map(Duration::from)
}

#[cfg(not(target_os = "linux"))]
pub fn own_time(_: Pid) -> Option<Duration> {
    None
}

/// Fields 16 and 17 of `/proc/PID/stat` (proc(5)), in ticks of the clock.
fn time_of_children(pid: Pid) -> Option<Duration> {
    let ticks = ticks_of_children(&procfs::stat_of(pid)?)?;
    Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

fn ticks_of_children(stat: &str) -> Option<u64> {
    let fields = procfs::fields(stat)?.skip(13).take(2);
    fields.map(|field| field.parse::<u64>().ok()).sum()
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
    fn a_tree_is_found_and_its_time_grows() {
        // A child that counts for ever.
        let script = "(while :; do :; done) & echo; wait";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        let mut shell = command.spawn().expect("a shell");
        let tree = ProcessTree::new(Pid::from_child(&shell), "no such mark".to_owned(), false);
        let mut out = shell.stdout.take().expect("its output");
        std::io::Read::read_exact(&mut out, &mut [0]).expect("a line");
        let members = tree.members();
        assert_eq!((Some(members[0]), members.len()), (tree.engine(), 2), "{members:?}");
        let before = tree.usage().expect("its usage");
        while tree.times(&[]).is_some_and(|times| times.others < Duration::from_millis(20)) {
            std::thread::yield_now();
        }
        let used = tree.usage().expect("its usage").since(&before);
        assert!(used > Duration::ZERO && tree.own_time().is_some_and(|time| time > Duration::ZERO));
        tree.signal_all(Signal::KILL);
        shell.wait().expect("its end");
    }

    #[test]
    fn a_process_that_ends_leaves_no_credit() {
        let ms = Duration::from_millis;
        let usage = |each: &[(i32, u64, u64)]| {
            let used = |&(pid, own, ended)| ProcessCpu {
                pid: Pid::from_raw(pid).expect("a pid"),
                own: ms(own),
                ended: ms(ended),
            };
            CpuSnapshot(each.iter().map(used).collect())
        };
        let before = usage(&[(1, 100, 10), (2, 300, 5)]);
        for (after, used, what) in [
            (usage(&[(1, 140, 10), (2, 310, 5)]), 50, "both run on"),
            (usage(&[(1, 140, 10)]), 40, "one has ended, and nobody waited for it"),
            (usage(&[(1, 140, 330)]), 55, "one used 15 more, has ended, and was waited for"),
            (usage(&[(1, 140, 310)]), 40, "it was waited for, and the clock of the ended is coarse"),
            (usage(&[(1, 100, 10), (2, 20, 0)]), 20, "another has its number"),
            (usage(&[(1, 100, 10), (2, 300, 5), (3, 70, 0)]), 70, "one more"),
            (usage(&[]), 0, "all have ended"),
        ] {
            assert_eq!(after.since(&before), ms(used), "{what}");
        }
    }
}
