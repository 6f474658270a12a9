//! The hot code: legal squares and flips on bare bits. Bit n is the square with index n.
//!
//! The functions take own discs and opponent's discs, without colour and without board size. On a
//! small board the squares outside are empty and a run of discs can't cross an empty square, so the
//! caller only has to remove the outside squares from the result.
//!
//! ```text
//!      a  b  c  d  e  f  g  h
//!  1   0  1  2  3  4  5  6  7          -9 -8 -7
//!  2   8  9 10 11 12 13 14 15          -1  .  1
//!  .   ...                              7  8  9
//!  8  56 57 58 59 60 61 62 63
//! ```

/// Columns b to g. A run along a row or a diagonal may only pass through these columns; otherwise it
/// would wrap around to the other side of the board.
const INNER: u64 = 0x7E7E_7E7E_7E7E_7E7E;

/// The squares, empty or not, on which an own disc would outflank something. The caller keeps the
/// empty ones.
#[inline(always)]
pub(crate) fn outflanking(own: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER;
    ends_of_runs::<1>(own, inner)
        | ends_of_runs::<8>(own, opponent)
        | ends_of_runs::<7>(own, inner)
        | ends_of_runs::<9>(own, inner)
}

/// The squares just behind the runs of `through` that begin beside a disc of `own`, in the two
/// opposite directions in which neighbours are `STEP` bits apart.
#[inline(always)]
fn ends_of_runs<const STEP: u32>(own: u64, through: u64) -> u64 {
    let (up, down) = runs::<STEP>(own, through);
    up << STEP | down >> STEP
}

/// The runs of `through` that begin beside a square of `from`, in the two opposite directions in which
/// neighbours are `STEP` bits apart. Runs of up to six discs are found by doubling (Kogge-Stone prefix):
/// 1, then 2, then 4, then 6 discs.
#[inline(always)]
fn runs<const STEP: u32>(from: u64, through: u64) -> (u64, u64) {
    let mut up = through & from << STEP;
    let mut down = through & from >> STEP;
    up |= through & up << STEP;
    down |= through & down >> STEP;
    let pairs_up = through & through << STEP;
    let pairs_down = through & through >> STEP;
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    (up, down)
}

/// The opponent's discs that an own disc on the square `placed` (one bit) flips. The function does not
/// check that the square is empty. `placed` = 0, as for a pass, flips nothing.
#[inline(always)]
pub(crate) fn flips(own: u64, opponent: u64, placed: u64) -> u64 {
    let inner = opponent & INNER;
    outflanked::<1>(own, inner, placed)
        | outflanked::<8>(own, opponent, placed)
        | outflanked::<7>(own, inner, placed)
        | outflanked::<9>(own, inner, placed)
}

/// The runs of `through` that begin beside `placed` and end beside a disc of `own`, in the two
/// opposite directions in which neighbours are `STEP` bits apart.
#[inline(always)]
fn outflanked<const STEP: u32>(own: u64, through: u64, placed: u64) -> u64 {
    let (up, down) = runs::<STEP>(placed, through);
    // A run counts if the square behind its last disc holds an own disc.
    let up = if up << STEP & own != 0 { up } else { 0 };
    let down = if down >> STEP & own != 0 { down } else { 0 };
    up | down
}

/// Set bit number `n` of `bits`, counted from 0 at the lowest one; `n` must be below the number of set
/// bits. The code has no branch or loop that depends on `n`, so that the compiler can vectorize it: it
/// finds the byte by the bit counts of all bytes at once, then its half, quarter and eighth.
#[inline(always)]
pub(crate) fn nth_bit(bits: u64, n: u64) -> u64 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The number of set bits in each two, four and eight bits.
    let twos = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333) + (twos >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    // The number of set bits in each byte and all bytes below it: at most 64, so a byte is enough.
    let mut up_to = eights + (eights << 8);
    up_to += up_to << 16;
    up_to += up_to << 32;
    // `n` in each byte, compared with these sums: the high bit stays set where `n` is not below the sum.
    let mut each = n | n << 8;
    each |= each << 16;
    each |= each << 32;
    let mut passed = (((each | HIGH) - up_to) & HIGH) >> 7;
    passed += passed >> 8;
    passed += passed >> 16;
    passed += passed >> 32;
    let mut at = (passed & 7) * 8;
    let mut left = n - (up_to << 8 >> at & 0xFF);
    for (counts, width) in [(fours, 4), (twos, 2), (bits, 1)] {
        let below = counts >> at & ((1 << width) - 1);
        let beyond = if left >= below { u64::MAX } else { 0 };
        left -= below & beyond;
        at += width & beyond;
    }
    1 << (at & 63)
}

#[cfg(test)]
mod tests {
    use super::nth_bit;

    #[test]
    fn every_bit_is_found_by_its_number() {
        let mut bits = 1u64;
        for round in 0..2000u64 {
            bits = bits.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(round);
            let few = bits & bits.rotate_left(17) & bits.rotate_left(40);
            for set in [bits, few, u64::MAX, 1 << (round % 64)] {
                let mut rest = set;
                for n in 0..u64::from(set.count_ones()) {
                    assert_eq!(nth_bit(set, n), rest & rest.wrapping_neg(), "{n} of {set:x}");
                    rest &= rest - 1;
                }
            }
        }
    }
}
