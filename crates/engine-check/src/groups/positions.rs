//! Whether it gets the position right, however it was reached.

use std::time::{Duration, Instant};

use rules::{BoardSize, Color, Ply, Position};

use super::rules_knowledge::play_game;
use crate::check::{Check, Group};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::{go_of, replayed};
use crate::sample_games::{Lots, find, random_game};
use crate::verdict::{NotPassed, Verdict};

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Positions,
        "first-move",
        "it moves first, as Black",
        "Black is X and moves first: d3, c4, f5 or e6. White's discs stand on d4 and e5. (In the historical game the board is empty, and a \
         centre square is filled: d4, e4, d5 or e5)",
        |subject| from_start(subject, &[]),
    ),
    Check::new(
        Group::Positions,
        "second-move",
        "it moves second, as White",
        "play the moves of the list before you choose; the side to move changes with each",
        |subject| {
            let first = if start(subject).is_placing() { "e4" } else { "f5" };
            from_start(subject, &squares(first))
        },
    ),
    Check::new(
        Group::Positions,
        "opening",
        "it starts in the middle of a game, 20 plies of which are told at once",
        "set the position up from the start and play all moves of the list, not only the last",
        |subject| {
            let game = random_game(start(subject), &mut Lots::new(3));
            from_start(subject, &game[..20])
        },
    ),
    Check::new(
        Group::Positions,
        "step-by-step",
        "it follows a game that is told ply by ply before it is asked",
        "you are told positions in which you are not asked; the list has one ply more each time",
        step_by_step,
    ),
    Check::new(
        Group::Positions,
        "told-twice",
        "the same position may be told twice",
        "telling a position changes nothing but the position: do not count how often it is told",
        told_twice,
    ),
    Check::new(
        Group::Positions,
        "only-move",
        "it finds the only move, in ten positions that have just one",
        "turn over the discs of all eight directions, in the move list and in your search alike",
        only_moves,
    ),
    Check::new(
        Group::Positions,
        "last-move",
        "it plays the last move of a game",
        "a search must not need more empty squares than there are",
        |subject| {
            let last = find(start(subject), |_, position| position.empty().len() == 1);
            from_start(subject, &last.unwrap_or_default())
        },
    ),
    Check::new(
        Group::Positions,
        "forgets",
        "a new game forgets the last one, which was left in the middle",
        "set up everything anew for a new game: board, side to move, tables, what you expected to be played",
        forgets,
    ),
    Check::new(
        Group::Positions,
        "whole-game-black",
        "it plays a whole game as Black",
        "if only this of all positions fails, see what is left over from your own last search: a move that you expected, a table, a node count",
        |subject| whole_game(subject, Color::Black, 11),
    ),
    Check::new(
        Group::Positions,
        "whole-game-white",
        "it plays a whole game as White",
        "if only this of all positions fails, see what is left over from your own last search: a move that you expected, a table, a node count",
        |subject| whole_game(subject, Color::White, 12),
    ),
    Check::new(
        Group::Positions,
        "from-a-board",
        "it starts from a board that is given, with Black to move",
        "the board is written row by row from a1: X black, O white, - empty; then the side to move",
        |subject| from_board(subject, Color::Black, 0),
    ),
    Check::new(
        Group::Positions,
        "from-a-board-white",
        "it starts from a board that is given, with White to move",
        "the second word behind the board says who moves; it need not be Black",
        |subject| from_board(subject, Color::White, 0),
    ),
    Check::new(
        Group::Positions,
        "board-and-moves",
        "it plays moves on from a board that is given",
        "a board may be followed by `moves`, as the usual start may",
        |subject| from_board(subject, Color::Black, 9),
    ),
];

/// Where games of the variant begin that is checked.
fn start(subject: &EngineUnderTest) -> Position {
    subject.variant.start(BoardSize::Eight)
}

fn squares(text: &str) -> Vec<Ply> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn from_start(subject: &mut EngineUnderTest, plies: &[Ply]) -> Verdict {
    let start = start(subject);
    ask(subject, start, plies)
}

fn ask(subject: &mut EngineUnderTest, start: Position, plies: &[Ply]) -> Verdict {
    let ply = subject.ask(start, plies)?;
    Ok(format!("{ply}"))
}

fn step_by_step(subject: &mut EngineUnderTest) -> Verdict {
    let time = subject.quick()?;
    let start = start(subject);
    let line = &random_game(start, &mut Lots::new(5))[..15];
    subject.new_game(start, Color::White, time)?;
    for length in 1..=line.len() {
        subject.tell(&line[..length], &go_of(time))?;
    }
    subject.ask_on(replayed(start, line), line, time)?;
    Ok(String::new())
}

fn told_twice(subject: &mut EngineUnderTest) -> Verdict {
    let time = subject.quick()?;
    let start = start(subject);
    let line = &random_game(start, &mut Lots::new(8))[..10];
    subject.new_game(start, Color::Black, time)?;
    subject.tell(line, &go_of(time))?;
    subject.tell(line, &go_of(time))?;
    subject.ask_on(replayed(start, line), line, time)?;
    Ok(String::new())
}

fn only_moves(subject: &mut EngineUnderTest) -> Verdict {
    const POSITIONS: u32 = 10;
    for number in 0..POSITIONS {
        // Sparser towards the end, so spread them over the game.
        let plies = 12 + 4 * number as usize;
        let line = find(start(subject), |line, position| line.len() >= plies && position.moves().len() == 1);
        from_start(subject, &line.unwrap_or_default())?;
    }
    Ok(format!("{POSITIONS} positions"))
}

fn forgets(subject: &mut EngineUnderTest) -> Verdict {
    for seed in [21, 22, 23] {
        let game = random_game(start(subject), &mut Lots::new(seed));
        from_start(subject, &game[..13])?;
    }
    from_start(subject, &[])
}

fn whole_game(subject: &mut EngineUnderTest, color: Color, seed: u64) -> Verdict {
    /// A game of searches that are as short as can be.
    const LONGEST: Duration = Duration::from_secs(30);
    let begun = Instant::now();
    let time = subject.quick()?;
    let in_time = |_| begun.elapsed() < LONGEST;
    let start = start(subject);
    let game = play_game(subject, start, color, &[], &mut Lots::new(seed), usize::MAX, in_time)?;
    if game.position.is_over() {
        return Ok(format!("{} moves", game.asked));
    }
    let within = LONGEST.as_secs();
    Err(NotPassed::at(
        game.position,
        format!("gave {} answers within {within} s, under the limit {time}", game.asked),
    ))
}

fn from_board(subject: &mut EngineUnderTest, color: Color, more: usize) -> Verdict {
    let line = find(start(subject), |line, position| line.len() > 17 && position.side_to_move() == color);
    let board =
        replayed(start(subject), &line.ok_or_else(|| NotPassed::skipped("no such position was found"))?);
    let moves = random_game(board, &mut Lots::new(7));
    ask(subject, board, &moves[..more.min(moves.len())])
}
