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

    /// All counts that are not zero, in a fixed order.
    pub(super) fn all(&self) -> Vec<(ByColor<u32>, Counts)> {
        let place = |index: usize| {
            let index = u32::try_from(index).expect("a table of 65,536");
            (index / TABLE, index % TABLE)
        };
        let small = self.table.iter().enumerate().filter(|(_, counts)| **counts != [0; 3]);
        let small = small.map(|(index, counts)| (place(index), counts.map(u64::from)));
        let mut all: Vec<_> =
            small.chain(self.others.iter().map(|(&place, &counts)| (place, counts))).collect();
        all.sort_unstable();
        all.dedup_by(|more, counts| {
            let same = more.0 == counts.0;
            if same {
                counts.1.iter_mut().zip(more.1).for_each(|(count, more)| *count += more);
            }
            same
        });
        all.into_iter().map(|((black, white), counts)| (ByColor::new(black, white), counts)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_engines_and_many() {
        let mut bare = BareResults::default();
        for (black, white, half_points) in [(900, 3, 2), (3, 900, 1), (1, 0, 0), (1, 0, 2), (255, 255, 1)] {
            bare.count(ByColor::new(black, white), half_points);
        }
        let expected = [
            (ByColor::new(1, 0), [1, 0, 1]),
            (ByColor::new(3, 900), [0, 1, 0]),
            (ByColor::new(255, 255), [0, 1, 0]),
            (ByColor::new(900, 3), [1, 0, 0]),
        ];
        assert_eq!((bare.games(), bare.all()), (5, expected.to_vec()));
    }

    #[test]
    fn counts_beyond_the_table() {
        let mut bare = BareResults::default();
        (0..200_000).for_each(|_| bare.count(ByColor::new(1, 0), 2));
        (0..70_000).for_each(|_| bare.count(ByColor::new(1, 0), 1));
        bare.count(ByColor::new(0, 1), 0);
        let expected = [(ByColor::new(0, 1), [0, 0, 1]), (ByColor::new(1, 0), [200_000, 70_000, 0])];
        assert_eq!((bare.games(), bare.all()), (270_001, expected.to_vec()));
    }
}
