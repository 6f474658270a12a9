//! Which cores each game slot keeps to.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How many games run at once, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The cores of each slot; an empty list where a slot is not pinned.
    pub cores: Vec<Vec<usize>>,
    /// What the user should know of it.
    pub warning: Option<String>,
}

/// The cores that this process may use.
#[must_use]
pub fn allowed_cores() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
        Err(_) => {
            let count = std::thread::available_parallelism().map_or(1, usize::from);
            (0..count).collect()
        }
    }
}

/// Deals the cores out. A slot holds as many as its most demanding game uses threads; without a
/// wish there are as many slots as fit, at least one, and never more than there are games.
#[must_use]
pub fn deal(cores: &[usize], threads: usize, wish: Option<usize>, pin: bool, games: u64) -> Slots {
    let fitting = (cores.len() / threads.max(1)).max(1);
    let count = wish.unwrap_or(fitting);
    let count = count.min(usize::try_from(games).unwrap_or(usize::MAX)).max(1);
    let room = count * threads <= cores.len();
    if pin && room {
        let slots = cores.chunks_exact(threads.max(1)).take(count).map(<[usize]>::to_vec);
        return Slots { cores: slots.collect(), warning: None };
    }
    let warning = (!room).then(|| {
        let each = if threads == 1 { String::new() } else { format!(" of {threads} threads") };
        let what = format!("{count} games at once{each} on {} cores", cores.len());
        let consequence = if pin { "nothing is pinned, and the" } else { "the" };
        format!("{what}: {consequence} engines share cores, which distorts their clocks")
    });
    Slots { cores: vec![Vec::new(); count], warning }
}

/// Keeps the calling thread, and all that it starts from now on, to these cores. Without effect if
/// there are none or the system refuses.
pub fn keep_to(cores: &[usize]) {
    if cores.is_empty() {
        return;
    }
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    let _ = sched_setaffinity(None, &set);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_get_cores_of_their_own() {
        let slots = deal(&[0, 1, 4, 5], 1, None, true, 100);
        assert_eq!(slots, Slots { cores: vec![vec![0], vec![1], vec![4], vec![5]], warning: None });
        let slots = deal(&[0, 1, 4, 5], 2, None, true, 100);
        assert_eq!(slots.cores, [[0, 1], [4, 5]]);
        assert_eq!(deal(&[0, 1, 2], 2, None, true, 100).cores, [[0, 1]]);
        assert_eq!(deal(&[0, 1], 1, Some(1), true, 100).cores, [[0]]);
    }

    #[test]
    fn too_many_slots_are_warned_about_and_not_pinned() {
        let slots = deal(&[0, 1], 1, Some(4), true, 100);
        assert_eq!(slots.cores, vec![Vec::<usize>::new(); 4]);
        assert!(slots.warning.is_some_and(|text| text.contains("4 games at once on 2 cores")));
        let slots = deal(&[0], 4, None, true, 100);
        assert_eq!(slots.cores.len(), 1);
        assert!(slots.warning.is_some());
    }

    #[test]
    fn never_more_slots_than_games() {
        assert_eq!(deal(&[0, 1], 1, Some(8), true, 2).cores.len(), 2);
        assert_eq!(deal(&[0, 1], 1, None, false, 1).cores, [[0_usize; 0]]);
        assert_eq!(deal(&[0, 1], 1, None, true, 0).cores.len(), 1);
    }
}
