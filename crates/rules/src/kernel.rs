//! The hot code: legal squares and flips on bare bits, bit n being the square with index n.
//!
//! Everything here is colourless (own discs, opponent's discs) and knows nothing of board sizes:
//! on a small board the squares outside are empty, a run of discs can't cross an empty square, and
//! the caller takes the outside squares away from the result.
//!
//! ```text
//!      a  b  c  d  e  f  g  h
//!  1   0  1  2  3  4  5  6  7          -9 -8 -7
//!  2   8  9 10 11 12 13 14 15          -1  .  1
//!  .   ...                              7  8  9
//!  8  56 57 58 59 60 61 62 63
//! ```

/// Columns b to g: discs outside can't lie inside a run along a row or a diagonal, which would
/// otherwise go on in the next row on the other side of the board.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The squares, empty or not, on which a disc of one's own would outflank something. The caller
/// keeps the empty ones.
#[inline(always)]
pub(crate) fn outflanking(own: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER;
    ends_of_runs::<1>(own, inner)
        | ends_of_runs::<8>(own, opponent)
        | ends_of_runs::<7>(own, inner)
        | ends_of_runs::<9>(own, inner)
}

/// The squares just behind the runs of `through` that begin beside a disc of `own`, in the two
/// opposite directions that are `STEP` bits apart. Runs of up to six are found by doubling
/// (Kogge-Stone prefix): 1, then 2, then 4, then 6 discs.
#[inline(always)]
fn ends_of_runs<const STEP: u32>(own: u64, through: u64) -> u64 {
    let mut up = through & own << STEP;
    let mut down = through & own >> STEP;
    up |= through & up << STEP;
    down |= through & down >> STEP;
    let pairs_up = through & through << STEP;
    let pairs_down = through & through >> STEP;
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up << STEP | down >> STEP
}

/// The opponent's discs that a disc of one's own on the square `placed` (one bit) outflanks. It is
/// not looked at whether the square is empty. No bit, as for a pass, flips nothing.
#[inline(always)]
pub(crate) fn flips(own: u64, opponent: u64, placed: u64) -> u64 {
    let inner = opponent & INNER;
    outflanked::<1>(own, inner, placed)
        | outflanked::<8>(own, opponent, placed)
        | outflanked::<7>(own, inner, placed)
        | outflanked::<9>(own, inner, placed)
}

/// The runs of `through` that begin beside `placed` and end beside a disc of `own`, in the two
/// opposite directions that are `STEP` bits apart. Found as in [`ends_of_runs`].
#[inline(always)]
fn outflanked<const STEP: u32>(own: u64, through: u64, placed: u64) -> u64 {
    let mut up = through & placed << STEP;
    let mut down = through & placed >> STEP;
    up |= through & up << STEP;
    down |= through & down >> STEP;
    let pairs_up = through & through << STEP;
    let pairs_down = through & through >> STEP;
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    // The square behind the last disc of a run decides.
    let up = if up << STEP & own != 0 { up } else { 0 };
    let down = if down >> STEP & own != 0 { down } else { 0 };
    up | down
}
