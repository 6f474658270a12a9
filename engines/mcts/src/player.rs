//! Which move to play, and how long to look.

use engine_kit::{Engine, Options, Search, Settings, seed_at};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rules::{BoardSize, Move, Moves, Position, Variant};

use crate::outcome::Outcome;
use crate::rollout::{Policy, Rollout};
use crate::tree::Tree;

/// The player.
pub struct Mcts {
    seed: u64,
    variant: Variant,
    policy: Policy,
    exploration: f64,
    most_bytes: usize,
    reuse: bool,
    /// The tree of the last search, with the size of its board.
    tree: Option<(BoardSize, Tree)>,
}

/// `go depth N` is taken as so many playouts for each ply.
const PLAYOUTS_PER_PLY: u64 = 1000;

impl Engine for Mcts {
    const NAME: &'static str = "mcts";
    const AUTHOR: &'static str = "the Outflank authors";

    fn options() -> Options {
        Options::new()
            .seed()
            .variant()
            .board_size()
            .hash(16, 1..=4096)
            .spin("Exploration", 40, 0..=1000)
            .combo("Rollout", Policy::NAMES[1], &Policy::NAMES)
            .check("TreeReuse", true)
    }

    fn new_game(settings: &Settings) -> Self {
        Self {
            seed: settings.seed(),
            variant: settings.variant(),
            policy: Policy::from_name(settings.text("Rollout")),
            exploration: settings.spin("Exploration") as f64 / 100.0,
            most_bytes: settings.hash(),
            reuse: settings.check("TreeReuse"),
            tree: None,
        }
    }

    fn choose(&mut self, position: Position, moves: Moves, search: &mut Search<'_>) -> Move {
        if moves.len() == 1 && !search.limits().infinite {
            return moves.first();
        }
        let rollout = Rollout::new(position.size(), self.variant, self.policy);
        let mut lots = Xoshiro256PlusPlus::seed_from_u64(seed_at(self.seed, position));
        let mut tree = self.tree_for(position);
        let most = search.limits().depth.map(|depth| u64::from(depth.max(1)) * PLAYOUTS_PER_PLY);
        // One playout is one node.
        while tree.proven().is_none()
            && most.is_none_or(|most| search.nodes() < most)
            && !search.has_had_its_share()
            && search.node().is_ok()
        {
            tree.playout(&rollout, &mut lots);
        }
        let best = tree.best();
        if let Some(best) = best {
            let line = tree.line();
            let score = in_hundredths(tree.proven(), best.mean, position.size());
            search.report(line.len() as u32, score, &line);
        }
        self.tree = Some((position.size(), tree));
        best.and_then(|best| moves.on(best.square)).unwrap_or_else(|| moves.first())
    }
}

impl Mcts {
    /// What is left of the last tree, if this position is in it; a new one otherwise.
    fn tree_for(&mut self, position: Position) -> Tree {
        let (board, size) = (position.board(), position.size());
        if let Some((known, mut tree)) = self.tree.take()
            && self.reuse
            && known == size
            && tree.advance(board)
        {
            return tree;
        }
        Tree::new(board, size, self.exploration, self.most_bytes)
    }
}

/// A mean number of points as a difference of discs, in hundredths: a game sure to be won counts as all
/// the squares, although it may be won by less.
fn in_hundredths(proven: Option<Outcome>, mean: f64, size: BoardSize) -> i64 {
    let share = match proven {
        Some(Outcome::Win) => 1.0,
        Some(Outcome::Draw) => 0.0,
        Some(Outcome::Loss) => -1.0,
        None => 2.0 * mean - 1.0,
    };
    (share * f64::from(size.squares()) * 100.0).round() as i64
}
