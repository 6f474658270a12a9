//! Open files: how many a run needs, and whether the system allows that many.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Engines that a slot keeps up where there is room: a round robin of four then starts each once.
const MOST_UP: usize = 4;
/// The two that play.
const LEAST_UP: usize = 2;

/// How many games at once, and how many engines each slot keeps up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Games at once, at most what was wished for.
    pub slots: usize,
    /// Engines a slot keeps up, at least two.
    pub max_engines: usize,
}

/// Files that are open at once at most: three pipes and a handle an engine (one more while one is
/// being replaced), a runtime's own a slot, and the referee's.
fn needed(slots: usize, max_engines: usize) -> u64 {
    let of_a_slot = 4 * (max_engines + 1) + 6;
    (slots * of_a_slot + 24) as u64
}

/// What fits within a limit; `None` if not even one game does.
#[must_use]
pub fn capacity_for(slots: usize, limit: u64) -> Option<Capacity> {
    let fits = |slots: usize, max_engines: usize| needed(slots, max_engines) <= limit;
    if fits(slots, MOST_UP) {
        return Some(Capacity { slots, max_engines: MOST_UP });
    }
    let slots = (1..=slots).rev().find(|&slots| fits(slots, LEAST_UP))?;
    Some(Capacity { slots, max_engines: LEAST_UP })
}

/// Raises the soft limit to the hard one and says how many files may be open.
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
        for limit in 42..3000 {
            let room = capacity_for(100, limit).expect("one game fits");
            assert!(needed(room.slots, room.max_engines) <= limit);
        }
    }
}
