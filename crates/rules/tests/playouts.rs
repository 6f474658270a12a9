//! Games in step against the same games played one at a time, by the rules that the oracle proves.

#![expect(clippy::unwrap_used, reason = "a test may stop here")]

#[path = "common/simd_levels.rs"]
mod simd_levels;

use proptest::prelude::*;
use rules::{AnyMove, Bitboard, Board, BoardSize, PlayoutPolicy, Playouts, Position, SplitMix64, Turn};
use simd_levels::simd_levels;

/// The generators of the games in step: xorshift64, seeded by SplitMix64.
fn generators(seed: u64) -> [u64; Playouts::GAMES] {
    let mut seeds = SplitMix64::new(seed);
    std::array::from_fn(|_| seeds.next_u64().max(1))
}

fn draw(rng: &mut u64, below: u32) -> u32 {
    *rng ^= *rng << 13;
    *rng ^= *rng >> 7;
    *rng ^= *rng << 17;
    (((*rng >> 32) * u64::from(below)) >> 32) as u32
}

/// A policy that leaves some moves out, and is not the same in all positions.
#[derive(Clone, Copy)]
struct Wilful(Bitboard);

impl PlayoutPolicy for Wilful {
    #[inline(always)]
    fn preferred(self, board: Board, moves: Bitboard) -> Bitboard {
        let some = moves & (self.0.neighbours() - board.opponent.neighbours());
        if some.is_empty() { moves } else { some }
    }
}

/// Plays one game, with one random number a ply. Returns the end and the number of plies.
fn one(start: Position, rng: &mut u64, policy: impl PlayoutPolicy) -> (Position, u32) {
    let (mut position, mut plies) = (start, 0);
    loop {
        position = match position.turn() {
            Turn::Place(moves) => {
                let among = policy.preferred(position.board(), moves.squares());
                position.after(moves.on(among.nth(draw(rng, among.len())).unwrap()).unwrap())
            }
            Turn::Pass(pass) => {
                draw(rng, 0);
                position.after_pass(pass)
            }
            Turn::Over(_) => return (position, plies),
        };
        plies += 1;
    }
}

fn compare(starts: [Position; Playouts::GAMES], seed: u64, policy: impl PlayoutPolicy) {
    let size = starts[0].size();
    for level in simd_levels() {
        let mut playouts = Playouts::new(level, size, seed);
        let mut rngs = generators(seed);
        for round in 0..3 {
            let ends = playouts.play(starts.map(Position::board), policy);
            let mut longest = 0;
            let mut lengths = [0; Playouts::GAMES];
            for (game, start) in starts.into_iter().enumerate() {
                let (end, plies) = one(start, &mut rngs[game], policy);
                let last = if end.side_to_move() == start.side_to_move() {
                    end.board()
                } else {
                    end.board().swapped()
                };
                assert_eq!(ends[game], last, "{level}, round {round}, game {game} from {start}");
                (longest, lengths[game]) = (longest.max(plies), plies);
            }
            // A lane draws on while others play: until two plies in a row have brought no move, of
            // which the first may be a pass.
            for (rng, plies) in rngs.iter_mut().zip(lengths) {
                (plies..longest + 1).for_each(|_| _ = draw(rng, 0));
            }
        }
    }
}

/// A position of a game by fixed choices.
fn reached(start: Position, choices: &[u8]) -> Position {
    choices.iter().fold(start, |position, &choice| match position.turn() {
        Turn::Place(moves) => position.after(moves.get(usize::from(choice) % moves.len()).unwrap()),
        Turn::Pass(pass) => position.after_pass(pass),
        Turn::Over(_) => position,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn games_in_step_are_the_games_one_at_a_time(
        seed: u64,
        squares: u64,
        size in prop::sample::select(&BoardSize::ALL[..]),
        parallel: bool,
        choices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), Playouts::GAMES),
    ) {
        let start = if parallel { Position::parallel(size) } else { Position::start(size) };
        let starts = std::array::from_fn(|game| reached(start, &choices[game]));
        compare(starts, seed, AnyMove);
        compare(starts, seed, Wilful(Bitboard::from_bits(squares)));
        compare([starts[0]; Playouts::GAMES], seed, AnyMove);
    }
}

/// A policy as none should be: these squares, whatever the moves are.
#[derive(Clone, Copy)]
struct Blind(Bitboard);

impl PlayoutPolicy for Blind {
    #[inline(always)]
    fn preferred(self, _: Board, _: Bitboard) -> Bitboard {
        self.0
    }
}

/// The same, as it should be.
#[derive(Clone, Copy)]
struct Seeing(Bitboard);

impl PlayoutPolicy for Seeing {
    #[inline(always)]
    fn preferred(self, _: Board, moves: Bitboard) -> Bitboard {
        if (moves & self.0).is_empty() { moves } else { moves & self.0 }
    }
}

#[test]
fn a_preference_that_is_no_choice_of_moves_does_no_harm() {
    for size in BoardSize::ALL {
        let starts = [Position::start(size).board(); Playouts::GAMES];
        for squares in [Bitboard::EMPTY, Bitboard::ALL, size.edges(), size.corners(), !size.mask()] {
            for level in simd_levels() {
                let [mut one, mut other] = [(); 2].map(|()| Playouts::new(level, size, 7));
                for _ in 0..8 {
                    let ends = one.play(starts, Blind(squares));
                    assert_eq!(ends, other.play(starts, Seeing(squares)), "{level}, {size}: {squares:?}");
                }
            }
        }
    }
}

/// The random stream must not change unnoticed, so that games of engines can be repeated.
#[test]
fn known_games() {
    let start = Position::start(BoardSize::Eight).board();
    for level in simd_levels() {
        let ends = Playouts::new(level, BoardSize::Eight, 1).play([start; Playouts::GAMES], AnyMove);
        let discs = ends.map(|end| end.own.len());
        assert_eq!(discs, [25, 26, 28, 33, 24, 19, 37, 19, 32, 38, 48, 38, 36, 33, 39, 27], "{level}");
    }
}
