//! Perft: counting games to a depth.

use crate::simd::{self, LANES, Lanes};
use crate::{Position, Rules, SimdLevel, SimdTask, Turn, kernel};

/// The number of games of exactly `depth` plies from `position`. A pass is one ply, and a game that
/// ends earlier counts as one. Depth 0 gives 1.
///
/// This is the published convention (Aart Bik, 2009), so the counts can be compared.
///
/// ```
/// use rules::{BoardSize, Position, perft};
/// assert_eq!(perft(Position::start(BoardSize::Eight), 6), 8200);
/// ```
pub fn perft(position: Position, depth: u32) -> u64 {
    perft_on(SimdLevel::best(), position, depth)
}

/// Like [`perft`], on the given SIMD level.
///
/// # Panics
/// If this machine lacks the level.
pub fn perft_on(level: SimdLevel, position: Position, depth: u32) -> u64 {
    match position.turn() {
        _ if depth == 0 => 1,
        // The centre is filled in at most four plies, before the queues start: they don't handle it.
        Turn::Place(moves) if position.is_placing() => {
            moves.iter().map(|legal| perft_on(level, position.after(legal), depth - 1)).sum()
        }
        _ => level.run(Count { position, depth: depth.min(LONGEST_GAME) }),
    }
}

/// No game has more plies: there are at most 64 moves, and at most one pass before and after each.
const LONGEST_GAME: u32 = 2 * 64 + 1;

/// [`perft`] over queues, for a depth of at least 1.
///
/// Each ply has a queue of moves to be played. A queue is processed when it is long, so that all lanes
/// are full; the deepest long queue goes first, so that no queue grows without bound. The moves of the
/// last ply are counted, not played.
struct Count {
    position: Position,
    depth: u32,
}

impl SimdTask for Count {
    type Output = u64;

    #[inline(always)]
    fn run<R: Rules>(self, _: R) -> u64 {
        let board = self.position.board();
        let mask = self.position.size().mask().bits();
        let last = self.depth as usize - 1;
        let mut queues: Vec<Queue> = Vec::new();
        queues.resize_with(self.depth as usize, Queue::new);
        // The first position is entered as the result of a pass before it.
        queues[0].push(board.opponent.bits(), board.own.bits(), 0);
        let mut count = 0;
        let mut ply = 0;
        loop {
            // Process the deepest long queue until it is short; at the end, the first that is not empty.
            if queues[ply].len < LANES {
                let full = queues.iter().rposition(|queue| queue.len >= LONG);
                match full.or_else(|| queues.iter().position(|queue| queue.len > 0)) {
                    Some(found) => ply = found,
                    None => return count,
                }
            }
            if ply == last {
                count += queues[last].count(mask);
            } else if let [queue, next, ..] = &mut queues[ply..] {
                count += queue.advance(next, mask);
                if next.len >= LONG {
                    ply += 1;
                }
            }
        }
    }
}

/// A queue of this length is processed. Processing as soon as the lanes are full would load vectors
/// from memory that was just written in single words, which stalls (no store forwarding).
const LONG: usize = 16 * LANES;

/// The size of a queue. A queue never holds more than `LONG + 64 * LANES` moves: it was not long before
/// the moves of `LANES` positions were added. A power of two, so that masking bounds an index.
const CAPACITY: usize = 2048;
const _: () = assert!(CAPACITY.is_power_of_two() && LONG + 64 * LANES <= CAPACITY);

/// Moves to be played: the board before each one, and the disc to place (0 for a pass).
struct Queue {
    own: [u64; CAPACITY],
    opponent: [u64; CAPACITY],
    placed: [u64; CAPACITY],
    len: usize,
}

impl Queue {
    fn new() -> Queue {
        Queue { own: [0; CAPACITY], opponent: [0; CAPACITY], placed: [0; CAPACITY], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, own: u64, opponent: u64, placed: u64) {
        let at = self.len & (CAPACITY - 1);
        self.own[at] = own;
        self.opponent[at] = opponent;
        self.placed[at] = placed;
        self.len += 1;
    }

    /// Takes up to `LANES` moves from the end and plays them. Returns the boards after them and the number
    /// of moves; the other lanes hold empty boards.
    #[inline(always)]
    fn play(&mut self) -> (Lanes, Lanes, usize) {
        let taken = self.len.min(LANES);
        if taken < LANES {
            // The lanes that are not filled hold empty boards.
            self.own[taken..LANES].fill(0);
            self.opponent[taken..LANES].fill(0);
            self.placed[taken..LANES].fill(0);
        }
        self.len -= taken;
        let mut own = lanes_at(&self.own, self.len);
        let mut opponent = lanes_at(&self.opponent, self.len);
        let placed = lanes_at(&self.placed, self.len);
        simd::place(&mut own, &mut opponent, &placed);
        (own, opponent, taken)
    }

    /// Plays up to `LANES` moves and puts their successors into the next queue. Returns the number of
    /// games that are over.
    #[inline(always)]
    fn advance(&mut self, next: &mut Queue, mask: u64) -> u64 {
        let (own, opponent, taken) = self.play();
        let moves = simd::moves(&own, &opponent, mask);
        let mut over = 0;
        for lane in 0..taken {
            let (own, opponent, mut left) = (own[lane], opponent[lane], moves[lane]);
            if left == 0 {
                if kernel::outflanking(opponent, own) & mask & !(own | opponent) == 0 {
                    over += 1;
                } else {
                    next.push(own, opponent, 0);
                }
            }
            while left != 0 {
                next.push(own, opponent, left & left.wrapping_neg());
                left &= left - 1;
            }
        }
        over
    }

    /// Plays all moves in full batches of `LANES`, or the rest if there are fewer, and counts the moves
    /// after them. A position without a move has one leaf too: a pass or the end.
    #[inline(always)]
    fn count(&mut self, mask: u64) -> u64 {
        let mut counts = [0; LANES];
        loop {
            let (own, opponent, taken) = self.play();
            let moves = simd::moves(&own, &opponent, mask);
            for lane in 0..LANES {
                counts[lane] += u64::from(moves[lane].count_ones()).max(1);
            }
            if self.len < LANES {
                // Empty boards were counted as one leaf each.
                return counts.iter().sum::<u64>() - (LANES - taken) as u64;
            }
        }
    }
}

/// The `LANES` values from index `first` on.
#[inline(always)]
fn lanes_at(values: &[u64; CAPACITY], first: usize) -> Lanes {
    *values[first..].first_chunk().expect("the queue has room for more")
}
