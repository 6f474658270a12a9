//! `greedy`: a player that looks one move ahead and counts discs.

use engine_kit::{Engine, Options, Search, Settings, seed_at};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rules::{Move, Moves, Position, Variant};

/// Takes the move that flips most discs (fewest in the reversed game); among equals it chooses at random.
#[derive(Debug)]
pub struct Greedy {
    seed: u64,
    variant: Variant,
}

impl Engine for Greedy {
    const NAME: &'static str = "greedy";
    const AUTHOR: &'static str = "the Outflank authors";

    fn options() -> Options {
        Options::new().seed().variant().board_size()
    }

    fn new_game(settings: &Settings) -> Self {
        Self { seed: settings.seed(), variant: settings.variant() }
    }

    fn choose(&mut self, position: Position, moves: Moves, _: &mut Search<'_>) -> Move {
        let value = |candidate: &Move| {
            let flips = i64::from(candidate.flips().len());
            match self.variant {
                Variant::Othello | Variant::Historical => flips,
                Variant::Reversed => -flips,
            }
        };
        let most = moves.iter().map(|candidate| value(&candidate)).max();
        let mut best = moves.iter().filter(|candidate| Some(value(candidate)) == most);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed_at(self.seed, position));
        let chosen = rng.random_range(0..best.clone().count());
        best.nth(chosen).unwrap_or_else(|| moves.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::Limits;
    use rules::{BoardSize, Turn};
    use std::collections::BTreeSet;

    fn choice(variant: Variant, seed: u64, position: Position) -> Move {
        let Turn::Place(moves) = position.turn() else { panic!("no move") };
        let mut search = Search::standalone(Limits::default(), position);
        Greedy { seed, variant }.choose(position, moves, &mut search)
    }

    #[test]
    fn most_discs_or_fewest() {
        let position: Position =
            "---------------------------OX------XXX-------------------------- O".parse().unwrap();
        let Turn::Place(moves) = position.turn() else { panic!("no move") };
        let flips: Vec<u32> = moves.iter().map(|candidate| candidate.flips().len()).collect();
        for seed in 0..20 {
            let most = choice(Variant::Othello, seed, position).flips().len();
            assert_eq!(Some(&most), flips.iter().max());
            let fewest = choice(Variant::Reversed, seed, position).flips().len();
            assert_eq!(Some(&fewest), flips.iter().min());
        }
    }

    #[test]
    fn equals_are_drawn_by_lot() {
        let start = Position::start(BoardSize::Eight);
        let choices: BTreeSet<String> =
            (0..50).map(|seed| choice(Variant::Othello, seed, start).to_string()).collect();
        assert_eq!(choices.len(), 4, "all four first moves turn one disc: {choices:?}");
    }

    #[test]
    fn known_answers() {
        let start = Position::start(BoardSize::Eight);
        let choices: Vec<String> =
            (0..8).map(|seed| choice(Variant::Othello, seed, start).to_string()).collect();
        assert_eq!(choices.join(" "), "c4 c4 d3 f5 c4 c4 d3 f5");
    }
}
