//! The player: the choice of a move, and when to stop.

use engine_kit::{Engine, Options, Search, Settings, seed_at};
use rules::{BoardSize, Move, Moves, Position, SimdLevel, Variant};

use crate::outcome::Outcome;
use crate::rollout::{GAMES, Policy, Rollout};
use crate::tree::{SearchRng, Tree};

/// The player.
pub struct Mcts {
    seed: u64,
    variant: Variant,
    policy: Policy,
    exploration: f64,
    max_bytes: usize,
    reuse: bool,
    level: SimdLevel,
    /// The tree of the last search, and its board size.
    tree: Option<(BoardSize, Tree)>,
}

/// `go depth N` means this many playouts times N.
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
            max_bytes: settings.hash(),
            reuse: settings.check("TreeReuse"),
            level: SimdLevel::best(),
            tree: None,
        }
    }

    fn choose(&mut self, position: Position, moves: Moves, search: &mut Search<'_>) -> Move {
        if moves.len() == 1 && !search.limits().infinite {
            return moves.first();
        }
        let rollout = Rollout::new(position.size(), self.variant, self.policy);
        let mut rng = SearchRng::new(self.level, position.size(), seed_at(self.seed, position));
        let mut tree = self.tree_for(position);
        let max_playouts = search.limits().depth.map(|depth| u64::from(depth.max(1)) * PLAYOUTS_PER_PLY);
        while tree.proven().is_none() && !search.is_past_soft_limit() {
            // One playout is one node.
            let mut games = 0;
            while games < GAMES
                && max_playouts.is_none_or(|max| search.nodes() < max)
                && search.node().is_ok()
            {
                games += 1;
            }
            if games == 0 {
                break;
            }
            tree.playouts(games, &rollout, &mut rng);
        }
        let best = tree.best_move();
        if let Some(best) = best {
            let line = tree.principal_variation();
            let score = in_hundredths(tree.proven(), best.mean, position.size());
            search.report(line.len() as u32, score, &line);
        }
        self.tree = Some((position.size(), tree));
        best.and_then(|best| moves.on(best.square)).unwrap_or_else(|| moves.first())
    }
}

impl Mcts {
    /// The subtree of the last tree if it contains this position; otherwise a new tree.
    fn tree_for(&mut self, position: Position) -> Tree {
        let (board, size) = (position.board(), position.size());
        if let Some((known, mut tree)) = self.tree.take()
            && self.reuse
            && known == size
            && tree.reroot(board)
        {
            return tree;
        }
        Tree::new(board, size, self.exploration, self.max_bytes)
    }
}

/// Converts a mean number of points to a disc difference in hundredths. A proven win counts as all
/// squares, although the difference may be smaller.
fn in_hundredths(proven: Option<Outcome>, mean: f64, size: BoardSize) -> i64 {
    let share = match proven {
        Some(Outcome::Win) => 1.0,
        Some(Outcome::Draw) => 0.0,
        Some(Outcome::Loss) => -1.0,
        None => 2.0 * mean - 1.0,
    };
    (share * f64::from(size.squares()) * 100.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd_levels::simd_levels;
    use engine_kit::Limits;
    use rules::Turn;

    fn player(settings: &[(&str, &str)]) -> Mcts {
        let mut all = Settings::new(Mcts::options());
        for (name, value) in settings {
            all.set(name, value).unwrap();
        }
        Mcts::new_game(&all)
    }

    fn choice(player: &mut Mcts, position: Position, limits: Limits) -> (Move, u64) {
        let Turn::Place(moves) = position.turn() else { panic!("no move") };
        let mut search = Search::standalone(limits, position);
        (player.choose(position, moves, &mut search), search.nodes())
    }

    fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    fn position(list: &str) -> Position {
        list.split_ascii_whitespace().fold(Position::start(BoardSize::Eight), |position, ply| {
            position.play(ply.parse().unwrap()).unwrap()
        })
    }

    #[test]
    fn limits_are_kept() {
        let start = position("");
        assert_eq!(choice(&mut player(&[]), start, nodes(250)).1, 250);
        assert_eq!(choice(&mut player(&[]), start, Limits { depth: Some(1), ..Limits::default() }).1, 1000);
        let both = Limits { depth: Some(3), ..nodes(10) };
        assert_eq!(choice(&mut player(&[]), start, both).1, 10);
        choice(&mut player(&[]), start, nodes(0)); // some move all the same
    }

    #[test]
    fn without_reuse_an_answer_depends_on_seed_position_and_limit_alone() {
        let later = position("f5 d6 c3 d3");
        for seed in ["1", "2"] {
            let mut one = player(&[("Seed", seed), ("TreeReuse", "false")]);
            let mut other = player(&[("Seed", seed), ("TreeReuse", "false")]);
            choice(&mut one, position("f5 d6"), nodes(300));
            choice(&mut one, later, nodes(77));
            assert_eq!(choice(&mut one, later, nodes(300)), choice(&mut other, later, nodes(300)));
        }
    }

    #[test]
    fn an_answer_is_the_same_on_every_level() {
        for list in ["", "f5 d6", "f5 d6 c3 d3 c4 f4"] {
            let told = simd_levels().map(|level| {
                let mut player = Mcts { level, ..player(&[]) };
                let answer = choice(&mut player, position(list), nodes(777));
                let (_, tree) = player.tree.unwrap();
                (answer, tree.root_moves().collect::<Vec<_>>())
            });
            let told: Vec<_> = told.collect();
            assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "{told:?}");
        }
    }

    #[test]
    fn with_reuse_the_same_game_is_answered_the_same() {
        let mut players = [player(&[]), player(&[])];
        for list in ["", "f5 d6", "f5 d6 c3 d3", "f5 d6 c3 d3 c4 f4"] {
            let answers = players.each_mut().map(|player| choice(player, position(list), nodes(4000)));
            assert_eq!(answers[0], answers[1]);
        }
        let (_, tree) = players[0].tree.as_ref().unwrap();
        assert!(tree.visits() > 4000, "some of them are from before");
    }

    #[test]
    fn a_win_in_sight_is_taken_at_once() {
        // Three squares are left.
        let text = "-XXXXXXXXOOOOOOXXOOOOOOXXOOOOOOXXOOOOOOXXOOOOOOXXXXXXXXO-XXXXXO- X";
        let position: Position = text.parse().unwrap();
        let Turn::Place(_) = position.turn() else { panic!("no move") };
        let limits = Limits { infinite: true, ..Limits::default() };
        let (_, spent) = choice(&mut player(&[]), position, limits);
        assert!(spent < 1000, "proven after {spent} playouts");
    }
}
