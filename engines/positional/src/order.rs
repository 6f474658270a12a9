//! Move ordering.

use rules::{Bitboard, Board, BoardSize, Rules, Square};

/// A move to be searched, and the board after it, seen from the opponent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) square: Square,
    pub(crate) after: Board,
    /// Moves with a higher score are searched first.
    score: i32,
}

/// A score for each square of one board size: corners high, squares beside them low.
pub(crate) struct SquareScores([i8; 64]);

impl SquareScores {
    pub(crate) fn new(size: BoardSize) -> Self {
        let mut square_scores = [0; 64];
        for square in size.mask() {
            let on = |squares: Bitboard| squares.contains(square);
            square_scores[usize::from(square.index())] = if on(size.corners()) {
                12
            } else if on(size.x_squares()) && size != BoardSize::Four {
                -8
            } else if on(size.c_squares()) {
                -4
            } else if on(size.edges()) {
                2
            } else {
                0
            };
        }
        Self(square_scores)
    }

    fn of(&self, square: Square) -> i32 {
        i32::from(self.0[usize::from(square.index())])
    }
}

/// The criterion for the order of moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OrderBy {
    /// By their squares: fast.
    Place,
    /// By few replies of the opponent, and by their squares: for deep nodes.
    Replies,
    /// Mostly by few replies: for searches to the end, where this makes the tree smallest.
    FewestReplies,
}

/// Fills `list` with the moves, sorted by score; the move `first` precedes all others.
#[expect(clippy::too_many_arguments, reason = "what every node of the tree needs")]
#[inline(always)]
pub(crate) fn fill_ordered<R: Rules>(
    list: &mut Vec<Candidate>,
    rules: R,
    board: Board,
    moves: Bitboard,
    size: BoardSize,
    square_scores: &SquareScores,
    by: OrderBy,
    first: Option<Square>,
) {
    // The malus for each reply.
    let weight = match by {
        OrderBy::Place => 0,
        OrderBy::Replies => 2,
        OrderBy::FewestReplies => 8,
    };
    list.clear();
    for square in moves {
        let after = board.place(square, rules.flips(board, square));
        let mut score = square_scores.of(square);
        if Some(square) == first {
            score = i32::MAX;
        } else if weight > 0 {
            let replies = rules.moves(after, size);
            // A reply in a corner counts twice.
            score -= weight * (replies.len() + (replies & size.corners()).len()) as i32;
        }
        list.push(Candidate { square, after, score });
    }
    // The sort is stable: equal moves stay in the order of their squares, so answers are reproducible.
    list.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
}
