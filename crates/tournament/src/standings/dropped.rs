//! How many games were dropped, and why.

use std::collections::{BTreeMap, BTreeSet};

use records::{DropReason, DroppedGame};

/// Games that were dropped. One that was dropped several times counts once; if that was for several reasons, it counts
/// under each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DroppedCounts {
    pub games: u64,
    /// Those of them that were played again and are recorded.
    pub played_again: u64,
    /// The reasons that occurred, each with its number of games.
    pub reasons: BTreeMap<DropReason, u64>,
    /// The engines that were suspended out of their turn since they took the cores of their opponents, by name.
    pub suspended: BTreeSet<String>,
}

impl DroppedCounts {
    /// Counts games; `is_recorded` tells for the index of a game if the record has it.
    pub fn new(dropped: &[DroppedGame], is_recorded: impl Fn(u64) -> bool) -> Self {
        let games: BTreeSet<u64> = dropped.iter().map(|dropped| dropped.game).collect();
        let by_reason: BTreeSet<_> = dropped.iter().map(|dropped| (dropped.reason, dropped.game)).collect();
        let mut reasons = BTreeMap::new();
        for (reason, _) in by_reason {
            *reasons.entry(reason).or_default() += 1;
        }
        let took_cores = dropped.iter().filter(|dropped| dropped.reason == DropReason::NoCore);
        Self {
            games: games.len() as u64,
            played_again: games.iter().filter(|&&game| is_recorded(game)).count() as u64,
            reasons,
            suspended: took_cores.filter_map(|dropped| dropped.offender.clone()).collect(),
        }
    }
}
