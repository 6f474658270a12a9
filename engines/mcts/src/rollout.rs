//! Rollouts: fast random games from a position to the end.

use rules::{AnyMove, Bitboard, Board, BoardSize, PlayoutPolicy, Playouts, Variant};

use crate::outcome::Outcome;

/// The choice of moves in a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// All moves are equally likely.
    Random,
    /// Takes a corner if possible, and a square beside an empty corner only if there is no other move.
    Corners,
}

impl Policy {
    /// The values of the option `Rollout`.
    pub const NAMES: [&'static str; 2] = ["random", "corners"];

    /// The policy of this name, `Random` for an unknown one.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        if name == "corners" { Self::Corners } else { Self::Random }
    }
}

/// The number of games that are played at once from one position.
pub const GAMES: u32 = Playouts::GAMES as u32;

/// Plays rollouts for one game: its variant, board size and policy.
#[derive(Clone, Debug)]
pub struct Rollout {
    variant: Variant,
    policy: Policy,
    corners: Corners,
}

impl Rollout {
    /// Prepares rollouts on a board of this size.
    #[must_use]
    pub fn new(size: BoardSize, variant: Variant, policy: Policy) -> Self {
        let corners = size.corners();
        let beside = corners.neighbours() & size.mask();
        Self { variant, policy, corners: Corners { corners, beside } }
    }

    /// Plays [`GAMES`] games from `board` to the end. Returns the half points of the mover in the first
    /// `counted` of them. `playouts` must be for the same board size.
    pub fn play(&self, board: Board, playouts: &mut Playouts, counted: u32) -> u32 {
        self.play_each([board; Playouts::GAMES], playouts, counted)
    }

    /// Like [`play`](Self::play), with one board per game; the mover is the same in all.
    pub fn play_each(&self, boards: [Board; Playouts::GAMES], playouts: &mut Playouts, counted: u32) -> u32 {
        let ends = match (self.policy, self.variant) {
            (Policy::Random, _) => playouts.play(boards, AnyMove),
            (Policy::Corners, Variant::Othello | Variant::Historical) => {
                playouts.play(boards, PreferCorners(self.corners))
            }
            (Policy::Corners, Variant::Reversed) => playouts.play(boards, AvoidCorners(self.corners)),
        };
        ends.into_iter().take(counted as usize).map(|end| self.outcome(end).half_points()).sum()
    }

    /// The outcome of a finished game for the mover.
    #[inline]
    #[must_use]
    pub fn outcome(&self, board: Board) -> Outcome {
        let (own, opponent) = match self.variant {
            Variant::Othello | Variant::Historical => (board.own.len(), board.opponent.len()),
            Variant::Reversed => (board.opponent.len(), board.own.len()),
        };
        Outcome::from_ordering(own.cmp(&opponent))
    }
}

/// The corners of a board and the squares beside or diagonal to them.
#[derive(Clone, Copy, Debug)]
struct Corners {
    corners: Bitboard,
    beside: Bitboard,
}

impl Corners {
    /// The squares beside an empty corner.
    #[inline(always)]
    fn beside_empty_corners(self, board: Board) -> Bitboard {
        (self.corners - board.occupied()).neighbours() & self.beside
    }
}

/// Prefers corners, and avoids squares beside an empty corner.
#[derive(Clone, Copy, Debug)]
struct PreferCorners(Corners);

impl PlayoutPolicy for PreferCorners {
    #[inline(always)]
    fn preferred(self, board: Board, moves: Bitboard) -> Bitboard {
        or_else(moves & self.0.corners, or_else(moves - self.0.beside_empty_corners(board), moves))
    }
}

/// Prefers squares beside an empty corner, and avoids corners: for the reversed game.
#[derive(Clone, Copy, Debug)]
struct AvoidCorners(Corners);

impl PlayoutPolicy for AvoidCorners {
    #[inline(always)]
    fn preferred(self, board: Board, moves: Bitboard) -> Bitboard {
        or_else(moves & self.0.beside_empty_corners(board), or_else(moves - self.0.corners, moves))
    }
}

#[inline(always)]
fn or_else(one: Bitboard, other: Bitboard) -> Bitboard {
    if one.is_empty() { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd_levels::simd_levels;
    use rules::Position;

    /// One for each SIMD level of this machine.
    fn playouts(size: BoardSize, seed: u64) -> Vec<Playouts> {
        simd_levels().map(|level| Playouts::new(level, size, seed)).collect()
    }

    #[test]
    fn the_outcome_is_the_movers() {
        for variant in Variant::ALL {
            let rollout = Rollout::new(BoardSize::Eight, variant, Policy::Random);
            // One move is left, and it decides nothing.
            let text = format!("-O{} X", "X".repeat(62));
            let board = text.parse::<Position>().unwrap().board();
            let (won, lost) = if variant == Variant::Reversed { (0, 2) } else { (2, 0) };
            for mut playouts in playouts(BoardSize::Eight, 1) {
                for counted in [0, 1, 7, GAMES] {
                    assert_eq!(rollout.play(board, &mut playouts, counted), counted * won);
                    assert_eq!(rollout.play(board.swapped(), &mut playouts, counted), counted * lost);
                }
            }
        }
    }

    #[test]
    fn rollouts_from_the_start_are_about_even() {
        for policy in [Policy::Random, Policy::Corners] {
            // On 4x4 the second player wins two of three.
            for size in [BoardSize::Six, BoardSize::Eight] {
                let rollout = Rollout::new(size, Variant::Othello, policy);
                let board = Position::start(size).board();
                for mut playouts in playouts(size, 5) {
                    let half_points: u32 = (0..40).map(|_| rollout.play(board, &mut playouts, GAMES)).sum();
                    assert!((320..960).contains(&half_points), "{policy:?} {size}: {half_points}");
                }
            }
        }
    }

    #[test]
    fn corners_are_taken_and_their_neighbours_left() {
        let corners = Rollout::new(BoardSize::Eight, Variant::Othello, Policy::Corners).corners;
        let position: Position =
            "-OX---------------O--------OX------XO--------------------------- X".parse().unwrap();
        let (board, moves) = (position.board(), position.moves());
        assert!(moves.len() > 1);
        assert_eq!(format!("{:?}", PreferCorners(corners).preferred(board, moves)), "{a1}");
        assert!(!AvoidCorners(corners).preferred(board, moves).contains("a1".parse().unwrap()));
        // Nothing else is left.
        let corner = moves & corners.corners;
        assert_eq!(AvoidCorners(corners).preferred(board, corner), corner);
        assert_eq!(PreferCorners(corners).preferred(board, Bitboard::EMPTY), Bitboard::EMPTY);
    }

    /// The random stream must not change unnoticed, so that old tournaments can be repeated.
    #[test]
    fn known_answers() {
        let board = Position::start(BoardSize::Eight).board();
        for (policy, variant, known) in [
            (Policy::Random, Variant::Othello, [13, 12, 13, 16, 12, 19, 14, 9]),
            (Policy::Corners, Variant::Othello, [12, 17, 12, 14, 18, 10, 12, 20]),
            (Policy::Corners, Variant::Reversed, [20, 13, 16, 11, 23, 12, 11, 17]),
        ] {
            let rollout = Rollout::new(BoardSize::Eight, variant, policy);
            for mut playouts in playouts(BoardSize::Eight, 2026) {
                assert_eq!([(); 8].map(|()| rollout.play(board, &mut playouts, GAMES)), known);
            }
        }
    }
}
