//! The rules beside the crate `magpie`, on one thread, in one run: how many times as fast each level is.
//! `cargo bench -p rules --bench ratios`.
//!
//! All contestants take turns, and the best round of each counts: what else the machine does hits
//! some rounds, but hardly all rounds of one of them.

use std::hint::black_box;
use std::time::Instant;

use magpie::othello::{Board as MagpieBoard, Stone};
use rules::{AnyMove, Board, BoardSize, Playouts, Position, Rules, SimdLevel, SimdTask, perft_on};

const SIZE: BoardSize = BoardSize::Eight;

/// A race: the yardstick first, then ours on each level.
struct Contest {
    what: &'static str,
    unit: &'static str,
    yardstick: fn(u64) -> Done,
    ours: fn(SimdLevel, u64) -> Done,
    /// The depth of a perft, or a number of games.
    task: u64,
    rounds: u32,
    /// So many times the yardstick's speed is the aim, for each of [`SimdLevel::ALL`].
    aims: [Option<f64>; 3],
}

/// How many units were done, and what came out.
#[derive(Clone, Copy)]
struct Done {
    units: u64,
    result: u64,
}

fn main() {
    // Without the word that cargo gives to a bench, this is a test that it runs at all.
    let in_earnest = std::env::args().any(|word| word == "--bench");
    for level in SimdLevel::ALL.into_iter().filter(|level| !level.is_available()) {
        println!("skipped: this machine has no {level}");
    }
    println!("{:<34} {:>8} {:>18} {:>8} {:>8}", "", "", "a second", "ratio", "aim");
    for contest in contests(in_earnest) {
        run(&contest);
    }
}

fn contests(in_earnest: bool) -> [Contest; 4] {
    let (depth, games, perft_rounds, game_rounds) =
        if in_earnest { (11, 20_000, 4, 12) } else { (5, 64, 1, 1) };
    [
        Contest {
            what: "perft, many positions at once",
            unit: "leaves",
            yardstick: perft_of_magpie,
            ours: |level, depth| leaves(perft_on(level, black_box(Position::start(SIZE)), depth as u32)),
            task: depth,
            rounds: perft_rounds,
            aims: [Some(1.9), Some(3.8), Some(6.0)],
        },
        Contest {
            what: "perft, one position at a time",
            unit: "leaves",
            yardstick: perft_of_magpie,
            ours: |level, depth| leaves(level.run(Leaves(black_box(start()), depth))),
            task: depth,
            rounds: perft_rounds,
            aims: [None, Some(3.2), Some(3.6)],
        },
        Contest {
            what: "random games, one at a time",
            unit: "games",
            yardstick: games_of_magpie,
            ours: |level, games| level.run(Games(games)),
            task: games,
            rounds: game_rounds,
            aims: [Some(1.6), Some(2.7), Some(2.9)],
        },
        Contest {
            what: "random games, many in step",
            unit: "games",
            yardstick: games_of_magpie,
            ours: games_in_step,
            task: games,
            rounds: game_rounds,
            aims: [Some(2.0), Some(6.0), Some(9.0)],
        },
    ]
}

fn run(contest: &Contest) {
    let levels: Vec<(SimdLevel, Option<f64>)> =
        SimdLevel::ALL.into_iter().zip(contest.aims).filter(|(level, _)| level.is_available()).collect();
    let mut best = vec![0.0f64; 1 + levels.len()];
    for _ in 0..contest.rounds {
        best[0] = best[0].max(speed(|| (contest.yardstick)(contest.task)));
        for (best, (level, _)) in best[1..].iter_mut().zip(&levels) {
            *best = best.max(speed(|| (contest.ours)(*level, contest.task)));
        }
    }
    println!("{:<34} {:>8} {:>11.0} {:>6}", contest.what, "magpie", best[0], contest.unit);
    for (speed, (level, aim)) in best[1..].iter().zip(&levels) {
        let aim = aim.map_or_else(|| "-".to_owned(), |aim| format!("{aim:.1}"));
        let ratio = speed / best[0];
        println!("{:<34} {level:>8} {speed:>11.0} {:>6} {ratio:>8.2} {aim:>8}", "", contest.unit);
    }
}

/// Units a second.
#[expect(clippy::disallowed_methods, reason = "a bench reads the clock")]
fn speed(work: impl Fn() -> Done) -> f64 {
    let begin = Instant::now();
    let done = work();
    let seconds = begin.elapsed().as_secs_f64();
    black_box(done.result);
    done.units as f64 / seconds
}

fn leaves(count: u64) -> Done {
    Done { units: count, result: count }
}

fn start() -> Board {
    Position::start(SIZE).board()
}

/// perft, a position a step.
struct Leaves(Board, u64);

impl SimdTask for Leaves {
    type Output = u64;

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> u64 {
        let Leaves(board, depth) = self;
        let moves = rules.moves(board, SIZE);
        if depth == 1 {
            return u64::from(moves.len().max(1));
        }
        if moves.is_empty() {
            let passed = board.swapped();
            return if rules.moves(passed, SIZE).is_empty() {
                1
            } else {
                rules.run(Leaves(passed, depth - 1))
            };
        }
        let after = |square| board.place(square, rules.flips(board, square));
        moves.iter().map(|square| rules.run(Leaves(after(square), depth - 1))).sum()
    }
}

fn perft_of_magpie(depth: u64) -> Done {
    fn count(board: &MagpieBoard, mover: Stone, depth: u64) -> u64 {
        let moves = board.moves_for(mover);
        if depth == 1 {
            return u64::from(moves.count_set()).max(1);
        }
        if moves == 0 {
            let over = board.moves_for(mover.flip()) == 0;
            return if over { 1 } else { count(board, mover.flip(), depth - 1) };
        }
        let after = |place| {
            let mut after = board.clone();
            after.play(mover, place);
            count(&after, mover.flip(), depth - 1)
        };
        moves.hot_bits().map(after).sum()
    }
    leaves(count(&black_box(MagpieBoard::standard()), Stone::Black, depth))
}

/// A small generator of numbers (xorshift), the one that the games in step use.
struct Numbers(u64);

impl Numbers {
    #[inline(always)]
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(end)) >> 32) as u32
    }
}

/// So many random games, one after the other.
struct Games(u64);

impl SimdTask for Games {
    type Output = Done;

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> Done {
        let (mut numbers, mut result) = (Numbers(2026), 0);
        for _ in 0..self.0 {
            let (mut board, mut own_turn, mut passed) = (black_box(start()), true, false);
            loop {
                let moves = rules.moves(board, SIZE);
                if let Some(square) = rules.nth(moves, numbers.below(moves.len())) {
                    board = board.place(square, rules.flips(board, square));
                    passed = false;
                } else if passed {
                    break;
                } else {
                    board = board.swapped();
                    passed = true;
                }
                own_turn = !own_turn;
            }
            let black = if own_turn { board.own } else { board.opponent };
            result += u64::from(black.len());
        }
        Done { units: self.0, result }
    }
}

fn games_of_magpie(games: u64) -> Done {
    let (mut numbers, mut result) = (Numbers(2026), 0);
    for _ in 0..games {
        let (mut board, mut mover, mut passed) = (black_box(MagpieBoard::standard()), Stone::Black, false);
        loop {
            let moves = board.moves_for(mover);
            let chosen = numbers.below(u32::from(moves.count_set()));
            if let Some(place) = moves.hot_bits().nth(chosen as usize) {
                board.play(mover, place);
                passed = false;
            } else if passed {
                break;
            } else {
                passed = true;
            }
            mover = mover.flip();
        }
        result += u64::from(board.bits_for(Stone::Black).count_set());
    }
    Done { units: games, result }
}

fn games_in_step(level: SimdLevel, games: u64) -> Done {
    let mut playouts = Playouts::new(level, SIZE, 2026);
    let (boards, mut done) = ([black_box(start()); Playouts::GAMES], Done { units: 0, result: 0 });
    while done.units < games {
        let ends = playouts.play(boards, AnyMove);
        done.result += ends.iter().map(|end| u64::from(end.own.len())).sum::<u64>();
        done.units += Playouts::GAMES as u64;
    }
    done
}
