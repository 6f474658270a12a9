//! One build for all machines: the rules are compiled for each SIMD level, and the processor decides
//! at run time which one is used.
//!
//! A function is compiled for a level by being inlined into the function here that enables the
//! instructions (`with_avx2`, `with_avx512`). So the hot code pays nothing for the choice. But the
//! level must be chosen at the root of a task, and all hot code below must be inlined.

use std::fmt;

use crate::{Bitboard, Board, BoardSize, Square, kernel};

/// The vector instructions that the rules use. All levels give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimdLevel {
    /// None: 64-bit code that runs everywhere.
    Plain,
    /// 256-bit vectors: most x86-64 processors since 2013.
    Avx2,
    /// 512-bit vectors with a bit count (VPOPCNTDQ): Ice Lake, Zen 4 and later.
    Avx512,
}

impl SimdLevel {
    /// All levels, the slowest first.
    pub const ALL: [SimdLevel; 3] = [SimdLevel::Plain, SimdLevel::Avx2, SimdLevel::Avx512];

    /// The fastest level of this machine.
    pub fn best() -> SimdLevel {
        SimdLevel::ALL.into_iter().rfind(|level| level.is_available()).unwrap_or(SimdLevel::Plain)
    }

    /// True if this machine has the level. The result is cached.
    pub fn is_available(self) -> bool {
        match self {
            SimdLevel::Plain => true,
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => x86::has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            SimdLevel::Avx2 | SimdLevel::Avx512 => false,
        }
    }

    /// Runs `task`, compiled for this level.
    ///
    /// # Panics
    /// If this machine lacks the level.
    pub fn run<T: SimdTask>(self, task: T) -> T::Output {
        assert!(self.is_available(), "this machine has no {self}");
        match self {
            SimdLevel::Plain => Plain(()).run(task),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => x86::Avx2::new().run(task),
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 => x86::Avx512::new().run(task),
            #[cfg(not(target_arch = "x86_64"))]
            SimdLevel::Avx2 | SimdLevel::Avx512 => unreachable!("not available"),
        }
    }
}

/// Writes `plain`, `AVX2` or `AVX-512`.
impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SimdLevel::Plain => "plain",
            SimdLevel::Avx2 => "AVX2",
            SimdLevel::Avx512 => "AVX-512",
        })
    }
}

/// Work that needs many moves: a search, a count, a game. [`SimdLevel::run`] runs the version that is
/// compiled for the level.
///
/// [`SimdTask::run`] should be `#[inline(always)]`, and so should all hot code that it calls. Each step of
/// a recursion is a task of its own, started by [`Rules::run`].
///
/// ```
/// use rules::{Board, BoardSize, Position, Rules, SimdLevel, SimdTask};
///
/// /// Counts games of so many plies, as long as no side has to pass.
/// struct Games(Board, u32);
///
/// impl SimdTask for Games {
///     type Output = u64;
///
///     #[inline(always)]
///     fn run<R: Rules>(self, rules: R) -> u64 {
///         let Games(board, plies) = self;
///         if plies == 0 {
///             return 1;
///         }
///         let moves = rules.moves(board, BoardSize::Eight).iter();
///         moves.map(|square| rules.run(Games(board.place(square, rules.flips(board, square)), plies - 1))).sum()
///     }
/// }
///
/// let start = Position::start(BoardSize::Eight).board();
/// assert_eq!(SimdLevel::best().run(Games(start, 4)), 244);
/// ```
pub trait SimdTask {
    /// The result.
    type Output;

    /// Does the work.
    fn run<R: Rules>(self, rules: R) -> Self::Output;
}

/// The rules for one position at a time, compiled for the level that a [`SimdTask`] runs on.
pub trait Rules: Copy + sealed::Kernel {
    /// Like [`Board::moves`].
    #[inline(always)]
    fn moves(self, board: Board, size: BoardSize) -> Bitboard {
        let outflanking = self.outflanking_bits(board.own.bits(), board.opponent.bits());
        Bitboard::from_bits(outflanking) & board.empty(size)
    }

    /// Like [`Board::flips`], for a square known to be empty.
    #[inline(always)]
    fn flips(self, board: Board, empty: Square) -> Bitboard {
        debug_assert!(!board.occupied().contains(empty), "{empty} is occupied");
        Bitboard::from_bits(self.flips_bits(board.own.bits(), board.opponent.bits(), empty))
    }

    /// Like [`Bitboard::nth`].
    #[inline(always)]
    fn nth(self, squares: Bitboard, n: u32) -> Option<Square> {
        if n < squares.len() { Bitboard::from_bits(self.nth_bit(squares.bits(), n)).first() } else { None }
    }

    /// Runs a task within this one, compiled for the same level. The call is never inlined.
    fn run<T: SimdTask>(self, task: T) -> T::Output;
}

mod sealed {
    /// The functions that differ between the levels.
    pub trait Kernel {
        fn outflanking_bits(self, own: u64, opponent: u64) -> u64;
        fn flips_bits(self, own: u64, opponent: u64, square: crate::Square) -> u64;
        /// `n` must be below the number of set bits.
        fn nth_bit(self, bits: u64, n: u32) -> u64;
    }
}

/// The plain level: the functions of `kernel`.
#[derive(Clone, Copy, Debug)]
struct Plain(());

impl sealed::Kernel for Plain {
    #[inline(always)]
    fn outflanking_bits(self, own: u64, opponent: u64) -> u64 {
        kernel::outflanking(own, opponent)
    }

    #[inline(always)]
    fn flips_bits(self, own: u64, opponent: u64, square: Square) -> u64 {
        kernel::flips(own, opponent, square.bit().bits())
    }

    #[inline(always)]
    fn nth_bit(self, mut bits: u64, n: u32) -> u64 {
        for _ in 0..n {
            bits &= bits - 1;
        }
        bits & bits.wrapping_neg()
    }
}

impl Rules for Plain {
    #[inline(never)]
    fn run<T: SimdTask>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// The levels of x86-64. A value of [`Avx2`](x86::Avx2) or [`Avx512`](x86::Avx512) exists only if the
/// processor has the instructions; every `unsafe` block here relies on that.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "a level is entered here, and nowhere else")]
mod x86 {
    use super::{Rules, SimdTask, sealed};
    use crate::{Square, avx2};

    /// Checks all features that `with_avx2` enables, and those that they imply.
    pub(super) fn has_avx2() -> bool {
        let implied = is_x86_feature_detected!("sse3")
            && is_x86_feature_detected!("ssse3")
            && is_x86_feature_detected!("sse4.1")
            && is_x86_feature_detected!("sse4.2")
            && is_x86_feature_detected!("avx");
        implied
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    /// Checks the same for `with_avx512`.
    pub(super) fn has_avx512() -> bool {
        let implied = has_avx2() && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
        implied
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
    }

    #[derive(Clone, Copy, Debug)]
    pub(super) struct Avx2(());

    impl Avx2 {
        pub(super) fn new() -> Avx2 {
            assert!(has_avx2());
            Avx2(())
        }
    }

    impl sealed::Kernel for Avx2 {
        #[inline(always)]
        fn outflanking_bits(self, own: u64, opponent: u64) -> u64 {
            // SAFETY: `self` exists only if `has_avx2` is true.
            unsafe { avx2::outflanking(own, opponent) }
        }

        #[inline(always)]
        fn flips_bits(self, own: u64, opponent: u64, square: Square) -> u64 {
            // SAFETY: as above.
            unsafe { avx2::flips(own, opponent, square) }
        }

        #[inline(always)]
        fn nth_bit(self, bits: u64, n: u32) -> u64 {
            // SAFETY: as above.
            unsafe { avx2::nth_bit(bits, n) }
        }
    }

    impl Rules for Avx2 {
        #[inline(always)]
        fn run<T: SimdTask>(self, task: T) -> T::Output {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            #[inline(never)]
            fn with_avx2<T: SimdTask>(task: T, proof: Avx2) -> T::Output {
                task.run(proof)
            }
            // SAFETY: `self` exists only if `has_avx2` is true, which checks all of these features.
            unsafe { with_avx2(task, self) }
        }
    }

    #[derive(Clone, Copy, Debug)]
    pub(super) struct Avx512(Avx2);

    impl Avx512 {
        pub(super) fn new() -> Avx512 {
            assert!(has_avx512());
            Avx512(Avx2::new())
        }
    }

    impl sealed::Kernel for Avx512 {
        #[inline(always)]
        fn outflanking_bits(self, own: u64, opponent: u64) -> u64 {
            self.0.outflanking_bits(own, opponent)
        }

        #[inline(always)]
        fn flips_bits(self, own: u64, opponent: u64, square: Square) -> u64 {
            // SAFETY: `self` exists only if `has_avx512` is true.
            unsafe { avx2::flips_by_leading_zeros(own, opponent, square) }
        }

        #[inline(always)]
        fn nth_bit(self, bits: u64, n: u32) -> u64 {
            self.0.nth_bit(bits, n)
        }
    }

    impl Rules for Avx512 {
        #[inline(always)]
        fn run<T: SimdTask>(self, task: T) -> T::Output {
            #[target_feature(
                enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq"
            )]
            #[inline(never)]
            fn with_avx512<T: SimdTask>(task: T, proof: Avx512) -> T::Output {
                task.run(proof)
            }
            // SAFETY: `self` exists only if `has_avx512` is true, which checks all of these features.
            unsafe { with_avx512(task, self) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Empty;

    impl SimdTask for Empty {
        type Output = ();
        fn run<R: Rules>(self, _: R) {}
    }

    /// Each bit of a set, by its number.
    struct Bits(u64);

    impl SimdTask for Bits {
        type Output = Vec<u64>;
        fn run<R: Rules>(self, rules: R) -> Vec<u64> {
            (0..self.0.count_ones()).map(|n| rules.nth_bit(self.0, n)).collect()
        }
    }

    #[test]
    fn on_every_level_a_bit_is_one_bit() {
        let mut bits = 1u64;
        for round in 0..500u64 {
            bits = bits.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(round);
            for set in [0, bits, bits & bits.rotate_left(17), u64::MAX, 1 << (round % 64)] {
                let each: Vec<u64> =
                    Bitboard::from_bits(set).iter().map(|square| square.bit().bits()).collect();
                for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
                    assert_eq!(level.run(Bits(set)), each, "{level}: {set:x}");
                }
            }
        }
    }

    #[test]
    fn the_best_tier_is_one_of_those_there_are() {
        assert!(SimdLevel::Plain.is_available() && SimdLevel::best().is_available());
        for level in SimdLevel::ALL {
            assert!(!level.is_available() || level <= SimdLevel::best());
            let entered = std::panic::catch_unwind(|| level.run(Empty)).is_ok();
            assert_eq!(entered, level.is_available(), "{level}");
        }
    }
}
