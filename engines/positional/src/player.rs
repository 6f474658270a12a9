//! The player: iterative deepening, and the choice of a move.

use engine_kit::{Engine, Options, Search, Settings, Stopped, seed_at};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rules::{BoardSize, Move, Moves, Position, Rules, SimdLevel, SimdTask, Variant};

use crate::evaluation::{DISC, Evaluation, WIN};
use crate::search::{INFINITY, Mode, Searcher};
use crate::weights::Weights;

/// The player: it searches deeper and deeper as far as options, time and nodes allow.
///
/// Its answers depend on options, position and limits alone, not on earlier positions.
pub struct Positional {
    searcher: Searcher,
    seed: u64,
    weights: Weights,
    variant: Variant,
    table_bytes: usize,
    /// The search depth in plies, unless `go` has a depth.
    depth: u32,
    /// With this many empty squares or fewer it searches to the end.
    endgame: u32,
}

/// The greatest depth: the number of squares that are empty at the start.
const MAX_DEPTH: u32 = 60;

impl Engine for Positional {
    const NAME: &'static str = "positional";
    const AUTHOR: &'static str = "the Outflank authors";

    fn options() -> Options {
        let options = Options::new().seed().variant().board_size().hash(2, 1..=1024);
        let options = options.spin("Depth", 6, 1..=i64::from(MAX_DEPTH)).spin("Endgame", 14, 0..=30);
        Weights::declare(options)
    }

    fn new_game(settings: &Settings) -> Self {
        let (weights, variant, table_bytes) =
            (Weights::from_settings(settings), settings.variant(), settings.hash());
        let number = |name| u32::try_from(settings.spin(name)).unwrap_or(0);
        let evaluation = Evaluation::new(weights, settings.board_size(), variant);
        Self {
            searcher: Searcher::new(SimdLevel::best(), evaluation, table_bytes),
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
        // A stopped search is no error: the best move so far is played.
        let _ =
            self.searcher.level.run(IterativeDeepening { player: self, root: &mut root, position, search });
        root.best()
    }
}

impl Positional {
    fn prepare(&mut self, size: BoardSize) {
        if self.searcher.evaluation.size() != size {
            let evaluation = Evaluation::new(self.weights, size, self.variant);
            self.searcher = Searcher::new(self.searcher.level, evaluation, self.table_bytes);
        }
        self.searcher.table.clear();
    }

    /// Iterative deepening, then a search to the end if few squares are empty.
    fn deepen<R: Rules>(
        &mut self,
        rules: R,
        root: &mut Root,
        position: Position,
        search: &mut Search<'_>,
    ) -> Result<(), Stopped> {
        let empty = position.empty().len();
        let (max_depth, endgame) = match search.limits().depth {
            Some(depth) => (depth.clamp(1, MAX_DEPTH), 0),
            None => (self.depth, self.endgame),
        };
        for depth in 1..=max_depth.min(empty) {
            if depth > 1 && !search.is_worth_deepening() {
                return Ok(());
            }
            // A search to the last square is exact; the endgame search is faster.
            let mode = if depth == empty { Mode::End } else { Mode::Depth(depth) };
            self.search_root(rules, root, depth, mode, search)?;
        }
        if empty <= endgame && empty > max_depth && search.is_worth_deepening() {
            self.search_root(rules, root, empty, Mode::End, search)?;
        }
        Ok(())
    }

    /// Searches all root moves and puts the best one first.
    fn search_root<R: Rules>(
        &mut self,
        rules: R,
        root: &mut Root,
        depth: u32,
        mode: Mode,
        search: &mut Search<'_>,
    ) -> Result<(), Stopped> {
        let mut alpha = -INFINITY;
        for index in 0..root.moves.len() {
            let candidate = root.moves[index];
            let after = root.position.after(candidate).board();
            let value = if root.position.is_placing() {
                -self.searcher.search_filling_centre(
                    after,
                    mode.one_ply_deeper(),
                    -INFINITY,
                    -alpha,
                    search,
                )?
            } else {
                self.searcher.pvs(rules, after, mode, index == 0, alpha, INFINITY, search)?
            };
            if value > alpha {
                alpha = value;
                // The others keep their order. If the search stops now, this move is played.
                root.moves[..=index].rotate_right(1);
            }
        }
        search.report(depth, centidiscs(alpha, mode), &[root.best().square()]);
        Ok(())
    }
}

/// The root task of a search. Below it, every node of the tree is a task of its own.
struct IterativeDeepening<'a, 's> {
    player: &'a mut Positional,
    root: &'a mut Root,
    position: Position,
    search: &'a mut Search<'s>,
}

impl SimdTask for IterativeDeepening<'_, '_> {
    type Output = Result<(), Stopped>;

    fn run<R: Rules>(self, rules: R) -> Result<(), Stopped> {
        self.player.deepen(rules, self.root, self.position, self.search)
    }
}

/// Converts a value to hundredths of a disc, for `info`.
fn centidiscs(value: i32, mode: Mode) -> i64 {
    let hundredths = match mode {
        Mode::End => value * 100,
        Mode::Depth(_) if value.abs() >= WIN => (value - value.signum() * WIN) * 100 / DISC,
        Mode::Depth(_) => (value * 100 / DISC).clamp(-6400, 6400),
    };
    i64::from(hundredths)
}

/// The root moves, the best so far first.
struct Root {
    position: Position,
    moves: Vec<Move>,
}

impl Root {
    /// Shuffles the moves, because the first of several equally good moves is played.
    fn new(seed: u64, position: Position, moves: Moves) -> Self {
        let mut moves: Vec<Move> = moves.iter().collect();
        moves.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed_at(seed, position)));
        Self { position, moves }
    }

    fn best(&self) -> Move {
        self.moves[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd_levels::simd_levels;
    use engine_kit::Limits;
    use rules::{Empties, Turn};

    fn player(settings: &[(&str, &str)]) -> Positional {
        let mut all = Settings::new(Positional::options());
        for (name, value) in settings {
            all.set(name, value).unwrap();
        }
        Positional::new_game(&all)
    }

    fn choice(player: &mut Positional, position: Position, limits: Limits) -> (Move, u64) {
        let Turn::Place(moves) = position.turn() else { panic!("no move") };
        let mut search = Search::standalone(limits, position);
        (player.choose(position, moves, &mut search), search.nodes())
    }

    fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    fn position(list: &str) -> Position {
        list.split_ascii_whitespace().fold(Position::start(BoardSize::Eight), |position, ply| {
            position.play(ply.parse().unwrap()).unwrap()
        })
    }

    #[test]
    fn weights_and_depth_are_what_is_set() {
        let all = Settings::new(Positional::options());
        assert_eq!(Weights::from_settings(&all), Weights::default());
        assert_eq!(all.spin("Depth"), 6);
        let changed = player(&[("Mobility", "2"), ("Corners", "0"), ("Depth", "3")]);
        let expected = Weights::default().with(crate::weights::Term::Mobility, 2);
        assert_eq!(changed.weights, expected.with(crate::weights::Term::Corners, 0));
        assert_eq!(changed.depth, 3);
    }

    #[test]
    fn an_answer_does_not_depend_on_what_was_asked_before() {
        let later = position("f5 d6 c3 d3 c4 f4 f6");
        for limits in [depth(5), nodes(3000), nodes(1), nodes(0)] {
            let mut used = player(&[]);
            for list in ["", "f5 d6", "f5 d6 c3 d3 c4"] {
                choice(&mut used, position(list), nodes(5000));
            }
            let answer = choice(&mut used, later, limits);
            assert_eq!(answer, choice(&mut used, later, limits));
            assert_eq!(answer, choice(&mut player(&[]), later, limits));
        }
    }

    #[test]
    fn an_answer_is_the_same_on_every_level() {
        for list in ["", "f5 d6", "f5 d6 c3 d3 c4 f4"] {
            for limits in [depth(6), nodes(3000), nodes(77)] {
                let answers = simd_levels().map(|level| {
                    let mut player = player(&[]);
                    player.searcher.level = level;
                    choice(&mut player, position(list), limits)
                });
                let answers: Vec<_> = answers.collect();
                assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{list}: {answers:?}");
            }
        }
    }

    #[test]
    fn limits_are_kept() {
        let start = position("f5 d6");
        assert_eq!(choice(&mut player(&[("Depth", "60")]), start, nodes(1234)).1, 1234);
        // `go depth` has the last word over the option.
        let shallow = choice(&mut player(&[("Depth", "5")]), start, depth(2));
        assert_eq!(shallow, choice(&mut player(&[("Depth", "1")]), start, depth(2)));
        let by_option =
            choice(&mut player(&[("Depth", "2")]), start, Limits { infinite: true, ..Limits::default() });
        assert_eq!(by_option, shallow);
    }

    #[test]
    fn equal_moves_are_drawn_by_lot() {
        let start = position("");
        let chosen = |seed: u32| choice(&mut player(&[("Seed", &seed.to_string())]), start, depth(1)).0;
        assert!(
            (1..20).any(|seed| chosen(seed) != chosen(0)),
            "the four first moves are images of each other"
        );
    }

    fn best_difference(position: Position) -> i32 {
        match position.turn() {
            Turn::Place(moves) => moves.iter().map(|m| -best_difference(position.after(m))).max().unwrap(),
            Turn::Pass(pass) => -best_difference(position.after_pass(pass)),
            Turn::Over(end) => {
                let score = end.score(Empties::Winner);
                let own = i32::from(score[position.side_to_move()]);
                own - i32::from(score[position.side_to_move().opposite()])
            }
        }
    }

    /// The last eight squares of a game that the player has played against itself.
    #[test]
    fn the_end_is_played_without_fault() {
        let mut player = player(&[("Depth", "2"), ("Endgame", "8")]);
        let mut position = position("f5 d6 c3 d3 c4");
        loop {
            position = match position.turn() {
                Turn::Pass(pass) => position.after_pass(pass),
                Turn::Over(_) => break,
                Turn::Place(_) => {
                    let (chosen, _) = choice(&mut player, position, nodes(1_000_000));
                    let next = position.after(chosen);
                    if position.empty().len() <= 8 {
                        assert_eq!(-best_difference(next), best_difference(position), "{position}");
                    }
                    next
                }
            }
        }
    }

    #[test]
    fn another_board_needs_no_new_game() {
        let mut player = player(&[]);
        for size in BoardSize::ALL {
            choice(&mut player, Position::start(size), depth(3));
            assert_eq!(player.searcher.evaluation.size(), size);
        }
    }

    #[test]
    fn values_as_they_are_reported() {
        assert_eq!(centidiscs(25, Mode::Depth(3)), 250);
        assert_eq!(centidiscs(-100_000, Mode::Depth(3)), -6400);
        assert_eq!(centidiscs(WIN + 12 * DISC, Mode::Depth(3)), 1200);
        assert_eq!(centidiscs(-(WIN + 2 * DISC), Mode::Depth(3)), -200);
        assert_eq!(centidiscs(-4, Mode::End), -400);
    }
}
