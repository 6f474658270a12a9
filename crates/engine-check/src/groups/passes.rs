//! Whether it gets along with passes, which are told and never asked for.

use rules::{BoardSize, Color, Ply, Position};

use crate::check::{Check, Group};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::replayed;
use crate::sample_games::{can_wipe_out, ends_by_double_pass, find, passes};
use crate::verdict::{NotPassed, Verdict};

const HINT: &str =
    "a pass stands in the list of moves like any ply: it changes the side to move and nothing else";

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Passes,
        "opponent-passed",
        "it moves again after its opponent had to pass",
        HINT,
        |subject| after(subject, |line| line.last() == Some(&Ply::Pass)),
    ),
    Check::new(Group::Passes, "own-pass", "it moves on after it had to pass itself", HINT, |subject| {
        after(subject, |line| line.len() > 2 && line[line.len() - 2] == Ply::Pass)
    }),
    Check::new(Group::Passes, "two-in-a-row", "one side passes twice in succession", HINT, |subject| {
        after(subject, |line| matches!(line, [.., Ply::Pass, Ply::Place(_), Ply::Pass]))
    }),
    Check::new(Group::Passes, "both-passed", "each side has passed once in the game", HINT, |subject| {
        let sides = |line: &[Ply]| {
            let by = |parity| line.iter().skip(parity).step_by(2).any(|ply| *ply == Ply::Pass);
            by(0) && by(1)
        };
        after(subject, sides)
    }),
    Check::new(Group::Passes, "many-passes", "a game with four passes", HINT, |subject| {
        after(subject, |line| passes(line) == 4)
    }),
    Check::new(Group::Passes, "early-pass", "a pass within the first twelve plies", HINT, |subject| {
        after(subject, |line| line.len() <= 12 && line.last() == Some(&Ply::Pass))
    }),
    Check::new(
        Group::Passes,
        "pass-from-a-board",
        "the first ply behind a board that is given is a pass",
        "the list behind a board may begin with `pass`",
        pass_from_board,
    ),
    Check::new(
        Group::Passes,
        "double-pass",
        "it plays a move after which neither side can move and squares stay empty, and then another game",
        "a search must end where neither side can move, also with empty squares left; two passes in a row end the game",
        |subject| {
            let line = find(start(), |_, position| ends_by_double_pass(position));
            last_and_again(subject, line)
        },
    ),
    Check::new(
        Group::Passes,
        "wipe-out",
        "it plays where it can take the last disc of its opponent, and then another game",
        "a side without discs has no moves: the game is over, and a search must not look for its discs",
        |subject| {
            let line = find(start(), |_, position| can_wipe_out(position));
            last_and_again(subject, line)
        },
    ),
];

fn start() -> Position {
    Position::start(BoardSize::Eight)
}

fn after(subject: &mut EngineUnderTest, holds: impl Fn(&[Ply]) -> bool) -> Verdict {
    let line =
        find(start(), |line, _| holds(line)).ok_or_else(|| NotPassed::skipped("no such line was found"))?;
    let ply = subject.ask(start(), &line)?;
    Ok(format!("{} plies, then {ply}", line.len()))
}

fn last_and_again(subject: &mut EngineUnderTest, line: Option<Vec<Ply>>) -> Verdict {
    let line = line.ok_or_else(|| NotPassed::skipped("no such line was found"))?;
    let ply = subject.ask(start(), &line)?;
    subject.ask(start(), &[])?;
    Ok(format!("{} plies, then {ply}", line.len()))
}

fn pass_from_board(subject: &mut EngineUnderTest) -> Verdict {
    let line = find(start(), |line, _| line.last() == Some(&Ply::Pass)).unwrap_or_default();
    let Some((pass, before)) = line.split_last() else {
        return Err(NotPassed::skipped("no such line was found"));
    };
    let board = replayed(start(), before);
    debug_assert!(Color::ALL.contains(&board.side_to_move()));
    let ply = subject.ask(board, &[*pass])?;
    Ok(format!("{ply}"))
}
