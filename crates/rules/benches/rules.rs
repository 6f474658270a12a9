//! How fast the rules are: `cargo bench -p rules`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rules::{Board, BoardSize, Position, Square, Turn, perft};

/// A small generator of numbers (xorshift), so that every run sees the same games.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * end as u64) >> 32) as usize
    }
}

/// Plays random moves to the end, shows each position to `visit`, and says how many plies it took.
fn playout(start: Position, numbers: &mut Numbers, mut visit: impl FnMut(Position)) -> u64 {
    let (mut position, mut plies) = (start, 0);
    loop {
        visit(position);
        position = match position.turn() {
            Turn::Place(moves) => {
                let chosen = moves.get(numbers.below(moves.len())).expect("below the number of moves");
                position.after(chosen)
            }
            Turn::Pass(pass) => position.after_pass(pass),
            Turn::Over(_) => return plies,
        };
        plies += 1;
    }
}

fn positions() -> Vec<Position> {
    let (mut numbers, mut met) = (Numbers(2026), Vec::new());
    while met.len() < 4096 {
        playout(Position::start(BoardSize::Eight), &mut numbers, |position| met.push(position));
    }
    met.truncate(4096);
    met
}

fn kernel(bench: &mut Criterion) {
    let boards: Vec<Board> = positions().into_iter().map(Position::board).collect();
    let mut group = bench.benchmark_group("kernel");
    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("moves", |bencher| {
        bencher.iter(|| {
            black_box(&boards).iter().fold(0, |sum, board| sum ^ board.moves(BoardSize::Eight).bits())
        });
    });
    let legal: Vec<(Board, Square)> = boards
        .iter()
        .flat_map(|board| board.moves(BoardSize::Eight).iter().map(|square| (*board, square)))
        .collect();
    group.throughput(Throughput::Elements(legal.len() as u64));
    group.bench_function("flips", |bencher| {
        bencher.iter(|| {
            black_box(&legal).iter().fold(0, |sum, (board, square)| sum ^ board.flips(*square).bits())
        });
    });
    group.finish();
}

fn games(bench: &mut Criterion) {
    let mut group = bench.benchmark_group("games");
    group.sample_size(20);
    for (size, depth) in [(BoardSize::Eight, 9), (BoardSize::Six, 9)] {
        let start = Position::start(size);
        group.throughput(Throughput::Elements(perft(start, depth)));
        group.bench_function(format!("perft {depth} leaves {size}"), |bencher| {
            bencher.iter(|| perft(black_box(start), depth));
        });
    }
    group.throughput(Throughput::Elements(100));
    group.bench_function("random playouts", |bencher| {
        let mut numbers = Numbers(2026);
        bencher.iter(|| {
            let start = black_box(Position::start(BoardSize::Eight));
            (0..100).map(|_| playout(start, &mut numbers, |_| ())).sum::<u64>()
        });
    });
    group.finish();
}

criterion_group!(benches, kernel, games);
criterion_main!(benches);
