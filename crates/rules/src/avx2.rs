//! One position at a time with vectors: the four directions of rising index side by side in 256
//! bits, and with them their four opposites. It is the kernel again, shown equal to it by tests.
//!
//! These are intrinsics since the compiler does not find the four lanes in plain code.

use std::arch::x86_64::*;

use crate::Square;

/// The directions: how far apart neighbours are. Right, down, down to the left, down to the right.
const STEPS: [i64; 4] = [1, 8, 7, 9];

/// As in the kernel: what a run may lie on, for each direction.
const THROUGH: [i64; 4] = [0x7E7E_7E7E_7E7E_7E7E, -1, 0x7E7E_7E7E_7E7E_7E7E, 0x7E7E_7E7E_7E7E_7E7E];

#[target_feature(enable = "avx2")]
#[inline]
fn vector(lanes: [i64; 4]) -> __m256i {
    let [a, b, c, d] = lanes;
    _mm256_set_epi64x(d, c, b, a)
}

#[target_feature(enable = "avx2")]
#[inline]
fn everywhere(bits: u64) -> __m256i {
    _mm256_set1_epi64x(bits.cast_signed())
}

/// All four lanes in one.
#[target_feature(enable = "avx2")]
#[inline]
fn joined(lanes: __m256i) -> u64 {
    let two = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))).cast_unsigned()
}

/// As the kernel's, by the same doubling.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn outflanking(own: u64, opponent: u64) -> u64 {
    let (step, two_steps) = (vector(STEPS), vector(STEPS.map(|step| 2 * step)));
    let own = everywhere(own);
    let through = _mm256_and_si256(everywhere(opponent), vector(THROUGH));
    let mut up = _mm256_and_si256(through, _mm256_sllv_epi64(own, step));
    let mut down = _mm256_and_si256(through, _mm256_srlv_epi64(own, step));
    up = _mm256_or_si256(up, _mm256_and_si256(through, _mm256_sllv_epi64(up, step)));
    down = _mm256_or_si256(down, _mm256_and_si256(through, _mm256_srlv_epi64(down, step)));
    let pairs_up = _mm256_and_si256(through, _mm256_sllv_epi64(through, step));
    let pairs_down = _mm256_srlv_epi64(pairs_up, step);
    for _ in 0..2 {
        up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, two_steps)));
        down = _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, two_steps)));
    }
    joined(_mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step)))
}

/// The opponent's discs that a disc of one's own on `square` outflanks.
///
/// Along each of the eight rays the nearest square that is not the opponent's decides: if one's
/// own disc lies there, all before it flip.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn flips(own: u64, opponent: u64, square: Square) -> u64 {
    let (own, opponent) = (everywhere(own), everywhere(opponent));
    let [ray, rising] = rays(square);
    let up = before_nearest(own, opponent, rising);
    // What lies at the nearest stop or beyond it, filled in by doubling: 2, 4, 8 squares.
    let step = vector(STEPS);
    let stops = _mm256_andnot_si256(opponent, ray);
    let mut behind = stops;
    for width in [1, 2, 4] {
        let distance = vector(STEPS.map(|step| width * step));
        behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, distance));
    }
    let nearest = _mm256_andnot_si256(_mm256_srlv_epi64(behind, step), stops);
    let no_anchor = _mm256_cmpeq_epi64(_mm256_and_si256(nearest, own), _mm256_setzero_si256());
    let down = _mm256_andnot_si256(_mm256_or_si256(behind, no_anchor), ray);
    joined(_mm256_or_si256(up, down))
}

/// As [`flips`], with an instruction that finds the nearest stop of the falling rays.
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
#[inline]
pub(crate) fn flips_by_leading_zeros(own: u64, opponent: u64, square: Square) -> u64 {
    let (own, opponent) = (everywhere(own), everywhere(opponent));
    let [ray, rising] = rays(square);
    let up = before_nearest(own, opponent, rising);
    let stops = _mm256_andnot_si256(opponent, ray);
    // Shifted by 64, which leaves nothing, where there is no stop.
    let nearest = _mm256_srlv_epi64(everywhere(1 << 63), _mm256_lzcnt_epi64(stops));
    let anchor = _mm256_and_si256(nearest, own);
    // Above the anchor; nothing if there is none.
    let above = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(anchor, anchor));
    joined(_mm256_or_si256(up, _mm256_and_si256(ray, above)))
}

/// The squares before the nearest stop of each rising ray, if that is one's own disc.
#[target_feature(enable = "avx2")]
#[inline]
fn before_nearest(own: __m256i, opponent: __m256i, rays: __m256i) -> __m256i {
    let none = _mm256_setzero_si256();
    let stops = _mm256_andnot_si256(opponent, rays);
    let nearest = _mm256_and_si256(stops, _mm256_sub_epi64(none, stops));
    let anchor = _mm256_and_si256(nearest, own);
    // One less than the anchor: all bits below it; nothing if there is none.
    let no_anchor = _mm256_cmpeq_epi64(anchor, none);
    let below = _mm256_add_epi64(anchor, _mm256_andnot_si256(no_anchor, everywhere(u64::MAX)));
    _mm256_and_si256(rays, below)
}

/// The bit number `n`, below their number.
#[target_feature(enable = "bmi2")]
#[inline]
pub(crate) fn nth(bits: u64, n: u32) -> u64 {
    _pdep_u64(1 << (n & 63), bits)
}

/// The squares seen from one square, itself left out, in the directions of falling index and in
/// those of rising index.
#[target_feature(enable = "avx2")]
#[inline]
fn rays(square: Square) -> [__m256i; 2] {
    let [falling, rising] = RAYS[usize::from(square.index() & 63)];
    [vector(falling), vector(rising)]
}

static RAYS: [[[i64; 4]; 2]; 64] = {
    let mut table = [[[0; 4]; 2]; 64];
    let mut index = 0;
    while index < 64 {
        let (column, row) = (index as i32 % 8, index as i32 / 8);
        table[index] = [
            [
                ray(column, row, -1, 0),
                ray(column, row, 0, -1),
                ray(column, row, 1, -1),
                ray(column, row, -1, -1),
            ],
            [ray(column, row, 1, 0), ray(column, row, 0, 1), ray(column, row, -1, 1), ray(column, row, 1, 1)],
        ];
        index += 1;
    }
    table
};

/// The squares met on the way from (column, row), itself left out, to the edge of the 8x8 grid.
const fn ray(column: i32, row: i32, right: i32, down: i32) -> i64 {
    let mut squares = 0;
    let (mut column, mut row) = (column + right, row + down);
    while 0 <= column && column < 8 && 0 <= row && row < 8 {
        squares |= 1 << (8 * row + column);
        column += right;
        row += down;
    }
    squares
}
