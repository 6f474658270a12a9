//! Which moves to look at first.

use rules::{Board, BoardSize, Square, Squares};

/// A move that may be searched: where, and the board after it as the opponent sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) square: Square,
    pub(crate) after: Board,
    /// Greater is looked at first.
    promise: i32,
}

/// How promising a square is by its place alone, for one board size.
pub(crate) struct Places([i8; 64]);

impl Places {
    pub(crate) fn new(size: BoardSize) -> Self {
        let mut places = [0; 64];
        for square in size.mask() {
            let on = |squares: Squares| squares.contains(square);
            places[usize::from(square.index())] = if on(size.corners()) {
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
        Self(places)
    }

    fn of(&self, square: Square) -> i32 {
        i32::from(self.0[usize::from(square.index())])
    }
}

/// How the moves are put in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    /// By their places: quick.
    Place,
    /// By how few moves they leave to the opponent, and their places: for moves that take long to
    /// search.
    Replies,
    /// By how few moves they leave, above all: for searches to the end, where those are quickest.
    FewestReplies,
}

/// Fills `list` with the moves, the most promising first; `first` before all others.
pub(crate) fn fill(
    list: &mut Vec<Candidate>,
    board: Board,
    moves: Squares,
    size: BoardSize,
    places: &Places,
    by: By,
    first: Option<Square>,
) {
    list.clear();
    for square in moves {
        let after = board.place(square, board.flips(square));
        let replies = || {
            let replies = after.moves(size);
            // A reply in a corner is worth two.
            (replies.len() + (replies & size.corners()).len()) as i32
        };
        let promise = match by {
            _ if Some(square) == first => i32::MAX,
            By::Place => places.of(square),
            By::Replies => places.of(square) - 2 * replies(),
            By::FewestReplies => places.of(square) - 8 * replies(),
        };
        list.push(Candidate { square, after, promise });
    }
    // Stable, so that equals stay in the order of their squares and answers are reproducible.
    list.sort_by_key(|candidate| std::cmp::Reverse(candidate.promise));
}
