//! Openings by seeded random play, distinct under the board's symmetries.

use std::collections::HashSet;

use rand::RngExt as _;
use rules::{Ply, Position, PositionKey, Turn};
use thiserror::Error;

use super::Opening;
use super::all_positions::{MOST_POSITIONS, positions_after};
use crate::seeds::{Purpose, stream};

/// Every line of random play of this length ends the game.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("no line of {plies} plies leaves anything to play on this board; use fewer")]
pub struct RandomOpeningsError {
    /// The length of the openings.
    pub plies: u32,
}

/// After this many draws without a new position, the next one is drawn from a list of those left.
const PATIENCE: u32 = 100;

/// Lines of `plies` random plies; at each ply all legal moves are equally likely. A line that ends the game, or
/// leads to the position of an earlier line up to symmetry, is drawn again. They are drawn in order and kept, so
/// that a number always gives the same line.
#[derive(Clone, Debug)]
pub struct RandomOpenings {
    seed: u64,
    start: Position,
    plies: u32,
    draws: u64,
    made: Vec<Vec<Ply>>,
    seen: HashSet<PositionKey>,
    /// True if no position is left; then openings repeat.
    exhausted: bool,
}

impl RandomOpenings {
    /// Openings from `start`, derived from the tournament's seed.
    #[must_use]
    pub fn new(seed: u64, start: Position, plies: u32) -> Self {
        Self { seed, start, plies, draws: 0, made: Vec::new(), seen: HashSet::new(), exhausted: false }
    }

    /// Opening `number`, from 0.
    pub(super) fn get(&mut self, number: u64) -> Result<Opening, RandomOpeningsError> {
        while !self.exhausted && number >= self.made.len() as u64 {
            match self.draw() {
                Some(line) => self.made.push(line),
                None if self.made.is_empty() => return Err(RandomOpeningsError { plies: self.plies }),
                None => self.exhausted = true,
            }
        }
        let count = self.made.len() as u64;
        let index = usize::try_from(number % count).unwrap_or(0);
        let plies = self.made[index].clone();
        let replay = rules::replay(self.start, plies).expect("random lines are legal");
        let position = replay.position();
        Ok(Opening { start: self.start, plies: replay.into_plies(), position, repeated: number >= count })
    }

    /// A line to a new position; `None` if there is none left.
    fn draw(&mut self) -> Option<Vec<Ply>> {
        for _ in 0..PATIENCE {
            let mut random = stream(self.seed, Purpose::Openings, self.draws);
            self.draws += 1;
            let mut pick = |choices: usize| random.random_range(0..choices);
            let Some((line, position)) = play(self.start, self.plies, &mut pick) else { continue };
            if self.seen.insert(position.canonical()) {
                return Some(line);
            }
        }
        let mut left = self.unseen();
        if left.is_empty() {
            return None;
        }
        let mut random = stream(self.seed, Purpose::Openings, self.draws);
        self.draws += 1;
        let (key, line) = left.swap_remove(random.random_range(0..left.len()));
        self.seen.insert(key);
        Some(line)
    }

    /// The positions that no opening leads to yet, each with a line to it, in a fixed order. Empty if there are too
    /// many to list.
    fn unseen(&self) -> Vec<(PositionKey, Vec<Ply>)> {
        let all = positions_after(self.start, self.plies, MOST_POSITIONS).unwrap_or_default();
        let open = |(line, position): (Vec<Ply>, Position)| {
            let key = position.canonical();
            (!position.is_over() && !self.seen.contains(&key)).then_some((key, line))
        };
        all.into_iter().filter_map(open).collect()
    }
}

/// Plays `plies` plies; `None` if the game is over by then.
fn play(start: Position, plies: u32, pick: &mut impl FnMut(usize) -> usize) -> Option<(Vec<Ply>, Position)> {
    let (mut position, mut line) = (start, Vec::new());
    for _ in 0..plies {
        match position.turn() {
            Turn::Place(moves) => {
                let chosen = moves.get(pick(moves.len()))?;
                line.push(chosen.ply());
                position = position.after(chosen);
            }
            Turn::Pass(forced) => {
                line.push(Ply::Pass);
                position = position.after_pass(forced);
            }
            Turn::Over(_) => return None,
        }
    }
    (!position.is_over()).then_some((line, position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    fn openings(size: BoardSize, plies: u32) -> RandomOpenings {
        RandomOpenings::new(2026, Position::start(size), plies)
    }

    /// How many distinct ones there are before they repeat.
    fn count(size: BoardSize, plies: u32) -> u64 {
        let mut openings = openings(size, plies);
        (0..).find(|&number| openings.get(number).expect("some opening").repeated).expect("they end")
    }

    #[test]
    fn short_openings_run_out_at_the_known_counts() {
        // Positions after n plies, up to symmetry.
        assert_eq!([0, 1, 2, 3, 4, 5].map(|plies| count(BoardSize::Eight, plies)), [1, 1, 3, 14, 60, 322]);
    }

    #[test]
    fn openings_are_distinct_legal_and_repeatable() {
        let mut forward = openings(BoardSize::Eight, 8);
        let all: Vec<Opening> = (0..300).map(|number| forward.get(number).expect("opening")).collect();
        let keys: HashSet<PositionKey> = all.iter().map(|opening| opening.position.canonical()).collect();
        assert_eq!(keys.len(), all.len());
        assert!(all.iter().all(|opening| opening.plies.len() == 8 && !opening.repeated));
        let mut backward = openings(BoardSize::Eight, 8);
        for number in (0..300).rev() {
            assert_eq!(backward.get(number), Ok(all[number as usize].clone()));
        }
    }

    #[test]
    fn when_they_run_out_they_start_over() {
        let mut openings = openings(BoardSize::Eight, 2);
        let all: Vec<Opening> = (0..7).map(|number| openings.get(number).expect("opening")).collect();
        assert!(
            all[..3].iter().all(|opening| !opening.repeated)
                && all[3..].iter().all(|opening| opening.repeated)
        );
        assert_eq!(all[1].plies, all[4].plies);
        assert_eq!(all[0].plies, all[6].plies);
    }

    #[test]
    fn a_line_that_ends_the_game_is_drawn_again_or_refused() {
        let mut openings = openings(BoardSize::Four, 9);
        for number in 0..50 {
            assert!(!openings.get(number).expect("opening").position.is_over());
        }
        let mut none = RandomOpenings::new(1, Position::start(BoardSize::Four), 59);
        assert_eq!(none.get(0), Err(RandomOpeningsError { plies: 59 }));
    }
}
