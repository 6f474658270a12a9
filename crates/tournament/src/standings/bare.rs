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
    /// Row by row, a row for each Black. Empty before the first game.
    table: Vec<Counts>,
    others: HashMap<(u32, u32), Counts, Quick>,
}

impl BareResults {
    pub(super) fn games(&self) -> usize {
        self.games
    }

    /// Counts a game by Black's half points.
    pub(super) fn count(&mut self, players: ByColor<u32>, half_points: u8) {
        let ByColor { black, white } = players;
        let counts = if black < TABLE && white < TABLE {
            if self.table.is_empty() {
                self.table = vec![Counts::default(); (TABLE * TABLE) as usize];
            }
            &mut self.table[(black * TABLE + white) as usize]
        } else {
            self.others.entry((black, white)).or_default()
        };
        counts[usize::from(2 - half_points)] += 1;
        self.games += 1;
    }

    /// All counts that are not zero, in a fixed order.
    pub(super) fn all(&self) -> Vec<(ByColor<u32>, Counts)> {
        let place = |index: usize| {
            let index = u32::try_from(index).expect("a table of 65,536");
            ByColor::new(index / TABLE, index % TABLE)
        };
        let counted = self.table.iter().enumerate().filter(|(_, counts)| **counts != Counts::default());
        let mut all: Vec<_> = counted.map(|(index, &counts)| (place(index), counts)).collect();
        let begin = all.len();
        all.extend(self.others.iter().map(|(&(black, white), &counts)| (ByColor::new(black, white), counts)));
        all[begin..].sort_unstable_by_key(|(players, _)| (players.black, players.white));
        all
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
            (ByColor::new(255, 255), [0, 1, 0]),
            (ByColor::new(3, 900), [0, 1, 0]),
            (ByColor::new(900, 3), [1, 0, 0]),
        ];
        assert_eq!((bare.games(), bare.all()), (5, expected.to_vec()));
    }
}
