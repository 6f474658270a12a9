//! One small random generator for all that needs no better one.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
/// any seed will do, and the same seed gives the same numbers in every version.
///
/// ```
/// let mut rng = rules::SplitMix64::new(1_234_567);
/// assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
/// assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The state grows by this much with each number: 2^64 divided by the golden ratio.
    pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The generator of this seed.
    #[inline]
    pub const fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// The next number; all 2^64 of them are equally likely.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(SplitMix64::GAMMA);
        SplitMix64::mix(self.0)
    }

    /// A number from 0 to `n` - 1: the next one modulo `n`, so its bias is below `n` / 2^64.
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline]
    pub const fn below(&mut self, n: u64) -> u64 {
        self.next_u64() % n
    }

    /// The output function ("variant 13"): one to one, and a change of one bit of the input changes about
    /// half of the bits of the output.
    #[inline]
    pub const fn mix(state: u64) -> u64 {
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    /// As the reference implementation by Sebastiano Vigna prints them.
    #[test]
    fn published_numbers() {
        assert_eq!(SplitMix64::new(0).next_u64(), 0xE220_A839_7B1D_CDAF);
        let mut rng = SplitMix64::new(1_234_567);
        assert_eq!([(); 2].map(|()| rng.next_u64()), [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(SplitMix64::new(1_234_567).below(10), 7);
    }
}
