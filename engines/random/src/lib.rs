//! `random`: a player that chooses any legal move with the same probability.

use engine_kit::{Engine, Options, Search, Settings, seed_at};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use rules::{Move, Moves, Position};

/// Chooses each legal move with the same probability.
#[derive(Debug)]
pub struct Random {
    seed: u64,
}

impl Engine for Random {
    const NAME: &'static str = "random";
    const AUTHOR: &'static str = "the Outflank authors";

    fn options() -> Options {
        Options::new().seed().variant().board_size()
    }

    fn new_game(settings: &Settings) -> Self {
        Self { seed: settings.seed() }
    }

    fn choose(&mut self, position: Position, moves: Moves, _: &mut Search<'_>) -> Move {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed_at(self.seed, position));
        let chosen = rng.random_range(0..moves.len());
        moves.get(chosen).unwrap_or_else(|| moves.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_kit::Limits;
    use rules::{BoardSize, Turn};

    fn choice(seed: u64, position: Position) -> Move {
        let Turn::Place(moves) = position.turn() else { panic!("no move") };
        Random { seed }.choose(position, moves, &mut Search::standalone(Limits::default(), position))
    }

    #[test]
    fn every_move_comes_up_about_equally() {
        let start = Position::start(BoardSize::Eight);
        let Turn::Place(moves) = start.turn() else { panic!("no move") };
        for wanted in moves {
            let count = (0..4000).filter(|&seed| choice(seed, start) == wanted).count();
            assert!((880..1120).contains(&count), "{wanted}: {count}");
        }
    }

    /// The stream of the generator, and how a number is drawn from it, must not change unnoticed:
    /// old tournaments could not be repeated.
    #[test]
    fn known_answers() {
        let start = Position::start(BoardSize::Eight);
        let choices: Vec<String> = (0..8).map(|seed| choice(seed, start).to_string()).collect();
        assert_eq!(choices.join(" "), "c4 c4 d3 f5 c4 c4 d3 f5");
    }
}
