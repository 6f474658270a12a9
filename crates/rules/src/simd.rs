//! Many positions at once: the kernel in a loop over lanes, which the compiler turns into vectors
//! of the width that the level has. Nothing here may branch on what a lane holds.

use crate::kernel;

/// How many positions go in step, on every level: two vectors of 512 bits, four of 256.
pub(crate) const LANES: usize = 16;

/// A number or a set of squares for each lane.
pub(crate) type Lanes = [u64; LANES];

/// Places a disc in each lane, and hands the board to the other side. A lane without a disc to
/// place passes.
#[inline(always)]
pub(crate) fn place(own: &mut Lanes, opponent: &mut Lanes, placed: &Lanes) {
    for lane in 0..LANES {
        let flips = kernel::flips(own[lane], opponent[lane], placed[lane]);
        let mover = own[lane];
        own[lane] = opponent[lane] ^ flips;
        opponent[lane] = mover ^ flips ^ placed[lane];
    }
}

/// The legal squares of each lane, on a board of the squares `mask`.
#[inline(always)]
pub(crate) fn moves(own: &Lanes, opponent: &Lanes, mask: u64) -> Lanes {
    let mut moves = [0; LANES];
    for lane in 0..LANES {
        let empty = mask & !(own[lane] | opponent[lane]);
        moves[lane] = kernel::outflanking(own[lane], opponent[lane]) & empty;
    }
    moves
}
