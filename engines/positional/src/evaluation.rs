//! The evaluation of a position.

use rules::{Bitboard, Board, BoardSize, Rules, SimdLevel, SimdTask, Variant};

use crate::edges::EdgeTable;
use crate::stability::stable;
use crate::weights::{Term, Weights};

/// The evaluation for one board size, variant and set of weights.
pub struct Evaluation {
    weights: Weights,
    size: BoardSize,
    variant: Variant,
    edges: &'static EdgeTable,
}

/// The value of a won game, to which the final difference is added.
pub const WIN: i32 = 10_000_000;
/// The value of one disc: values are in tenths of a disc.
pub const DISC: i32 = 10;

impl Evaluation {
    /// Prepares an evaluation.
    #[must_use]
    pub fn new(weights: Weights, size: BoardSize, variant: Variant) -> Self {
        Self { weights, size, variant, edges: EdgeTable::of(size) }
    }

    /// The board size that it is for.
    #[inline]
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The final disc difference of a finished game, from the mover's view. Empty squares count for the side
    /// with more discs; in the reversed game the sign is changed.
    #[inline]
    #[must_use]
    pub fn final_difference(&self, board: Board) -> i32 {
        let difference = board.own.len() as i32 - board.opponent.len() as i32;
        let empty = board.empty(self.size).len() as i32;
        let score = difference + empty * difference.signum();
        match self.variant {
            Variant::Othello | Variant::Historical => score,
            Variant::Reversed => -score,
        }
    }

    /// The value of a finished game for the mover.
    #[inline]
    #[must_use]
    pub fn evaluate_final(&self, board: Board) -> i32 {
        let difference = self.final_difference(board);
        difference * DISC + difference.signum() * WIN
    }

    /// The value of an unfinished game for the mover, in tenths of a disc. `moves` are the mover's.
    ///
    /// In the reversed game the terms for lasting discs (corners, edges, stability) change their sign. The
    /// other terms keep it: many moves are good in both games.
    #[must_use]
    pub fn evaluate(&self, board: Board, moves: Bitboard) -> i32 {
        SimdLevel::Plain.run(Evaluate { evaluation: self, board, moves })
    }

    /// Like [`evaluate`](Self::evaluate), compiled for the SIMD level of the search.
    #[inline(always)]
    pub(crate) fn evaluate_on<R: Rules>(&self, rules: R, board: Board, moves: Bitboard) -> i32 {
        let choice = self.weighted(rules, Term::Mobility, board, moves)
            + self.weighted(rules, Term::PotentialMobility, board, moves)
            + self.weighted(rules, Term::Frontier, board, moves)
            + self.weighted(rules, Term::QuietMoves, board, moves)
            + self.weighted(rules, Term::Parity, board, moves)
            + self.weighted(rules, Term::Discs, board, moves);
        let possession = self.weighted(rules, Term::Corners, board, moves)
            + self.weighted(rules, Term::XSquares, board, moves)
            + self.weighted(rules, Term::CSquares, board, moves)
            + self.edge_terms(&self.weights, board);
        match self.variant {
            Variant::Othello | Variant::Historical => possession + choice,
            Variant::Reversed => choice - possession,
        }
    }

    /// The value of a term times its weight.
    #[inline(always)]
    fn weighted<R: Rules>(&self, rules: R, term: Term, board: Board, moves: Bitboard) -> i32 {
        match self.weights.of(term) {
            0 => 0,
            weight => weight * self.term_value_on(rules, term, board, moves),
        }
    }

    /// The weighted sum of the terms that come from the edge table.
    #[inline]
    fn edge_terms(&self, weights: &Weights, board: Board) -> i32 {
        let weight = |term| weights.of(term);
        let by_edge = [Term::EdgeStability, Term::Anchors, Term::UnbalancedEdges, Term::Stability];
        if by_edge.into_iter().all(|term| weight(term) == 0) {
            return 0;
        }
        let count = self.edges.count(board);
        let between = self.size.edges() - self.size.corners();
        let edge_stable = difference(count.own_stable & between, count.opponent_stable & between);
        let mut sum = weight(Term::EdgeStability) * edge_stable + weight(Term::Anchors) * count.anchors
            - weight(Term::UnbalancedEdges) * count.unbalanced;
        if weight(Term::Stability) != 0 {
            let empty = board.empty(self.size);
            let own = stable(board.own, count.own_stable, empty, self.size);
            let opponent = stable(board.opponent, count.opponent_stable, empty, self.size);
            sum += weight(Term::Stability) * difference(own, opponent);
        }
        sum
    }

    /// The value of one term, from the mover's view, without its weight.
    #[must_use]
    pub fn term_value(&self, term: Term, board: Board, moves: Bitboard) -> i32 {
        SimdLevel::Plain.run(TermValue { evaluation: self, term, board, moves })
    }

    #[inline(always)]
    fn term_value_on<R: Rules>(&self, rules: R, term: Term, board: Board, moves: Bitboard) -> i32 {
        let Board { own, opponent } = board;
        let size = self.size;
        let empty = board.empty(size);
        match term {
            Term::Mobility => difference(moves, rules.moves(board.swapped(), size)),
            Term::PotentialMobility => difference(opponent.neighbours() & empty, own.neighbours() & empty),
            Term::Frontier => {
                let beside = empty.neighbours();
                difference(opponent & beside, own & beside)
            }
            Term::Corners => difference(own & size.corners(), opponent & size.corners()),
            Term::XSquares => {
                let open = (empty & size.corners()).neighbours() & size.x_squares();
                difference(opponent & open, own & open)
            }
            Term::CSquares => {
                let open = (empty & size.corners()).neighbours() & size.c_squares();
                difference(opponent & open, own & open)
            }
            Term::Parity => parity(rules, board, moves, size),
            Term::QuietMoves => {
                let (swapped, replies) = (board.swapped(), rules.moves(board.swapped(), size));
                quiet_moves(rules, board, moves, empty) - quiet_moves(rules, swapped, replies, empty)
            }
            Term::Discs => difference(own, opponent),
            Term::EdgeStability | Term::Stability | Term::Anchors | Term::UnbalancedEdges => {
                self.edge_terms(&Weights::NONE.with(term, 1), board)
            }
        }
    }
}

/// The task of [`Evaluation::evaluate`].
struct Evaluate<'a> {
    evaluation: &'a Evaluation,
    board: Board,
    moves: Bitboard,
}

impl SimdTask for Evaluate<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> i32 {
        self.evaluation.evaluate_on(rules, self.board, self.moves)
    }
}

/// The task of [`Evaluation::term_value`].
struct TermValue<'a> {
    evaluation: &'a Evaluation,
    term: Term,
    board: Board,
    moves: Bitboard,
}

impl SimdTask for TermValue<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> i32 {
        self.evaluation.term_value_on(rules, self.term, self.board, self.moves)
    }
}

#[inline]
fn difference(own: Bitboard, opponent: Bitboard) -> i32 {
    own.len() as i32 - opponent.len() as i32
}

/// The number of moves that flip no disc beside an empty square other than the square of the move.
#[inline(always)]
fn quiet_moves<R: Rules>(rules: R, board: Board, moves: Bitboard, empty: Bitboard) -> i32 {
    let mut quiet = 0;
    for square in moves {
        let touched = rules.flips(board, square) & (empty - square.bit()).neighbours();
        quiet += i32::from(touched.is_empty());
    }
    quiet
}

/// Parity counts once this many squares or fewer are empty.
const PARITY_FROM: u32 = 20;

/// 1 if the number of empty squares is odd (the mover makes the last move), else -1; plus 1 for each
/// region that only the mover can play in, minus 1 for each that only the opponent can.
#[inline(always)]
fn parity<R: Rules>(rules: R, board: Board, moves: Bitboard, size: BoardSize) -> i32 {
    let empty = board.empty(size);
    if empty.len() > PARITY_FROM {
        return 0;
    }
    let opponent_moves = rules.moves(board.swapped(), size);
    let last_move = if empty.len() % 2 == 1 { 1 } else { -1 };
    let private: i32 = regions(empty)
        .map(|region| match ((region & moves).is_empty(), (region & opponent_moves).is_empty()) {
            (false, true) => 1,
            (true, false) => -1,
            _ => 0,
        })
        .sum();
    last_move + private
}

/// The connected regions of empty squares; diagonal neighbours are connected.
fn regions(empty: Bitboard) -> impl Iterator<Item = Bitboard> {
    let mut left = empty;
    std::iter::from_fn(move || {
        let mut region: Bitboard = left.first()?.bit();
        loop {
            let more = region | region.neighbours() & left;
            if more == region {
                break;
            }
            region = more;
        }
        left -= region;
        Some(region)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Position, Symmetry, Turn};

    /// Positions of games that follow some fixed rules, from the first move to the last.
    fn positions(size: BoardSize) -> Vec<Position> {
        let mut all = Vec::new();
        for rule in 0..10usize {
            let (mut position, mut lot) = (Position::start(size), rule * 77);
            loop {
                all.push(position);
                position = match position.turn() {
                    Turn::Place(moves) => position.after(moves.get(lot / 7 % moves.len()).unwrap()),
                    Turn::Pass(pass) => position.after_pass(pass),
                    Turn::Over(_) => break,
                };
                lot = (lot * 1103 + 12_345) % 65_536;
            }
        }
        all
    }

    fn each(check: impl Fn(&Evaluation, Board, BoardSize)) {
        for size in BoardSize::ALL {
            for variant in Variant::ALL {
                let evaluation = Evaluation::new(Weights::default(), size, variant);
                for position in positions(size) {
                    check(&evaluation, position.board(), size);
                }
            }
        }
    }

    #[test]
    fn turning_the_board_changes_nothing() {
        each(|evaluation, board, size| {
            let worth = evaluation.evaluate(board, board.moves(size));
            for symmetry in Symmetry::ALL {
                let image = Board {
                    own: board.own.image(symmetry, size),
                    opponent: board.opponent.image(symmetry, size),
                };
                assert_eq!(evaluation.evaluate(image, image.moves(size)), worth, "{board:?} {symmetry:?}");
            }
        });
    }

    #[test]
    fn what_is_good_for_one_is_bad_for_the_other() {
        each(|evaluation, board, size| {
            let swapped = board.swapped();
            for term in Term::ALL {
                let (one, other) = (
                    evaluation.term_value(term, board, board.moves(size)),
                    evaluation.term_value(term, swapped, swapped.moves(size)),
                );
                if term == Term::Parity {
                    // Whoever is to move, an odd number of squares suits the mover.
                    let empty = board.empty(size).len();
                    let both = if empty > PARITY_FROM {
                        0
                    } else if empty % 2 == 1 {
                        2
                    } else {
                        -2
                    };
                    assert_eq!(one + other, both, "{board:?}");
                } else {
                    assert_eq!(one, -other, "{term:?} {board:?}");
                }
            }
            assert_eq!(evaluation.evaluate_final(board), -evaluation.evaluate_final(swapped));
        });
    }

    #[test]
    fn the_whole_is_the_sum_of_the_weighted_terms() {
        for position in positions(BoardSize::Eight).into_iter().step_by(7) {
            let (board, moves) = (position.board(), position.moves());
            let weights = Weights::default();
            let whole = Evaluation::new(weights, BoardSize::Eight, Variant::Othello);
            let sum: i32 =
                Term::ALL.iter().map(|&term| weights.of(term) * whole.term_value(term, board, moves)).sum();
            assert_eq!(whole.evaluate(board, moves), sum);
            for term in Term::ALL {
                let without = Evaluation::new(weights.with(term, 0), BoardSize::Eight, Variant::Othello);
                let rest = sum - weights.of(term) * whole.term_value(term, board, moves);
                assert_eq!(without.evaluate(board, moves), rest, "{term:?}");
            }
        }
        let start = Position::start(BoardSize::Eight);
        let nothing = Evaluation::new(Weights::NONE, BoardSize::Eight, Variant::Othello);
        assert_eq!(nothing.evaluate(start.board(), start.moves()), 0);
    }

    #[test]
    fn the_reversed_game_turns_possession_round() {
        let corner: Position =
            "X-------XX------XXX--------OX------XO--------------------------- X".parse().unwrap();
        let worth = |variant| {
            let weights = Weights::NONE.with(Term::Corners, 5).with(Term::Stability, 1);
            Evaluation::new(weights, BoardSize::Eight, variant).evaluate(corner.board(), corner.moves())
        };
        assert!(worth(Variant::Othello) > 5);
        assert_eq!(worth(Variant::Reversed), -worth(Variant::Othello));
    }

    #[test]
    fn terms_on_a_position_counted_by_hand() {
        //   a b c d e f g h
        // 1 - X - - - - - -
        // 2 - O X - - - - -
        // 3 - - O X - - - -
        // 4 - - - O X - - -
        // 5 - - - X O - - -
        let position: Position =
            "-X-------OX-------OX-------OX------XO--------------------------- X".parse().unwrap();
        let evaluation = Evaluation::new(Weights::default(), BoardSize::Eight, Variant::Othello);
        let count = |term| evaluation.term_value(term, position.board(), position.moves());
        assert_eq!(count(Term::Discs), 5 - 4);
        assert_eq!(count(Term::Corners), 0);
        assert_eq!(count(Term::XSquares), 1, "the opponent is on b2");
        assert_eq!(count(Term::CSquares), -1, "the mover is on b1");
        assert_eq!(count(Term::Frontier), 4 - 5, "every disc touches an empty square");
        assert_eq!(count(Term::Parity), 0, "too early");
        assert_eq!((count(Term::Anchors), count(Term::UnbalancedEdges)), (0, 0));
    }

    #[test]
    fn parity_counts_private_regions() {
        // Black alone can enter a1 (over b1), white can enter nothing; two more squares far off.
        let text = "-OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX-- X";
        let position: Position = text.parse().unwrap();
        let board = position.board();
        assert_eq!(regions(position.empty()).count(), 2);
        let evaluation = Evaluation::new(Weights::NONE, BoardSize::Eight, Variant::Othello);
        assert_eq!(evaluation.term_value(Term::Parity, board, position.moves()), 1 + 1);
    }
}
