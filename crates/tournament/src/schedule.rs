//! The schedule: who plays whom in which game, as a function of the game's index. So nothing is stored, and
//! a resumed tournament plays exactly the games that are missing.

use rules::{ByColor, Color};

/// The games of a tournament in their order, numbered from 0.
///
/// Round k is one game pair of every encounter, all on opening k, the encounters in the order of
/// the definition. In games 2k the encounter's first engine has Black, in games 2k+1 White.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    encounters: Vec<(usize, usize)>,
    rounds: u64,
}

/// One game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its index, from 0.
    pub game: u64,
    /// The index of its pair.
    pub pair: u64,
    /// Its round, which is also the number of its opening.
    pub round: u64,
    /// The engines, by index in the definition.
    pub players: ByColor<usize>,
}

impl Fixture {
    /// The engine's colour; `None` if it does not play in this game.
    #[must_use]
    pub fn color_of(&self, engine: usize) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.players[color] == engine)
    }
}

impl Schedule {
    /// Each engine meets each other engine in this many game pairs.
    #[must_use]
    pub fn round_robin(engines: usize, pairs: u64) -> Self {
        let encounters =
            (0..engines).flat_map(|first| (first + 1..engines).map(move |second| (first, second)));
        Self { encounters: encounters.collect(), rounds: pairs }
    }

    /// Each of the first `seeds` engines meets each of the others, and no other seed.
    #[must_use]
    pub fn gauntlet(engines: usize, seeds: usize, pairs: u64) -> Self {
        let seeds = seeds.min(engines);
        let encounters = (0..seeds).flat_map(|seed| (seeds..engines).map(move |other| (seed, other)));
        Self { encounters: encounters.collect(), rounds: pairs }
    }

    /// The encounters, each as two indices in the definition, the earlier engine first.
    #[must_use]
    pub fn encounters(&self) -> &[(usize, usize)] {
        &self.encounters
    }

    /// The number of rounds.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.rounds * self.encounters.len() as u64 * 2
    }

    /// The game with this index; `None` beyond the last.
    #[must_use]
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        if game >= self.games() {
            return None;
        }
        let pair = game / 2;
        let encounters = self.encounters.len() as u64;
        let encounter = usize::try_from(pair % encounters).ok()?;
        let (first, second) = self.encounters[encounter];
        let players =
            if game.is_multiple_of(2) { ByColor::new(first, second) } else { ByColor::new(second, first) };
        Some(Fixture { game, pair, round: pair / encounters, players })
    }

    /// The next game of this engine from index `from` on.
    #[must_use]
    pub fn next_of(&self, engine: usize, from: u64) -> Option<Fixture> {
        (from..self.games())
            .find_map(|game| self.fixture(game).filter(|fixture| fixture.color_of(engine).is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn three_engines_two_pairs() {
        let schedule = Schedule::round_robin(3, 2);
        let all: Vec<_> = (0..schedule.games()).filter_map(|game| schedule.fixture(game)).collect();
        let players: Vec<_> =
            all.iter().map(|f| (f.round, f.pair, f.players.black, f.players.white)).collect();
        assert_eq!(
            players,
            [
                (0, 0, 0, 1),
                (0, 0, 1, 0),
                (0, 1, 0, 2),
                (0, 1, 2, 0),
                (0, 2, 1, 2),
                (0, 2, 2, 1),
                (1, 3, 0, 1),
                (1, 3, 1, 0),
                (1, 4, 0, 2),
                (1, 4, 2, 0),
                (1, 5, 1, 2),
                (1, 5, 2, 1),
            ]
        );
        assert_eq!(schedule.fixture(12), None);
        assert_eq!(schedule.next_of(0, 4).map(|fixture| fixture.game), Some(6));
        assert_eq!(schedule.next_of(0, 10), None);
    }

    #[test]
    fn a_gauntlet_is_run_by_its_seeds() {
        let of = |engines, seeds| Schedule::gauntlet(engines, seeds, 3).encounters().to_vec();
        assert_eq!(of(4, 1), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(of(4, 2), [(0, 2), (0, 3), (1, 2), (1, 3)]);
        assert_eq!(Schedule::gauntlet(4, 2, 3).games(), 24);
    }

    proptest! {
        /// Each encounter gets the same number of games, half of them with either colour, and more
        /// pairs change nothing of what came before.
        #[test]
        fn fair_and_growing(engines in 2usize..8, pairs in 1u64..6, more in 1u64..4) {
            let schedule = Schedule::round_robin(engines, pairs);
            let mut counts: HashMap<(usize, usize), u64> = HashMap::new();
            for game in 0..schedule.games() {
                let fixture = schedule.fixture(game).expect("within the schedule");
                *counts.entry((fixture.players.black, fixture.players.white)).or_default() += 1;
                prop_assert_eq!(Schedule::round_robin(engines, pairs + more).fixture(game), Some(fixture));
            }
            prop_assert_eq!(counts.len(), engines * (engines - 1));
            prop_assert!(counts.values().all(|&count| count == pairs));
        }
    }
}
