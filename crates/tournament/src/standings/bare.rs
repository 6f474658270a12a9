//! Games of which only the result is known, as counts: they take no memory of their own.

use std::collections::HashMap;

use rules::ByColor;

use crate::quick::Quick;

/// So many engines have their counts in a table, where games in any order find them quickly.
const TABLE: u32 = 256;

/// Games won by Black, drawn, and won by White.
type Counts = [u64; 3];

/// Counts by Black and White.
#[derive(Clone, Debug, Default)]
pub(super) struct BareResults {
    games: usize,
    /// Row by row, a row for each Black. Empty before the first game. Small counts, so that the table fits into the
    /// processor's cache: what goes beyond them stands in `others`.
    table: Vec<[u16; 3]>,
    others: HashMap<(u32, u32), Counts, Quick>,
}

impl BareResults {
    pub(super) fn games(&self) -> usize {
        self.games
    }

    /// Counts a game by Black's half points.
    pub(super) fn count(&mut self, players: ByColor<u32>, half_points: u8) {
        let ByColor { black, white } = players;
        let result = usize::from(2 - half_points);
        self.games += 1;
        let mut counted = 1;
        if black < TABLE && white < TABLE {
            if self.table.is_empty() {
                self.table = vec![[0; 3]; (TABLE * TABLE) as usize];
            }
            let count = &mut self.table[(black * TABLE + white) as usize][result];
            *count = count.wrapping_add(1);
            if *count > 0 {
                return;
            }
            counted = 1 << u16::BITS;
        }
        self.others.entry((black, white)).or_default()[result] += counted;
    }

    /// The counts of every encounter, by the numbers of its engines, the lower first, and by the colour that one had;
    /// in ascending order.
    pub(super) fn all(&self) -> Vec<((u32, u32), ByColor<Counts>)> {
        let in_table = if self.table.is_empty() { 0 } else { TABLE };
        let pairs = (0..in_table).flat_map(|lower| (lower + 1..in_table).map(move |higher| (lower, higher)));
        let mut met: Vec<(u32, u32)> = pairs
            .filter(|&(lower, higher)| {
                self.small(lower, higher) != [0; 3] || self.small(higher, lower) != [0; 3]
            })
            .collect();
        if !self.others.is_empty() {
            met.extend(self.others.keys().map(|&(black, white)| (black.min(white), black.max(white))));
            met.sort_unstable();
            met.dedup();
        }
        let counts = |(lower, higher)| ByColor::new(self.counts(lower, higher), self.counts(higher, lower));
        met.into_iter().map(|players| (players, counts(players))).collect()
    }

    /// What the table holds.
    fn small(&self, black: u32, white: u32) -> [u16; 3] {
        let place = (black * TABLE + white) as usize;
        if black < TABLE && white < TABLE {
            self.table.get(place).copied().unwrap_or_default()
        } else {
            [0; 3]
        }
    }

    fn counts(&self, black: u32, white: u32) -> Counts {
        let mut counts = self.small(black, white).map(u64::from);
        if let Some(more) = self.others.get(&(black, white)) {
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_engines_and_many() {
        let mut bare = BareResults::default();
        for (black, white, half_points) in [(900, 3, 2), (3, 900, 1), (1, 0, 0), (1, 0, 2), (254, 255, 1)] {
            bare.count(ByColor::new(black, white), half_points);
        }
        let expected = [
            ((0, 1), ByColor::new([0, 0, 0], [1, 0, 1])),
            ((3, 900), ByColor::new([0, 1, 0], [1, 0, 0])),
            ((254, 255), ByColor::new([0, 1, 0], [0, 0, 0])),
        ];
        assert_eq!((bare.games(), bare.all()), (5, expected.to_vec()));
    }

    #[test]
    fn counts_beyond_the_table() {
        let mut bare = BareResults::default();
        (0..200_000).for_each(|_| bare.count(ByColor::new(1, 0), 2));
        (0..70_000).for_each(|_| bare.count(ByColor::new(1, 0), 1));
        bare.count(ByColor::new(0, 1), 0);
        let expected = [((0, 1), ByColor::new([0, 0, 1], [200_000, 70_000, 0]))];
        assert_eq!((bare.games(), bare.all()), (270_001, expected.to_vec()));
    }
}
