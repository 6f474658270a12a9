//! Cases that are not among the reference cases, computed apart from this crate.
//!
//! The figures come from a Python script written from the formulas only: the pool by a general optimiser
//! and a numeric Hessian in 40 digits (mpmath), Wilson's ends by root finding, the sign-flip test by a
//! polynomial in whole numbers, the LLR by constrained optimisation (scipy 1.17.1, SLSQP).

use ratings::*;

#[track_caller]
fn close(got: impl Into<Option<f64>>, expected: f64, tolerance: f64) {
    let got = got.into().expect("a number");
    assert!((got - expected).abs() <= tolerance, "{got} is not {expected}");
}

/// Games lost, drawn and won as Black, then as White, and how many such clusters there were.
type Clusters = (usize, usize, &'static [([u32; 3], [u32; 3], u64)]);

const UNEVEN: [Clusters; 5] = [
    (0, 1, &[([0, 0, 1], [1, 0, 0], 4), ([0, 1, 0], [0, 0, 1], 2), ([1, 0, 0], [1, 0, 0], 3)]),
    (0, 2, &[([0, 0, 2], [0, 1, 0], 1), ([0, 0, 1], [0, 0, 0], 5), ([1, 0, 0], [0, 0, 1], 2)]),
    (1, 3, &[([0, 0, 1], [0, 0, 1], 6), ([1, 0, 0], [0, 1, 0], 2)]),
    (2, 4, &[([0, 0, 0], [1, 0, 2], 2), ([0, 1, 0], [1, 0, 0], 3)]),
    (3, 4, &[([1, 0, 0], [0, 0, 1], 7), ([0, 0, 1], [0, 1, 0], 1)]),
];

#[test]
fn a_pool_of_uneven_encounters_under_another_prior() {
    let mut pool = Pool::new(5);
    for (a, b, clusters) in UNEVEN {
        for &(black, white, times) in clusters {
            pool.add(a, b, ColourTally::new(black, white).unwrap(), times).unwrap();
        }
    }
    let prior = Prior { sd_theta: Some(500.0), sd_eta: Some(150.0), draw: 1.5 };
    let r = pool.rate(&Settings { prior, ..Settings::default() }).unwrap();

    close(r.phi, 0.761_703_013_963_940_1, 1e-9);
    assert_eq!(r.phi_df, 33);
    close(r.draw_nu, 0.356_726_756_567_651_9, 1e-9);
    close(r.log_posterior, -69.113_453_642_220_1, 1e-9);
    let expected = [
        (108.643_689_856, 52.770_434_879_2),
        (187.228_055_883, 51.869_322_356_9),
        (-141.937_529_619, 56.722_716_197_4),
        (-67.139_143_777_5, 49.816_463_905_2),
        (-86.795_072_342_6, 49.950_145_881_9),
    ];
    for (engine, (elo, se)) in r.engines.iter().zip(expected) {
        close(engine.elo, elo, 1e-7);
        close(engine.se, se, 1e-7);
    }
    close(r.colour_elo, -49.185_238_589_2, 1e-7);
    close(r.colour_se, 35.756_762_424_5, 1e-7);
    let d = r.difference(0, 4);
    close(d.se, 91.377_884_899_1, 1e-7);
    close(d.los, 0.983_773_950_869, 1e-9);
    close(d.p, 0.032_452_098_262_1, 1e-9);
    close(d.expected, 0.749_463_028_001, 1e-9);
    assert_eq!(r.ranking(), [1, 0, 3, 4, 2]);

    let f = fit(&pool, &r);
    assert_eq!((f.df, f.df2), (1, Some(33)));
    close(f.chi2, 0.017_826_236_644_1, 1e-9);
    close(f.p_chi2, 0.893_786_157_217_435_7, 1e-8);
    close(f.f, 0.023_403_132_608_5, 1e-9);
    close(f.p_f, 0.879_345_002_055_618_4, 1e-8);
}

#[test]
fn head_to_head_over_clusters_of_every_size() {
    let mut clusters = ClusterCounts::default();
    for (half_points, games, times) in
        [(3, 2, 7), (1, 2, 4), (4, 2, 5), (0, 1, 2), (2, 1, 3), (7, 8, 1), (2, 2, 6), (0, 2, 1)]
    {
        clusters.add(Cluster::new(half_points, games).unwrap(), times);
    }
    let h = head_to_head(&clusters);
    assert_eq!((h.clusters, h.games), (29, 59));
    close(h.score, 0.593_220_338_983_050_8, 1e-14);
    close(h.se, 0.055_226_388_026_499_22, 1e-12);
    close(h.score_lo, 0.478_184_929_912_023_6, 1e-10);
    close(h.score_hi, 0.698_866_105_686_144_5, 1e-10);
    close(h.elo, 65.542_721_055_467_84, 1e-9);
    close(h.elo_lo, -15.168_292_921_603_735, 1e-7);
    close(h.elo_hi, 146.253_735_032_539_17, 1e-7);
    close(h.n_eff, 79.119_217_399_959_57, 1e-9);
    close(h.los, 0.957_093_609_674_723_9, 1e-9);
    close(h.p_equal, 0.118_060_588_836_669_92, 1e-14);
}

#[test]
fn the_llr_is_a_ratio_of_maximised_likelihoods() {
    let sprt = |elo0, elo1| Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Normalized).unwrap();
    close(sprt(-5.0, 25.0).llr(&Pentanomial::from([12, 40, 95, 61, 22])), 3.785_420_939, 1e-6);
    close(sprt(0.0, 100.0).llr(&Pentanomial::from([3, 7, 20, 31, 40])), 19.286_269_50, 1e-5);
    close(sprt(0.0, 40.0).llr(&Trinomial::from([30, 44, 51])), 2.179_128_827, 1e-6);
}

/// 884 : −884, the figure of the specification for 1000 games won out of 1000.
#[test]
fn a_thousand_wins_are_finite() {
    let mut pool = Pool::new(2);
    pool.add(0, 1, ColourTally::new([0, 0, 1], [0, 0, 1]).unwrap(), 500).unwrap();
    let r = pool.rate(&Settings::default()).unwrap();
    close(r.engines[0].elo, 884.0, 0.5);
    close(r.engines[1].elo, -884.0, 0.5);
    assert_eq!(r.engines[0].extreme, Some(true));
    assert!(!r.mle_exists);
}

/// Without priors a pool that is not strongly connected has no ratings, and says so.
#[test]
fn without_priors_there_may_be_no_maximum() {
    let pool_of = |black: [u32; 3], white: [u32; 3], times| {
        let mut pool = Pool::new(2);
        pool.add(0, 1, ColourTally::new(black, white).unwrap(), times).unwrap();
        pool.rate(&Settings { prior: Prior::NONE, ..Settings::default() }).unwrap()
    };
    // All won: strength runs away.
    assert_eq!(pool_of([0, 0, 1], [0, 0, 1], 10).engines[0].elo, None);
    // Black always wins: colour runs away.
    assert_eq!(pool_of([0, 0, 1], [1, 0, 0], 10).colour_elo, None);
    // The first always has Black: colour and strength cannot be told apart.
    assert_eq!(pool_of([1, 1, 2], [0, 0, 0], 10).engines[0].elo, None);
    // All drawn: the draw rate runs away, but the two are equal all the same.
    let drawn = pool_of([0, 1, 0], [0, 1, 0], 10);
    assert_eq!((drawn.engines[0].elo, drawn.engines[0].se, drawn.draw_nu), (Some(0.0), None, None));
    // And a pool that has one.
    assert!(pool_of([1, 0, 2], [1, 1, 1], 10).engines[0].elo.is_some());
}

/// The gauge does not show: with a prior so weak that it says nothing, maximum likelihood comes out.
#[test]
fn a_vanishing_prior_is_none() {
    let mut pool = Pool::new(3);
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        pool.add(a, b, ColourTally::new([1, 0, 2], [2, 0, 3]).unwrap(), 5).unwrap();
        pool.add(a, b, ColourTally::new([1, 1, 0], [0, 0, 1]).unwrap(), 3 + a as u64).unwrap();
    }
    let weak = Prior { sd_theta: Some(1e7), sd_eta: Some(1e7), draw: 0.0 };
    let with = |prior| pool.rate(&Settings { prior, ..Settings::default() }).unwrap();
    let (weak, none) = (with(weak), with(Prior::NONE));
    for (w, n) in weak.engines.iter().zip(&none.engines) {
        close(w.elo, n.elo.unwrap(), 1e-6);
        close(w.se, n.se.unwrap(), 1e-6);
    }
}

/// Two million draws and nothing else: by hand, 2N + d(2 − ν) = 0, so ν = 2 + 4N at d = ½.
#[test]
fn a_sea_of_draws_keeps_its_digits() {
    let mut pool = Pool::new(2);
    pool.add(0, 1, ColourTally::new([0, 1, 0], [0, 1, 0]).unwrap(), 1_000_000).unwrap();
    let r = pool.rate(&Settings::default()).unwrap();
    close(r.draw_nu, 8_000_002.0, 0.1);
    assert_eq!((r.engines[0].elo, r.engines[0].se), (Some(0.0), None));
    // One decisive game among them moves the two apart by next to nothing.
    pool.add(0, 1, ColourTally::new([0, 0, 1], [0, 0, 0]).unwrap(), 1).unwrap();
    let r = pool.rate(&Settings::default()).unwrap();
    assert!(r.engines[0].elo.unwrap() > 0.0 && r.engines[0].elo.unwrap() < 0.01);
}
