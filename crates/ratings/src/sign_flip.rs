//! The exact sign-flip test of "neither engine is stronger".

use crate::counts::ClusterCounts;
use crate::distributions::normal_sf;

/// With more uneven clusters than this the normal distribution is accurate enough.
const EXACT_UP_TO: u64 = 2000;

/// After this number of additions the exact test is given up for the normal distribution. Only clusters of hundreds of
/// games each, all different, need as many; 2000 pairs need a fifth of it.
const WORK_LIMIT: usize = 50_000_000;

/// Two-sided p-value. If both engines are equal, each cluster's balance could as well have had the other sign. The p-value
/// is the share of all choices of signs whose sum is at least as far from 0 as the sum seen; 1 if the sum is 0.
pub(crate) fn sign_flip(clusters: &ClusterCounts) -> f64 {
    let uneven = || clusters.iter().filter(|(cluster, _)| cluster.balance() != 0);
    let total: i128 = uneven().map(|(c, times)| i128::from(c.balance()) * i128::from(times)).sum();
    let count: u128 = uneven().map(|(_, times)| u128::from(times)).sum();
    if total == 0 {
        return 1.0;
    }
    let exact = if count <= u128::from(EXACT_UP_TO) {
        let mut sizes: Vec<i64> =
            uneven().flat_map(|(c, times)| std::iter::repeat_n(c.balance().abs(), times as usize)).collect();
        sizes.sort_unstable();
        tail_of_signed_sums(&sizes, total.unsigned_abs())
    } else {
        None
    };
    exact.unwrap_or_else(|| {
        let square = |d: i64| (d as f64) * (d as f64);
        let sum_of_squares: f64 = uneven().map(|(c, times)| times as f64 * square(c.balance())).sum();
        (2.0 * normal_sf(total.unsigned_abs() as f64 / sum_of_squares.sqrt())).min(1.0)
    })
}

/// P(|Σ ± sizes| ≥ threshold) over fair signs; `None` if that takes more than [`WORK_LIMIT`] additions.
///
/// The distribution is a list of (sum, probability) in ascending order. Each size replaces it by two copies, shifted down
/// and up by the size, each with half the probability, merged.
fn tail_of_signed_sums(sizes: &[i64], threshold: u128) -> Option<f64> {
    let mut sums: Vec<(i64, f64)> = vec![(0, 1.0)];
    let mut work = 0;
    for &size in sizes {
        work += sums.len();
        if work > WORK_LIMIT {
            return None;
        }
        sums = split(&sums, size);
    }
    let tail = sums.iter().filter(|(sum, _)| u128::from(sum.unsigned_abs()) >= threshold);
    Some(tail.map(|(_, weight)| weight).sum::<f64>().min(1.0))
}

fn split(sums: &[(i64, f64)], size: i64) -> Vec<(i64, f64)> {
    let mut merged = Vec::with_capacity(2 * sums.len());
    let (mut down, mut up) = (0, 0);
    while up < sums.len() {
        let raised = sums[up].0 + size;
        match sums.get(down) {
            Some(&(sum, weight)) if sum - size < raised => {
                merged.push((sum - size, 0.5 * weight));
                down += 1;
            }
            Some(&(sum, weight)) if sum - size == raised => {
                merged.push((raised, 0.5 * weight + 0.5 * sums[up].1));
                down += 1;
                up += 1;
            }
            _ => {
                merged.push((raised, 0.5 * sums[up].1));
                up += 1;
            }
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Cluster, Pentanomial};

    /// The slow obvious version: every choice of signs.
    fn by_enumeration(balances: &[i64]) -> f64 {
        let total: i64 = balances.iter().sum();
        let far = (0u32..1 << balances.len())
            .filter(|signs| {
                let sum: i64 =
                    balances.iter().enumerate().map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d }).sum();
                sum.abs() >= total.abs()
            })
            .count();
        far as f64 / f64::from(1u32 << balances.len())
    }

    #[test]
    fn agrees_with_every_choice_of_signs() {
        for balances in [&[1, 2, -1, 2, 2, 1, -2][..], &[1], &[3, -3], &[20, -7, 11, 1, 1, -2, 40, 3, 9, 9]] {
            let clusters = balances
                .iter()
                .map(|&d: &i64| Cluster::new(u32::try_from(40 + d).unwrap(), 40).unwrap())
                .collect();
            let p = sign_flip(&clusters);
            assert!((p - by_enumeration(balances)).abs() < 1e-15, "{balances:?}: {p}");
        }
    }

    #[test]
    fn exact_and_normal_meet_at_the_border() {
        let exact = sign_flip(&Pentanomial::from([0, 960, 500, 1040, 0]).into());
        let normal = 2.0 * normal_sf(80.0 / 2000f64.sqrt());
        // The lattice has steps of two: the exact tail takes in the half step beyond the threshold.
        let corrected = 2.0 * normal_sf(79.0 / 2000f64.sqrt());
        assert!((exact - corrected).abs() < 1e-4 && (exact - normal).abs() < 0.01);
    }

    #[test]
    fn giant_clusters_stay_exact_when_few() {
        let c = |h, m| Cluster::new(h, m).unwrap();
        let clusters = [c(u32::MAX, u32::MAX / 2 + 1), c(4, 2)].into_iter().collect();
        assert_eq!(sign_flip(&clusters), 0.5);
    }
}
