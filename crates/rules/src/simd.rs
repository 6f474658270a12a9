//! 16 positions at once: the kernel in a loop over lanes, which the compiler turns into vectors of the
//! width of the SIMD level. The code must not branch on the content of a lane.

use crate::kernel;

/// The number of positions at once, on every level: two vectors of 512 bits, or four of 256.
pub(crate) const LANES: usize = 16;

/// One number or set of squares per lane.
pub(crate) type Lanes = [u64; LANES];

/// Plays one ply in each lane: places the disc of `placed` and switches sides. A lane with `placed` = 0
/// passes.
#[inline(always)]
pub(crate) fn place(own: &mut Lanes, opponent: &mut Lanes, placed: &Lanes) {
    for lane in 0..LANES {
        let flips = kernel::flips(own[lane], opponent[lane], placed[lane]);
        let mover = own[lane];
        own[lane] = opponent[lane] ^ flips;
        opponent[lane] = mover ^ flips ^ placed[lane];
    }
}

/// The legal squares of each lane. `mask` is all squares of the board.
#[inline(always)]
pub(crate) fn moves(own: &Lanes, opponent: &Lanes, mask: u64) -> Lanes {
    let mut moves = [0; LANES];
    for lane in 0..LANES {
        let empty = mask & !(own[lane] | opponent[lane]);
        moves[lane] = kernel::outflanking(own[lane], opponent[lane]) & empty;
    }
    moves
}
