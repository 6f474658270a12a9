//! Does one rating per engine explain the results? Residuals of the pool, and cycles.

use crate::distributions::{chi_squared_sf, f_sf, normal_sf};
use crate::finite::{finite, ratio};
use crate::pool::{Pool, Ratings};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// How well a single ranking explains the results of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Encounters that were played.
    pub pairings: u64,
    /// Degrees of freedom: pairings − (engines that played − components).
    pub df: u64,
    /// Sum over encounters of the squared residual, divided by its variance in the model. `None` at df 0 and if the
    /// model could not be fitted.
    pub chi2: Option<f64>,
    /// Tail probability of `chi2`. Wrong with paired openings and with repeated games (up to 82 % false alarms): use
    /// `p_f`.
    pub p_chi2: Option<f64>,
    /// χ²/df divided by the dispersion φ. `None` if `chi2` is, and if φ could not be measured; so are `df2` and `p_f`.
    pub f: Option<f64>,
    /// Degrees of freedom of φ.
    pub df2: Option<u64>,
    /// Tail probability of `f`. Below 0.01: "these results do not fit a single ranking".
    pub p_f: Option<f64>,
    /// Triples of engines that all met each other.
    pub triples: u64,
    /// Triples that are cycles: A beat B, B beat C and C beat A (score above ½). [`Pool::for_each_cycle`] lists them;
    /// there may be millions.
    pub cycles: u64,
    /// Kendall's coefficient of consistency: 1 − cycles / greatest possible number of cycles. `None` below three
    /// engines, if some encounter was not played, and if some encounter is even.
    pub zeta: Option<f64>,
}

/// Tests how well `ratings` fit; they must be those of `pool`.
///
/// # Panics
/// If the pool has more engines than there are ratings.
pub fn fit(pool: &Pool, ratings: &Ratings) -> Fit {
    let mut fit = Fit {
        pairings: pool.met().count() as u64,
        df: degrees_of_freedom(pool, ratings),
        chi2: None,
        p_chi2: None,
        f: None,
        df2: None,
        p_f: None,
        triples: 0,
        cycles: 0,
        zeta: None,
    };
    if fit.df > 0 {
        fit.chi2 = residuals(pool, ratings);
        let df = fit.df as f64;
        fit.p_chi2 = fit.chi2.and_then(|chi2| chi_squared_sf(chi2, df));
        if ratings.phi_usable {
            fit.f = fit.chi2.and_then(|chi2| ratio(chi2 / df, ratings.phi_used));
            fit.df2 = fit.f.map(|_| ratings.phi_df);
            fit.p_f = fit.f.and_then(|f| f_sf(f, df, ratings.phi_df as f64));
        }
    }
    let table = WinMatrix::of(pool);
    fit.triples = table.triples();
    table.for_each_cycle(|_| fit.cycles += 1);
    fit.zeta = table.zeta(fit.cycles);
    fit
}

fn degrees_of_freedom(pool: &Pool, ratings: &Ratings) -> u64 {
    let played: Vec<_> = ratings.engines.iter().filter(|e| e.games > 0).collect();
    let components: BTreeSet<usize> = played.iter().map(|e| e.component).collect();
    let pairings = pool.met().count();
    (pairings + components.len()).saturating_sub(played.len()) as u64
}

/// ΣR²/U over encounters: R is the residual of one engine's points, U their variance in the model.
fn residuals(pool: &Pool, ratings: &Ratings) -> Option<f64> {
    let fitted = ratings.fitted.as_ref()?;
    let squares = pool.encounters().map(|(a, b, encounter)| {
        let totals = encounter.totals();
        let (as_black, as_white) = (fitted.outcome(a, b), fitted.outcome(b, a));
        let games = |results: [u64; 3]| results.iter().map(|&n| n as f64).sum::<f64>();
        let (black, white) = (games(totals.black), games(totals.white));
        let expected = black * as_black.expected() + white * as_white.expected_white();
        let residual = totals.half_points() as f64 / 2.0 - expected;
        let variance = black * as_black.variance() + white * as_white.variance();
        residual * residual / variance
    });
    finite(squares.sum())
}

impl Pool {
    /// Calls `each` for every cycle, three engines of which each beat the next and the last beat the first (score above
    /// ½). A cycle begins with its lowest engine number; cycles come in ascending order.
    pub fn for_each_cycle(&self, each: impl FnMut([usize; 3])) {
        WinMatrix::of(self).for_each_cycle(each);
    }
}

/// Which engines met, and which of the two won the encounter. One row of bits an engine, so that 64 third engines are
/// tested at once.
struct WinMatrix {
    engines: usize,
    met: BitMatrix,
    beat: BitMatrix,
    lost_to: BitMatrix,
    /// Encounters with a winner.
    won: usize,
}

/// A bit for each pair of engines, by row.
struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    fn new(engines: usize) -> Self {
        let words = engines.div_ceil(64);
        Self { words, bits: vec![0; engines * words] }
    }

    fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 == 1
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }
}

/// The bits above bit `least` that are set in both rows, as (number of the word, word).
fn common<'a>(one: &'a [u64], other: &'a [u64], least: usize) -> impl Iterator<Item = (usize, u64)> + 'a {
    let first = (least + 1) / 64;
    let above = u64::MAX << ((least + 1) % 64);
    let words = one.iter().zip(other).enumerate().skip(first);
    words.map(move |(word, (one, other))| (word, one & other & if word == first { above } else { u64::MAX }))
}

impl WinMatrix {
    fn of(pool: &Pool) -> Self {
        let engines = pool.engines();
        let matrix = || BitMatrix::new(engines);
        let mut table = Self { engines, met: matrix(), beat: matrix(), lost_to: matrix(), won: 0 };
        for (a, b, encounter) in pool.encounters() {
            table.met.set(a, b);
            table.met.set(b, a);
            let totals = encounter.totals();
            let (winner, loser) = match totals.half_points().cmp(&totals.half_points_against()) {
                Ordering::Greater => (a, b),
                Ordering::Less => (b, a),
                Ordering::Equal => continue,
            };
            table.beat.set(winner, loser);
            table.lost_to.set(loser, winner);
            table.won += 1;
        }
        table
    }

    fn triples(&self) -> u64 {
        let mut triples = 0;
        for i in 0..self.engines {
            for j in (i + 1..self.engines).filter(|&j| self.met.has(i, j)) {
                let thirds = common(self.met.row(i), self.met.row(j), j);
                triples += thirds.map(|(_, bits)| u64::from(bits.count_ones())).sum::<u64>();
            }
        }
        triples
    }

    fn for_each_cycle(&self, mut each: impl FnMut([usize; 3])) {
        for i in 0..self.engines {
            for j in (i + 1..self.engines).filter(|&j| self.met.has(i, j)) {
                let forward = self.beat.has(i, j);
                let (winner, loser) = if forward { (i, j) } else { (j, i) };
                if !self.beat.has(winner, loser) {
                    continue;
                }
                for (word, mut bits) in common(self.beat.row(loser), self.lost_to.row(winner), j) {
                    while bits != 0 {
                        let k = 64 * word + bits.trailing_zeros() as usize;
                        each(if forward { [i, j, k] } else { [i, k, j] });
                        bits &= bits - 1;
                    }
                }
            }
        }
    }

    fn zeta(&self, cycles: u64) -> Option<f64> {
        let n = self.engines as f64;
        if self.engines < 3 || self.won != self.engines * (self.engines - 1) / 2 {
            return None;
        }
        let most = if self.engines.is_multiple_of(2) { n * n * n - 4.0 * n } else { n * n * n - n } / 24.0;
        ratio(cycles as f64, most).map(|share| 1.0 - share)
    }
}

/// How far three engines are from having one rating each: the sum of their head-to-head Elo around the circle, which is 0
/// if one rating per engine explains them. (*Curl* in X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, *Mathematical Programming*
/// 127 (2011), 203-244.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intransitivity {
    /// e_ij + e_jk + e_ki, in Elo.
    pub elo: f64,
    /// Its standard error, in Elo.
    pub se: f64,
    /// `elo` over `se`.
    pub z: f64,
    /// Two-sided p-value. Report a cycle only if this is below 0.05 after [`holm_among`](crate::holm_among) with all
    /// [triples](Fit::triples) as comparisons. Correcting for the cycles alone is wrong: they were selected by their
    /// outcome.
    pub p: f64,
}

/// The sum of three Elo differences, i − j, j − k and k − i, with their standard errors (Elo). `None` if one is not finite
/// or no error is positive.
pub fn intransitivity(elo: [f64; 3], se: [f64; 3]) -> Option<Intransitivity> {
    let sum = finite(elo.iter().sum())?;
    let error = finite(se.iter().map(|se| se * se).sum::<f64>().sqrt())?;
    let z = ratio(sum, error)?;
    Some(Intransitivity { elo: sum, se: error, z, p: (2.0 * normal_sf(z.abs())).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head_to_head::head_to_head;
    use crate::pool::{ColourTally, Settings};

    /// A pool in which the first of each pair won three pairs of four.
    fn pool(engines: usize, winners: &[(usize, usize)]) -> Pool {
        let mut pool = Pool::new(engines);
        for &(winner, loser) in winners {
            let tally = |points: [u32; 3]| ColourTally::new(points, points).unwrap();
            pool.add(winner, loser, tally([0, 0, 1]), 30).unwrap();
            pool.add(winner, loser, tally([1, 0, 0]), 10).unwrap();
        }
        pool
    }

    #[test]
    fn a_cycle_in_winning_order() {
        let pool = pool(4, &[(0, 2), (2, 1), (1, 0), (0, 3), (1, 3), (2, 3)]);
        let fit = fit(&pool, &pool.rate(&Settings::default()).unwrap());
        let mut cycles = Vec::new();
        pool.for_each_cycle(|cycle| cycles.push(cycle));
        assert_eq!((fit.triples, fit.cycles, &cycles[..]), (4, 1, &[[0, 2, 1]][..]));
        assert_eq!(fit.zeta, Some(0.5));
        assert_eq!(fit.df, 3);
        assert!(fit.p_f.unwrap() < 1e-4);
        let [i, j, k] = cycles[0];
        let sides = [(i, j), (j, k), (k, i)].map(|(a, b)| head_to_head(&pool.clusters(a, b)));
        let sum = intransitivity(sides.map(|h| h.elo.unwrap()), sides.map(|h| h.se_elo().unwrap())).unwrap();
        assert!((sum.elo - 3.0 * 190.848_501_888).abs() < 1e-6 && sum.p < 1e-6);
    }

    #[test]
    fn zeta_wants_every_encounter_and_no_even_one() {
        let some = pool(3, &[(0, 1), (1, 2)]);
        assert_eq!(fit(&some, &some.rate(&Settings::default()).unwrap()).zeta, None);
        let mut even = pool(3, &[(0, 1), (1, 2)]);
        even.add(0, 2, ColourTally::new([0, 1, 0], [0, 1, 0]).unwrap(), 1).unwrap();
        assert_eq!(fit(&even, &even.rate(&Settings::default()).unwrap()).zeta, None);
    }

    #[test]
    fn no_error_no_sum() {
        assert_eq!(intransitivity([1.0, 2.0, 3.0], [0.0; 3]), None);
        assert_eq!(intransitivity([f64::NAN, 2.0, 3.0], [1.0; 3]), None);
    }

    /// The slow obvious version, on more engines than a word has bits.
    #[test]
    fn cycles_and_triples_are_those_of_three_loops() {
        let mut rng = 1u64;
        let mut pool = Pool::new(131);
        for a in 0..131 {
            for b in a + 1..131 {
                rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let result = match rng >> 61 {
                    0 => continue,
                    1 => [0, 1, 0],
                    2..=4 => [1, 0, 0],
                    _ => [0, 0, 1],
                };
                pool.add(a, b, ColourTally::new(result, [0; 3]).unwrap(), 1).unwrap();
            }
        }
        let score = |a: usize, b: usize| pool.clusters(a, b).half_points();
        let met = |a: usize, b: usize| pool.clusters(a, b).games() > 0;
        let (mut triples, mut expected) = (0, Vec::new());
        for i in 0..131 {
            for j in (i + 1..131).filter(|&j| met(i, j)) {
                for k in (j + 1..131).filter(|&k| met(i, k) && met(j, k)) {
                    triples += 1;
                    for [a, b, c] in [[i, j, k], [i, k, j]] {
                        if score(a, b) == 2 && score(b, c) == 2 && score(c, a) == 2 {
                            expected.push([a, b, c]);
                        }
                    }
                }
            }
        }
        let mut cycles = Vec::new();
        pool.for_each_cycle(|cycle| cycles.push(cycle));
        let fit = fit(&pool, &pool.rate(&Settings::default()).unwrap());
        assert_eq!((fit.triples, fit.cycles), (triples, cycles.len() as u64));
        assert_eq!(cycles, expected);
    }
}
