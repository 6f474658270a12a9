//! One build for all machines: the same rules compiled for what the processor can do.
//!
//! A function is compiled for a tier by being inlined into the one function here that says which
//! instructions may be used. So the choice costs nothing where the time is spent, but it must be
//! made at the root of a walk, and what is to be fast must be inlined down to the bottom of it.

use std::fmt;

use crate::{Board, BoardSize, Square, Squares, kernel};

/// What a processor can do. All tiers give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// 64-bit code that runs everywhere.
    Plain,
    /// 256-bit vectors: most x86-64 processors since 2013.
    Avx2,
    /// 512-bit vectors that count bits: Ice Lake, Zen 4 and later ones.
    Avx512,
}

impl Tier {
    /// All tiers, the slowest first.
    pub const ALL: [Tier; 3] = [Tier::Plain, Tier::Avx2, Tier::Avx512];

    /// The best one this machine has.
    pub fn best() -> Tier {
        Tier::ALL.into_iter().rfind(|tier| tier.is_available()).unwrap_or(Tier::Plain)
    }

    /// Whether this machine has it. The processor is asked once.
    pub fn is_available(self) -> bool {
        match self {
            Tier::Plain => true,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => x86::has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            Tier::Avx2 | Tier::Avx512 => false,
        }
    }

    /// Runs `walk`, compiled for this tier.
    ///
    /// # Panics
    /// If this machine lacks the tier.
    pub fn run<W: Walk>(self, walk: W) -> W::Output {
        assert!(self.is_available(), "this machine has no {self}");
        match self {
            Tier::Plain => Plain(()).enter(walk),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => x86::Avx2::new().enter(walk),
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => x86::Avx512::new().enter(walk),
            #[cfg(not(target_arch = "x86_64"))]
            Tier::Avx2 | Tier::Avx512 => unreachable!("not available"),
        }
    }
}

/// Writes `plain`, `AVX2` or `AVX-512`.
impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Tier::Plain => "plain",
            Tier::Avx2 => "AVX2",
            Tier::Avx512 => "AVX-512",
        })
    }
}

/// Work that asks for many moves: a search, a count, a game. [`Tier::run`] compiles it for the
/// processor at hand.
///
/// [`Walk::run`] should be `#[inline(always)]`, and so should all that it calls and that is to be
/// fast. A step of a recursion is a walk of its own, entered by [`Rules::enter`].
///
/// ```
/// use rules::{Board, BoardSize, Position, Rules, Tier, Walk};
///
/// /// Games of so many plies, as long as nobody has to pass.
/// struct Games(Board, u32);
///
/// impl Walk for Games {
///     type Output = u64;
///
///     #[inline(always)]
///     fn run<R: Rules>(self, rules: R) -> u64 {
///         let Games(board, plies) = self;
///         if plies == 0 {
///             return 1;
///         }
///         let moves = rules.moves(board, BoardSize::Eight).iter();
///         moves.map(|square| rules.enter(Games(board.place(square, rules.flips(board, square)), plies - 1))).sum()
///     }
/// }
///
/// let start = Position::start(BoardSize::Eight).board();
/// assert_eq!(Tier::best().run(Games(start, 4)), 244);
/// ```
pub trait Walk {
    /// What comes of it.
    type Output;

    /// Does the work.
    fn run<R: Rules>(self, rules: R) -> Self::Output;
}

/// One position at a time, on the tier that a [`Walk`] was entered with.
pub trait Rules: Copy + sealed::OnBits {
    /// As [`Board::moves`].
    #[inline(always)]
    fn moves(self, board: Board, size: BoardSize) -> Squares {
        let outflanking = self.outflanking_bits(board.own.bits(), board.opponent.bits());
        Squares::from_bits(outflanking) & board.empty(size)
    }

    /// As [`Board::flips`], for a square known to be empty.
    #[inline(always)]
    fn flips(self, board: Board, empty: Square) -> Squares {
        debug_assert!(!board.occupied().contains(empty), "{empty} is occupied");
        Squares::from_bits(self.flips_bits(board.own.bits(), board.opponent.bits(), empty))
    }

    /// As [`Squares::nth`].
    #[inline(always)]
    fn nth(self, squares: Squares, n: u32) -> Option<Square> {
        if n < squares.len() { Squares::from_bits(self.nth_bit(squares.bits(), n)).first() } else { None }
    }

    /// Runs a walk within this one, compiled for the same tier. It is a call, not inlined.
    fn enter<W: Walk>(self, walk: W) -> W::Output;
}

mod sealed {
    /// What differs between the tiers.
    pub trait OnBits {
        fn outflanking_bits(self, own: u64, opponent: u64) -> u64;
        fn flips_bits(self, own: u64, opponent: u64, square: crate::Square) -> u64;
        /// For `n` below the number of bits.
        fn nth_bit(self, bits: u64, n: u32) -> u64;
    }
}

/// The rules as they stand in `kernel`.
#[derive(Clone, Copy, Debug)]
struct Plain(());

impl sealed::OnBits for Plain {
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
    fn enter<W: Walk>(self, walk: W) -> W::Output {
        walk.run(self)
    }
}

/// The tiers of x86-64. A value of [`Avx2`](x86::Avx2) or [`Avx512`](x86::Avx512) is the proof
/// that the processor has been asked: all `unsafe` here rests on it.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "a tier is entered here, and nowhere else")]
mod x86 {
    use super::{Rules, Walk, sealed};
    use crate::{Square, avx2};

    /// All that `with_avx2` is compiled for: what it enables, and what that implies in its turn.
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

    /// The same for `with_avx512`.
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

    impl sealed::OnBits for Avx2 {
        #[inline(always)]
        fn outflanking_bits(self, own: u64, opponent: u64) -> u64 {
            // SAFETY: `self` exists only where `has_avx2` holds.
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
            unsafe { avx2::nth(bits, n) }
        }
    }

    impl Rules for Avx2 {
        #[inline(always)]
        fn enter<W: Walk>(self, walk: W) -> W::Output {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            #[inline(never)]
            fn with_avx2<W: Walk>(walk: W, proof: Avx2) -> W::Output {
                walk.run(proof)
            }
            // SAFETY: `self` exists only where `has_avx2` holds, which asks for all of these.
            unsafe { with_avx2(walk, self) }
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

    impl sealed::OnBits for Avx512 {
        #[inline(always)]
        fn outflanking_bits(self, own: u64, opponent: u64) -> u64 {
            self.0.outflanking_bits(own, opponent)
        }

        #[inline(always)]
        fn flips_bits(self, own: u64, opponent: u64, square: Square) -> u64 {
            // SAFETY: `self` exists only where `has_avx512` holds.
            unsafe { avx2::flips_by_leading_zeros(own, opponent, square) }
        }

        #[inline(always)]
        fn nth_bit(self, bits: u64, n: u32) -> u64 {
            self.0.nth_bit(bits, n)
        }
    }

    impl Rules for Avx512 {
        #[inline(always)]
        fn enter<W: Walk>(self, walk: W) -> W::Output {
            #[target_feature(
                enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq"
            )]
            #[inline(never)]
            fn with_avx512<W: Walk>(walk: W, proof: Avx512) -> W::Output {
                walk.run(proof)
            }
            // SAFETY: `self` exists only where `has_avx512` holds, which asks for all of these.
            unsafe { with_avx512(walk, self) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Empty;

    impl Walk for Empty {
        type Output = ();
        fn run<R: Rules>(self, _: R) {}
    }

    /// Each bit of a set, by its number.
    struct Bits(u64);

    impl Walk for Bits {
        type Output = Vec<u64>;
        fn run<R: Rules>(self, rules: R) -> Vec<u64> {
            (0..self.0.count_ones()).map(|n| rules.nth_bit(self.0, n)).collect()
        }
    }

    #[test]
    fn on_every_tier_a_bit_is_one_bit() {
        let mut bits = 1u64;
        for round in 0..500u64 {
            bits = bits.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(round);
            for set in [0, bits, bits & bits.rotate_left(17), u64::MAX, 1 << (round % 64)] {
                let each: Vec<u64> =
                    Squares::from_bits(set).iter().map(|square| square.bit().bits()).collect();
                for tier in Tier::ALL.into_iter().filter(|tier| tier.is_available()) {
                    assert_eq!(tier.run(Bits(set)), each, "{tier}: {set:x}");
                }
            }
        }
    }

    #[test]
    fn the_best_tier_is_one_of_those_there_are() {
        assert!(Tier::Plain.is_available() && Tier::best().is_available());
        for tier in Tier::ALL {
            assert!(!tier.is_available() || tier <= Tier::best());
            let entered = std::panic::catch_unwind(|| tier.run(Empty)).is_ok();
            assert_eq!(entered, tier.is_available(), "{tier}");
        }
    }
}
