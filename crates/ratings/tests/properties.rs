//! Laws that hold for any counts, the odd ones above all: no games, one game, all won, all lost, all drawn,
//! more than anybody will play. Above all of them: a number is finite or absent.

use proptest::prelude::*;
use ratings::*;

fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: 2 * usual.cases, failure_persistence: None, ..usual }
}

/// Nothing, a few, many, or more than a `u64` sum can hold.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(0), 4 => 0..6u64, 3 => 0..3000u64, 1 => 0..u64::MAX, 1 => Just(u64::MAX)]
}

fn counts<const M: usize>() -> impl Strategy<Value = Counts<M>> {
    proptest::array::uniform::<_, M>(count()).prop_map(Counts::from)
}

/// Any number, sensible or not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -1000.0..1000.0,
        0.0..1.0,
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX)
    ]
}

fn clusters() -> impl Strategy<Value = ClusterCounts> {
    let cluster = prop_oneof![
        (1..4u32).prop_flat_map(|m| (0..=2 * m, Just(m))),
        (1..400u32).prop_flat_map(|m| (0..=2 * m, Just(m))),
        (1..u32::MAX).prop_flat_map(|m| (0..=m, Just(m))),
    ];
    proptest::collection::vec((cluster, count()), 0..8).prop_map(|list| {
        let mut clusters = ClusterCounts::default();
        for ((half_points, games), times) in list {
            clusters.add(Cluster::new(half_points, games).expect("within its games"), times);
        }
        clusters
    })
}

#[track_caller]
fn all_finite(numbers: impl IntoIterator<Item = Option<f64>>) {
    for (i, number) in numbers.into_iter().enumerate() {
        assert!(number.is_none_or(f64::is_finite), "number {i} is {number:?}");
    }
}

#[track_caller]
fn all_probabilities(numbers: impl IntoIterator<Item = Option<f64>>) {
    for (i, p) in numbers.into_iter().enumerate() {
        assert!(p.is_none_or(|p| (0.0..=1.0).contains(&p)), "number {i} is {p:?}");
    }
}

fn of_head_to_head(h: &HeadToHead) -> [Option<f64>; 10] {
    [h.se, h.elo, h.elo_lo, h.elo_hi, h.n_eff, h.score, h.score_lo, h.score_hi, h.los, h.p_equal]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn head_to_head_is_finite_and_in_order(clusters in clusters()) {
        let h = head_to_head(&clusters);
        all_finite(of_head_to_head(&h));
        all_finite([h.se_elo()]);
        all_probabilities([h.score, h.score_lo, h.score_hi, h.los, h.p_equal]);
        prop_assert_eq!(h.score.is_some(), h.games > 0);
        prop_assert_eq!(h.los.is_some(), h.games > 0);
        prop_assert_eq!(h.score_lo.is_some(), h.clusters > 1);
        if let (Some(lo), Some(s), Some(hi)) = (h.score_lo, h.score, h.score_hi) {
            prop_assert!(lo <= s + 1e-12 && s <= hi + 1e-12, "{} {} {}", lo, s, hi);
        }
        prop_assert_eq!(h.elo.is_some(), h.score.is_some_and(|s| s > 0.0 && s < 1.0));
    }

    #[test]
    fn pairs_seen_from_both_sides(pairs in counts::<5>()) {
        // Beyond, a score near 1 carries fewer digits than one near 0.
        let pairs = Pentanomial::from(pairs.0.map(|n| n.min(100_000)));
        let mut turned = pairs;
        turned.0.reverse();
        let (a, b) = (head_to_head(&pairs.into()), head_to_head(&turned.into()));
        prop_assert_eq!((a.games, a.clusters, a.p_equal), (b.games, b.clusters, b.p_equal));
        let close = |x: Option<f64>, y: Option<f64>| match (x, y) {
            (Some(x), Some(y)) => (x + y).abs() <= 1e-6 * (1.0 + x.abs()),
            (None, None) => true,
            _ => false,
        };
        prop_assert!(close(a.elo, b.elo), "{:?} {:?}", a, b);
        prop_assert!(close(a.los.map(|x| x - 0.5), b.los.map(|x| x - 0.5)));
    }

    #[test]
    fn normalised_elo_and_the_ratio_of_variances_are_finite(pairs in counts::<5>(), games in counts::<3>()) {
        all_finite([pair_var_ratio(&pairs, &games)]);
        if let Some(e) = normalized_elo(&pairs) {
            all_finite([Some(e.value), Some(e.lo), Some(e.hi)]);
            prop_assert!(e.lo <= e.value && e.value <= e.hi);
        }
    }

    #[test]
    fn discs_are_finite(sums in proptest::collection::vec(prop_oneof![-128..=128i32, any::<i32>()], 0..70)) {
        let d = discs(&sums);
        all_finite([d.mean, d.sd, d.se, d.lo, d.hi, d.t, d.p]);
        all_probabilities([d.p]);
    }

    #[test]
    fn holm_keeps_absence_and_order(p in proptest::collection::vec(proptest::option::of(number()), 0..20)) {
        let adjusted = holm(&p);
        all_probabilities(adjusted.iter().copied());
        for (raw, adjusted) in p.iter().zip(&adjusted) {
            prop_assert!(raw.is_none() <= adjusted.is_none());
            prop_assert!(adjusted.is_none() || adjusted >= raw);
        }
    }

    #[test]
    fn sprt_is_finite(
        pairs in counts::<5>(),
        games in counts::<3>(),
        elo0 in -150.0..149.0,
        gap in 0.01..300.0,
        alpha in 0.001..0.499,
        beta in 0.001..0.499,
        logistic: bool,
    ) {
        let model = if logistic { EloModel::Logistic } else { EloModel::Normalized };
        let elo1 = f64::min(elo0 + gap, 150.0);
        let sprt = Sprt::new(elo0, elo1, alpha, beta, model).unwrap();
        for (llr, e) in [(sprt.llr(&pairs), sprt.estimate(&pairs)), (sprt.llr(&games), sprt.estimate(&games))] {
            all_finite([Some(llr), e.elo, e.lo, e.hi]);
            if let (Some(lo), Some(elo), Some(hi)) = (e.lo, e.elo, e.hi) {
                prop_assert!(lo <= elo && elo <= hi);
            }
        }
        if let Some(e) = sprt.expected(elo0 + gap / 3.0, 0.1) {
            all_probabilities([Some(e.p_h1)]);
            prop_assert!(e.pairs.is_finite() && e.pairs > 0.0);
        }
    }

    #[test]
    fn any_arguments_at_all(x in proptest::array::uniform6(number()), n in count(), star in count()) {
        if let Ok(sprt) = Sprt::new(x[0], x[1], x[2], x[3], EloModel::Normalized)
            && let Some(e) = sprt.expected(x[4], x[5])
        {
            all_finite([Some(e.p_h1), Some(e.pairs)]);
        }
        all_finite([pair_var_default(x[0], x[1], x[2]), elo_from_score(x[0])]);
        all_finite([conf_sequence_widening(n, star, x[0])]);
        if let Some(c) = conf_sequence(n, x[0], x[1], star, x[2]) {
            all_finite([Some(c.lo), Some(c.hi), Some(c.rho2)]);
        }
        if let Some(c) = intransitivity([x[0], x[1], x[2]], [x[3], x[4], x[5]]) {
            all_finite([Some(c.elo), Some(c.se), Some(c.z), Some(c.p)]);
        }
        let _ = (pairs_needed(x[0], x[1], x[2], true, x[3]), pairs_for_width(x[0], x[1], x[2]));
    }
}

/// Clusters of a pool: engines, tally, how often.
type Entry = (usize, usize, [u32; 3], [u32; 3], u64);

const ENGINES: usize = 5;

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    // Whole numbers of one result make all-won, all-lost and all-drawn pools likely.
    let result = prop_oneof![Just([0, 0, 0]), Just([1, 0, 0]), Just([0, 1, 0]), Just([0, 0, 1])];
    let tally = prop_oneof![6 => result, 1 => proptest::array::uniform3(0..50u32)];
    let times = prop_oneof![6 => 1..9u64, 2 => 1..100_000u64, 1 => count()];
    let entry = (0..ENGINES, 0..ENGINES, tally.clone(), tally, times);
    proptest::collection::vec(entry, 0..14)
}

fn settings() -> impl Strategy<Value = Settings> {
    let sd = || prop_oneof![2 => Just(Some(800.0)), 1 => Just(None), 1 => (1.0..1e5).prop_map(Some)];
    let draw = prop_oneof![Just(0.5), Just(0.0), 0.0..100.0];
    let model = prop_oneof![3 => Just(Model::Davidson), 1 => Just(Model::BtHalf)];
    (model, any::<bool>(), sd(), sd(), draw, proptest::option::of(0..ENGINES)).prop_map(
        |(model, colour, sd_theta, sd_eta, draw, anchor)| Settings {
            model,
            colour,
            prior: Prior { sd_theta, sd_eta, draw },
            anchor,
        },
    )
}

fn pool<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Pool {
    let mut pool = Pool::new(ENGINES);
    for &(first, second, black, white, times) in entries {
        if let Some(tally) = ColourTally::new(black, white).filter(|_| first != second) {
            pool.add(first, second, tally, times).expect("two engines of the pool");
        }
    }
    pool
}

fn of_ratings(r: &Ratings) -> Vec<Option<f64>> {
    let mut all = vec![
        r.colour_elo,
        r.colour_se,
        r.draw_nu,
        r.draw_rate_equal,
        r.kappa,
        r.log_posterior,
        r.phi,
        Some(r.phi_used),
    ];
    for (i, e) in r.engines.iter().enumerate() {
        all.extend([e.elo, e.se, e.lo, e.hi]);
        for j in 0..r.engines.len() {
            let d = r.difference(i, j);
            all.extend([d.elo, d.se, d.los, d.p, d.expected]);
        }
    }
    all
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pools_are_finite(entries in entries(), settings in settings()) {
        let pool = pool(&entries);
        let r = pool.rate(&settings).unwrap();
        all_finite(of_ratings(&r));
        let f = fit(&pool, &r);
        all_finite([f.chi2, f.p_chi2, f.f, f.p_f, f.zeta]);
        all_probabilities([f.p_chi2, f.p_f, r.draw_rate_equal, r.kappa]);
        for (i, e) in r.engines.iter().enumerate() {
            let decided = e.elo.is_some();
            prop_assert!(decided || e.se.is_none());
            prop_assert_eq!(e.extreme.is_some(), e.games > 0);
            prop_assert!(e.games > 0 || !decided);
            for j in 0..ENGINES {
                let (d, back) = (r.difference(i, j), r.difference(j, i));
                all_probabilities([d.los, d.p, d.expected]);
                if let (Some(x), Some(y)) = (d.expected, back.expected) {
                    prop_assert!((x + y - 1.0).abs() < 1e-9);
                }
                prop_assert!(e.component == r.engines[j].component || d == Difference::default());
            }
        }
        let mut ranking = r.ranking();
        ranking.sort_unstable();
        prop_assert_eq!(ranking, (0..ENGINES).collect::<Vec<_>>());
    }

    /// With the default prior every engine that played has a rating, whatever happened to it.
    #[test]
    fn a_prior_rates_everybody(entries in entries()) {
        let modest: Vec<Entry> = entries.into_iter().map(|e| (e.0, e.1, e.2, e.3, e.4.min(1_000_000))).collect();
        let r = pool(&modest).rate(&Settings::default()).unwrap();
        for e in &r.engines {
            prop_assert_eq!(e.elo.is_some(), e.games > 0);
        }
    }

    #[test]
    fn the_order_of_games_does_not_matter(entries in entries(), settings in settings()) {
        let forwards = pool(&entries).rate(&settings).unwrap();
        let backwards = pool(entries.iter().rev()).rate(&settings).unwrap();
        prop_assert_eq!(forwards, backwards);
    }

    #[test]
    fn the_mean_of_a_component_is_zero(entries in entries()) {
        let r = pool(&entries).rate(&Settings::default()).unwrap();
        for component in 0..ENGINES {
            let sum: f64 =
                r.engines.iter().filter(|e| e.component == component).filter_map(|e| e.elo).sum();
            prop_assert!(sum.abs() < 1e-6, "{}", sum);
        }
    }

    /// Numbering the engines backwards changes the numbers' places, not the numbers.
    #[test]
    fn engines_have_no_rank_by_number(entries in entries()) {
        let modest: Vec<Entry> = entries.into_iter().map(|e| (e.0, e.1, e.2, e.3, e.4.min(10_000))).collect();
        let turned: Vec<Entry> =
            modest.iter().map(|e| (ENGINES - 1 - e.0, ENGINES - 1 - e.1, e.2, e.3, e.4)).collect();
        let (r, t) = (pool(&modest).rate(&Settings::default()).unwrap(), pool(&turned).rate(&Settings::default()).unwrap());
        for i in 0..ENGINES {
            let (a, b) = (r.engines[i], t.engines[ENGINES - 1 - i]);
            for (x, y) in [(a.elo, b.elo), (a.se, b.se)] {
                let same = match (x, y) {
                    (Some(x), Some(y)) => (x - y).abs() < 1e-5 * (1.0 + x.abs()),
                    (x, y) => x == y,
                };
                prop_assert!(same, "{:?} {:?}", x, y);
            }
        }
    }
}
