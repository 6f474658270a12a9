//! Does it search as long as it is told to, and stop when it is told to?

use std::time::{Duration, Instant};

use clock::TimeControl;
use protocol::message::Go;
use rules::{ByColor, Color, SplitMix64};

use crate::check::{Action, Check};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::{go_of, legal_move};
use crate::sample_games::{GameSoFar, find, middle_game, random_move, standard_start};
use crate::verdict::{NotPassed, Verdict, in_millis};

pub(super) const CHECKS: &[Check] = &[
    Check::new("time-for-a-move", "it answers within the time for a move, 200 ms")
        .does(move_time(200, 200))
        .hint("look at a clock while you search and answer a little early; only if your language is slow to start something, do it before \
         you say that you are ready"),
    Check::new("clock", "it answers with seconds left on the clock for the whole game, and does not use them all")
        .does(on_clock(2000, 2000, 0, 2000))
        .hint("divide what is left by the moves that are still to come: 2 s are for the rest of the game, not for this move"),
    Check::new("clock-and-increment", "it answers on a clock with an increment")
        .does(on_clock(1000, 1000, 500, 1000))
        .hint("what is left is all you have; the increment comes after your move"),
    Check::new("unequal-clocks", "it reads its own clock, not its opponent's")
        .does(on_clock(1000, 3_600_000, 0, 1000))
        .hint("Black's clock is named first, as p1; take the one of the side that is to move"),
    Check::new("one-millisecond", "it answers at once with 1 ms for the move")
        .does(move_time(1, AT_ONCE))
        .hint("have a legal move at hand before you search, and no division by the time that is left"),
    Check::new("one-millisecond-clock", "it answers at once with 1 ms left on its clock")
        .does(on_clock(1, 60_000, 0, AT_ONCE))
        .hint("have a legal move at hand before you search; what is left less a reserve may be below zero"),
    Check::new("game-on-a-clock", "it plays a whole game on a clock of 6 s")
        .does(Action::Call(game_on_clock))
        .hint("keep something for the end: the game may have 30 more moves of yours"),
    Check::new("nodes", "it answers under a limit of nodes")
        .does(Action::Limited(&[TimeControl::Nodes(1), TimeControl::Nodes(500)]))
        .hint("count positions and stop at the limit; 1 has to be enough for a legal move"),
    Check::new("depth", "it answers under a limit of depth")
        .does(Action::Limited(&[TimeControl::Depth(1), TimeControl::Depth(3)]))
        .hint("search so many plies; 1 has to be enough for a legal move"),
    Check::new("depth-beyond-the-end", "it answers where the depth is greater than the plies that are left")
        .does(Action::Call(beyond_the_end))
        .hint("stop deepening where the search has seen the end of the game"),
    Check::new("no-limit", "it searches without a limit until it is stopped, and then answers at once")
        .does(Action::Call(|subject| stopped(subject, MUCH_TIME, &Go::Infinite)))
        .hint("keep your answer until you are stopped, and look for that while you search (or wait for it)"),
    Check::new("stop-early", "it answers at once when a search with much time is stopped")
        .does(Action::Call(stopped_early))
        .hint("look for input while you search"),
    Check::new("goes-on-after-stop", "it plays on in the same game after it was stopped")
        .does(Action::Call(after_stop))
        .hint("a search that was stopped leaves nothing behind: no second answer, no stop that is still set"),
    Check::new("one-answer", "it gives each answer once, and says nothing that looks like one in between")
        .does(Action::Call(one_answer))
        .hint("answer each request once"),
    Check::new("told-its-time", "it is told how long it may think")
        .does(Action::Call(told_its_time))
        .hint("its own arguments limit it: give it a level that is fast enough for the time of the tournament"),
];

/// The longest time for an answer at once, in milliseconds.
const AT_ONCE: u64 = 500;

/// Far more time than it takes until a search is stopped.
const MUCH_TIME: TimeControl = TimeControl::MoveTime(Duration::from_secs(5));

/// A time for the move, and the longest time for the answer; in milliseconds.
const fn move_time(limit: u64, within: u64) -> Action {
    Action::Timed {
        limit: TimeControl::MoveTime(Duration::from_millis(limit)),
        opponent: Duration::ZERO,
        within: Duration::from_millis(within),
    }
}

/// The own clock, the opponent's, the increment of both, and the longest time for the answer; in milliseconds.
const fn on_clock(own: u64, opponent: u64, increment: u64, within: u64) -> Action {
    Action::Timed {
        limit: TimeControl::Game {
            main: Duration::from_millis(own),
            increment: Duration::from_millis(increment),
        },
        opponent: Duration::from_millis(opponent),
        within: Duration::from_millis(within),
    }
}

fn game_on_clock(subject: &mut EngineUnderTest) -> Verdict {
    /// A busy machine may delay an answer by this much.
    const GRACE: Duration = Duration::from_millis(100);
    let main = Duration::from_secs(6);
    let time = TimeControl::Game { main, increment: Duration::ZERO };
    subject.require(time)?;
    subject.new_game(standard_start(), Color::Black, time)?;
    let (mut left, mut rng) = (main, SplitMix64::new(31));
    let own = |engine: &mut EngineUnderTest, game: &GameSoFar| {
        let go = Go::Clock { time: ByColor::new(left, main), increment: ByColor::default() };
        engine.send_plies(&game.plies, &go)?;
        let (ply, answer) = engine.think(game.position, &go, left + GRACE)?;
        left = left.saturating_sub(answer.spent);
        Ok(Some(ply))
    };
    let mut game = GameSoFar::new(standard_start(), &[]);
    subject.play_on(&mut game, Color::Black, own, |position| random_move(position, &mut rng))?;
    Ok(format!("{} of 6s left", in_millis(left)))
}

fn beyond_the_end(subject: &mut EngineUnderTest) -> Verdict {
    let time = TimeControl::Depth(30);
    subject.require(time)?;
    let plies =
        find(standard_start(), |_, position| position.empty().len() == 4 && position.moves().len() > 1);
    let plies = plies.ok_or_else(|| NotPassed::skipped("no such position was found"))?;
    let game = GameSoFar::new(standard_start(), &plies);
    subject.new_game(game.start, game.position.side_to_move(), time)?;
    Ok(format!("4 squares left, {}", subject.ask_next(&game, time)?))
}

fn stopped_early(subject: &mut EngineUnderTest) -> Verdict {
    let is_told = subject.unsupported_time_control(MUCH_TIME)?.is_none();
    let time = if is_told { MUCH_TIME } else { TimeControl::Depth(12) };
    subject.require(time)?;
    stopped(subject, time, &go_of(time))
}

/// Stops a search that would take long, soon after it began.
fn stopped(subject: &mut EngineUnderTest, time: TimeControl, go: &Go) -> Verdict {
    const AFTER: Duration = Duration::from_millis(150);
    let checks = subject.protocol().checks();
    if let Some(why) = checks.cannot_stop {
        return Err(NotPassed::skipped(why));
    }
    let game = middle_game();
    subject.set_up(&game, time, go)?;
    let patience = subject.patience();
    let (stopped, answer) = subject.engine()?.go_and_stop(go, AFTER, patience)?;
    legal_move(game.position, &answer, patience)?;
    let Some(spent) = stopped else {
        if checks.has_infinite && *go == Go::Infinite {
            let after = in_millis(answer.spent);
            let why = format!("it answers by itself, after {after}, and no tournament asks for that");
            return Err(NotPassed::skipped(why));
        }
        return Ok("it answered before it was stopped".to_owned());
    };
    let took = in_millis(spent);
    if spent > Duration::from_millis(AT_ONCE) {
        return Err(NotPassed::failed_at(game.position, format!("went on for {took} after it was stopped")));
    }
    Ok(format!("{took} after it was stopped"))
}

fn after_stop(subject: &mut EngineUnderTest) -> Verdict {
    const AFTER: Duration = Duration::from_millis(50);
    const LONGEST: Duration = Duration::from_secs(5);
    let checks = subject.protocol().checks();
    if let Some(why) = checks.cannot_stop {
        return Err(NotPassed::skipped(why));
    }
    if !checks.has_infinite {
        return Err(NotPassed::skipped(format!("{} knows no search without a limit", subject.protocol())));
    }
    let time = subject.shortest_limit()?;
    subject.new_game(standard_start(), Color::Black, time)?;
    let begun = Instant::now();
    let own = |engine: &mut EngineUnderTest, game: &GameSoFar| {
        if game.plies.len() >= 8 || begun.elapsed() >= LONGEST {
            return Ok(None);
        }
        engine.send_plies(&game.plies, &Go::Infinite)?;
        let patience = engine.patience();
        let (_, answer) = engine.engine()?.go_and_stop(&Go::Infinite, AFTER, patience)?;
        legal_move(game.position, &answer, patience).map(Some)
    };
    let mut game = GameSoFar::new(standard_start(), &[]);
    subject
        .play_on(&mut game, Color::Black, own, |position| random_move(position, &mut SplitMix64::new(1)))?;
    subject.ask_next(&game, time)?;
    Ok(String::new())
}

fn one_answer(subject: &mut EngineUnderTest) -> Verdict {
    let before = subject.engine()?.oddities();
    let opening = GameSoFar::new(standard_start(), &[]);
    subject.play_game(opening, Color::Black, &mut SplitMix64::new(17), |asked| asked < 6)?;
    // Lines that come late are read with the next request.
    subject.ask(standard_start(), &[])?;
    let time = subject.shortest_limit()?;
    subject.new_game(standard_start(), Color::Black, time)?;
    let after = subject.engine()?.oddities();
    match (after.surplus - before.surplus, after.long_lines - before.long_lines) {
        (0, 0) => Ok(String::new()),
        (0, lines) => {
            Err(NotPassed::failed(format!("{lines} lines were longer than 64 KiB, which nobody reads")))
        }
        (lines, _) => Err(NotPassed::failed(format!("{lines} lines answered nothing that was asked"))),
    }
}

fn told_its_time(subject: &mut EngineUnderTest) -> Verdict {
    let second = Duration::from_secs(1);
    let kinds = [
        ("a clock", TimeControl::Game { main: second * 60, increment: Duration::ZERO }),
        ("a time a move", TimeControl::MoveTime(second)),
        ("nodes", TimeControl::Nodes(1000)),
        ("depth", TimeControl::Depth(6)),
    ];
    let mut told = Vec::new();
    let mut not: Vec<(String, Vec<&str>)> = Vec::new();
    for (kind, time) in kinds {
        match subject.unsupported_time_control(time)? {
            None => told.push(kind),
            Some(why) => match not.iter_mut().find(|(known, _)| *known == why) {
                Some((_, kinds)) => kinds.push(kind),
                None => not.push((why, vec![kind])),
            },
        }
    }
    let mut all = if told.is_empty() { Vec::new() } else { vec![format!("of {}", told.join(", "))] };
    all.extend(not.into_iter().map(|(why, kinds)| format!("not of {}: {why}", kinds.join(", "))));
    let all = all.join("; ");
    if let Some(by) = subject.limited_by() {
        return Err(NotPassed::skipped(format!("it takes no notice of its time; it is limited by {by}")));
    }
    if subject.unsupported_time_control(kinds[0].1)?.is_some() {
        Err(NotPassed::skipped(all))
    } else {
        Ok(all)
    }
}
