//! The figures that decide how often a report may be made.

use criterion::{Criterion, criterion_group, criterion_main};
use ratings::{ColourTally, EloModel, Pentanomial, Pool, Settings, Sprt, head_to_head};
use std::hint::black_box;

/// Two hundred engines, everybody against everybody, a million games in pairs with some draws; strengths
/// 4 Elo apart.
fn million_games() -> Pool {
    let mut pool = Pool::new(200);
    for first in 0..200usize {
        for second in first + 1..200 {
            let share = ratings::score_from_elo(4.0 * (second - first) as f64);
            let mut left = 25;
            for half_points in [4usize, 3, 2, 1] {
                let pairs = ((left as f64) * share * 0.6).round() as u64;
                left -= pairs;
                pool.add(first, second, pair(half_points), pairs).expect("both are in the pool");
            }
            pool.add(first, second, pair(0), left).expect("both are in the pool");
        }
    }
    pool
}

fn pair(half_points: usize) -> ColourTally {
    let (mut black, mut white) = ([0; 3], [0; 3]);
    black[half_points.div_ceil(2)] += 1;
    white[half_points / 2] += 1;
    ColourTally::new(black, white).expect("two games")
}

fn pool(c: &mut Criterion) {
    let pool = million_games();
    let games: u64 = pool.met().map(|(a, b)| pool.clusters(a, b).games()).sum();
    assert_eq!(games, 19_900 * 50);
    let mut group = c.benchmark_group("pool of 200 engines, a million games");
    group.sample_size(20);
    group.bench_function("rate", |b| b.iter(|| black_box(&pool).rate(&Settings::default())));
    let ratings = pool.rate(&Settings::default()).expect("the default settings are sound");
    group.bench_function("all differences", |b| {
        b.iter(|| {
            (0..200)
                .flat_map(|i| (0..200).map(move |j| (i, j)))
                .fold(0.0, |sum, (i, j)| sum + black_box(&ratings).difference(i, j).se.unwrap_or_default())
        });
    });
    group.bench_function("fit", |b| b.iter(|| ratings::fit(black_box(&pool), &ratings)));
    group.bench_function("head to head of all encounters", |b| {
        b.iter(|| pool.met().map(|(i, j)| head_to_head(&pool.clusters(i, j)).games).sum::<u64>());
    });
    group.finish();
}

fn single(c: &mut Criterion) {
    let pairs = Pentanomial::from([150, 400, 800, 420, 180]);
    c.bench_function("head to head, 1950 pairs, exact test", |b| {
        b.iter(|| head_to_head(&black_box(pairs).into()));
    });
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Normalized).expect("sound bounds");
    c.bench_function("llr, normalised", |b| b.iter(|| sprt.llr(black_box(&pairs))));
    c.bench_function("estimate after an sprt", |b| b.iter(|| sprt.estimate(black_box(&pairs))));
}

criterion_group!(benches, pool, single);
criterion_main!(benches);
