//! Playouts a second: `cargo bench -p mcts`, and read the throughput.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcts::rollout::{Policy, Rollout};
use mcts::tree::Tree;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rules::{BoardSize, Position, Variant};

fn benches(criterion: &mut Criterion) {
    let board = Position::start(BoardSize::Eight).board();
    for (name, policy) in [("random", Policy::Random), ("corners", Policy::Corners)] {
        let rollout = Rollout::new(BoardSize::Eight, Variant::Othello, policy);
        let mut lots = Xoshiro256PlusPlus::seed_from_u64(1);
        criterion.bench_function(&format!("rollout, {name}"), |b| b.iter(|| rollout.play(board, &mut lots)));
    }

    const PLAYOUTS: u64 = 5000;
    let rollout = Rollout::new(BoardSize::Eight, Variant::Othello, Policy::Corners);
    let mut group = criterion.benchmark_group("tree");
    group.sample_size(20).throughput(Throughput::Elements(PLAYOUTS));
    group.bench_function("playouts from the start", |b| {
        b.iter(|| {
            let mut tree = Tree::new(board, BoardSize::Eight, 0.4, 16 << 20);
            let mut lots = Xoshiro256PlusPlus::seed_from_u64(1);
            for _ in 0..PLAYOUTS {
                tree.playout(&rollout, &mut lots);
            }
            tree.len()
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
