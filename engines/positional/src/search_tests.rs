use super::*;
use crate::simd_levels::simd_levels;
use crate::weights::Weights;
use engine_kit::Limits;
use rules::{BoardSize, Position, Turn, Variant};

fn searcher(size: BoardSize, variant: Variant) -> Searcher {
    Searcher::new(SimdLevel::best(), Evaluation::new(Weights::default(), size, variant), 1 << 20)
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

/// Value and number of nodes, on a level.
fn searched(level: SimdLevel, position: Position, variant: Variant, mode: Mode) -> (i32, u64) {
    let evaluation = Evaluation::new(Weights::default(), position.size(), variant);
    let mut searcher = Searcher::new(level, evaluation, 1 << 16);
    let (board, mut search) = (position.board(), Search::standalone(Limits::default(), position));
    let value = match mode {
        Mode::Depth(depth) => searcher.value(board, depth, -INFINITY, INFINITY, &mut search),
        Mode::End => searcher.final_value(board, -INFINITY, INFINITY, &mut search),
    };
    (value.unwrap(), search.nodes())
}

#[test]
fn every_level_searches_the_same_tree() {
    for size in BoardSize::ALL {
        for variant in Variant::ALL {
            for position in positions(size, 11).into_iter().step_by(3) {
                let modes = (0..=4).map(Mode::Depth);
                let end = (position.empty().len() <= 8).then_some(Mode::End);
                for mode in modes.chain(end) {
                    let plain = searched(SimdLevel::Plain, position, variant, mode);
                    for level in simd_levels() {
                        let found = searched(level, position, variant, mode);
                        assert_eq!(found, plain, "{level}: {position} {variant} {mode:?}");
                    }
                }
            }
        }
    }
}

fn minimax(evaluation: &Evaluation, board: Board, depth: u32) -> i32 {
    let size = evaluation.size();
    let moves = board.moves(size);
    if moves.is_empty() {
        let passed = board.swapped();
        if passed.moves(size).is_empty() {
            return evaluation.evaluate_final(board);
        }
        return -minimax(evaluation, passed, depth);
    }
    if depth == 0 {
        return evaluation.evaluate(board, moves);
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
                let mut search = Search::standalone(Limits::default(), position);
                for depth in 0..=3 {
                    let value = searcher.value(board, depth, -INFINITY, INFINITY, &mut search);
                    let plain = minimax(&searcher.evaluation, board, depth);
                    assert_eq!(value, Ok(plain), "{position} depth {depth}");
                    // With a window, a bound on the right side of it.
                    for alpha in [plain - 9, plain - 1, plain, plain + 5] {
                        let bound = searcher.value(board, depth, alpha, alpha + 1, &mut search).unwrap();
                        assert_eq!(bound > alpha, plain > alpha, "{position} depth {depth} alpha {alpha}");
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
                    let mut search = Search::standalone(Limits::default(), *position);
                    let value = searcher.final_value(board, -INFINITY, INFINITY, &mut search);
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
        let mut search = Search::standalone(Limits::default(), start);
        searcher(BoardSize::Four, variant).final_value(start.board(), -INFINITY, INFINITY, &mut search)
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
    for (size, mode) in
        [(BoardSize::Four, Mode::End), (BoardSize::Six, Mode::Depth(6)), (BoardSize::Eight, Mode::Depth(5))]
    {
        for variant in Variant::ALL {
            let (mut one, mut other) = (searcher(size, variant), searcher(size, variant));
            let mut position = Position::empty_board(size);
            while let (true, Turn::Place(moves)) = (position.is_placing(), position.turn()) {
                let open = position.board().placements(size).len();
                let mut search = Search::standalone(Limits::default(), position);
                let found =
                    one.search_filling_centre(position.board(), mode, -INFINITY, INFINITY, &mut search);
                let mut value = |full: Position| {
                    let mut search = Search::standalone(Limits::default(), full);
                    let left = (0..open).fold(mode, |mode, _| mode.one_ply_deeper());
                    other.search_filling_centre(full.board(), left, -INFINITY, INFINITY, &mut search).unwrap()
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
        let mut search = Search::standalone(Limits::default(), position);
        let mut searcher = searcher(BoardSize::Eight, Variant::Othello);
        // A window around the truth proves it as well as a full one, and faster.
        let value = searcher.final_value(position.board(), score - 1, score + 1, &mut search);
        assert_eq!(value, Ok(score), "{text}");
    }
}

#[test]
fn a_search_that_is_stopped_says_so() {
    let start = Position::start(BoardSize::Eight);
    let mut search = Search::standalone(Limits { nodes: Some(500), ..Limits::default() }, start);
    let mut searcher = searcher(BoardSize::Eight, Variant::Othello);
    assert_eq!(searcher.value(start.board(), 20, -INFINITY, INFINITY, &mut search), Err(Stopped));
    assert_eq!(search.nodes(), 500);
}
