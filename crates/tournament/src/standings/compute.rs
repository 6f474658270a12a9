//! From counts to standings.

use std::collections::HashMap;
use std::time::Duration;

use foldhash::fast::FixedState;
use ratings::{ClusterCounts, Estimate, Fit, Intransitivity, Pool, PoolError, Ratings, Settings, Z95};
use records::Termination;

use super::gather::{Encounter, PoolCounts, gather};
use super::tally::{EngineTotals, Tally};
use super::{Cycle, EngineStanding, Faults, GameCounts, Pairing, PoolStanding, RatingError, Standings};

/// A cycle is reported if its corrected p-value is below this.
const SIGNIFICANT: f64 = 0.05;

/// A sum around a cycle of fewer standard errors has a p-value above [`SIGNIFICANT`], even without correction.
const MIN_Z: f64 = 1.9;

pub(super) fn compute(
    tally: &Tally,
    settings: &Settings,
    anchor: Option<&str>,
) -> Result<Standings, RatingError> {
    let PoolCounts { order, encounters, pool, totals } = gather(tally)?;
    let mut settings = *settings;
    if let Some(name) = anchor {
        let number = order.number(tally, name);
        settings.anchor = Some(number.ok_or_else(|| RatingError::NoSuchEngine(name.to_owned()))?);
    }

    let ratings = pool.rate(&settings)?;
    let ranking = ratings.ranking();
    let mut ranks = vec![0; ranking.len()];
    for (rank, &number) in ranking.iter().enumerate() {
        ranks[number] = rank;
    }
    let components = components(&ratings);
    let pairings = pairings(&encounters, &pool, &ranks);
    let engines = (1..).zip(&ranking).map(|(rank, &number)| {
        let sums = &tally.engines[order.to_tally[number]];
        let rating = &ratings.engines[number];
        let total = &totals[number];
        EngineStanding {
            rank,
            name: sums.name.clone(),
            number,
            results: total.results,
            elo: rating.elo,
            elo_low: rating.lo,
            elo_high: rating.hi,
            extreme: rating.extreme.unwrap_or(false),
            component: components[number],
            disc_diff: (total.endings_known > 0).then(|| total.discs as f64 / total.endings_known as f64),
            faults: (total.endings_known > 0).then(|| sums.faults()),
            failed_starts: sums.failed_starts,
            mean_move: sums.mean_move(),
            max_move: (sums.moves > 0).then_some(sums.longest),
            off_turn: sums.off_turn(),
        }
    });
    let sum = |of: &dyn Fn(&Pairing) -> u64| pairings.iter().map(of).sum::<u64>();
    Ok(Standings {
        engines: engines.collect(),
        games: GameCounts {
            played: sum(&|pairing| pairing.games.played),
            distinct: pairings.iter().map(|pairing| pairing.games.distinct).sum(),
            clusters: sum(&|pairing| pairing.games.clusters),
        },
        repeated_starts: encounters.iter().map(Encounter::repeated_starts).sum(),
        pairs: sum(&|pairing| pairing.pairs.units()),
        draws: sum(&|pairing| pairing.results.draws),
        terminations: terminations(tally),
        anchor: anchor.map(str::to_owned),
        pool: pool_standing(&pool, &ratings, &pairings, &ranks),
        pairings,
        withdrawals: None,
        dropped: None,
    })
}

fn terminations(tally: &Tally) -> [(Termination, u64); Termination::ALL.len()] {
    let mut counts = Termination::ALL.map(|kind| (kind, 0));
    for kind in tally.rows.iter().filter_map(|row| row.termination) {
        counts[kind as usize].1 += 1;
    }
    counts
}

/// Components numbered from 1, by the first engine of each.
fn components(ratings: &Ratings) -> Vec<usize> {
    let mut firsts: Vec<usize> = ratings.engines.iter().map(|engine| engine.component).collect();
    let each = firsts.clone();
    firsts.sort_unstable();
    firsts.dedup();
    each.iter().map(|first| firsts.binary_search(first).map_or(0, |at| at + 1)).collect()
}

fn pairings(encounters: &[Encounter], pool: &Pool, ranks: &[usize]) -> Vec<Pairing> {
    // In a big tournament many pairings have the same clusters, and the exact test takes most of the time. So each kind
    // is computed once; the map holds the index of the first.
    let mut known: HashMap<ClusterCounts, usize, FixedState> = HashMap::default();
    let mut pairings: Vec<Pairing> = Vec::with_capacity(encounters.len());
    for encounter in encounters {
        let (first, second) = encounter.engines;
        let clusters = pool.clusters(first, second);
        let head_to_head = match known.get(&clusters) {
            Some(&alike) => pairings[alike].head_to_head,
            None => {
                let computed = ratings::head_to_head(&clusters);
                known.insert(clusters, pairings.len());
                computed
            }
        };
        pairings.push(Pairing {
            engine: ranks[first],
            opponent: ranks[second],
            results: encounter.results,
            games: GameCounts {
                played: encounter.results.games(),
                distinct: encounter.moves_known.then_some(encounter.distinct),
                clusters: encounter.clusters,
            },
            pairs: encounter.pairs,
            nelo: ratings::normalized_elo(&encounter.pairs),
            pair_var_ratio: ratings::pair_var_ratio(&encounter.pairs, &encounter.paired),
            head_to_head,
            discs: ratings::discs(&encounter.pair_discs),
            p_holm: None,
        });
    }
    let p_values: Vec<_> = pairings.iter().map(|pairing| pairing.head_to_head.p_equal).collect();
    for (pairing, p_holm) in pairings.iter_mut().zip(ratings::holm(&p_values)) {
        pairing.p_holm = p_holm;
    }
    pairings
}

fn pool_standing(pool: &Pool, ratings: &Ratings, pairings: &[Pairing], ranks: &[usize]) -> PoolStanding {
    let fit = ratings::fit(pool, ratings);
    PoolStanding {
        colour: ratings.colour_elo.zip(ratings.colour_se).map(|(value, se)| Estimate {
            value,
            lo: value - Z95 * se,
            hi: value + Z95 * se,
        }),
        draw_rate_equal: ratings.draw_rate_equal,
        phi: ratings.phi,
        phi_df: ratings.phi_df,
        phi_used: ratings.phi.map(|_| ratings.phi_used),
        cycles: significant_cycles(pool, &fit, pairings, ranks),
        fit,
    }
}

/// The cycles that chance does not explain, the clearest first.
fn significant_cycles(pool: &Pool, fit: &Fit, pairings: &[Pairing], ranks: &[usize]) -> Vec<Cycle> {
    if fit.cycles == 0 {
        return Vec::new();
    }
    let mut differences = vec![None; ranks.len() * ranks.len()];
    let place = |a: usize, b: usize| a * ranks.len() + b;
    for pairing in pairings {
        let h = &pairing.head_to_head;
        if let Some((elo, se)) = h.elo.zip(h.se_elo()) {
            differences[place(pairing.engine, pairing.opponent)] = Some((elo, se));
            differences[place(pairing.opponent, pairing.engine)] = Some((-elo, se));
        }
    }
    let test = |[i, j, k]: [usize; 3]| -> Option<Intransitivity> {
        let sides = [differences[place(i, j)]?, differences[place(j, k)]?, differences[place(k, i)]?];
        let add = |(sum, squares): (f64, f64), (elo, se): &(f64, f64)| (sum + elo, squares + se * se);
        let (sum, squares) = sides.iter().fold((0.0, 0.0), add);
        if sum * sum < MIN_Z * MIN_Z * squares {
            return None;
        }
        ratings::intransitivity(sides.map(|(elo, _)| elo), sides.map(|(_, se)| se))
    };
    let mut found = Vec::new();
    pool.for_each_cycle(|cycle| {
        // From here on engines are given by rank.
        let engines = cycle.map(|engine| ranks[engine]);
        found.extend(test(engines).filter(|around| around.p < SIGNIFICANT).map(|around| (engines, around)));
    });
    let p_values: Vec<Option<f64>> = found.iter().map(|(_, around)| Some(around.p)).collect();
    let corrected = ratings::holm_among(&p_values, fit.triples);
    let cycle = |((engines, intransitivity), p_holm): (_, Option<f64>)| {
        Some(Cycle { engines, intransitivity, p_holm: p_holm? })
    };
    let cycles = found.into_iter().zip(corrected).filter_map(cycle);
    let mut cycles: Vec<Cycle> = cycles.filter(|cycle| cycle.p_holm < SIGNIFICANT).collect();
    cycles.sort_by(|a, b| {
        a.p_holm.total_cmp(&b.p_holm).then(b.intransitivity.z.total_cmp(&a.intransitivity.z))
    });
    cycles
}

impl EngineTotals {
    fn faults(&self) -> Faults {
        let of = |kind: Termination| self.faults[kind as usize];
        Faults {
            timeouts: of(Termination::Timeout),
            illegal_moves: of(Termination::IllegalMove),
            crashes: of(Termination::Crash),
            others: of(Termination::Stall) + of(Termination::ProtocolError) + of(Termination::Resigned),
        }
    }

    fn off_turn(&self) -> Option<Duration> {
        self.off_turn.and_then(|sum| u64::try_from(sum).ok()).map(Duration::from_nanos)
    }

    /// Rounded to the nanosecond.
    fn mean_move(&self) -> Option<Duration> {
        let moves = u128::from(self.moves);
        let mean = (self.nanoseconds + moves / 2).checked_div(moves)?;
        u64::try_from(mean).ok().map(Duration::from_nanos)
    }
}

impl From<PoolError> for RatingError {
    fn from(error: PoolError) -> Self {
        Self::Pool(error)
    }
}

impl Tally {
    /// The standings of all games added so far, rated as by default.
    #[must_use]
    pub fn standings(&self) -> Standings {
        self.standings_with(&Settings::default(), None)
            .expect("the default settings name no engine and have a sound prior")
    }

    /// The standings with these settings. If `anchor` is given, the Elo of the engine of this name is 0.
    ///
    /// # Errors
    /// [`RatingError`] if there is no such engine, or a number of the prior is out of range.
    pub fn standings_with(
        &self,
        settings: &Settings,
        anchor: Option<&str>,
    ) -> Result<Standings, RatingError> {
        compute(self, settings, anchor)
    }
}
