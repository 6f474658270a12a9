//! Playouts a second, on each level: `cargo bench -p mcts`, and read the throughput.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcts::rollout::{GAMES, Policy, Rollout};
use mcts::tree::{SearchRng, Tree};
use rules::{BoardSize, Playouts, Position, SimdLevel, Variant};

fn benches(criterion: &mut Criterion) {
    let board = Position::start(BoardSize::Eight).board();
    for level in SimdLevel::ALL {
        if !level.is_available() {
            println!("skipped: this machine has no {level}");
            continue;
        }
        let mut group = criterion.benchmark_group(format!("{level}"));
        group.throughput(Throughput::Elements(u64::from(GAMES)));
        for (name, policy) in [("random", Policy::Random), ("corners", Policy::Corners)] {
            let rollout = Rollout::new(BoardSize::Eight, Variant::Othello, policy);
            let mut playouts = Playouts::new(level, BoardSize::Eight, 1);
            group.bench_function(format!("rollouts, {name}"), |b| {
                b.iter(|| rollout.play(board, &mut playouts, GAMES));
            });
        }

        const STEPS: u32 = 2000;
        let rollout = Rollout::new(BoardSize::Eight, Variant::Othello, Policy::Corners);
        group.sample_size(20).throughput(Throughput::Elements(u64::from(STEPS * GAMES)));
        group.bench_function("playouts in a tree from the start", |b| {
            b.iter(|| {
                let mut tree = Tree::new(board, BoardSize::Eight, 0.4, 16 << 20);
                let mut rng = SearchRng::new(level, BoardSize::Eight, 1);
                for _ in 0..STEPS {
                    tree.playouts(GAMES, &rollout, &mut rng);
                }
                tree.len()
            });
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
