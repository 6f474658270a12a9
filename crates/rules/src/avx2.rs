//! The kernel for one position with AVX2: the four directions of rising index lie in the four lanes of
//! one vector, and each function handles their opposites too. Tests compare it with `kernel`.
//!
//! It uses intrinsics because the compiler does not vectorize the plain code over directions.

use std::arch::x86_64::*;

use crate::Square;

/// The distance in bits between neighbours in each direction: right, down, down left, down right.
const STEPS: [i64; 4] = [1, 8, 7, 9];

/// The squares that a run may pass through in each direction, as `INNER` in `kernel`.
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

/// The union of the four lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn joined(lanes: __m256i) -> u64 {
    let two = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
    _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))).cast_unsigned()
}

/// Like `kernel::outflanking`, by the same doubling.
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

/// The opponent's discs that an own disc on `square` flips.
///
/// On each of the eight rays the nearest square without an opponent's disc decides (the stop): if it
/// holds an own disc, all discs before it flip.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn flips(own: u64, opponent: u64, square: Square) -> u64 {
    let (own, opponent) = (everywhere(own), everywhere(opponent));
    let [ray, rising] = rays(square);
    let up = before_nearest(own, opponent, rising);
    // The squares from the nearest stop outwards, filled by doubling: 2, 4, 8 squares.
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

/// Like [`flips`], with a leading-zero count (AVX-512) to find the nearest stop of the falling rays.
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
#[inline]
pub(crate) fn flips_by_leading_zeros(own: u64, opponent: u64, square: Square) -> u64 {
    let (own, opponent) = (everywhere(own), everywhere(opponent));
    let [ray, rising] = rays(square);
    let up = before_nearest(own, opponent, rising);
    let stops = _mm256_andnot_si256(opponent, ray);
    // A ray without a stop shifts by 64, which gives 0.
    let nearest = _mm256_srlv_epi64(everywhere(1 << 63), _mm256_lzcnt_epi64(stops));
    let anchor = _mm256_and_si256(nearest, own);
    // All bits above the anchor; 0 if there is no anchor.
    let above = _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(anchor, anchor));
    joined(_mm256_or_si256(up, _mm256_and_si256(ray, above)))
}

/// The squares before the nearest stop of each rising ray, if that stop holds an own disc.
#[target_feature(enable = "avx2")]
#[inline]
fn before_nearest(own: __m256i, opponent: __m256i, rays: __m256i) -> __m256i {
    let none = _mm256_setzero_si256();
    let stops = _mm256_andnot_si256(opponent, rays);
    let nearest = _mm256_and_si256(stops, _mm256_sub_epi64(none, stops));
    let anchor = _mm256_and_si256(nearest, own);
    // The anchor minus one is all bits below it; 0 if there is no anchor.
    let no_anchor = _mm256_cmpeq_epi64(anchor, none);
    let below = _mm256_add_epi64(anchor, _mm256_andnot_si256(no_anchor, everywhere(u64::MAX)));
    _mm256_and_si256(rays, below)
}

/// Set bit number `n` of `bits`; `n` must be below the number of set bits.
#[target_feature(enable = "bmi2")]
#[inline]
pub(crate) fn nth_bit(bits: u64, n: u32) -> u64 {
    _pdep_u64(1 << (n & 63), bits)
}

/// The rays from a square, without the square itself: the four directions of falling index, and the
/// four of rising index.
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

/// The squares from (column, row), without the square itself, to the edge of the 8x8 grid.
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
