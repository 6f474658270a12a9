//! What rating a million games costs, from both kinds of file, and what there is to compare with: the `csv`
//! crate reading the same table, and the disk cache handing out the same bytes.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use records::{GameRecord, MoveRecord, Start, Termination, Verdict};
use rules::{BoardSize, Empties, Ply, Position, SplitMix64, Turn, Variant};
use tournament::merge::{add_log, add_results};
use tournament::standings::Tally;

const ENGINES: u64 = 200;
/// A round robin of two hundred, 25 pairs each: just below a million.
const TABLE_PAIRS: u64 = 25;
const LOG_GAMES: u64 = 50_000;

fn encounters() -> impl Iterator<Item = (u64, u64)> + Clone {
    (0..ENGINES).flat_map(|first| (first + 1..ENGINES).map(move |second| (first, second)))
}

fn name(number: u64) -> String {
    format!("engine{number:03}")
}

/// A table of results, round by round.
fn table(folder: &Path) -> PathBuf {
    let mut text = String::from("black,white,result\n");
    let mut rng = SplitMix64::new(1);
    for _ in 0..TABLE_PAIRS {
        for (first, second) in encounters() {
            for (black, white) in [(first, second), (second, first)] {
                let edge = (white as i64 - black as i64) * 2;
                let lot = (rng.next_u64() % 1000) as i64;
                let result = if lot < 480 + edge {
                    "black"
                } else if lot < 520 + edge {
                    "draw"
                } else {
                    "white"
                };
                text += &format!("{},{},{result}\n", name(black), name(white));
            }
        }
    }
    let path = folder.join("results.csv");
    fs::write(&path, text).expect("written");
    path
}

/// A record of games with random moves, two to a pair from eight plies of opening.
fn log(folder: &Path) -> PathBuf {
    let mut text = Vec::new();
    let mut met = encounters().cycle();
    let mut meeting = (0, 1);
    for index in 0..LOG_GAMES {
        if index % 2 == 0 {
            meeting = met.next().expect("a cycle has no end");
        }
        let players = if index % 2 == 0 { meeting } else { (meeting.1, meeting.0) };
        game(index, players).write_line(&mut text).expect("plain values");
    }
    let path = folder.join("games.jsonl");
    fs::write(&path, text).expect("written");
    path
}

fn game(index: u64, (black, white): (u64, u64)) -> GameRecord {
    let (mut opening, mut choice) = (SplitMix64::new(index / 2), SplitMix64::new(index));
    let mut position = Position::start(BoardSize::Eight);
    let mut plies = Vec::new();
    let score = loop {
        let ply = match position.turn() {
            Turn::Place(moves) => {
                let rng = if plies.len() < 8 { &mut opening } else { &mut choice };
                moves
                    .get(usize::try_from(rng.below(moves.len() as u64)).expect("small"))
                    .expect("a move")
                    .ply()
            }
            Turn::Pass(_) => Ply::Pass,
            Turn::Over(score) => break score,
        };
        position = position.play(ply).expect("legal");
        plies.push(ply);
    };
    let moves = plies.split_off(8).into_iter().map(|ply| match ply {
        Ply::Pass => MoveRecord { ply, spent: Duration::ZERO, score: None, depth: None, nodes: None },
        Ply::Place(_) => MoveRecord {
            ply,
            spent: Duration::from_nanos(choice.next_u64() % 100_000_000),
            score: Some((choice.next_u64() % 6400) as f64 / 100.0),
            depth: Some(9),
            nodes: Some(choice.next_u64() % 1_000_000),
        },
    });
    let moves = moves.collect();
    let verdict = Verdict::by_discs(score, Variant::Othello, Empties::Winner);
    GameRecord {
        format: records::game::FORMAT,
        game: index,
        pair: index / 2,
        round: index / 2,
        opening: plies,
        start: Start::Standard,
        variant: Variant::Othello,
        board: BoardSize::Eight,
        empties: Empties::Winner,
        black: name(black),
        white: name(white),
        seed: index,
        moves,
        result: verdict.outcome,
        discs: position.disc_counts(),
        score: verdict.score,
        termination: Termination::Normal,
        offender: None,
        phase: None,
        detail: None,
        started: "2026-11-29T21:00:00Z".to_owned(),
        seconds: 1.9,
        off_turn: None,
    }
}

/// What `rate` does with a table but for printing, over what the `csv` crate takes to read it: the quickest of some
/// runs each, which other work on the machine disturbs least.
#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn ratio(table: &Path) {
    let quickest = |work: &dyn Fn()| {
        let times = (0..10).map(|_| {
            let begin = Instant::now();
            work();
            begin.elapsed()
        });
        times.min().unwrap_or_default().as_secs_f64()
    };
    let alone = quickest(&|| {
        black_box(rows_by_csv(table));
    });
    let rated = quickest(&|| {
        let mut tally = Tally::new();
        add_results(&mut tally, table, |_| {}).expect("sound");
        black_box(tally.standings());
    });
    println!(
        "a million games of 200 engines as CSV: read and rated in {:.0} ms, {:.2} times the {:.0} ms of the csv crate alone\n",
        1e3 * rated,
        rated / alone,
        1e3 * alone
    );
}

fn rows_by_csv(table: &Path) -> usize {
    let mut reader = csv::Reader::from_path(table).expect("opened");
    let mut row = csv::ByteRecord::new();
    let mut fields = 0;
    while reader.read_byte_record(&mut row).expect("a row") {
        fields += row.len();
    }
    fields
}

fn rating(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let (table, log) = (table(folder.path()), log(folder.path()));
    let size = |path: &Path| Throughput::Bytes(fs::metadata(path).expect("there").len());

    ratio(&table);
    let mut group = c.benchmark_group("a million games of 200 engines as CSV");
    group.sample_size(10).throughput(size(&table));
    group.bench_function("the csv crate alone", |b| b.iter(|| rows_by_csv(&table)));
    group.bench_function("read", |b| {
        b.iter(|| {
            let mut tally = Tally::new();
            add_results(&mut tally, &table, |_| {}).expect("sound");
            tally
        });
    });
    let mut tally = Tally::new();
    add_results(&mut tally, &table, |_| {}).expect("sound");
    group.bench_function("standings of what was read", |b| b.iter(|| black_box(&tally).standings()));
    group.finish();

    let mut group = c.benchmark_group("games.jsonl of 50,000 games");
    group.sample_size(10).throughput(size(&log));
    group.bench_function("the bytes alone", |b| b.iter(|| fs::read(&log).expect("read").len()));
    group.bench_function("read", |b| {
        b.iter(|| {
            let mut tally = Tally::new();
            add_log(&mut tally, &log, |_| {}).expect("sound");
            tally
        });
    });
    let mut tally = Tally::new();
    add_log(&mut tally, &log, |_| {}).expect("sound");
    group.bench_function("standings of what was read", |b| b.iter(|| black_box(&tally).standings()));
    group.finish();
}

criterion_group!(benches, rating);
criterion_main!(benches);
