//! The processes of an engine (its own and all that it started), their processor time, and how to
//! hold and end them.
//!
//! Where an engine's processes have to be found whatever they do (it is confined, held between its turns, or charged
//! processor time), a [keeper](super::keeper) stands between us and it: all of them are below the keeper, and none
//! can leave. Otherwise they are those below the engine's own process, and, where they left that tree, the orphans that were
//! handed to us and carry the engine's mark (see [`strays`]). What the system does not tell is left out.

use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgid, getpid, kill_process, kill_process_group};

use super::strays;

/// The processes of one engine.
#[derive(Debug)]
pub(super) struct Family {
    /// Our own child: the engine, or its keeper.
    child: Pid,
    mark: String,
    is_kept: bool,
    /// The engine's own process below its keeper, once it was seen.
    kept: OnceLock<Pid>,
}

impl Family {
    /// The family of this child of ours, which is a keeper or the engine itself.
    pub(super) fn new(child: Pid, mark: String, is_kept: bool) -> Self {
        Self { child, mark, is_kept, kept: OnceLock::new() }
    }

    /// Our own child: the engine, or its keeper.
    pub(super) fn child(&self) -> Pid {
        self.child
    }

    /// Whether there is a keeper.
    pub(super) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// What everything in it carries in its environment that did not take it out.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }

    /// The engine's own process; `None` while its keeper has not started it.
    pub(super) fn engine(&self) -> Option<Pid> {
        if !self.is_kept {
            return Some(self.child);
        }
        let seen = self.kept.get().copied();
        // What the keeper starts comes first; what is handed to it is put behind.
        seen.or_else(|| {
            strays::children_of(self.child).first().map(|&first| *self.kept.get_or_init(|| first))
        })
    }

    /// All that run now, the engine's own in front while it runs.
    fn members(&self) -> Vec<Pid> {
        let mut members = if self.is_kept {
            strays::children_of(self.child)
        } else {
            let mut own = vec![self.child];
            own.extend(strays::adopted(&self.mark));
            own
        };
        strays::add_descendants(&mut members);
        members
    }

    /// The processor time that the engine's own process has used up to now.
    pub(super) fn own_time(&self) -> Option<Duration> {
        own_time(self.engine()?)
    }

    /// The processor time used up to now by all that it started: what runs, to the nanosecond, and what has ended and
    /// was waited for, to 10 ms. `None` once the engine's own process is gone: its time is among that of the ended then.
    pub(super) fn others_time(&self) -> Option<Duration> {
        let members = self.members();
        let engine = self.engine();
        let running = members.iter().copied().filter(|&pid| Some(pid) != engine).filter_map(own_time);
        let keeper = self.is_kept.then_some(self.child);
        let all = running.chain(members.iter().copied().chain(keeper).filter_map(time_of_children)).sum();
        // Looked at last: while its keeper has not waited for it, it is not among the ended.
        self.own_time()?;
        Some(all)
    }

    /// The processor time of all up to now, each by itself; `None` if the system does not tell.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.own_time()?;
        let members = self.members();
        let keeper = self.is_kept.then_some(self.child);
        let used = members.into_iter().chain(keeper).filter_map(|pid| {
            // What the keeper itself uses is ours.
            let own = if Some(pid) == keeper { Duration::ZERO } else { own_time(pid)? };
            Some(Used { pid, own, ended: time_of_children(pid).unwrap_or_default() })
        });
        Some(Usage(used.collect()))
    }

    /// How long the threads that run now could have run and had no core, all together (the second number
    /// in `/proc/PID/task/TID/schedstat`, in nanoseconds; see Documentation/scheduler/sched-stats.rst of Linux).
    pub(super) fn waited_for_a_core(&self) -> Duration {
        let tasks = |pid: Pid| {
            fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid())).into_iter().flatten().flatten()
        };
        let threads = self.members().into_iter().flat_map(tasks);
        let lines = threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
        lines
            .filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
            .map(Duration::from_nanos)
            .sum()
    }

    /// Sends a signal to each of them, also to those that are started meanwhile.
    pub(super) fn signal_all(&self, signal: Signal) {
        // Whoever was told to stop starts nothing any more, so the second round finds the last ones but
        // for those whose parent was not yet known in the first.
        const ROUNDS: usize = 4;
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
            if told.is_empty() && fresh.len() == 1 && strays::children_of(fresh[0]).is_empty() {
                return;
            }
            told.extend(fresh);
        }
    }

    /// Sends a signal to the engine's process group, and to its own process if that has left it.
    pub(super) fn signal_engine(&self, signal: Signal) {
        let Some(engine) = self.engine() else { return };
        // When its keeper has taken note of its end, another process may have its number.
        if self.is_kept && !strays::children_of(self.child).contains(&engine) {
            return;
        }
        let _ = kill_process_group(engine, signal);
        if getpgid(Some(engine)) != Ok(engine) {
            let _ = kill_process(engine, signal);
        }
    }
}

/// The processor time of some processes at one moment.
#[derive(Debug)]
pub(super) struct Usage(Vec<Used>);

/// The processor time of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Used {
    pid: Pid,
    own: Duration,
    /// That of its children that have ended and were waited for, and of theirs.
    ended: Duration,
}

impl Usage {
    /// What was used since an earlier moment. Of a process that has ended meanwhile that is not known, unless its parent has
    /// waited for it; but what it had used before is no credit for the others.
    pub(super) fn since(&self, earlier: &Self) -> Duration {
        let before = |now: &Used| {
            let same = |then: &&Used| then.pid == now.pid && then.own <= now.own && then.ended <= now.ended;
            earlier.0.iter().find(same)
        };
        let (mut used, mut ended) = (Duration::ZERO, Duration::ZERO);
        for now in &self.0 {
            let (own_before, ended_before) =
                before(now).map_or_else(Default::default, |then| (then.own, then.ended));
            ended += now.ended - ended_before;
            used += now.own - own_before + (now.ended - ended_before);
        }
        let is_gone = |then: &&Used| !self.0.iter().any(|now| before(now) == Some(*then));
        let gone: Duration = earlier.0.iter().filter(is_gone).map(|then| then.own + then.ended).sum();
        used - gone.min(ended)
    }
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
    let ticks = ticks_of_children(&strays::stat_of(pid)?)?;
    Some(Duration::from_secs(ticks) / u32::try_from(rustix::param::clock_ticks_per_second()).ok()?)
}

fn ticks_of_children(stat: &str) -> Option<u64> {
    let fields = strays::fields(stat)?.skip(13).take(2);
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
    fn a_family_is_found_and_its_time_grows() {
        // A child that counts for ever.
        let script = "(while :; do :; done) & echo; wait";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        let mut shell = command.spawn().expect("a shell");
        let family = Family::new(Pid::from_child(&shell), "no such mark".to_owned(), false);
        let mut out = shell.stdout.take().expect("its output");
        std::io::Read::read_exact(&mut out, &mut [0]).expect("a line");
        let members = family.members();
        assert_eq!((Some(members[0]), members.len()), (family.engine(), 2), "{members:?}");
        let before = family.usage().expect("its usage");
        while family.others_time() < Some(Duration::from_millis(20)) {
            std::thread::yield_now();
        }
        let used = family.usage().expect("its usage").since(&before);
        assert!(used > Duration::ZERO && family.own_time().is_some_and(|time| time > Duration::ZERO));
        family.signal_all(Signal::KILL);
        shell.wait().expect("its end");
    }

    #[test]
    fn who_ends_takes_no_credit_along() {
        let ms = Duration::from_millis;
        let usage = |each: &[(i32, u64, u64)]| {
            let used = |&(pid, own, ended)| Used {
                pid: Pid::from_raw(pid).expect("a pid"),
                own: ms(own),
                ended: ms(ended),
            };
            Usage(each.iter().map(used).collect())
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
