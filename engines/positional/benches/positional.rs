//! Nodes a second, on each level: `cargo bench -p positional`, and read the throughput.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine_kit::{Limits, Search};
use positional::evaluation::Evaluation;
use positional::search::{INFINITY, Searcher};
use positional::weights::Weights;
use rules::{BoardSize, Position, SimdLevel, Variant};

/// A middle game, 44 squares empty.
const MIDDLE: &str = "------------------XXXX-----OXX---OOOOOX---OXX-----X------------- O";
/// The first position of the FFO end-game suite, 14 squares empty.
const END: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

fn evaluation() -> Evaluation {
    Evaluation::new(Weights::default(), BoardSize::Eight, Variant::Othello)
}

fn parsed(text: &str) -> Position {
    text.parse().expect("a position")
}

fn benches(criterion: &mut Criterion) {
    let (middle, end) = (parsed(MIDDLE), parsed(END));
    let (board, moves) = (middle.board(), middle.moves());
    let evaluator = evaluation();
    criterion.bench_function("evaluation, plain", |b| {
        b.iter(|| evaluator.evaluate(black_box(board), black_box(moves)));
    });

    for level in SimdLevel::ALL {
        if !level.is_available() {
            println!("skipped: this machine has no {level}");
            continue;
        }
        let searcher = || Searcher::new(level, evaluation(), 2 << 20);
        let mut group = criterion.benchmark_group(format!("{level}"));
        group.sample_size(20);
        let depth_six = |search: &mut Search<'_>| searcher().value(board, 6, -INFINITY, INFINITY, search);
        let mut search = Search::standalone(Limits::default(), middle);
        depth_six(&mut search).expect("nothing stops it");
        group.throughput(Throughput::Elements(search.nodes()));
        group.bench_function("middle game, depth 6", |b| {
            b.iter(|| depth_six(&mut Search::standalone(Limits::default(), middle)));
        });

        let to_the_end =
            |search: &mut Search<'_>| searcher().final_value(end.board(), -INFINITY, INFINITY, search);
        let mut search = Search::standalone(Limits::default(), end);
        to_the_end(&mut search).expect("nothing stops it");
        group.throughput(Throughput::Elements(search.nodes()));
        group.bench_function("14 squares to the end", |b| {
            b.iter(|| to_the_end(&mut Search::standalone(Limits::default(), end)));
        });
        group.finish();
    }
}

criterion_group!(all, benches);
criterion_main!(all);
