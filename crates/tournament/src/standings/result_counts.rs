//! Games of which only the result is known. They are counted, so that a game takes no memory of its own.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use rules::ByColor;

/// Encounters of engines with numbers below this are counted in a table, others in a map.
const TABLE: u32 = 256;

/// The index of an encounter in the table. Encounters with a lower `higher` come first, so that the table grows with
/// the number of engines.
fn place(lower: u32, higher: u32) -> usize {
    (higher * (higher - 1) / 2 + lower) as usize
}

/// Numbers of games won by Black, drawn, and won by White.
type Counts = [u64; 3];

/// Counts by encounter.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultCounts {
    games: usize,
    /// By [`place`], then by the colour of the lower number. The counts are small, so that the table fits into the
    /// processor's cache; when one wraps around, 65536 games are added to `others`.
    table: Vec<[[u16; 3]; 2]>,
    others: HashMap<(u32, u32), [Counts; 2], FixedState>,
}

impl ResultCounts {
    pub(super) fn games(&self) -> usize {
        self.games
    }

    /// Counts a game by Black's half points.
    #[inline]
    pub(super) fn count(&mut self, players: ByColor<u32>, half_points: u8) {
        let ByColor { black, white } = players;
        let (lower, higher) = (black.min(white), black.max(white));
        let (color, result) = (usize::from(lower != black), usize::from(2 - half_points));
        self.games += 1;
        let mut counted = 1;
        if higher < TABLE {
            let place = place(lower, higher);
            if place >= self.table.len() {
                self.table.resize(place + 1, [[0; 3]; 2]);
            }
            let count = &mut self.table[place][color][result];
            *count = count.wrapping_add(1);
            if *count > 0 {
                return;
            }
            counted = 1 << u16::BITS;
        }
        self.others.entry((lower, higher)).or_default()[color][result] += counted;
    }

    /// For every encounter the numbers of its engines, lower first, and the counts by the colour of the lower. In
    /// ascending order.
    pub(super) fn all(&self) -> Vec<((u32, u32), ByColor<Counts>)> {
        let met = (0..TABLE).flat_map(|lower| (lower + 1..TABLE).map(move |higher| (lower, higher)));
        let small = met.filter_map(|(lower, higher)| {
            let counts = self.table.get(place(lower, higher))?;
            let counts = counts.map(|counts| counts.map(u64::from));
            (counts != [[0; 3]; 2]).then_some(((lower, higher), counts))
        });
        let mut all: Vec<((u32, u32), [Counts; 2])> = small.collect();
        if !self.others.is_empty() {
            all.extend(self.others.iter().map(|(&players, &counts)| (players, counts)));
            all.sort_unstable();
            all.dedup_by(|more, counts| {
                let same = more.0 == counts.0;
                if same {
                    let sums = counts.1.as_flattened_mut().iter_mut();
                    sums.zip(more.1.as_flattened()).for_each(|(sum, more)| *sum += more);
                }
                same
            });
        }
        all.into_iter().map(|(players, [black, white])| (players, ByColor::new(black, white))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_engines_and_many() {
        let mut counts = ResultCounts::default();
        for (black, white, half_points) in [(900, 3, 2), (3, 900, 1), (1, 0, 0), (1, 0, 2), (254, 255, 1)] {
            counts.count(ByColor::new(black, white), half_points);
        }
        let expected = [
            ((0, 1), ByColor::new([0, 0, 0], [1, 0, 1])),
            ((3, 900), ByColor::new([0, 1, 0], [1, 0, 0])),
            ((254, 255), ByColor::new([0, 1, 0], [0, 0, 0])),
        ];
        assert_eq!((counts.games(), counts.all()), (5, expected.to_vec()));
    }

    #[test]
    fn counts_beyond_the_table() {
        let mut counts = ResultCounts::default();
        (0..200_000).for_each(|_| counts.count(ByColor::new(1, 0), 2));
        (0..70_000).for_each(|_| counts.count(ByColor::new(1, 0), 1));
        counts.count(ByColor::new(0, 1), 0);
        let expected = [((0, 1), ByColor::new([0, 0, 1], [200_000, 70_000, 0]))];
        assert_eq!((counts.games(), counts.all()), (270_001, expected.to_vec()));
    }
}
