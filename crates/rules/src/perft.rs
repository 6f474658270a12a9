//! Counting games.

use crate::simd::{self, LANES, Lanes};
use crate::{Position, Rules, SimdLevel, SimdTask, Turn, kernel};

/// The number of games of exactly `depth` plies from `position`, where a pass is one ply and a
/// game that is over earlier counts as one. Depth 0 counts 1.
///
/// This is the published convention (Aart Bik, 2009), so that the counts can be compared.
///
/// ```
/// use rules::{BoardSize, Position, perft};
/// assert_eq!(perft(Position::start(BoardSize::Eight), 6), 8200);
/// ```
pub fn perft(position: Position, depth: u32) -> u64 {
    perft_on(SimdLevel::best(), position, depth)
}

/// As [`perft`], on a level.
///
/// # Panics
/// If this machine lacks the level.
pub fn perft_on(level: SimdLevel, position: Position, depth: u32) -> u64 {
    match position.turn() {
        _ if depth == 0 => 1,
        // At most four plies long, and before any that the queues know of.
        Turn::Place(moves) if position.is_placing() => {
            moves.iter().map(|legal| perft_on(level, position.after(legal), depth - 1)).sum()
        }
        _ => level.run(Count { position, depth: depth.min(LONGEST_GAME) }),
    }
}

/// No game has more plies: at most one pass comes between two moves, and there are 64 squares.
const LONGEST_GAME: u32 = 2 * 64 + 1;

/// [`perft`] over queues, for a depth of at least 1.
///
/// Moves that are still to be played wait in a queue for each ply, and are taken up when there are
/// many, so that the lanes are always full: the deepest first, so that no queue grows long. The
/// moves of the last ply are counted, not played.
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
        // The first position is what comes of a pass before it.
        queues[0].push(board.opponent.bits(), board.own.bits(), 0);
        let mut count = 0;
        let mut ply = 0;
        loop {
            // The deepest long queue until it is short; at the end, the first that holds anything.
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

/// So many moves make a queue worth taking up. If they were taken up as soon as they fill the lanes,
/// vectors would be read from where single squares have only just been written, which is slow.
const LONG: usize = 16 * LANES;

/// A queue never holds more than `LONG + 64 * LANES`: it was not long when the moves of a few positions
/// came. A power of two, so that an index is bounded by its bits.
const CAPACITY: usize = 2048;
const _: () = assert!(CAPACITY.is_power_of_two() && LONG + 64 * LANES <= CAPACITY);

/// Moves to be played: the board before each, and the disc to place, none for a pass.
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

    /// Takes the last moves, as many as there are lanes if there are so many, and plays them: the
    /// boards after them, and how many. The lanes beyond are empty boards.
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

    /// Plays some moves and puts what can be played after them into the next queue. How many of the
    /// games are over.
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

    /// Plays all moves that fill the lanes, or what is left, and counts those that can be played
    /// after them. Without a move there is one leaf all the same: a pass or the end.
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
                // Empty boards were counted too, as one leaf each.
                return counts.iter().sum::<u64>() - (LANES - taken) as u64;
            }
        }
    }
}

/// The lanes that begin at `first`, which is so far from the end.
#[inline(always)]
fn lanes_at(values: &[u64; CAPACITY], first: usize) -> Lanes {
    *values[first..].first_chunk().expect("the queue has room for more")
}
