//! The bootstrap over pairs, a check on the t-interval.

use crate::units::finite;

/// Percentile interval of the mean disc difference per game: 95 %, by resampling pairs.
///
/// `pair_sums` as for [`discs`](crate::discs). Each of `replicates` means is over n draws with
/// replacement; the ends are the 2.5 % and 97.5 % quantiles of the means, interpolated linearly. The
/// generator is SplitMix64 from `seed`, so the answer is a function of the arguments. `None` below two
/// pairs or without replicates. Source: B. Efron, *Annals of Statistics* 7 (1979), 1-26.
///
/// ```
/// let (lo, hi) = ratings::bootstrap(&[6, 27, -13, 22], 2000, 1).unwrap();
/// assert!(lo < 5.25 && 5.25 < hi);
/// ```
pub fn bootstrap(pair_sums: &[i32], replicates: usize, seed: u64) -> Option<(f64, f64)> {
    let n = pair_sums.len();
    if n < 2 || replicates == 0 {
        return None;
    }
    let mut random = SplitMix64(seed);
    let mut sums: Vec<i64> = (0..replicates)
        .map(|_| (0..n).map(|_| i64::from(pair_sums[random.below(n as u64) as usize])).sum())
        .collect();
    sums.sort_unstable();
    let quantile = |p: f64| {
        let place = (replicates - 1) as f64 * p;
        let below = (place.floor() as usize).min(replicates - 1);
        let above = (below + 1).min(replicates - 1);
        let part = place - below as f64;
        let doubled = sums[below] as f64 + part * (sums[above] as f64 - sums[below] as f64);
        finite(doubled / (2.0 * n as f64))
    };
    quantile(0.025).zip(quantile(0.975))
}

/// Steele, Lea and Flood's generator (OOPSLA 2014): small, seeded by any number.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n` − 1.
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 1234567, as published with the reference implementation.
    #[test]
    fn splitmix64_is_the_published_one() {
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_function_of_its_arguments() {
        let sums = [4, -2, 9, 0, 13, -7];
        assert_eq!(bootstrap(&sums, 500, 7), bootstrap(&sums, 500, 7));
        assert_ne!(bootstrap(&sums, 500, 7), bootstrap(&sums, 500, 8));
        assert_eq!(bootstrap(&sums[..1], 500, 7), None);
        assert_eq!(bootstrap(&sums, 0, 7), None);
        assert_eq!(bootstrap(&[6, 6, 6], 100, 7), Some((3.0, 3.0)));
    }
}
