//! Games played to their end by lot, sixteen in step.

use crate::simd::{self, LANES, Lanes};
use crate::{Bitboard, Board, BoardSize, Rules, SimdLevel, SimdTask, SplitMix64, kernel};

/// Those moves among which the lot decides.
pub trait PlayoutPolicy: Copy {
    /// Some of the `moves` of a board, at least one if there is one. It is asked in sixteen games in
    /// step: it should be `#[inline(always)]` and must be cheap without branches.
    ///
    /// Squares that are no moves are left out, and where no move is left all of them are taken.
    fn preferred(self, board: Board, moves: Bitboard) -> Bitboard;
}

/// All moves alike.
#[derive(Clone, Copy, Debug)]
pub struct AnyMove;

impl PlayoutPolicy for AnyMove {
    #[inline(always)]
    fn preferred(self, _: Board, moves: Bitboard) -> Bitboard {
        moves
    }
}

/// Plays games by lot, sixteen in step. The same seed brings the same games on every level.
///
/// ```
/// use rules::{AnyMove, BoardSize, Playouts, Position, SimdLevel};
/// let start = Position::start(BoardSize::Eight).board();
/// let mut playouts = Playouts::new(SimdLevel::best(), BoardSize::Eight, 2026);
/// let ends = playouts.play([start; Playouts::GAMES], AnyMove);
/// let wins = ends.iter().filter(|end| end.own.len() > end.opponent.len()).count();
/// assert_eq!(wins, 6);
/// ```
#[derive(Clone, Debug)]
pub struct Playouts {
    level: SimdLevel,
    size: BoardSize,
    rng: Lanes, // never zero
}

impl Playouts {
    /// How many games are played in step.
    pub const GAMES: usize = LANES;

    /// For games on a board of this size; the seed decides all moves.
    ///
    /// # Panics
    /// If this machine lacks the level.
    pub fn new(level: SimdLevel, size: BoardSize, seed: u64) -> Playouts {
        assert!(level.is_available(), "this machine has no {level}");
        let mut seeds = SplitMix64::new(seed);
        // xorshift64 would stay at zero.
        Playouts { level, size, rng: [(); LANES].map(|()| seeds.next_u64().max(1)) }
    }

    /// Plays a game from each board to its end; the last boards, each as the side sees it that was
    /// to move on the first one.
    ///
    /// Each move is drawn from those preferred with (very nearly) the same probability.
    pub fn play(&mut self, starts: [Board; LANES], policy: impl PlayoutPolicy) -> [Board; LANES] {
        let mask = self.size.mask().bits();
        self.level.run(ToTheEnd { starts, rng: &mut self.rng, mask, policy })
    }
}

/// The next state of Marsaglia's generator xorshift64 (2003), never zero.
#[inline(always)]
fn xorshift64(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ state << 17
}

struct ToTheEnd<'a, P> {
    starts: [Board; LANES],
    rng: &'a mut Lanes,
    mask: u64,
    policy: P,
}

impl<P: PlayoutPolicy> SimdTask for ToTheEnd<'_, P> {
    type Output = [Board; LANES];

    #[inline(always)]
    fn run<R: Rules>(self, _: R) -> [Board; LANES] {
        let mut own = self.starts.map(|board| board.own.bits());
        let mut opponent = self.starts.map(|board| board.opponent.bits());
        let mut rng = *self.rng;
        let mut plies = 0u32;
        let mut stuck = false;
        // A game that is over passes on and on, until all are: no lane needs to know which it is.
        loop {
            let moves = simd::moves(&own, &opponent, self.mask);
            if moves.iter().fold(0, |any, moves| any | moves) == 0 {
                if stuck {
                    break;
                }
                stuck = true;
            } else {
                stuck = false;
            }
            let mut placed = [0; LANES];
            for lane in 0..LANES {
                let board = Board {
                    own: Bitboard::from_bits(own[lane]),
                    opponent: Bitboard::from_bits(opponent[lane]),
                };
                let preferred = self.policy.preferred(board, Bitboard::from_bits(moves[lane])).bits();
                // A disc on any other square, or none where there is a move: such a game might never end.
                let preferred = preferred & moves[lane];
                let among = if preferred == 0 { moves[lane] } else { preferred };
                rng[lane] = xorshift64(rng[lane]);
                // The upper half of the lot times the number of squares: below that number.
                let n = ((rng[lane] >> 32) * u64::from(among.count_ones())) >> 32;
                // Without a move no disc is placed, which is a pass.
                placed[lane] = kernel::nth(among, n) & among;
            }
            simd::place(&mut own, &mut opponent, &placed);
            plies += 1;
        }
        *self.rng = rng;
        if plies % 2 == 1 {
            std::mem::swap(&mut own, &mut opponent);
        }
        let mut ends = [Board::default(); LANES];
        for lane in 0..LANES {
            ends[lane] =
                Board { own: Bitboard::from_bits(own[lane]), opponent: Bitboard::from_bits(opponent[lane]) };
        }
        ends
    }
}
