//! Which moves to look at first.

use rules::{Bitboard, Board, BoardSize, Rules, Square};

/// A move that may be searched: where, and the board after it as the opponent sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) square: Square,
    pub(crate) after: Board,
    /// Greater is looked at first.
    score: i32,
}

/// How promising a square is by its place alone, for one board size.
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

/// How the moves are put in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OrderBy {
    /// By their squares: quick.
    Place,
    /// By how few moves they leave to the opponent, and their squares: for moves that take long to
    /// search.
    Replies,
    /// By how few moves they leave, above all: for searches to the end, where those are quickest.
    FewestReplies,
}

/// Fills `list` with the moves, the most promising first; `first` before all others.
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
    // How much each reply counts against a move.
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
            // A reply in a corner is worth two.
            score -= weight * (replies.len() + (replies & size.corners()).len()) as i32;
        }
        list.push(Candidate { square, after, score });
    }
    // Stable, so that equals stay in the order of their squares and answers are reproducible.
    list.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
}
