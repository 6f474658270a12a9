//! Alpha-beta search: to a depth with the evaluation, and to the end of the game.

use std::mem;

use engine_kit::{Search, Stopped};
use rules::{Bitboard, Board, Rules, SimdLevel, SimdTask, Square};

use crate::evaluation::Evaluation;
use crate::order::{Candidate, OrderBy, SquareScores, fill_ordered};
use crate::transposition_table::{Bound, Kind, SearchResult, TranspositionTable};

/// Greater than any value.
pub const INFINITY: i32 = i32::MAX;

/// From this depth on, moves are ordered by their replies, and results are stored in the table.
const MIN_TABLE_DEPTH: u32 = 2;
/// The endgame search uses the table if at least this many squares are empty.
const MIN_TABLE_EMPTY: u32 = 6;
/// With this many empty squares or fewer the endgame search does not order moves.
const MAX_UNORDERED_EMPTY: u32 = 3;

/// The evaluation, the table and the buffers of a search.
pub struct Searcher {
    pub(crate) evaluation: Evaluation,
    pub(crate) table: TranspositionTable,
    pub(crate) level: SimdLevel,
    square_scores: SquareScores,
    /// Unused move lists; each ply of the current line takes one.
    spare_lists: Vec<Vec<Candidate>>,
}

impl Searcher {
    /// A searcher with this evaluation and a table of at most `table_bytes`. Values and node counts are the
    /// same on every SIMD level.
    ///
    /// # Panics
    /// If this machine lacks the level.
    #[must_use]
    pub fn new(level: SimdLevel, evaluation: Evaluation, table_bytes: usize) -> Self {
        assert!(level.is_available(), "this machine has no {level}");
        let square_scores = SquareScores::new(evaluation.size());
        Self {
            evaluation,
            table: TranspositionTable::new(table_bytes),
            level,
            square_scores,
            spare_lists: Vec::new(),
        }
    }

    /// The value of a position, searched `depth` plies deep; a pass does not count as a ply. A value outside
    /// the window from `alpha` to `beta` may be only a bound, on the same side of the window.
    ///
    /// # Errors
    /// [`Stopped`] if the search must end first.
    pub fn value(
        &mut self,
        board: Board,
        depth: u32,
        alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        self.level.run(DepthSearch { searcher: self, search, board, depth, alpha, beta })
    }

    /// The final disc difference with best play by both sides, with a window as in
    /// [`value`](Self::value).
    ///
    /// # Errors
    /// [`Stopped`] if the search must end first.
    pub fn final_value(
        &mut self,
        board: Board,
        alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        self.level.run(EndgameSearch { searcher: self, search, board, alpha, beta })
    }

    /// The value of a board whose centre may not be full, as in the historical game. It tries every way to
    /// fill the centre and searches each to the remaining depth.
    pub(crate) fn search_filling_centre(
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
            deep => deep.one_ply_deeper(),
        };
        search.node()?;
        let mut best = -INFINITY;
        for square in open {
            let after = board.place(square, Bitboard::EMPTY);
            best = best.max(-self.search_filling_centre(after, next, -beta, -alpha, search)?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// The value of a move for the side that makes it, by principal variation search.
    #[expect(clippy::too_many_arguments, reason = "what every node of the tree needs")]
    #[inline(always)]
    pub(crate) fn pvs<R: Rules>(
        &mut self,
        rules: R,
        after: Board,
        mode: Mode,
        is_first: bool,
        alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<i32, Stopped> {
        let mut searched = |alpha: i32, beta: i32| {
            let (searcher, search) = (&mut *self, &mut *search);
            let (board, alpha, beta) = (after, -beta, -alpha);
            match mode {
                Mode::Depth(depth) => {
                    rules.run(DepthSearch { searcher, search, board, depth: depth - 1, alpha, beta })
                }
                Mode::End => rules.run(EndgameSearch { searcher, search, board, alpha, beta }),
            }
            .map(|value| -value)
        };
        // `alpha` is finite after the first move.
        if !is_first && alpha > -INFINITY {
            let value = searched(alpha, alpha + 1)?;
            if value <= alpha || value >= beta {
                return Ok(value);
            }
        }
        searched(alpha, beta)
    }

    /// The best move and its value. The first move is searched with the full window, the others with a null
    /// window to see if they are better.
    #[expect(clippy::too_many_arguments, reason = "what every node of the tree needs")]
    #[inline(always)]
    fn search_moves<R: Rules>(
        &mut self,
        rules: R,
        board: Board,
        moves: Bitboard,
        by: OrderBy,
        first: Option<Square>,
        mode: Mode,
        mut alpha: i32,
        beta: i32,
        search: &mut Search<'_>,
    ) -> Result<(i32, Option<Square>), Stopped> {
        let mut list = self.spare_lists.pop().unwrap_or_default();
        fill_ordered(&mut list, rules, board, moves, self.evaluation.size(), &self.square_scores, by, first);
        let mut best = (-INFINITY, None);
        for candidate in &list {
            let value = self.pvs(rules, candidate.after, mode, best.1.is_none(), alpha, beta, search)?;
            if value > best.0 {
                best = (value, Some(candidate.square));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        self.spare_lists.push(mem::take(&mut list));
        Ok(best)
    }
}

/// The task of [`Searcher::value`]: one node of the tree and all below it.
struct DepthSearch<'a, 's> {
    searcher: &'a mut Searcher,
    search: &'a mut Search<'s>,
    board: Board,
    depth: u32,
    alpha: i32,
    beta: i32,
}

impl SimdTask for DepthSearch<'_, '_> {
    type Output = Result<i32, Stopped>;

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> Result<i32, Stopped> {
        let Self { searcher, search, board, depth, alpha, beta } = self;
        search.node()?;
        let size = searcher.evaluation.size();
        let moves = rules.moves(board, size);
        if moves.is_empty() {
            let board = board.swapped();
            if rules.moves(board, size).is_empty() {
                return Ok(-searcher.evaluation.evaluate_final(board));
            }
            let passed = DepthSearch { searcher, search, board, depth, alpha: -beta, beta: -alpha };
            return Ok(-rules.run(passed)?);
        }
        if depth == 0 {
            return Ok(searcher.evaluation.evaluate_on(rules, board, moves));
        }
        let (mut by, mut first) = (OrderBy::Place, None);
        if depth >= MIN_TABLE_DEPTH {
            let hit = searcher.table.probe(board, Kind::Heuristic);
            if let Some(hit) = hit
                && u32::from(hit.depth) >= depth
                && let Some(value) = hit.cutoff(alpha, beta)
            {
                return Ok(value);
            }
            (by, first) = (OrderBy::Replies, hit.and_then(|hit| hit.best));
        }
        let mode = Mode::Depth(depth);
        let (value, best) =
            searcher.search_moves(rules, board, moves, by, first, mode, alpha, beta, search)?;
        if depth >= MIN_TABLE_DEPTH {
            let depth = u8::try_from(depth).unwrap_or(u8::MAX);
            let result = SearchResult { depth, ..SearchResult::new(value, best, alpha, beta) };
            searcher.table.store(board, Kind::Heuristic, result);
        }
        Ok(value)
    }
}

/// The task of [`Searcher::final_value`]: one node of the tree and all below it.
struct EndgameSearch<'a, 's> {
    searcher: &'a mut Searcher,
    search: &'a mut Search<'s>,
    board: Board,
    alpha: i32,
    beta: i32,
}

impl SimdTask for EndgameSearch<'_, '_> {
    type Output = Result<i32, Stopped>;

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> Result<i32, Stopped> {
        let Self { searcher, search, board, mut alpha, beta } = self;
        search.node()?;
        let size = searcher.evaluation.size();
        let moves = rules.moves(board, size);
        if moves.is_empty() {
            let board = board.swapped();
            if rules.moves(board, size).is_empty() {
                return Ok(-searcher.evaluation.final_difference(board));
            }
            let passed = EndgameSearch { searcher, search, board, alpha: -beta, beta: -alpha };
            return Ok(-rules.run(passed)?);
        }
        let empty = board.empty(size).len();
        if empty <= MAX_UNORDERED_EMPTY {
            // The last few moves are searched without a list.
            let mut best = -INFINITY;
            for square in moves {
                let (searcher, search) = (&mut *searcher, &mut *search);
                let board = board.place(square, rules.flips(board, square));
                let after = EndgameSearch { searcher, search, board, alpha: -beta, beta: -alpha };
                best = best.max(-rules.run(after)?);
                alpha = alpha.max(best);
                if alpha >= beta {
                    break;
                }
            }
            return Ok(best);
        }
        let mut first = None;
        if empty >= MIN_TABLE_EMPTY {
            let hit = searcher.table.probe(board, Kind::Exact);
            if let Some(value) = hit.and_then(|hit| hit.cutoff(alpha, beta)) {
                return Ok(value);
            }
            first = hit.and_then(|hit| hit.best);
        }
        let by = OrderBy::FewestReplies;
        let (value, best) =
            searcher.search_moves(rules, board, moves, by, first, Mode::End, alpha, beta, search)?;
        if empty >= MIN_TABLE_EMPTY {
            searcher.table.store(board, Kind::Exact, SearchResult::new(value, best, alpha, beta));
        }
        Ok(value)
    }
}

/// The end of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    /// After this many plies.
    Depth(u32),
    /// At the end of the game.
    End,
}

impl Mode {
    /// The mode for a position one ply further.
    pub(crate) fn one_ply_deeper(self) -> Self {
        match self {
            Self::Depth(depth) => Self::Depth(depth.saturating_sub(1)),
            Self::End => Self::End,
        }
    }
}

impl SearchResult {
    /// The result of a search with this window; the depth counts as unlimited.
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

    /// The value, if it is exact or causes a cutoff in this window.
    fn cutoff(&self, alpha: i32, beta: i32) -> Option<i32> {
        let suffices = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        };
        suffices.then_some(self.value)
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
