//! The tree on positions whose outcome is known.

use rules::{Board, BoardSize, Position, SimdLevel, Square, Turn, Variant};

use super::{Node, SearchRng, Tree};
use crate::outcome::Outcome;
use crate::rollout::{GAMES, Policy, Rollout};

const ROOMY: usize = 8 << 20;

fn rng(size: BoardSize) -> SearchRng {
    SearchRng::new(SimdLevel::best(), size, 1)
}

fn rollout(size: BoardSize, variant: Variant) -> Rollout {
    Rollout::new(size, variant, Policy::Random)
}

fn grown(position: Position, variant: Variant, playouts: u32) -> Tree {
    let mut tree = Tree::new(position.board(), position.size(), 0.5, ROOMY);
    let (rollout, mut rng) = (rollout(position.size(), variant), rng(position.size()));
    let mut left = playouts;
    while left > 0 && tree.proven().is_none() {
        let games = left.min(GAMES);
        tree.playouts(games, &rollout, &mut rng);
        left -= games;
    }
    tree
}

/// The outcome for the mover with best play.
fn solved(rollout: &Rollout, board: Board, size: BoardSize) -> Outcome {
    let moves = board.moves(size);
    if moves.is_empty() {
        let passed = board.swapped();
        if passed.moves(size).is_empty() {
            return rollout.outcome(board);
        }
        return solved(rollout, passed, size).reversed();
    }
    let after = |square: Square| board.place(square, board.flips(square));
    moves.iter().map(|square| solved(rollout, after(square), size).reversed()).max().expect("there are moves")
}

/// Positions with few empty squares, from games by a fixed rule.
fn late(size: BoardSize, rule: usize, empty: u32) -> Vec<Position> {
    let (mut all, mut position, mut lot) = (Vec::new(), Position::start(size), rule);
    loop {
        position = match position.turn() {
            Turn::Place(moves) => position.after(moves.get(lot / 3 % moves.len()).expect("in range")),
            Turn::Pass(pass) => position.after_pass(pass),
            Turn::Over(_) => return all,
        };
        lot = (lot * 421 + 1663) % 7875;
        if position.empty().len() <= empty {
            all.push(position);
        }
    }
}

#[test]
fn proofs_agree_with_brute_force() {
    for variant in Variant::ALL {
        for (size, empty) in [(BoardSize::Four, 7), (BoardSize::Six, 6), (BoardSize::Eight, 6)] {
            let rollout = rollout(size, variant);
            for position in (0..10).flat_map(|rule| late(size, rule * 31, empty)) {
                let Turn::Place(moves) = position.turn() else { continue };
                let truth = solved(&rollout, position.board(), size);
                let tree = grown(position, variant, 100_000);
                assert_eq!(tree.proven(), Some(truth), "{position}");
                let best = tree.best_move().expect("it has been grown");
                let chosen = position.after(moves.on(best.square).expect("legal"));
                assert_eq!(
                    solved(&rollout, chosen.board(), size).reversed(),
                    truth,
                    "{position}: {}",
                    best.square
                );
            }
        }
    }
}

#[test]
fn a_proven_win_is_preferred_to_a_popular_move() {
    let start = Position::start(BoardSize::Eight);
    let mut tree = grown(start, Variant::Othello, 200);
    let popular = tree.best_move().expect("grown").square;
    let other = tree.root_moves().position(|choice| choice.square != popular).expect("four moves");
    tree.nodes[1 + other].proven = Some(Outcome::Win);
    assert_ne!(tree.best_move().expect("grown").square, popular);
    tree.nodes[1 + other].proven = None;
    // A move proven to lose is not played, however often it was tried.
    let index = 1 + tree.root_moves().position(|choice| choice.square == popular).expect("it is one of them");
    tree.nodes[index].proven = Some(Outcome::Loss);
    assert_ne!(tree.best_move().expect("grown").square, popular);
}

#[test]
fn visits_add_up() {
    let tree = grown(Position::start(BoardSize::Eight), Variant::Othello, 5000);
    assert_eq!(tree.visits(), 5000);
    assert!(tree.root_moves().map(|choice| choice.visits).sum::<u32>() >= 5000 - GAMES);
    for node in &tree.nodes {
        let below: u32 = tree.nodes[node.children()].iter().map(|child| child.visits).sum();
        assert!(below <= node.visits);
        assert!(node.half_points <= 2 * node.visits);
    }
}

#[test]
fn what_lies_behind_the_new_root_is_kept() {
    let start = Position::start(BoardSize::Eight);
    let mut tree = grown(start, Variant::Othello, 5000);
    let best = tree.best_move().expect("grown");
    let Turn::Place(moves) = start.turn() else { panic!("moves") };
    let one = start.after(moves.on(best.square).expect("legal"));
    let Turn::Place(moves) = one.turn() else { panic!("moves") };
    let two = one.after(moves.first());
    let (line, before) = (tree.principal_variation(), tree.len());
    assert_eq!(line[0], best.square);
    assert!(tree.reroot(two.board()));
    assert_eq!(tree.board(), two.board());
    assert!(tree.len() < before && tree.visits() > 100, "{} {}", tree.len(), tree.visits());
    // It is the tree of that position: its moves, its numbers.
    let squares: Vec<Square> = tree.root_moves().map(|choice| choice.square).collect();
    assert_eq!(squares, two.moves().iter().collect::<Vec<_>>());
    assert!(tree.root_moves().map(|choice| choice.visits).sum::<u32>() <= tree.visits());
    // What it has not seen it does not find, and stays as it is.
    let elsewhere = Position::parallel(BoardSize::Eight);
    assert!(!tree.reroot(elsewhere.board()));
    assert_eq!(tree.board(), two.board());
    assert!(tree.reroot(two.board()), "where it stands");
}

#[test]
fn a_pass_is_found_in_the_tree() {
    // Black has to pass after the move c1 of this game.
    let mut position = Position::start(BoardSize::Eight);
    for ply in "d3 c3 b3 b2 f5 a3 a1".split(' ') {
        position = position.play(ply.parse().expect("a ply")).expect("legal");
    }
    let mut tree = grown(position, Variant::Othello, 3000);
    let c1 = position.play("c1".parse().expect("a ply")).expect("legal");
    let Turn::Pass(pass) = c1.turn() else { panic!("a forced pass") };
    assert!(tree.reroot(c1.after_pass(pass).board()));
    assert!(tree.root_moves().count() > 0);
}

#[test]
fn the_tree_keeps_within_its_bound() {
    let start = Position::start(BoardSize::Eight);
    let bytes = 500 * size_of::<Node>();
    let mut tree = Tree::new(start.board(), BoardSize::Eight, 0.5, bytes);
    let (rollout, mut rng) = (rollout(BoardSize::Eight, Variant::Othello), rng(BoardSize::Eight));
    for _ in 0..3000 {
        tree.playouts(GAMES, &rollout, &mut rng);
    }
    assert!(tree.len() <= 500 && tree.visits() == 3000 * GAMES);
    assert_eq!(size_of::<Node>(), 16);
}

/// With one centre square open, the games are those from the board on which it is filled.
#[test]
fn the_centre_is_filled_before_games_are_played_by_lot() {
    for size in BoardSize::ALL {
        let rollout = rollout(size, Variant::Historical);
        let mut position = Position::empty_board(size);
        let mut open = 4;
        while let (true, Turn::Place(moves)) = (position.is_placing(), position.turn()) {
            let tree = Tree::new(position.board(), size, 0.5, ROOMY);
            let half_points = tree.fill_centre_and_play(position.board(), GAMES, &rollout, &mut rng(size));
            assert!(half_points <= 2 * GAMES);
            let filled = position.after(moves.first()).board();
            if open == 1 {
                let expected = rollout.play(filled, &mut rng(size).playouts, GAMES);
                assert_eq!(half_points, expected);
            }
            let tree = grown(position, Variant::Historical, 300);
            assert_eq!(tree.root_moves().count(), open);
            let best = tree.best_move().expect("it has been grown").square;
            assert!(size.centre_squares().contains(best));
            position = position.after(moves.first());
            open -= 1;
        }
        assert_eq!((open, position.is_placing()), (0, false));
    }
}

/// Whoever is to move: the second player has the better of it on 4x4.
#[test]
fn half_points_go_to_the_right_side_while_the_centre_is_filled() {
    let mut position = Position::empty_board(BoardSize::Four);
    for _ in 0..2 {
        let Turn::Place(moves) = position.turn() else { panic!("the centre is open") };
        let tree = grown(position, Variant::Historical, 40_000);
        let best = tree.best_move().expect("it has been grown");
        let for_black =
            if position.side_to_move() == rules::Color::Black { best.mean } else { 1.0 - best.mean };
        assert!(for_black < 0.35, "{position}: {for_black}");
        position = position.after(moves.on(best.square).expect("legal"));
    }
}
