//! Wilcoxon's signed-rank test.

use crate::distributions::normal_sf;

/// From more values than this on the normal distribution is used.
const EXACT_UP_TO: usize = 50;

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Over all choices of signs, given the ties.
    Exact,
    /// By the normal distribution, without continuity correction.
    Normal,
}

/// Wilcoxon's signed-rank test of "the differences are symmetric around zero".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// Differences that are not zero; only these are ranked.
    pub n_nonzero: usize,
    /// Sum of the ranks of the positive differences, ties sharing their mean rank; a multiple of ½.
    pub w_plus: f64,
    /// Two-sided p-value; 1 if nothing is ranked.
    pub p: f64,
    /// Exact up to 50 differences.
    pub method: Method,
}

/// The test on paired differences, given in any unit (as for [`discs`](crate::discs): pair sums).
///
/// Zeros are dropped; the ranks are those of the absolute values. Exact: p = min(1, 2·P(W ≤ smaller
/// rank sum)) over the 2ⁿ sign choices. Else z = (W⁺ − n(n + 1)/4) / √(Σrank²/4). Source: F. Wilcoxon,
/// *Biometrics Bulletin* 1 (1945), 80-83.
///
/// ```
/// let w = ratings::wilcoxon(&[3, 1, 4, -2]);
/// assert_eq!((w.w_plus, w.p), (8.0, 0.375));
/// ```
pub fn wilcoxon(differences: &[i32]) -> Wilcoxon {
    let mut values: Vec<i32> = differences.iter().copied().filter(|&d| d != 0).collect();
    values.sort_unstable_by_key(|d| d.unsigned_abs());
    let doubled = doubled_ranks(&values);
    let plus: u64 = values.iter().zip(&doubled).filter(|(d, _)| **d > 0).map(|(_, rank)| rank).sum();
    let (p, method) = if values.len() <= EXACT_UP_TO {
        (exact_p(&doubled, plus), Method::Exact)
    } else {
        (normal_p(&doubled, plus), Method::Normal)
    };
    Wilcoxon { n_nonzero: values.len(), w_plus: plus as f64 / 2.0, p, method }
}

/// Twice the mean ranks of values sorted by size.
fn doubled_ranks(sorted: &[i32]) -> Vec<u64> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for tied in sorted.chunk_by(|a, b| a.unsigned_abs() == b.unsigned_abs()) {
        let before = ranks.len();
        // Ranks before+1 ..= before+len; twice their mean is the sum of first and last.
        let doubled = (2 * before + tied.len() + 1) as u64;
        ranks.resize(before + tied.len(), doubled);
    }
    ranks
}

fn exact_p(doubled: &[u64], plus: u64) -> f64 {
    let total: u64 = doubled.iter().sum();
    (2.0 * lower_tail(doubled, plus.min(total - plus))).min(1.0)
}

fn normal_p(doubled: &[u64], plus: u64) -> f64 {
    let total: u64 = doubled.iter().sum();
    let squares: f64 = doubled.iter().map(|&rank| (rank as f64) * (rank as f64)).sum();
    // In doubled ranks: mean total/2, variance Σrank²/4.
    let z = (plus as f64 - total as f64 / 2.0) / (squares / 4.0).sqrt();
    (2.0 * normal_sf(z.abs())).min(1.0)
}

/// P(sum of the ranks with positive sign ≤ `limit`) over fair signs.
fn lower_tail(ranks: &[u64], limit: u64) -> f64 {
    let limit = limit as usize;
    let mut weights = vec![0.0; limit + 1];
    weights[0] = 1.0;
    for &rank in ranks {
        let rank = rank as usize;
        for sum in (0..=limit).rev() {
            let raised = if sum >= rank { weights[sum - rank] } else { 0.0 };
            weights[sum] = 0.5 * (weights[sum] + raised);
        }
    }
    weights.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_enumeration(differences: &[i32]) -> f64 {
        let mut values: Vec<i32> = differences.iter().copied().filter(|&d| d != 0).collect();
        values.sort_unstable_by_key(|d| d.abs());
        let ranks = doubled_ranks(&values);
        let total: u64 = ranks.iter().sum();
        let plus: u64 = (0..values.len()).filter(|&i| values[i] > 0).map(|i| ranks[i]).sum();
        let smaller = plus.min(total - plus);
        let sums = (0u32..1 << values.len())
            .map(|signs| (0..values.len()).filter(|i| signs >> i & 1 == 1).map(|i| ranks[i]).sum::<u64>());
        let count = sums.filter(|&sum| sum <= smaller).count();
        (2.0 * count as f64 / f64::from(1u32 << values.len())).min(1.0)
    }

    #[test]
    fn agrees_with_every_choice_of_signs() {
        for differences in [&[5, -3, 8, 8, 0, -8, 2, 1, 1, -1, 12][..], &[1, 1, 1], &[-4, 2], &[0, 7]] {
            let w = wilcoxon(differences);
            assert!((w.p - by_enumeration(differences)).abs() < 1e-14, "{differences:?}");
        }
    }

    #[test]
    fn nothing_to_rank() {
        let w = wilcoxon(&[0, 0]);
        assert_eq!((w.n_nonzero, w.w_plus, w.p, w.method), (0, 0.0, 1.0, Method::Exact));
    }

    #[test]
    fn exact_and_normal_meet_at_the_border() {
        let ranks: Vec<u64> = (1..=50).map(|rank| 2 * rank).collect();
        for plus in [500, 900, 1100, 1274] {
            let (exact, normal) = (exact_p(&ranks, plus), normal_p(&ranks, plus));
            assert!((exact - normal).abs() < 0.01, "{plus}: {exact} {normal}");
        }
        let method = |n| wilcoxon(&(1..=n).collect::<Vec<i32>>()).method;
        assert_eq!((method(50), method(51)), (Method::Exact, Method::Normal));
    }
}
