//! Does it get along with passes, which it is told and never asked for?

use rules::Ply;

use crate::check::{Action, Check};
use crate::engine_under_test::EngineUnderTest;
use crate::sample_games::{GameSoFar, can_wipe_out, ends_by_double_pass, find, is_pass, standard_start};
use crate::verdict::{NotPassed, Verdict};

const HINT: &str =
    "a pass stands in the list of moves like any ply: it changes the side to move and nothing else";

pub(super) const CHECKS: &[Check] = &[
    Check::new("opponent-passed", "it moves again after its opponent had to pass")
        .does(Action::AskWhere(|plies, _| plies.last().is_some_and(is_pass)))
        .hint(HINT),
    Check::new("own-pass", "it moves on after it had to pass itself")
        .does(Action::AskWhere(|plies, _| matches!(plies, [_, .., Ply::Pass, _])))
        .hint(HINT),
    Check::new("two-in-a-row", "one side passes twice in succession")
        .does(Action::AskWhere(|plies, _| matches!(plies, [.., Ply::Pass, Ply::Place(_), Ply::Pass])))
        .hint(HINT),
    Check::new("both-passed", "each side has passed once in the game")
        .does(Action::AskWhere(|plies, _| {
            let has_passed = |side| plies.iter().skip(side).step_by(2).any(is_pass);
            has_passed(0) && has_passed(1)
        }))
        .hint(HINT),
    Check::new("many-passes", "a game with four passes")
        .does(Action::AskWhere(|plies, _| plies.iter().filter(|ply| is_pass(ply)).count() == 4))
        .hint(HINT),
    Check::new("early-pass", "a pass within the first twelve plies")
        .does(Action::AskWhere(|plies, _| plies.len() <= 12 && plies.last().is_some_and(is_pass)))
        .hint(HINT),
    Check::new("pass-from-a-board", "the first ply behind a board that is given is a pass")
        .does(Action::Call(pass_from_board))
        .hint("the list behind a board may begin with `pass`"),
    Check::new("double-pass", "it plays a move after which neither side can move and squares stay empty, and then another game")
        .does(Action::AskWhereAndAgain(|_, position| ends_by_double_pass(position)))
        .hint("a search must end where neither side can move, also with empty squares left; two passes in a row end the game"),
    Check::new("wipe-out", "it plays where it can take the last disc of its opponent, and then another game")
        .does(Action::AskWhereAndAgain(|_, position| can_wipe_out(position)))
        .hint("a side without discs has no moves: the game is over, and a search must not look for its discs"),
];

fn pass_from_board(subject: &mut EngineUnderTest) -> Verdict {
    let plies = find(standard_start(), |plies, _| plies.last().is_some_and(is_pass)).unwrap_or_default();
    let Some((pass, before)) = plies.split_last() else {
        return Err(NotPassed::skipped("no such line was found"));
    };
    let board = GameSoFar::new(standard_start(), before).position;
    Ok(subject.ask(board, &[*pass])?.to_string())
}
