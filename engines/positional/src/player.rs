//! Which move to play, as deep as options and time allow.

use engine_kit::{Engine, Options, Search, Settings, Stopped, seed_at};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rules::{BoardSize, Move, Moves, Position, Variant};

use crate::evaluation::{DISC, Evaluation, WON};
use crate::search::{INFINITE, Mode, Searcher};
use crate::weights::Weights;

/// The player.
pub struct Positional {
    searcher: Searcher,
    seed: u64,
    weights: Weights,
    variant: Variant,
    table_bytes: usize,
    /// Plies to look ahead, unless `go` says how many.
    depth: u32,
    /// From so many empty squares on, it looks to the end.
    endgame: u32,
}

/// The deepest a search can go: as many plies as there are squares to fill.
const DEEPEST: u32 = 60;

impl Engine for Positional {
    const NAME: &'static str = "positional";
    const AUTHOR: &'static str = "the Outflank authors";

    fn options() -> Options {
        let options = Options::new().seed().variant().board_size().hash(2, 1..=1024);
        let options = options.spin("Depth", 6, 1..=i64::from(DEEPEST)).spin("Endgame", 10, 0..=30);
        Weights::declare(options)
    }

    fn new_game(settings: &Settings) -> Self {
        let (weights, variant, table_bytes) =
            (Weights::from_settings(settings), settings.variant(), settings.hash());
        let number = |name| u32::try_from(settings.spin(name)).unwrap_or(0);
        Self {
            searcher: Searcher::new(Evaluation::new(weights, settings.board_size(), variant), table_bytes),
            seed: settings.seed(),
            weights,
            variant,
            table_bytes,
            depth: number("Depth"),
            endgame: number("Endgame"),
        }
    }

    fn choose(&mut self, position: Position, moves: Moves, search: &mut Search<'_>) -> Move {
        if moves.len() == 1 && !search.limits().infinite {
            return moves.first();
        }
        self.prepare(position.size());
        let mut root = Root::new(self.seed, position, moves);
        // Being stopped is no failure: the best move so far stands.
        let _ = self.deepen(&mut root, position, search);
        root.best()
    }
}

impl Positional {
    fn prepare(&mut self, size: BoardSize) {
        if self.searcher.evaluation.size() != size {
            let evaluation = Evaluation::new(self.weights, size, self.variant);
            self.searcher = Searcher::new(evaluation, self.table_bytes);
        }
        self.searcher.table.forget();
    }

    /// Searches deeper and deeper, then to the end if that is near.
    fn deepen(
        &mut self,
        root: &mut Root,
        position: Position,
        search: &mut Search<'_>,
    ) -> Result<(), Stopped> {
        let empty = position.empty().len();
        let (deepest, endgame) = match search.limits().depth {
            Some(depth) => (depth.clamp(1, DEEPEST), 0),
            None => (self.depth, self.endgame),
        };
        for depth in 1..=deepest.min(empty) {
            if depth > 1 && !search.is_worth_deepening() {
                return Ok(());
            }
            // A search to the last square is an exact one, which is quicker.
            let mode = if depth == empty { Mode::End } else { Mode::Depth(depth) };
            self.search_root(root, depth, mode, search)?;
        }
        if empty <= endgame && empty > deepest && search.is_worth_deepening() {
            self.search_root(root, empty, Mode::End, search)?;
        }
        Ok(())
    }

    /// Searches all moves and puts the best one first.
    fn search_root(
        &mut self,
        root: &mut Root,
        depth: u32,
        mode: Mode,
        search: &mut Search<'_>,
    ) -> Result<(), Stopped> {
        let mut alpha = -INFINITE;
        for index in 0..root.moves.len() {
            let candidate = root.moves[index];
            let after = root.position.after(candidate).board();
            let value = self.searcher.after(after, mode, index == 0, alpha, INFINITE, search)?;
            if value > alpha {
                alpha = value;
                // The others keep their order. Should the search be stopped now, this one stands.
                root.moves[..=index].rotate_right(1);
            }
        }
        search.report(depth, in_hundredths(alpha, mode), &[root.best().square()]);
        Ok(())
    }
}

/// A value as reports tell it: hundredths of a disc.
fn in_hundredths(value: i32, mode: Mode) -> i64 {
    let hundredths = match mode {
        Mode::End => value * 100,
        Mode::Depth(_) if value.abs() >= WON => (value - value.signum() * WON) * 100 / DISC,
        Mode::Depth(_) => (value * 100 / DISC).clamp(-6400, 6400),
    };
    i64::from(hundredths)
}

/// The moves to choose from, the best so far first.
struct Root {
    position: Position,
    moves: Vec<Move>,
}

impl Root {
    /// In an order drawn by lot: of moves that are equally good, the first is played.
    fn new(seed: u64, position: Position, moves: Moves) -> Self {
        let mut moves: Vec<Move> = moves.iter().collect();
        moves.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed_at(seed, position)));
        Self { position, moves }
    }

    fn best(&self) -> Move {
        self.moves[0]
    }
}
