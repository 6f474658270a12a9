//! Counts of games against published ones.

#![expect(clippy::unwrap_used, reason = "a test may stop here")]

#[expect(dead_code, reason = "each test file uses its part")]
mod common;
#[path = "common/simd_levels.rs"]
mod simd_levels;

use common::{list, numbers, position, reference, start};
use rules::{BoardSize, Position, Turn, perft, perft_on};
use simd_levels::simd_levels;

/// On all levels of this machine.
fn assert_count(from: Position, depth: u32, count: u64, what: &str) {
    for level in simd_levels() {
        assert_eq!(perft_on(level, from, depth), count, "{what}, depth {depth}, {level}");
    }
}

fn assert_counts(from: Position, counts: &[u64], what: &str) {
    for (depth, &count) in (1..).zip(counts) {
        assert_count(from, depth, count, what);
    }
}

fn from_start(depths: std::ops::RangeInclusive<u64>) {
    let data = reference();
    for row in list(&data["perft_initial"], "rows") {
        let (depth, count) = (row["depth"].as_u64().unwrap(), row["a"].as_u64().unwrap());
        if depths.contains(&depth) {
            assert_count(Position::start(BoardSize::Eight), depth as u32, count, "start");
        }
    }
}

#[test]
fn start_position() {
    assert_eq!(perft(Position::start(BoardSize::Eight), 0), 1);
    from_start(1..=11);
}

#[test]
#[ignore = "takes ten seconds; cargo test -p rules --test perft -- --ignored"]
fn start_position_deep() {
    from_start(12..=12);
}

#[test]
fn chosen_positions() {
    let data = reference();
    for entry in list(&data, "perft_more") {
        assert_counts(position(entry), &numbers(entry, "a"), &entry["id"].to_string());
    }
}

#[test]
fn other_boards_and_starts() {
    let data = reference();
    for entry in list(&data, "perft_other_boards") {
        assert_counts(start(entry), &numbers(entry, "a"), &entry.to_string());
    }
}

/// Games that end with exactly `depth` plies, wiped out and otherwise, and forced passes met there.
fn ends(from: Position, depth: u32, counts: &mut [u64; 3]) {
    match (from.turn(), depth) {
        (Turn::Over(end), 0) => {
            let wiped_out = end.discs().black == 0 || end.discs().white == 0;
            counts[if wiped_out { 0 } else { 1 }] += 1;
        }
        (Turn::Pass(_), 0) => counts[2] += 1,
        (Turn::Over(_), _) | (Turn::Place(_), 0) => {}
        (Turn::Pass(pass), _) => ends(from.after_pass(pass), depth - 1, counts),
        (Turn::Place(moves), _) => moves.iter().for_each(|legal| ends(from.after(legal), depth - 1, counts)),
    }
}

#[test]
fn games_that_end_early() {
    let data = reference();
    for row in list(&data["games_over_after_plies"], "rows") {
        let row: Vec<u64> = row.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        if row[0] <= 10 {
            let mut counts = [0; 3];
            ends(Position::start(BoardSize::Eight), row[0] as u32, &mut counts);
            assert_eq!(counts, row[1..], "after {} plies", row[0]);
        }
    }
}
