//! Rules, games and solved boards of the reference collection.

#![expect(clippy::unwrap_used, reason = "a test may stop here")]

mod common;

use std::collections::HashMap;

use common::{list, numbers, position, reference, squares, start, text};
use rules::{
    BoardSize, ByColor, Color, Empties, FinalScore, IllegalReason, Ply, Position, Square, Turn, Variant,
    parse_plies, replay, to_transcript,
};
use serde_json::Value;

fn assert_score(end: FinalScore, entry: &Value, what: &str) {
    let pair = |key| {
        let both = numbers(entry, key);
        ByColor::new(both[0] as u8, both[1] as u8)
    };
    assert_eq!(end.discs(), pair("discs"), "{what}");
    assert_eq!(end.score(Empties::None), pair("discs"), "{what}");
    let score = end.score(Empties::Winner);
    assert_eq!(score, pair("score_empties_to_winner"), "{what}");
    let winner = match score.black.cmp(&score.white) {
        std::cmp::Ordering::Greater => Some(Color::Black),
        std::cmp::Ordering::Less => Some(Color::White),
        std::cmp::Ordering::Equal => None,
    };
    assert_eq!(end.winner(Variant::Othello), winner, "{what}");
    assert_eq!(end.winner(Variant::Reversed), winner.map(Color::opposite), "{what}");
}

#[test]
fn each_rule() {
    let data = reference();
    let cases = list(&data, "rules");
    assert_eq!(cases.len(), 31);
    for case in cases {
        let (what, position) = (text(case, "id"), position(case));
        assert_eq!(position.moves(), squares(case, "legal"), "{what}");
        match (text(case, "state"), position.turn()) {
            ("move", Turn::Place(moves)) => {
                assert_eq!(moves.squares(), position.moves(), "{what}");
                assert_eq!(moves.iter().count(), moves.len(), "{what}");
            }
            ("pass", Turn::Pass(pass)) => {
                let after = position.after_pass(pass);
                assert_eq!(
                    (after.discs(), after.side_to_move()),
                    (position.discs(), position.side_to_move().opposite())
                );
            }
            ("over", Turn::Over(end)) => assert_score(end, case, what),
            (state, turn) => panic!("{what}: expected {state}, found {turn:?}"),
        }
        assert_eq!(position.is_over(), text(case, "state") == "over", "{what}");
        if !case["play"].is_null() {
            let legal = position.resolve(text(case, "play").parse().unwrap()).unwrap();
            assert_eq!(legal.flips(), squares(case, "flips"), "{what}");
            let after = position.after(legal);
            let side = after.side_to_move().letter();
            assert_eq!(after.to_string(), format!("{} {side}", text(case, "board_after")), "{what}");
        }
    }
}

#[test]
fn each_game() {
    let data = reference();
    let games = list(&data, "games");
    assert_eq!(games.len(), 24);
    for game in games {
        let what = text(game, "id");
        let written: Vec<Ply> =
            parse_plies(text(game, "moves")).unwrap().into_iter().map(|(ply, _)| ply).collect();
        let start = Position::start(BoardSize::Eight);
        let played = replay(start, written).unwrap();
        assert_eq!(played.plies().len() as u64, game["plies"].as_u64().unwrap(), "{what}");
        let passes: Vec<u64> =
            (0..).zip(played.plies()).filter(|(_, ply)| **ply == Ply::Pass).map(|(n, _)| n).collect();
        assert_eq!(passes, numbers(game, "passes_before_ply"), "{what}");
        let end = played.position();
        assert_eq!(
            end.to_string(),
            format!("{} {}", text(game, "final_board"), text(game, "to_move")),
            "{what}"
        );
        assert_eq!(end.is_over(), game["over"].as_bool().unwrap(), "{what}");
        match end.turn() {
            Turn::Over(end) => assert_score(end, game, what),
            _ => assert!(game["score_empties_to_winner"].is_null(), "{what}"),
        }
        // Passes written or left out make no difference, and out again comes what came in.
        assert_eq!(replay(start, played.plies().iter().copied()).unwrap(), played, "{what}");
        assert_eq!(to_transcript(played.plies()), text(game, "moves"), "{what}");
        assert_eq!(played.positions().count(), played.plies().len() + 1, "{what}");
        assert_eq!(played.positions().last(), Some(end), "{what}");
    }
}

/// The value of a position for its side to move, as black's disc difference is for black: by
/// plain search of everything below.
fn solve(position: Position, variant: Variant, seen: &mut HashMap<Position, i32>) -> i32 {
    if let Some(&value) = seen.get(&position) {
        return value;
    }
    let value = match position.turn() {
        Turn::Place(moves) => {
            moves.iter().map(|legal| -solve(position.after(legal), variant, seen)).max().unwrap()
        }
        Turn::Pass(pass) => -solve(position.after_pass(pass), variant, seen),
        Turn::Over(end) => {
            let score = end.score(Empties::Winner).map(i32::from);
            let side = position.side_to_move();
            let more = score[side] - score[side.opposite()];
            if variant == Variant::Othello { more } else { -more }
        }
    };
    seen.insert(position, value);
    value
}

#[test]
fn small_board_is_solved() {
    let data = reference();
    let cases = list(&data, "solved");
    assert_eq!(cases.len(), 4);
    for case in cases {
        let reversed = text(case, "goal").contains("reversed");
        let variant = if reversed { Variant::Reversed } else { Variant::Othello };
        let mut seen = HashMap::new();
        let start = start(case);
        assert_eq!(
            i64::from(solve(start, variant, &mut seen)),
            case["value_for_first_player"].as_i64().unwrap(),
            "{case}"
        );
        if !reversed && text(case, "start") == "diagonal" {
            assert_eq!(best_end(start, &mut seen), ByColor::new(3, 11));
        }
    }
}

/// The discs at the end of a line of best moves, the first best one taken each time.
fn best_end(mut position: Position, seen: &mut HashMap<Position, i32>) -> ByColor<u8> {
    loop {
        position = match position.turn() {
            Turn::Place(moves) => {
                let next = moves.iter().map(|legal| position.after(legal));
                next.min_by_key(|next| solve(*next, Variant::Othello, seen)).unwrap()
            }
            Turn::Pass(pass) => position.after_pass(pass),
            Turn::Over(end) => return end.discs(),
        };
    }
}

#[test]
fn illegal_plies_say_why() {
    let start = Position::start(BoardSize::Six);
    let reason = |position: Position, ply: &str| position.play(ply.parse().unwrap()).unwrap_err();
    assert_eq!(reason(start, "c3").reason(), IllegalReason::Occupied);
    assert_eq!(reason(start, "a1").reason(), IllegalReason::OutflanksNothing);
    assert_eq!(reason(start, "g1").reason(), IllegalReason::OutsideBoard);
    assert_eq!(reason(start, "pass").reason(), IllegalReason::PassWithMoves);
    assert_eq!(reason(start, "pass").to_string(), "pass with moves at hand");
    assert_eq!(reason(start, "g1").to_string(), "g1 is outside the board");
    assert_eq!(reason(start, "c3").to_string(), "c3 is occupied");
    let over: Position = "XXXX------------ O".parse().unwrap();
    for ply in ["pass", "a1", "d4", "h8"] {
        assert_eq!(reason(over, ply).reason(), IllegalReason::GameOver, "{ply}");
    }
    assert_eq!(reason(over, "d4").to_string(), "d4 comes after the game is over");
}

#[test]
fn small_boards_end_at_their_edge() {
    // A run of white discs up to the edge of the small board is not outflanked from beyond it.
    let position: Position = "-XOO------------ X".parse().unwrap();
    let beyond: Square = "e1".parse().unwrap();
    assert!(matches!(position.turn(), Turn::Pass(_)));
    assert_eq!(position.resolve(beyond).unwrap_err().reason(), IllegalReason::OutsideBoard);
}

#[test]
fn wrong_lines_are_refused_at_their_ply() {
    let error = |line: &str| {
        let plies = parse_plies(line).unwrap().into_iter().map(|(ply, _)| ply);
        replay(Position::start(BoardSize::Eight), plies).unwrap_err()
    };
    for (line, ply, reason) in [
        ("f5f5", 2, IllegalReason::Occupied),
        ("f5a1", 2, IllegalReason::OutflanksNothing),
        ("d3d2", 2, IllegalReason::OutflanksNothing),
        ("f5f4c3c6c5d6f3c4c7a1", 10, IllegalReason::GameOver),
        ("f5passf6", 2, IllegalReason::PassWithMoves),
        ("f5d6c3d3c4b3d2e1 f5", 9, IllegalReason::Occupied),
        // A forced pass, then another that isn't.
        ("f5 f6 d3 g5 h5 h4 f7 h6 pass pass", 10, IllegalReason::PassWithMoves),
    ] {
        let error = error(line);
        assert_eq!((error.ply(), error.index() + 1, error.illegal().reason()), (ply, ply, reason), "{line}");
    }
    // With a pass left out, the ply of the game and the place in the list differ.
    let error = error("f5 f6 d3 g5 h5 h4 f7 h6 a1");
    assert_eq!((error.ply(), error.index()), (10, 8));
    assert_eq!(error.to_string(), "ply 10: a1 outflanks nothing");
    assert_eq!(error.position().side_to_move(), Color::White);
}

#[test]
fn a_pass_after_the_last_ply_is_kept_but_not_made_up() {
    let line = |text: &str| {
        let plies = parse_plies(text).unwrap().into_iter().map(|(ply, _)| ply);
        replay(Position::start(BoardSize::Eight), plies).unwrap()
    };
    let left_out = line("f5 f6 d3 g5 h5 h4 f7 h6");
    let written = line("f5f6d3g5h5h4f7h6--");
    assert!(matches!(left_out.position().turn(), Turn::Pass(_)));
    assert_eq!((left_out.plies().len(), written.plies().len()), (8, 9));
    assert_eq!(line("f5f6d3g5h5h4f7h6e7"), line("f5f6d3g5h5h4f7h6PAe7"));
}
