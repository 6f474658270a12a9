//! Which cores each game slot keeps to.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How many games run at once, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The threads that run them.
    pub threads: Vec<SlotThread>,
    /// What the user should know of it.
    pub warning: Option<String>,
}

/// A thread and the games that it runs at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotThread {
    /// The cores that it and its engines keep to; empty where it is not pinned.
    pub cores: Vec<usize>,
    /// Games at once, at least one.
    pub slots: usize,
}

impl Slots {
    /// Games at once, on all threads.
    #[must_use]
    pub fn count(&self) -> usize {
        self.threads.iter().map(|thread| thread.slots).sum()
    }
}

/// The cores that this process may use: those of its first thread, which is never pinned.
#[must_use]
pub fn allowed_cores() -> Vec<usize> {
    match sched_getaffinity(Some(rustix::process::getpid())) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
        Err(_) => {
            let count = std::thread::available_parallelism().map_or(1, usize::from);
            (0..count).collect()
        }
    }
}

/// Deals the cores out. A slot holds as many as its most demanding game uses threads; without a
/// wish there are as many slots as fit, at least one, and never more than there are games. Slots that do not fit
/// share cores evenly. Slots with the same cores share a thread; where nothing is pinned, there is a thread for each
/// core, or for each slot if those are fewer.
#[must_use]
pub fn assign_cores(
    cores: &[usize],
    threads: usize,
    requested: Option<usize>,
    pin: bool,
    games: u64,
) -> Slots {
    let threads = threads.max(1);
    let fitting = (cores.len() / threads).max(1);
    let count = requested.unwrap_or(fitting);
    let count = count.min(usize::try_from(games).unwrap_or(usize::MAX)).max(1);
    let warning = (count * threads > cores.len()).then(|| {
        let each = if threads == 1 { String::new() } else { format!(" of {threads} threads") };
        format!(
            "{count} games at once{each} on {} cores: the engines share cores, which distorts their clocks",
            cores.len()
        )
    });
    let mut dealt: Vec<SlotThread> = Vec::new();
    for slot in 0..count {
        let (thread, cores) = if pin {
            let cores = cores_of(slot, cores, threads);
            (dealt.iter().position(|thread| thread.cores == cores), cores)
        } else {
            let most = cores.len().max(1);
            ((dealt.len() == most).then_some(slot % most), Vec::new())
        };
        match thread {
            Some(thread) => dealt[thread].slots += 1,
            None => dealt.push(SlotThread { cores, slots: 1 }),
        }
    }
    Slots { threads: dealt, warning }
}

/// The cores of a slot: the next ones in turn, round and round.
fn cores_of(slot: usize, cores: &[usize], threads: usize) -> Vec<usize> {
    let most = threads.min(cores.len());
    let mut own: Vec<usize> = (0..most).map(|core| cores[(slot * threads + core) % cores.len()]).collect();
    own.sort_unstable();
    own
}

/// Keeps the calling thread, and all that it starts from now on, to these cores. Without effect if
/// there are none or the system refuses.
pub fn keep_to(cores: &[usize]) {
    if cores.is_empty() {
        return;
    }
    let _ = sched_setaffinity(None, &set_of(cores));
}

/// Calls `start` while this thread keeps to these cores, so that whatever it starts keeps to them from its first
/// moment on. An empty list changes nothing.
pub(crate) fn with_cores<T>(cores: &[usize], start: impl FnOnce() -> T) -> T {
    let before = if cores.is_empty() { None } else { sched_getaffinity(None).ok() };
    keep_to(cores);
    let started = start();
    if let Some(before) = before {
        let _ = sched_setaffinity(None, &before);
    }
    started
}

/// Asks the scheduler for short turns of the calling thread, 0.1 ms at a time: with several games on a core it then gets
/// the core sooner when an answer comes, which halves the clock error. Linux from 6.12 on takes that as a wish, older
/// systems leave it.
#[cfg_attr(target_os = "linux", expect(unsafe_code, reason = "no library wraps this call"))]
pub(crate) fn take_short_turns() {
    #[cfg(target_os = "linux")]
    {
        const SLICE_NANOS: u64 = 100_000;
        // SAFETY: a struct of plain integers, for which zero means "as by default".
        let mut wish: libc::sched_attr = unsafe { std::mem::zeroed() };
        wish.size = u32::try_from(size_of::<libc::sched_attr>()).unwrap_or(0);
        wish.sched_runtime = SLICE_NANOS;
        // SAFETY: the call reads `size` bytes of the struct, which lives until it returns, and changes only how the
        // calling thread (0) is scheduled. A kernel that does not know it returns an error.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wish, 0) };
    }
}

fn set_of(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores and the number of slots of each thread.
    fn dealt(
        cores: &[usize],
        threads: usize,
        requested: Option<usize>,
        pin: bool,
    ) -> Vec<(Vec<usize>, usize)> {
        let slots = assign_cores(cores, threads, requested, pin, 100);
        slots.threads.into_iter().map(|thread| (thread.cores, thread.slots)).collect()
    }

    #[test]
    fn slots_get_cores_of_their_own() {
        assert_eq!(dealt(&[0, 1, 4, 5], 1, None, true), [0, 1, 4, 5].map(|core| (vec![core], 1)));
        assert_eq!(dealt(&[0, 1, 4, 5], 2, None, true), [(vec![0, 1], 1), (vec![4, 5], 1)]);
        assert_eq!(dealt(&[0, 1, 2], 2, None, true), [(vec![0, 1], 1)]);
        assert_eq!(dealt(&[0, 1], 1, Some(1), true), [(vec![0], 1)]);
        assert_eq!(assign_cores(&[0, 1], 1, None, true, 100).warning, None);
    }

    #[test]
    fn slots_that_do_not_fit_share_cores_evenly() {
        let slots = assign_cores(&[0, 1], 1, Some(5), true, 100);
        assert_eq!(slots.count(), 5);
        assert_eq!(dealt(&[0, 1], 1, Some(5), true), [(vec![0], 3), (vec![1], 2)]);
        assert!(slots.warning.is_some_and(|text| text.contains("5 games at once on 2 cores")));
        assert_eq!(
            dealt(&[0, 1, 2], 2, Some(4), true),
            [(vec![0, 1], 2), (vec![0, 2], 1), (vec![1, 2], 1)],
            "each core has three threads, but for two with two"
        );
        assert_eq!(dealt(&[0], 4, None, true), [(vec![0], 1)]);
        assert!(assign_cores(&[0], 4, None, true, 100).warning.is_some());
    }

    #[test]
    fn threads_that_are_not_pinned_are_as_many_as_the_cores() {
        assert_eq!(dealt(&[0, 1], 1, Some(5), false), [(Vec::new(), 3), (Vec::new(), 2)]);
        assert_eq!(dealt(&[0, 1], 1, Some(1), false), [(Vec::new(), 1)]);
    }

    #[test]
    fn never_more_slots_than_games() {
        assert_eq!(assign_cores(&[0, 1], 1, Some(8), true, 2).count(), 2);
        assert_eq!(assign_cores(&[0, 1], 1, None, false, 1).count(), 1);
        assert_eq!(assign_cores(&[0, 1], 1, None, true, 0).count(), 1);
    }

    #[test]
    fn what_is_started_meanwhile_keeps_to_the_cores() {
        let before = sched_getaffinity(None).expect("the cores of this thread");
        let one = &allowed_cores()[..1];
        let inside = with_cores(one, || {
            std::process::Command::new("sh").args(["-c", "grep Cpus_allowed_list /proc/self/status"]).output()
        });
        let text = String::from_utf8(inside.expect("a shell").stdout).expect("text");
        assert_eq!(text.split_ascii_whitespace().last(), Some(one[0].to_string().as_str()));
        assert_eq!(sched_getaffinity(None).ok(), Some(before), "afterwards all cores again");
    }
}
