//! Which cores a thread, and what it starts, keeps to.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

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
pub fn with_cores<T>(cores: &[usize], start: impl FnOnce() -> T) -> T {
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
pub fn take_short_turns() {
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
