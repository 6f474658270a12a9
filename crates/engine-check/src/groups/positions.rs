//! Does it get the position right, however it was reached?

use std::time::{Duration, Instant};

use rules::{Color, Ply, SplitMix64};

use crate::check::{Action, Check};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::go_of;
use crate::sample_games::{GameSoFar, find, random_plies};
use crate::verdict::{NotPassed, Verdict};

const OWN_SEARCH: &str = "if only this of all positions fails, see what is left over from your own last search: a move that you \
     expected, a table, a node count";

pub(super) const CHECKS: &[Check] = &[
    Check::new("first-move", "it moves first, as Black")
        .does(Action::Ask(|_| Vec::new()))
        .hint("Black is X and moves first: d3, c4, f5 or e6. White's discs stand on d4 and e5. (In the historical game the board is empty, and a \
         centre square is filled: d4, e4, d5 or e5)"),
    Check::new("second-move", "it moves second, as White")
        .does(Action::Ask(|start| {
            let first = if start.is_placing() { "e4" } else { "f5" };
            first.parse::<Ply>().into_iter().collect()
        }))
        .hint("play the moves of the list before you choose; the side to move changes with each"),
    Check::new("opening", "it starts in the middle of a game, 20 plies of which are told at once")
        .does(Action::Ask(|start| random_plies(start, 3, 20)))
        .hint("set the position up from the start and play all moves of the list, not only the last"),
    Check::new("step-by-step", "it follows a game that is told ply by ply before it is asked")
        .does(Action::Call(|subject| ask_last(subject, 5, 15, 1..=15)))
        .hint("you are told positions in which you are not asked; the list has one ply more each time"),
    Check::new("told-twice", "the same position may be told twice")
        .does(Action::Call(|subject| ask_last(subject, 8, 10, [10, 10])))
        .hint("telling a position changes nothing but the position: do not count how often it is told"),
    Check::new("only-move", "it finds the only move, in ten positions that have just one")
        .does(Action::Call(only_moves))
        .hint("turn over the discs of all eight directions, in the move list and in your search alike"),
    Check::new("last-move", "it plays the last move of a game")
        .does(Action::Ask(|start| find(start, |_, position| position.empty().len() == 1).unwrap_or_default()))
        .hint("a search must not need more empty squares than there are"),
    Check::new("forgets", "a new game forgets the last one, which was left in the middle")
        .does(Action::Call(|subject| {
            let start = subject.start_position();
            for seed in [21, 22, 23] {
                subject.ask(start, &random_plies(start, seed, 13))?;
            }
            Ok(subject.ask(start, &[])?.to_string())
        }))
        .hint("set up everything anew for a new game: board, side to move, tables, what you expected to be played"),
    Check::new("whole-game-black", "it plays a whole game as Black")
        .does(Action::Call(|subject| whole_game(subject, Color::Black, 11)))
        .hint(OWN_SEARCH),
    Check::new("whole-game-white", "it plays a whole game as White")
        .does(Action::Call(|subject| whole_game(subject, Color::White, 12)))
        .hint(OWN_SEARCH),
    Check::new("from-a-board", "it starts from a board that is given, with Black to move")
        .does(Action::Call(|subject| from_board(subject, Color::Black, 0)))
        .hint("the board is written row by row from a1: X black, O white, - empty; then the side to move"),
    Check::new("from-a-board-white", "it starts from a board that is given, with White to move")
        .does(Action::Call(|subject| from_board(subject, Color::White, 0)))
        .hint("the second word behind the board says who moves; it need not be Black"),
    Check::new("board-and-moves", "it plays moves on from a board that is given")
        .does(Action::Call(|subject| from_board(subject, Color::Black, 9)))
        .hint("a board may be followed by `moves`, as the usual start may"),
];

/// Sends a random game of `length` plies up to each of `told`, then asks at its end.
fn ask_last(
    subject: &mut EngineUnderTest,
    seed: u64,
    length: usize,
    told: impl IntoIterator<Item = usize>,
) -> Verdict {
    let time = subject.shortest_limit()?;
    let start = subject.start_position();
    let game = GameSoFar::new(start, &random_plies(start, seed, length));
    subject.new_game(start, game.position.side_to_move(), time)?;
    for length in told {
        subject.send_plies(&game.plies[..length], &go_of(time))?;
    }
    subject.ask_next(&game, time)?;
    Ok(String::new())
}

fn only_moves(subject: &mut EngineUnderTest) -> Verdict {
    const POSITIONS: usize = 10;
    let start = subject.start_position();
    for number in 0..POSITIONS {
        // They are rarer towards the end, so each is sought from a later ply on.
        let least = 12 + 4 * number;
        let plies = find(start, |plies, position| plies.len() >= least && position.moves().len() == 1);
        subject.ask(start, &plies.unwrap_or_default())?;
    }
    Ok(format!("{POSITIONS} positions"))
}

fn whole_game(subject: &mut EngineUnderTest, color: Color, seed: u64) -> Verdict {
    const LONGEST: Duration = Duration::from_secs(30);
    let begun = Instant::now();
    let opening = GameSoFar::new(subject.start_position(), &[]);
    let in_time = |_| begun.elapsed() < LONGEST;
    let (asked, game) = subject.play_game(opening, color, &mut SplitMix64::new(seed), in_time)?;
    if game.position.is_over() {
        return Ok(format!("{asked} moves"));
    }
    let (within, time) = (LONGEST.as_secs(), subject.shortest_limit()?);
    let why = format!("gave {asked} answers within {within} s, under the limit {time}");
    Err(NotPassed::failed_at(game.position, why))
}

fn from_board(subject: &mut EngineUnderTest, color: Color, more: usize) -> Verdict {
    let start = subject.start_position();
    let before = find(start, |plies, position| plies.len() > 17 && position.side_to_move() == color);
    let before = before.ok_or_else(|| NotPassed::skipped("no such position was found"))?;
    let board = GameSoFar::new(start, &before).position;
    Ok(subject.ask(board, &random_plies(board, 7, more))?.to_string())
}
