//! What converting games costs, from format to format, per game: reading, playing every move, writing.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use records::formats::{Format, Settings, Writer, read};
use rules::{BoardSize, Position, SplitMix64, Turn};

const GAMES: u64 = 10_000;

/// Whole games by random play, a line each.
fn transcripts() -> Vec<u8> {
    let mut text = String::new();
    let mut rng = SplitMix64::new(1);
    for _ in 0..GAMES {
        let mut position = Position::start(BoardSize::Eight);
        loop {
            match position.turn() {
                Turn::Place(moves) => {
                    let lot = rng.next_u64() as usize % moves.len();
                    let chosen = moves.get(lot).expect("within the moves");
                    text.push_str(&chosen.to_string());
                    position = position.after(chosen);
                }
                Turn::Pass(forced) => position = position.after_pass(forced),
                Turn::Over(_) => break,
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn convert(from: Format, to: Format, bytes: &[u8]) -> Vec<u8> {
    let mut writer = Writer::new(to, Vec::with_capacity(1 << 20)).expect("to memory");
    for item in read(from, bytes, &Settings::default()).expect("begun") {
        writer.write(item.expect("a sound game")).expect("it can be written");
    }
    writer.finish().expect("to memory")
}

fn formats(criterion: &mut Criterion) {
    let text = transcripts();
    let mut group = criterion.benchmark_group("formats");
    group.throughput(Throughput::Elements(GAMES)).sample_size(10).measurement_time(Duration::from_secs(3));
    for format in [Format::Transcripts, Format::Ggf, Format::Sgf, Format::Pgn, Format::Jsonl, Format::Csv] {
        group.bench_function(BenchmarkId::new("write", format), |bencher| {
            bencher.iter(|| black_box(convert(Format::Transcripts, format, &text)));
        });
        let there = convert(Format::Transcripts, format, &text);
        group.bench_function(BenchmarkId::new("read", format), |bencher| {
            bencher.iter(|| black_box(convert(format, Format::Transcripts, &there)));
        });
    }
    group.finish();
}

criterion_group!(benches, formats);
criterion_main!(benches);
