//! Alpha-beta over the evaluation, and to the end of the game.

use std::mem;

use engine_kit::{Search, Stopped};
use rules::{Board, Square, Squares};

use crate::evaluation::Evaluation;
use crate::order::{By, Candidate, Places, fill};
use crate::table::{Bound, Kind, Known, Table};

/// More than any value.
pub const INFINITE: i32 = i32::MAX;

/// From this depth on, moves are ordered by their replies, and results are kept in the table.
const DEEP: u32 = 2;
/// From so many empty squares on, results of a search to the end are kept in the table.
const DEEP_END: u32 = 6;
/// With so few empty squares, moves are searched in the order in which they come.
const SHALLOW_END: u32 = 3;

/// What a search works with.
pub struct Searcher {
    pub(crate) evaluation: Evaluation,
    pub(crate) table: Table,
    places: Places,
    /// Lists of moves that are not in use: one is taken for each ply of the line looked at.
    spare: Vec<Vec<Candidate>>,
}

impl Searcher {
    /// A searcher with this evaluation and a table of at most `table_bytes`.
    #[must_use]
    pub fn new(evaluation: Evaluation, table_bytes: usize) -> Self {
        let places = Places::new(evaluation.size());
        Self { evaluation, table: Table::new(table_bytes), places, spare: Vec::new() }
    }

    /// The value of a position, `depth` plies deep; a pass is not counted as a ply. If it does not lie
    /// between `alpha` and `beta`, a bound of it on the same side of them.
    ///
    /// # Errors
    /// [`Stopped`] if the search has to end before.
    pub fn value(
        &mut self,
        board: Board,
        depth: u32,
        alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        search.node()?;
        let size = self.evaluation.size();
        let moves = board.moves(size);
        if moves.is_empty() {
            let passed = board.swapped();
            if passed.moves(size).is_empty() {
                return Ok(self.evaluation.of_final(board));
            }
            return Ok(-self.value(passed, depth, -beta, -alpha, search)?);
        }
        if depth == 0 {
            return Ok(self.evaluation.of(board, moves));
        }
        if depth < DEEP {
            return self
                .best(board, moves, By::Place, None, Mode::Depth(depth), alpha, beta, search)
                .map(|(value, _)| value);
        }
        let known = self.table.find(board, Kind::Heuristic);
        if let Some(known) = known
            && u32::from(known.depth) >= depth
            && let Some(value) = known.decides(alpha, beta)
        {
            return Ok(value);
        }
        let first = known.and_then(|known| known.best);
        let (value, best) =
            self.best(board, moves, By::Replies, first, Mode::Depth(depth), alpha, beta, search)?;
        let depth = u8::try_from(depth).unwrap_or(u8::MAX);
        self.table.keep(board, Kind::Heuristic, Known { depth, ..Known::new(value, best, alpha, beta) });
        Ok(value)
    }

    /// The final difference in discs with best play by both sides, bounded as by
    /// [`value`](Self::value).
    ///
    /// # Errors
    /// [`Stopped`] if the search has to end before.
    pub fn final_value(
        &mut self,
        board: Board,
        alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        search.node()?;
        let size = self.evaluation.size();
        let moves = board.moves(size);
        if moves.is_empty() {
            let passed = board.swapped();
            if passed.moves(size).is_empty() {
                return Ok(self.evaluation.final_difference(board));
            }
            return Ok(-self.final_value(passed, -beta, -alpha, search)?);
        }
        let empty = board.empty(size).len();
        if empty <= SHALLOW_END {
            return self.quick_end(board, moves, alpha, beta, search);
        }
        if empty < DEEP_END {
            return self
                .best(board, moves, By::FewestReplies, None, Mode::End, alpha, beta, search)
                .map(|(value, _)| value);
        }
        let known = self.table.find(board, Kind::Exact);
        if let Some(value) = known.and_then(|known| known.decides(alpha, beta)) {
            return Ok(value);
        }
        let first = known.and_then(|known| known.best);
        let (value, best) =
            self.best(board, moves, By::FewestReplies, first, Mode::End, alpha, beta, search)?;
        self.table.keep(board, Kind::Exact, Known::new(value, best, alpha, beta));
        Ok(value)
    }

    /// The value of a board whose centre may still have to be filled, as in the historical game: by every
    /// way to fill it, which are few, each searched as deep as is left.
    pub(crate) fn filling(
        &mut self,
        board: Board,
        mode: Mode,
        mut alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        let open = board.placements(self.evaluation.size());
        let next = match mode {
            Mode::Depth(depth) if open.is_empty() => return self.value(board, depth, alpha, beta, search),
            Mode::End if open.is_empty() => return self.final_value(board, alpha, beta, search),
            deep => deep.deeper(),
        };
        search.node()?;
        let mut best = -INFINITE;
        for square in open {
            let after = board.place(square, Squares::EMPTY);
            best = best.max(-self.filling(after, next, -beta, -alpha, search)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// The last moves, without lists.
    fn quick_end(
        &mut self,
        board: Board,
        moves: Squares,
        mut alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        let mut best = -INFINITE;
        for square in moves {
            let after = board.place(square, board.flips(square));
            best = best.max(-self.final_value(after, -beta, -alpha, search)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// The best of the moves, each searched in turn: the first with the whole window, the others to see
    /// whether they are better.
    #[expect(clippy::too_many_arguments, reason = "what every node of the tree needs")]
    fn best(
        &mut self,
        board: Board,
        moves: Squares,
        by: By,
        first: Option<Square>,
        mode: Mode,
        mut alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<(i32, Option<Square>), Stopped> {
        let mut list = self.spare.pop().unwrap_or_default();
        fill(&mut list, board, moves, self.evaluation.size(), &self.places, by, first);
        let mut best = (-INFINITE, None);
        for candidate in &list {
            let value = self.after(candidate.after, mode, best.1.is_none(), alpha, beta, search)?;
            if value > best.0 {
                best = (value, Some(candidate.square));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.spare.push(mem::take(&mut list));
        Ok(best)
    }

    /// The value of a move for the one who makes it: principal variation search.
    pub(crate) fn after(
        &mut self,
        after: Board,
        mode: Mode,
        is_first: bool,
        alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        let mut searched = |alpha: i32, beta: i32| match mode {
            Mode::Depth(depth) => self.value(after, depth - 1, -beta, -alpha, search).map(|value| -value),
            Mode::End => self.final_value(after, -beta, -alpha, search).map(|value| -value),
        };
        // `alpha` is finite once a move has been searched.
        if !is_first && alpha > -INFINITE {
            let value = searched(alpha, alpha + 1)?;
            if value <= alpha || value >= beta {
                return Ok(value);
            }
        }
        searched(alpha, beta)
    }
}

/// How far to search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// So many plies.
    Depth(u32),
    /// To the end of the game.
    End,
}

impl Mode {
    /// What is left a ply further on.
    pub(crate) fn deeper(self) -> Self {
        match self {
            Self::Depth(depth) => Self::Depth(depth.saturating_sub(1)),
            Self::End => Self::End,
        }
    }
}

impl Known {
    /// What a search with this window has found, whatever the depth.
    fn new(value: i32, best: Option<Square>, alpha: i32, beta: i32) -> Self {
        let bound = if value <= alpha {
            Bound::Upper
        } else if value >= beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        Self { value, bound, depth: u8::MAX, best }
    }

    /// The value, if what is known suffices for this window.
    fn decides(&self, alpha: i32, beta: i32) -> Option<i32> {
        let suffices = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        };
        suffices.then_some(self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::Weights;
    use engine_kit::Limits;
    use rules::{BoardSize, Position, Turn, Variant};

    fn searcher(size: BoardSize, variant: Variant) -> Searcher {
        Searcher::new(Evaluation::new(Weights::default(), size, variant), 1 << 20)
    }

    /// Positions of a game by a fixed rule, some plies apart.
    fn positions(size: BoardSize, rule: usize) -> Vec<Position> {
        let (mut all, mut position, mut lot) = (Vec::new(), Position::start(size), rule);
        loop {
            all.push(position);
            position = match position.turn() {
                Turn::Place(moves) => position.after(moves.get(lot / 5 % moves.len()).unwrap()),
                Turn::Pass(pass) => position.after_pass(pass),
                Turn::Over(_) => return all,
            };
            lot = (lot * 421 + 1663) % 7875;
        }
    }

    fn minimax(evaluation: &Evaluation, board: Board, depth: u32) -> i32 {
        let size = evaluation.size();
        let moves = board.moves(size);
        if moves.is_empty() {
            let passed = board.swapped();
            if passed.moves(size).is_empty() {
                return evaluation.of_final(board);
            }
            return -minimax(evaluation, passed, depth);
        }
        if depth == 0 {
            return evaluation.of(board, moves);
        }
        let worth = |square| -minimax(evaluation, board.place(square, board.flips(square)), depth - 1);
        moves.iter().map(worth).max().unwrap()
    }

    fn difference(evaluation: &Evaluation, board: Board) -> i32 {
        let size = evaluation.size();
        let moves = board.moves(size);
        if moves.is_empty() {
            let passed = board.swapped();
            if passed.moves(size).is_empty() {
                return evaluation.final_difference(board);
            }
            return -difference(evaluation, passed);
        }
        let worth = |square| -difference(evaluation, board.place(square, board.flips(square)));
        moves.iter().map(worth).max().unwrap()
    }

    #[test]
    fn alpha_beta_finds_the_value_of_plain_minimax() {
        for size in BoardSize::ALL {
            for variant in Variant::ALL {
                for position in positions(size, 3).into_iter().step_by(4) {
                    let board = position.board();
                    let mut searcher = searcher(size, variant);
                    let mut search = Search::alone(Limits::default(), position);
                    for depth in 0..=3 {
                        let value = searcher.value(board, depth, -INFINITE, INFINITE, &mut search);
                        let plain = minimax(&searcher.evaluation, board, depth);
                        assert_eq!(value, Ok(plain), "{position} depth {depth}");
                        // With a window, a bound on the right side of it.
                        for alpha in [plain - 9, plain - 1, plain, plain + 5] {
                            let bound = searcher.value(board, depth, alpha, alpha + 1, &mut search).unwrap();
                            assert_eq!(
                                bound > alpha,
                                plain > alpha,
                                "{position} depth {depth} alpha {alpha}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_end_is_solved_as_by_brute_force() {
        for (size, rules, empty) in
            [(BoardSize::Eight, 0..8, 7), (BoardSize::Six, 0..8, 7), (BoardSize::Four, 0..4, 8)]
        {
            for rule in rules {
                for variant in Variant::ALL {
                    let game = positions(size, rule * 13);
                    let late = game.iter().filter(|position| position.empty().len() <= empty);
                    let mut searcher = searcher(size, variant);
                    for position in late {
                        let board = position.board();
                        let mut search = Search::alone(Limits::default(), *position);
                        let value = searcher.final_value(board, -INFINITE, INFINITE, &mut search);
                        assert_eq!(value, Ok(difference(&searcher.evaluation, board)), "{position}");
                    }
                }
            }
        }
    }

    /// The small board has long been solved: the second player wins by 10.
    #[test]
    fn the_small_board_is_solved() {
        let start = Position::start(BoardSize::Four);
        let solve = |variant| {
            let mut search = Search::alone(Limits::default(), start);
            searcher(BoardSize::Four, variant).final_value(start.board(), -INFINITE, INFINITE, &mut search)
        };
        assert_eq!(solve(Variant::Othello), Ok(-10));
    }

    /// The value of the historical game is that of the best way to fill the centre, whichever side chooses.
    #[test]
    fn every_filling_of_the_centre_is_searched() {
        fn by_hand(position: Position, value: &mut impl FnMut(Position) -> i32) -> i32 {
            if !position.is_placing() {
                return value(position);
            }
            let Turn::Place(moves) = position.turn() else { panic!("the centre is open") };
            moves.iter().map(|placed| -by_hand(position.after(placed), value)).max().unwrap()
        }
        for (size, mode) in [
            (BoardSize::Four, Mode::End),
            (BoardSize::Six, Mode::Depth(6)),
            (BoardSize::Eight, Mode::Depth(5)),
        ] {
            for variant in Variant::ALL {
                let (mut one, mut other) = (searcher(size, variant), searcher(size, variant));
                let mut position = Position::empty_board(size);
                while let (true, Turn::Place(moves)) = (position.is_placing(), position.turn()) {
                    let open = position.board().placements(size).len();
                    let mut search = Search::alone(Limits::default(), position);
                    let found = one.filling(position.board(), mode, -INFINITE, INFINITE, &mut search);
                    let mut value = |full: Position| {
                        let mut search = Search::alone(Limits::default(), full);
                        let left = (0..open).fold(mode, |mode, _| mode.deeper());
                        other.filling(full.board(), left, -INFINITE, INFINITE, &mut search).unwrap()
                    };
                    assert_eq!(found, Ok(by_hand(position, &mut value)), "{position}");
                    position = position.after(moves.first());
                }
            }
        }
    }

    /// Positions of the FFO end-game suite, by their number there, with 6 to 16 squares empty.
    const FFO: [(&str, i32); 4] = [
        ("-OOOOO----OXXO-XXXOXOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOOO---XXXXX-- X", 32), // 5
        ("---O-XOX----XXOX---XXOOXO-XXOXOXXXXOOXOX-XOOXXXXXOOOXX-XOOOOOOO- O", 30), // 11
        ("-OOOOO----OXXO-XXXOOOXX-XXOXOXXOXXOOXOOOXXXXOO-OX-XOO----XXXX--- X", 8),  // 17
        ("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X", 6),  // 20
    ];

    #[test]
    fn well_known_ends_are_solved() {
        for (text, score) in FFO {
            let position: Position = text.parse().unwrap();
            let mut search = Search::alone(Limits::default(), position);
            let mut searcher = searcher(BoardSize::Eight, Variant::Othello);
            // A window around the truth proves it as well as a full one, and faster.
            let value = searcher.final_value(position.board(), score - 1, score + 1, &mut search);
            assert_eq!(value, Ok(score), "{text}");
        }
    }

    #[test]
    fn a_search_that_is_stopped_says_so() {
        let start = Position::start(BoardSize::Eight);
        let mut search = Search::alone(Limits { nodes: Some(500), ..Limits::default() }, start);
        let mut searcher = searcher(BoardSize::Eight, Variant::Othello);
        assert_eq!(searcher.value(start.board(), 20, -INFINITE, INFINITE, &mut search), Err(Stopped));
        assert_eq!(search.nodes(), 500);
    }
}
