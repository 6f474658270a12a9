//! A game played to its end from some position, quickly and more or less blindly.

use rand::{Rng, rngs::Xoshiro256PlusPlus};
use rules::{Board, BoardSize, Square, Squares, Variant};

use crate::outcome::Outcome;

/// How moves are chosen in a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All alike.
    Random,
    /// A corner where there is one, a square beside an empty corner only where there is nothing else.
    Corners,
}

impl Policy {
    /// The names in the option `Rollout`.
    pub const NAMES: [&'static str; 2] = ["random", "corners"];

    /// The policy of this name, `Random` for an unknown one.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        if name == "corners" { Self::Corners } else { Self::Random }
    }
}

/// Plays rollouts of one game.
#[derive(Clone, Debug)]
pub struct Rollout {
    size: BoardSize,
    variant: Variant,
    policy: Policy,
    corners: Squares,
    beside_corner: Squares,
}

impl Rollout {
    /// For games on this board.
    #[must_use]
    pub fn new(size: BoardSize, variant: Variant, policy: Policy) -> Self {
        let corners = size.corners();
        let beside_corner = corners.neighbours() & size.mask();
        Self { size, variant, policy, corners, beside_corner }
    }

    /// Plays on from `board` to the end; the outcome for its mover.
    pub fn play(&self, mut board: Board, lots: &mut Xoshiro256PlusPlus) -> Outcome {
        let mut own_turn = true;
        let mut passed = false;
        loop {
            let moves = board.moves(self.size);
            if moves.is_empty() {
                if passed {
                    break;
                }
                passed = true;
                board = board.swapped();
            } else {
                passed = false;
                let square = pick(self.preferred(board, moves), lots);
                board = board.place(square, board.flips(square));
            }
            own_turn = !own_turn;
        }
        let outcome = self.outcome(board);
        if own_turn { outcome } else { outcome.reversed() }
    }

    /// How a finished game ended for the mover.
    #[inline]
    #[must_use]
    pub fn outcome(&self, board: Board) -> Outcome {
        let (own, opponent) = match self.variant {
            Variant::Othello => (board.own.len(), board.opponent.len()),
            Variant::Reversed => (board.opponent.len(), board.own.len()),
        };
        Outcome::of(own.cmp(&opponent))
    }

    /// Those of the moves among which the lot decides.
    #[inline]
    fn preferred(&self, board: Board, moves: Squares) -> Squares {
        if self.policy == Policy::Random {
            return moves;
        }
        let first = |sets: [Squares; 2]| sets.into_iter().find(|set| !set.is_empty()).unwrap_or(moves);
        let open = (self.corners - board.occupied()).neighbours() & self.beside_corner;
        match self.variant {
            Variant::Othello => first([moves & self.corners, moves - open]),
            Variant::Reversed => first([moves & open, moves - self.corners]),
        }
    }
}

/// One of the squares, each with (very nearly) the same probability.
#[inline]
fn pick(squares: Squares, lots: &mut Xoshiro256PlusPlus) -> Square {
    // The upper half of 32 random bits times the number of squares: below that number.
    let lot = (u64::from(lots.next_u32()) * u64::from(squares.len())) >> 32;
    squares.nth(lot as u32).expect("the lot is below the number of squares")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rules::{Position, Turn};

    fn lots(seed: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(seed)
    }

    #[test]
    fn a_pick_is_one_of_the_squares_and_each_comes_up() {
        let moves = Position::start(BoardSize::Eight).moves();
        let mut lots = lots(1);
        let mut counts = [0; 64];
        for _ in 0..4000 {
            counts[usize::from(pick(moves, &mut lots).index())] += 1;
        }
        for square in Square::all() {
            let count = counts[usize::from(square.index())];
            assert_eq!(moves.contains(square), (850..1150).contains(&count), "{square}: {count}");
        }
    }

    #[test]
    fn the_outcome_is_the_movers() {
        for variant in Variant::ALL {
            let rollout = Rollout::new(BoardSize::Eight, variant, Policy::Random);
            // One move is left, and it decides nothing.
            let text = format!("-O{} X", "X".repeat(62));
            let position: Position = text.parse().unwrap();
            let Turn::Place(_) = position.turn() else { panic!("a1 can be taken") };
            let won = if variant == Variant::Othello { Outcome::Win } else { Outcome::Loss };
            assert_eq!(rollout.play(position.board(), &mut lots(1)), won);
            assert_eq!(rollout.play(position.board().swapped(), &mut lots(1)), won.reversed());
        }
    }

    #[test]
    fn rollouts_from_the_start_are_about_even() {
        for policy in [Policy::Random, Policy::Corners] {
            // On 4x4 the second player wins two of three.
            for size in [BoardSize::Six, BoardSize::Eight] {
                let rollout = Rollout::new(size, Variant::Othello, policy);
                let board = Position::start(size).board();
                let mut lots = lots(5);
                let wins = (0..600).filter(|_| rollout.play(board, &mut lots) == Outcome::Win).count();
                assert!((120..480).contains(&wins), "{policy:?} {size}: {wins}");
            }
        }
    }

    #[test]
    fn corners_are_taken_and_their_neighbours_left() {
        let rollout = Rollout::new(BoardSize::Eight, Variant::Othello, Policy::Corners);
        let position: Position =
            "-OX---------------O--------OX------XO--------------------------- X".parse().unwrap();
        let moves = position.moves();
        assert!(moves.len() > 1);
        assert_eq!(format!("{:?}", rollout.preferred(position.board(), moves)), "{a1}");
        let reversed = Rollout { variant: Variant::Reversed, ..rollout };
        assert!(!reversed.preferred(position.board(), moves).contains("a1".parse().unwrap()));
    }

    /// The stream of lots must not change unnoticed: old tournaments could not be repeated.
    #[test]
    fn known_answers() {
        let rollout = Rollout::new(BoardSize::Eight, Variant::Othello, Policy::Random);
        let (board, mut lots) = (Position::start(BoardSize::Eight).board(), lots(2026));
        let text: String = (0..24)
            .map(|_| match rollout.play(board, &mut lots) {
                Outcome::Win => 'w',
                Outcome::Draw => 'd',
                Outcome::Loss => 'l',
            })
            .collect();
        assert_eq!(text, "lwwwlwllwlwlwwwlwwwlwllw");
    }
}
