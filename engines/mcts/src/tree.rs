//! The search tree.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rules::{Bitboard, Board, BoardSize, Playouts, SimdLevel, Square};

use crate::outcome::Outcome;
use crate::rollout::{GAMES, Rollout};

/// A position in the tree. It stores no board: the search plays the moves that lead to it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The index of the first child; the children are adjacent.
    children: u32,
    /// The number of children; 0 before it is expanded.
    count: u8,
    /// The index of the square of the move that led here; [`PASS`] for a pass.
    square: u8,
    /// The proven outcome for the side that moved here, if there is one.
    proven: Option<Outcome>,
    /// The number of games through this node.
    visits: u32,
    /// The half points of the side that moved here.
    half_points: u32,
}

const PASS: u8 = 64;
const ROOT: usize = 0;

impl Node {
    fn new(square: u8) -> Self {
        Self { children: 0, count: 0, square, proven: None, visits: 0, half_points: 0 }
    }

    fn children(&self) -> std::ops::Range<usize> {
        let first = self.children as usize;
        first..first + usize::from(self.count)
    }

    /// The mean points per visit, 0 to 1, of the side that moved here.
    fn mean(&self) -> f64 {
        f64::from(self.half_points) / (2.0 * f64::from(self.visits.max(1)))
    }

    fn add_visits(&mut self, games: u32, half_points: u32) {
        // Halving both before they overflow keeps their ratio.
        if self.visits > u32::MAX / 2 - GAMES {
            self.visits /= 2;
            self.half_points /= 2;
        }
        self.visits += games;
        self.half_points += half_points;
    }
}

/// A move at the root, with its statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub square: Square,
    /// The number of visits.
    pub visits: u32,
    /// The mean points per visit of the mover, 0 to 1.
    pub mean: f64,
    /// The proven outcome for the mover, if there is one.
    pub proven: Option<Outcome>,
}

/// The random generators of one search.
#[derive(Clone, Debug)]
pub struct SearchRng {
    tree: Xoshiro256PlusPlus,
    playouts: Playouts,
}

impl SearchRng {
    /// The generators for a seed. They give the same numbers on every SIMD level.
    ///
    /// # Panics
    /// If this machine lacks the level.
    #[must_use]
    pub fn new(level: SimdLevel, size: BoardSize, seed: u64) -> Self {
        let mut tree = Xoshiro256PlusPlus::seed_from_u64(seed);
        let playouts = Playouts::new(level, size, tree.next_u64());
        Self { tree, playouts }
    }
}

/// A tree grown from a root position by UCT.
pub struct Tree {
    board: Board,
    size: BoardSize,
    nodes: Vec<Node>,
    /// The tree never has more nodes.
    max_nodes: usize,
    exploration: f64,
    /// The nodes from the root to the leaf of the current playout.
    path: Vec<usize>,
}

impl Tree {
    /// A tree with only the root. It will use at most `max_bytes`.
    #[must_use]
    pub fn new(board: Board, size: BoardSize, exploration: f64, max_bytes: usize) -> Self {
        let max_nodes = (max_bytes / size_of::<Node>()).clamp(1 + 64, u32::MAX as usize);
        Self { board, size, nodes: vec![Node::new(PASS)], max_nodes, exploration, path: Vec::new() }
    }

    /// The board at the root.
    #[must_use]
    pub fn board(&self) -> Board {
        self.board
    }

    /// The number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "there is always a root")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The visits of the root, including those of earlier searches.
    #[must_use]
    pub fn visits(&self) -> u32 {
        self.nodes[ROOT].visits
    }

    /// The proven outcome for the side to move at the root, if there is one.
    #[must_use]
    pub fn proven(&self) -> Option<Outcome> {
        self.nodes[ROOT].proven.map(Outcome::reversed)
    }

    /// One iteration of the search: selects a leaf, expands it, plays `games` rollouts from there (1 to
    /// [`GAMES`]), and backpropagates the result.
    pub fn playouts(&mut self, games: u32, rollout: &Rollout, rng: &mut SearchRng) {
        let games = games.clamp(1, GAMES);
        self.path.clear();
        self.path.push(ROOT);
        let (mut at, mut board) = (ROOT, self.board);
        // A node is expanded at its second visit, because most nodes get only one.
        while self.nodes[at].proven.is_none() {
            if self.nodes[at].count == 0
                && (at != ROOT && self.nodes[at].visits == 0 || !self.expand(at, board, rollout))
            {
                break;
            }
            at = self.select(at, &mut rng.tree);
            board = after(board, self.nodes[at].square);
            self.path.push(at);
        }
        // For the side that moved to the leaf.
        let half_points = match self.nodes[at].proven {
            Some(outcome) => games * outcome.half_points(),
            None if board.placements(self.size).is_empty() => {
                2 * games - rollout.play(board, &mut rng.playouts, games)
            }
            None => self.fill_centre_and_play(board, games, rollout, rng),
        };
        self.backpropagate(games, half_points);
    }

    /// Fills the centre at random, separately for each game, and plays rollouts from there. Returns the half
    /// points of the side that moved to `board`.
    fn fill_centre_and_play(&self, board: Board, games: u32, rollout: &Rollout, rng: &mut SearchRng) -> u32 {
        let open = board.placements(self.size);
        let filled = [(); Playouts::GAMES].map(|()| {
            let (mut board, mut open) = (board, open);
            while !open.is_empty() {
                let square = open.nth(rng.tree.random_range(0..open.len())).expect("within the set");
                board = board.place(square, Bitboard::EMPTY);
                open -= square.bit();
            }
            board
        });
        let half_points = rollout.play_each(filled, &mut rng.playouts, games);
        // `half_points` are those of the side to move once the centre is full.
        if open.len().is_multiple_of(2) { 2 * games - half_points } else { half_points }
    }

    /// Adds the children of a node. Returns `false` if it gets none: the game is over (the outcome is then
    /// proven), or the tree is full.
    fn expand(&mut self, at: usize, board: Board, rollout: &Rollout) -> bool {
        let placements = board.placements(self.size);
        let moves = if placements.is_empty() { board.moves(self.size) } else { placements };
        if moves.is_empty() && board.swapped().moves(self.size).is_empty() {
            self.nodes[at].proven = Some(rollout.outcome(board).reversed());
            return false;
        }
        let count = moves.len().max(1) as usize;
        if self.nodes.len() + count > self.max_nodes {
            return false;
        }
        self.nodes[at].children = self.nodes.len() as u32;
        self.nodes[at].count = count as u8;
        if moves.is_empty() {
            self.nodes.push(Node::new(PASS));
        }
        self.nodes.extend(moves.iter().map(|square| Node::new(square.index())));
        true
    }

    /// Selects a child: a random unvisited one if there is any, else the one with the best UCT value. A
    /// proven child is selected only if all are proven.
    fn select(&self, at: usize, rng: &mut Xoshiro256PlusPlus) -> usize {
        let node = &self.nodes[at];
        let log = f64::from(node.visits.max(1)).ln();
        let mut best = (f64::NEG_INFINITY, node.children().start);
        for index in node.children() {
            let child = &self.nodes[index];
            let uct = if child.proven.is_some() {
                -1.0
            } else if child.visits == 0 {
                1e6 + f64::from(rng.next_u32() >> 16)
            } else {
                child.mean() + self.exploration * (log / f64::from(child.visits)).sqrt()
            };
            if uct > best.0 {
                best = (uct, index);
            }
        }
        best.1
    }

    /// Adds the half points of some games to all nodes of the path, and proves outcomes where it can.
    fn backpropagate(&mut self, games: u32, mut half_points: u32) {
        let mut may_be_proven = false;
        for step in (0..self.path.len()).rev() {
            let at = self.path[step];
            if may_be_proven && self.nodes[at].proven.is_none() {
                self.nodes[at].proven = self.outcome_by_children(at);
            }
            may_be_proven = self.nodes[at].proven.is_some();
            self.nodes[at].add_visits(games, half_points);
            half_points = 2 * games - half_points;
        }
    }

    /// The outcome for the side that moved here, if the children prove it: one child wins for the side to
    /// move, or all are proven and it takes the best.
    fn outcome_by_children(&self, at: usize) -> Option<Outcome> {
        let children = &self.nodes[self.nodes[at].children()];
        if children.iter().any(|child| child.proven == Some(Outcome::Win)) {
            return Some(Outcome::Loss);
        }
        let best =
            children.iter().map(|child| child.proven).collect::<Option<Vec<_>>>()?.into_iter().max()?;
        Some(best.reversed())
    }

    /// The moves at the root; none before it is expanded.
    pub fn root_moves(&self) -> impl Iterator<Item = RootMove> {
        let children = &self.nodes[self.nodes[ROOT].children()];
        children.iter().filter_map(|child| {
            let square = Square::from_index(child.square)?;
            Some(RootMove { square, visits: child.visits, mean: child.mean(), proven: child.proven })
        })
    }

    /// The move to play: a proven win; else the most visited unproven move or a proven draw, whichever has
    /// the higher mean; else a proven loss.
    #[must_use]
    pub fn best_move(&self) -> Option<RootMove> {
        let rank = |candidate: &RootMove| match candidate.proven {
            Some(Outcome::Win) => (3, 0.0),
            // A proven draw is worth 0.5: an unproven move must have a higher mean.
            Some(Outcome::Draw) => (2, 0.5),
            None => (2, if candidate.visits == 0 { 0.0 } else { candidate.mean }),
            Some(Outcome::Loss) => (1, 0.0),
        };
        let tried = self
            .root_moves()
            .filter(|candidate| candidate.proven.is_none())
            .map(|candidate| candidate.visits)
            .max();
        // Of the unproven moves only the most visited ones are candidates.
        let trusted = |candidate: &RootMove| candidate.proven.is_some() || Some(candidate.visits) == tried;
        self.root_moves().filter(trusted).max_by(|one, other| {
            let (one, other) = (rank(one), rank(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        })
    }

    /// The best move, then the most visited move of each position.
    #[must_use]
    pub fn principal_variation(&self) -> Vec<Square> {
        let mut line = Vec::new();
        let Some(best) = self.best_move() else { return line };
        let is_best = |index: &usize| self.nodes[*index].square == best.square.index();
        let mut next = self.nodes[ROOT].children().find(is_best);
        while let Some(at) = next {
            line.extend(Square::from_index(self.nodes[at].square));
            next = self.nodes[at]
                .children()
                .filter(|&child| self.nodes[child].visits > 0)
                .max_by_key(|&child| self.nodes[child].visits);
        }
        line
    }

    /// Makes `board`, at most four plies below the root, the new root and drops all other nodes. Returns
    /// `false` and changes nothing if `board` is not in the tree.
    pub fn reroot(&mut self, board: Board) -> bool {
        // There are at most two moves and two passes between two turns of one side.
        let Some(found) = self.find(ROOT, self.board, board, 4) else { return false };
        if found != ROOT {
            self.keep_subtree(found);
            self.board = board;
        }
        true
    }

    fn find(&self, at: usize, board: Board, wanted: Board, plies: u32) -> Option<usize> {
        if board == wanted {
            return Some(at);
        }
        // A disc stays on its square: if `wanted` lacks one of the squares, it can't be below.
        let outside = board.occupied() - wanted.occupied();
        if plies == 0 || outside != Bitboard::EMPTY {
            return None;
        }
        let mut children = self.nodes[at].children();
        children.find_map(|child| self.find(child, after(board, self.nodes[child].square), wanted, plies - 1))
    }

    /// Copies the subtree of a node breadth first, and drops all other nodes.
    fn keep_subtree(&mut self, root: usize) {
        let mut kept = Vec::with_capacity(self.nodes.len() / 8);
        kept.push(self.nodes[root]);
        let mut next = 0;
        while next < kept.len() {
            let children = kept[next].children();
            kept[next].children = kept.len() as u32;
            kept.extend_from_slice(&self.nodes[children]);
            next += 1;
        }
        self.nodes = kept;
    }
}

/// The board after the move or pass that led to a node.
#[inline]
fn after(board: Board, square: u8) -> Board {
    match Square::from_index(square) {
        Some(square) => board.place(square, board.flips(square)),
        None => board.swapped(),
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
