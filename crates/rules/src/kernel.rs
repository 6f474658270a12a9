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

/// The opponent's discs that a disc of one's own on `square` (below 64) outflanks. It is not
/// looked at whether the square is empty.
///
/// Along each of the eight rays the nearest square that is not the opponent's decides: if one's
/// own disc lies there, all before it flip.
#[inline(always)]
pub(crate) fn flips(own: u64, opponent: u64, square: u8) -> u64 {
    let rays = &RAYS[usize::from(square & 63)];
    let mut flipped = 0;
    for ray in rays.up {
        let stops = ray & !opponent;
        // The lowest of them, if it is one's own.
        let anchor = stops & stops.wrapping_neg() & own;
        // Below the anchor; nothing if there is none.
        flipped |= ray & anchor.saturating_sub(1);
    }
    for ray in rays.down {
        let stops = ray & !opponent;
        // The highest of them, if it is one's own. `| 1` keeps the shift below 64; where a1 was no
        // stop before, it is off the ray or the opponent's, so that it can't become an anchor.
        let anchor = (1 << 63 >> (stops | 1).leading_zeros()) & own & ray;
        // Above the anchor; nothing if there is none.
        flipped |= ray & anchor.wrapping_neg() << 1;
    }
    flipped
}

/// The squares seen from one square in the four directions of rising index and the four of
/// falling index, the square itself left out.
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

static RAYS: [Rays; 64] = {
    let mut table = [const { Rays { up: [0; 4], down: [0; 4] } }; 64];
    let mut index = 0;
    while index < 64 {
        let (column, row) = (index as i32 % 8, index as i32 / 8);
        table[index] = Rays {
            up: [
                ray(column, row, 1, 0),
                ray(column, row, 0, 1),
                ray(column, row, -1, 1),
                ray(column, row, 1, 1),
            ],
            down: [
                ray(column, row, -1, 0),
                ray(column, row, 0, -1),
                ray(column, row, 1, -1),
                ray(column, row, -1, -1),
            ],
        };
        index += 1;
    }
    table
};

/// The squares met on the way from (column, row), itself left out, to the edge of the 8x8 grid.
const fn ray(column: i32, row: i32, right: i32, down: i32) -> u64 {
    let mut squares = 0;
    let (mut column, mut row) = (column + right, row + down);
    while 0 <= column && column < 8 && 0 <= row && row < 8 {
        squares |= 1 << (8 * row + column);
        column += right;
        row += down;
    }
    squares
}
