//! How many games run at once, and on which cores.

/// The games that run at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// The threads that run them.
    pub threads: Vec<SlotThread>,
    /// A warning for the user.
    pub warning: Option<String>,
}

/// A thread and the games that it runs at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotThread {
    /// The cores that it and its engines are pinned to; empty if they are not.
    pub cores: Vec<usize>,
    /// Games at once, at least 1.
    pub slots: usize,
}

impl Slots {
    /// Games at once on all threads.
    #[must_use]
    pub fn count(&self) -> usize {
        self.threads.iter().map(|thread| thread.slots).sum()
    }
}

/// Assigns cores to slots. A slot gets as many cores as its most demanding game uses threads. If no number of slots is
/// requested, there are as many as fit, at least one; there are never more than games. Slots that do not fit share
/// cores evenly. Slots with the same cores share a thread. If nothing is pinned, there is a thread for each core, or for
/// each slot if those are fewer.
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

/// The cores of a slot: the next ones in turn.
fn cores_of(slot: usize, cores: &[usize], threads: usize) -> Vec<usize> {
    let most = threads.min(cores.len());
    let mut own: Vec<usize> = (0..most).map(|core| cores[(slot * threads + core) % cores.len()]).collect();
    own.sort_unstable();
    own
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
}
