//! The tree of positions looked at, and how it grows.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rules::{Bitboard, Board, BoardSize, Playouts, SimdLevel, Square};

use crate::outcome::Outcome;
use crate::rollout::{GAMES, Rollout};

/// A position in the tree. Its board is found by playing the moves that lead to it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where its children begin; they lie side by side.
    children: u32,
    /// How many there are; 0 before it is grown.
    count: u8,
    /// Index of the square whose move led here; [`PASS`] for a pass.
    square: u8,
    /// The outcome, if it is proven, for the side that moved to get here.
    proven: Option<Outcome>,
    /// How many games passed through it.
    visits: u32,
    /// Half points made by the side that moved to get here.
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

    /// Points per visit, 0 to 1, for the side that moved here.
    fn mean(&self) -> f64 {
        f64::from(self.half_points) / (2.0 * f64::from(self.visits.max(1)))
    }

    fn add_visits(&mut self, games: u32, half_points: u32) {
        // Numbers that grow for days stay in proportion when they are halved.
        if self.visits > u32::MAX / 2 - GAMES {
            self.visits /= 2;
            self.half_points /= 2;
        }
        self.visits += games;
        self.half_points += half_points;
    }
}

/// A child of the root, as the choice among them sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub square: Square,
    /// How often it was tried.
    pub visits: u32,
    /// Points per try, 0 to 1.
    pub mean: f64,
    /// The outcome for the mover, if it is proven.
    pub proven: Option<Outcome>,
}

/// All that is drawn by lot in one search.
#[derive(Clone, Debug)]
pub struct SearchRng {
    tree: Xoshiro256PlusPlus,
    playouts: Playouts,
}

impl SearchRng {
    /// The generators of a seed; the same on every level.
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
    /// More nodes are not grown.
    max_nodes: usize,
    exploration: f64,
    /// The way down of the playout that is going on.
    path: Vec<usize>,
}

impl Tree {
    /// A tree of the root alone, which is never to hold more than `max_bytes`.
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

    /// How many nodes there are.
    #[expect(clippy::len_without_is_empty, reason = "there is always a root")]
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How often the root was passed through, also in searches before this one.
    #[must_use]
    pub fn visits(&self) -> u32 {
        self.nodes[ROOT].visits
    }

    /// The outcome for the side to move at the root, if it is proven.
    #[must_use]
    pub fn proven(&self) -> Option<Outcome> {
        self.nodes[ROOT].proven.map(Outcome::reversed)
    }

    /// Playouts in step, 1 to [`GAMES`]: down the tree to a leaf, one step of growth, so many games
    /// from there, and back.
    pub fn playouts(&mut self, games: u32, rollout: &Rollout, rng: &mut SearchRng) {
        let games = games.clamp(1, GAMES);
        self.path.clear();
        self.path.push(ROOT);
        let (mut at, mut board) = (ROOT, self.board);
        // A node is grown at its second visit: most are never seen twice.
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
        // For the side that moved to get to the leaf.
        let half_points = match self.nodes[at].proven {
            Some(outcome) => games * outcome.half_points(),
            None if board.placements(self.size).is_empty() => {
                2 * games - rollout.play(board, &mut rng.playouts, games)
            }
            None => self.fill_centre_and_play(board, games, rollout, rng),
        };
        self.backpropagate(games, half_points);
    }

    /// Fills the centre by lot, anew for each game, and plays on from there; the half points of the side that
    /// moved to get to `board`.
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
        // Those of the side that is to move once the centre is full.
        if open.len().is_multiple_of(2) { 2 * games - half_points } else { half_points }
    }

    /// Adds the children of a node. `false` if it has none: at the end of the game, which is proven
    /// then, or when the tree is full.
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

    /// The child to go to: one not visited yet, drawn by lot, or the one with the best prospects.
    /// Proven ones only if there are no others.
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

    /// Takes the half points of some games back up the path, and proves what can be proven.
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

    /// The outcome for the side that moved here, if the children prove it: the side to move has one
    /// that wins, or all are proven and it takes the best.
    fn outcome_by_children(&self, at: usize) -> Option<Outcome> {
        let children = &self.nodes[self.nodes[at].children()];
        if children.iter().any(|child| child.proven == Some(Outcome::Win)) {
            return Some(Outcome::Loss);
        }
        let best =
            children.iter().map(|child| child.proven).collect::<Option<Vec<_>>>()?.into_iter().max()?;
        Some(best.reversed())
    }

    /// The moves at the root, as far as they are known.
    pub fn root_moves(&self) -> impl Iterator<Item = RootMove> {
        let children = &self.nodes[self.nodes[ROOT].children()];
        children.iter().filter_map(|child| {
            let square = Square::from_index(child.square)?;
            Some(RootMove { square, visits: child.visits, mean: child.mean(), proven: child.proven })
        })
    }

    /// The move to play: a proven win, else the one tried most often that is not proven to be worse
    /// than another.
    #[must_use]
    pub fn best_move(&self) -> Option<RootMove> {
        let rank = |candidate: &RootMove| match candidate.proven {
            Some(Outcome::Win) => (3, 0.0),
            // Nothing better than a draw is certain: only what promises more is tried instead.
            Some(Outcome::Draw) => (2, 0.5),
            None => (2, if candidate.visits == 0 { 0.0 } else { candidate.mean }),
            Some(Outcome::Loss) => (1, 0.0),
        };
        let tried = self
            .root_moves()
            .filter(|candidate| candidate.proven.is_none())
            .map(|candidate| candidate.visits)
            .max();
        // Of those not proven only the most tried is trusted.
        let trusted = |candidate: &RootMove| candidate.proven.is_some() || Some(candidate.visits) == tried;
        self.root_moves().filter(trusted).max_by(|one, other| {
            let (one, other) = (rank(one), rank(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        })
    }

    /// The expected line of play: from each position on, the move tried most often.
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

    /// Makes `board`, a few plies on, the root, and drops all that does not lie behind it. `false` if it
    /// is not in the tree; nothing changes then.
    pub fn reroot(&mut self, board: Board) -> bool {
        // Between two turns of one side lie at most two moves and two passes.
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
        // Discs never vanish: what is not among the wanted position's squares leads nowhere.
        let outside = board.occupied() - wanted.occupied();
        if plies == 0 || outside != Bitboard::EMPTY {
            return None;
        }
        let mut children = self.nodes[at].children();
        children.find_map(|child| self.find(child, after(board, self.nodes[child].square), wanted, plies - 1))
    }

    /// Copies what lies behind a node, level by level, and drops the rest.
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
