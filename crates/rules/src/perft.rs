//! Counting games.

use crate::{Board, BoardSize, Position};

/// The number of games of exactly `depth` plies from `position`, where a pass is one ply and a
/// game that is over earlier counts as one. Depth 0 counts 1.
///
/// This is the published convention (Aart Bik, 2009), so that the counts can be compared.
///
/// ```
/// use rules::{BoardSize, Position, perft};
/// assert_eq!(perft(Position::start(BoardSize::Eight), 6), 8200);
/// ```
pub fn perft(position: Position, depth: u32) -> u64 {
    if depth == 0 { 1 } else { count(position.board(), position.size(), depth) }
}

/// As [`perft`], for a depth of at least 1. The moves of the last ply are counted, not played.
fn count(board: Board, size: BoardSize, depth: u32) -> u64 {
    let moves = board.moves(size);
    if depth == 1 {
        // Without a move there is one leaf all the same: a pass or the end.
        return u64::from(moves.len().max(1));
    }
    if moves.is_empty() {
        let passed = board.swapped();
        return if passed.moves(size).is_empty() { 1 } else { count(passed, size, depth - 1) };
    }
    moves.iter().map(|square| count(board.place(square, board.flips_of_empty(square)), size, depth - 1)).sum()
}
