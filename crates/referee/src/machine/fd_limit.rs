//! The limit on open files: how many games and engines fit within it.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Engines that a slot keeps running if the limit allows. A round robin of four then starts each of them once.
const MOST_UP: usize = 4;
/// Engines that a slot needs: the two that play.
const LEAST_UP: usize = 2;

/// The number of slots, and of engines that each keeps running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Games at once, at most the number requested.
    pub slots: usize,
    /// Engines that a slot keeps running, at least two.
    pub max_engines: usize,
}

/// The most files open at once: per engine three pipes and a pidfd (and one engine more while another is replaced), per
/// slot those of a runtime and of an engine's start, and the referee's own.
fn needed(slots: usize, max_engines: usize) -> u64 {
    let of_a_slot = 4 * (max_engines + 1) + 8;
    (slots * of_a_slot + 24) as u64
}

/// What fits within `limit` open files; `None` if not even one game does.
#[must_use]
pub fn capacity_for(slots: usize, limit: u64) -> Option<Capacity> {
    let fits = |slots: usize, max_engines: usize| needed(slots, max_engines) <= limit;
    if fits(slots, MOST_UP) {
        return Some(Capacity { slots, max_engines: MOST_UP });
    }
    let slots = (1..=slots).rev().find(|&slots| fits(slots, LEAST_UP))?;
    Some(Capacity { slots, max_engines: LEAST_UP })
}

/// Raises the soft limit to the hard one. Returns the number of files that may be open.
#[must_use]
pub fn raise_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        let _ = setrlimit(Resource::Nofile, limit);
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_reduced() {
        assert_eq!(capacity_for(16, 1024), Some(Capacity { slots: 16, max_engines: MOST_UP }));
        assert_eq!(capacity_for(64, 64), Some(Capacity { slots: 2, max_engines: LEAST_UP }));
        assert_eq!(capacity_for(1, 30), None);
        for limit in 44..3000 {
            let room = capacity_for(100, limit).expect("one game fits");
            assert!(needed(room.slots, room.max_engines) <= limit);
        }
    }
}
