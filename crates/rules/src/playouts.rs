//! Random games played to the end, 16 at once.

use crate::simd::{self, LANES, Lanes};
use crate::{Bitboard, Board, BoardSize, Rules, SimdLevel, SimdTask, SplitMix64, kernel};

/// The rule by which a playout prefers some moves; it chooses at random among them.
pub trait PlayoutPolicy: Copy {
    /// The preferred ones of `moves`. It is called for 16 games at once, so it should be
    /// `#[inline(always)]`, cheap and without branches.
    ///
    /// Squares that are not in `moves` are ignored. If none is left, all moves are candidates.
    fn preferred(self, board: Board, moves: Bitboard) -> Bitboard;
}

/// Prefers no move: all are equally likely.
#[derive(Clone, Copy, Debug)]
pub struct AnyMove;

impl PlayoutPolicy for AnyMove {
    #[inline(always)]
    fn preferred(self, _: Board, moves: Bitboard) -> Bitboard {
        moves
    }
}

/// Plays random games, 16 at once. The same seed gives the same games on every SIMD level.
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
    /// The number of games played at once.
    pub const GAMES: usize = LANES;

    /// Prepares games on a board of this size; the seed decides all moves.
    ///
    /// # Panics
    /// If this machine lacks the level.
    pub fn new(level: SimdLevel, size: BoardSize, seed: u64) -> Playouts {
        assert!(level.is_available(), "this machine has no {level}");
        let mut seeds = SplitMix64::new(seed);
        // xorshift64 would stay at zero.
        Playouts { level, size, rng: [(); LANES].map(|()| seeds.next_u64().max(1)) }
    }

    /// Plays a game from each board to its end. The results are the last boards, each seen from the side
    /// that was to move on the first one.
    ///
    /// All preferred moves are equally likely (the error is below 2^-26).
    pub fn play(&mut self, starts: [Board; LANES], policy: impl PlayoutPolicy) -> [Board; LANES] {
        let mask = self.size.mask().bits();
        self.level.run(ToTheEnd { starts, rng: &mut self.rng, mask, policy })
    }
}

/// The next state of the generator xorshift64 (Marsaglia, 2003), never zero.
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
        // A game that is over keeps passing until all games are over, so that no lane needs a branch.
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
                // Only legal moves, and at least one if there is one: otherwise the game might never end.
                let preferred = preferred & moves[lane];
                let among = if preferred == 0 { moves[lane] } else { preferred };
                rng[lane] = xorshift64(rng[lane]);
                // The upper 32 bits, scaled to the number of candidates.
                let n = ((rng[lane] >> 32) * u64::from(among.count_ones())) >> 32;
                // Without a legal move no disc is placed: a pass.
                placed[lane] = kernel::nth_bit(among, n) & among;
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
