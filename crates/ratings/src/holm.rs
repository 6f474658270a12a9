//! Holm's correction for many comparisons at once.

/// Holm's step-down correction of p-values. If every adjusted value below 0.05 is claimed as a difference, the chance of
/// *any* false claim is at most 5 %.
///
/// With the m present p-values sorted ascending, adjusted(k) = max over j ≤ k of min(1, (m − j + 1)·p(j)).
/// `None` stays `None` and does not count in m. A value that is not a probability (NaN, below 0, above 1) becomes `None`. Source: S. Holm, *Scandinavian Journal of Statistics* 6 (1979), 65-70.
///
/// ```
/// let adjusted = ratings::holm(&[Some(0.25), None, Some(0.125)]);
/// assert_eq!(adjusted, [Some(0.25), None, Some(0.25)]);
/// ```
pub fn holm(p_values: &[Option<f64>]) -> Vec<Option<f64>> {
    holm_among(p_values, 0)
}

/// [`holm`] if `comparisons` were made in all and only some of their p-values are given: the others count as 1. A number
/// below that of the given p-values has no effect.
pub fn holm_among(p_values: &[Option<f64>], comparisons: u64) -> Vec<Option<f64>> {
    let mut present: Vec<(f64, usize)> = p_values
        .iter()
        .enumerate()
        .filter_map(|(i, p)| p.filter(|p| (0.0..=1.0).contains(p)).map(|p| (p, i)))
        .collect();
    present.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let comparisons = comparisons.max(present.len() as u64);
    let mut adjusted = vec![None; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, &(p, i)) in present.iter().enumerate() {
        highest = highest.max((p * (comparisons - rank as u64) as f64).min(1.0));
        adjusted[i] = Some(highest);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::{holm, holm_among};

    #[test]
    fn one_comparison_needs_no_correction() {
        assert_eq!(holm(&[Some(0.03)]), [Some(0.03)]);
    }

    #[test]
    fn nonsense_is_absent() {
        assert_eq!(holm(&[Some(f64::NAN), Some(0.5), Some(-1.0), Some(2.0)]), [None, Some(0.5), None, None]);
    }

    #[test]
    fn adjusted_values_keep_the_order_of_the_raw_ones() {
        let raw = [0.04, 0.001, 0.2, 0.04, 0.9, 0.02];
        let adjusted = holm(&raw.map(Some));
        for i in 0..raw.len() {
            for j in 0..raw.len() {
                assert!(raw[i] > raw[j] || adjusted[i] <= adjusted[j]);
            }
            assert!(adjusted[i] >= Some(raw[i]));
        }
    }

    #[test]
    fn comparisons_that_are_not_shown_count() {
        let shown = [Some(0.001), None, Some(0.02)];
        let all = [Some(0.001), None, Some(0.02), Some(1.0), Some(1.0), Some(1.0)];
        assert_eq!(holm_among(&shown, 5), holm(&all)[..3]);
        assert_eq!(holm_among(&shown, 0), holm(&shown));
    }
}
