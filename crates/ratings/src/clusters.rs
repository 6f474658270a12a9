//! Which games are one unit of evidence, and which were played before.
//!
//! What makes two start positions or two games *the same* is a question for the rules of the game;
//! here they are only compared by the keys they were given.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The games of a tournament in clusters. See [`clusters`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clustering<E> {
    /// For each game, in the order given, the number of its cluster, from 0 in order of first appearance.
    pub cluster: Vec<usize>,
    /// Number of clusters.
    pub clusters: usize,
    /// Counts per encounter, only of encounters that have games.
    pub encounters: BTreeMap<E, EncounterGames>,
}

/// How many different games an encounter really had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EncounterGames {
    /// Games played.
    pub games: usize,
    /// Games whose key was not seen before, anywhere in the tournament.
    pub distinct: usize,
    /// Clusters, that is different start positions.
    pub clusters: usize,
}

impl EncounterGames {
    /// Games whose key was seen earlier: replays. More than one in twenty and the engines are
    /// deterministic: they need more openings, not more games.
    pub fn duplicates(&self) -> usize {
        self.games - self.distinct
    }
}

impl<E> Clustering<E> {
    /// All games.
    pub fn games(&self) -> usize {
        self.cluster.len()
    }

    /// All games whose key was not seen before.
    pub fn distinct(&self) -> usize {
        self.encounters.values().map(|e| e.distinct).sum()
    }

    /// All games whose key was seen earlier.
    pub fn duplicates(&self) -> usize {
        self.games() - self.distinct()
    }
}

/// Numbers clusters and counts duplicates.
///
/// Each game has an encounter (the unordered pair of its engines), a key of its start position and
/// a key of the whole game; the last should tell colours apart, and all games of a tournament are
/// compared by it. A cluster is an encounter with a start key.
///
/// ```
/// let games = [("A-B", "opening 1", "game 1"), ("A-B", "opening 1", "game 2"), ("A-B", "opening 1", "game 1")];
/// let c = ratings::clusters(games);
/// assert_eq!(c.cluster, [0, 0, 0]);
/// assert_eq!((c.games(), c.distinct(), c.duplicates()), (3, 2, 1));
/// ```
pub fn clusters<E: Ord + Clone, S: Ord, G: Ord>(games: impl IntoIterator<Item = (E, S, G)>) -> Clustering<E> {
    let mut numbers: BTreeMap<(E, S), usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut encounters: BTreeMap<E, EncounterGames> = BTreeMap::new();
    let mut cluster = Vec::new();
    for (encounter, start, game) in games {
        let counts = encounters.entry(encounter.clone()).or_default();
        counts.games += 1;
        counts.distinct += usize::from(seen.insert(game));
        let next = numbers.len();
        cluster.push(match numbers.entry((encounter, start)) {
            Entry::Occupied(number) => *number.get(),
            Entry::Vacant(free) => {
                counts.clusters += 1;
                *free.insert(next)
            }
        });
    }
    Clustering { cluster, clusters: numbers.len(), encounters }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference case `duplicates` of statistics.json, its positions and games replaced by the
    /// names its note gives them: a repeat, a mirror image, an opening by another move order, then
    /// another opponent.
    #[test]
    fn numbered_in_order_of_first_appearance() {
        let games = [
            ("A-B", "s0", "A-B first"),
            ("A-B", "s0", "B-A first"),
            ("A-B", "s0", "A-B first"),
            ("A-B", "s1", "A-B second"),
            ("A-B", "s2", "A-B third"),
            ("A-B", "s2", "A-B third"),
            ("A-C", "s2", "A-C third"),
            ("A-B", "s0", "A-B first"),
        ];
        let c = clusters(games);
        assert_eq!(c.cluster, [0, 0, 0, 1, 2, 2, 3, 0]);
        assert_eq!((c.clusters, c.games(), c.duplicates(), c.distinct()), (4, 8, 3, 5));
        assert_eq!(c.encounters["A-B"], EncounterGames { games: 7, distinct: 4, clusters: 3 });
        assert_eq!(c.encounters["A-C"].duplicates(), 0);
    }

    #[test]
    fn no_games() {
        let c = clusters::<u32, u32, u32>([]);
        assert_eq!((c.clusters, c.games(), c.duplicates(), c.encounters.len()), (0, 0, 0, 0));
    }
}
