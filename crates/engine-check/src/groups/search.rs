//! Whether it searches as long as it is told to, and stops when it is told to.

use std::time::{Duration, Instant};

use clock::{TimeControl, format_duration};
use protocol::message::Go;
use rules::{BoardSize, ByColor, Color, Ply, Position};

use crate::check::{Check, Group};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::{go_of, replayed, through_passes};
use crate::sample_games::{Lots, find, random_game};
use crate::verdict::{Fault, NotPassed, Verdict, in_millis};

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Search,
        "time-for-a-move",
        "it answers within the time for a move, 200 ms",
        "look at a clock while you search and answer a little early; only if your language is slow to start something, do it before \
         you say that you are ready",
        |subject| {
            let time = Duration::from_millis(200);
            timed(subject, TimeControl::MoveTime(time), Go::MoveTime(time), time)
        },
    ),
    Check::new(
        Group::Search,
        "clock",
        "it answers with seconds left on the clock for the whole game, and does not use them all",
        "divide what is left by the moves that are still to come: 2 s are for the rest of the game, not for this move",
        |subject| on_clock(subject, 2000, 2000, 0, 2000),
    ),
    Check::new(
        Group::Search,
        "clock-and-increment",
        "it answers on a clock with an increment",
        "what is left is all you have; the increment comes after your move",
        |subject| on_clock(subject, 1000, 1000, 500, 1000),
    ),
    Check::new(
        Group::Search,
        "unequal-clocks",
        "it reads its own clock, not its opponent's",
        "Black's clock is named first, as p1; take the one of the side that is to move",
        |subject| on_clock(subject, 1000, 3_600_000, 0, 1000),
    ),
    Check::new(
        Group::Search,
        "one-millisecond",
        "it answers at once with 1 ms for the move",
        "have a legal move at hand before you search, and no division by the time that is left",
        |subject| {
            let time = Duration::from_millis(1);
            timed(subject, TimeControl::MoveTime(time), Go::MoveTime(time), AT_ONCE)
        },
    ),
    Check::new(
        Group::Search,
        "one-millisecond-clock",
        "it answers at once with 1 ms left on its clock",
        "have a legal move at hand before you search; what is left less a reserve may be below zero",
        |subject| on_clock(subject, 1, 60_000, 0, millis(AT_ONCE)),
    ),
    Check::new(
        Group::Search,
        "game-on-a-clock",
        "it plays a whole game on a clock of 6 s",
        "keep something for the end: the game may have 30 more moves of yours",
        game_on_clock,
    ),
    Check::new(
        Group::Search,
        "nodes",
        "it answers under a limit of nodes",
        "count positions and stop at the limit; 1 has to be enough for a legal move",
        |subject| counted(subject, &[TimeControl::Nodes(1), TimeControl::Nodes(500)]),
    ),
    Check::new(
        Group::Search,
        "depth",
        "it answers under a limit of depth",
        "search so many plies; 1 has to be enough for a legal move",
        |subject| counted(subject, &[TimeControl::Depth(1), TimeControl::Depth(3)]),
    ),
    Check::new(
        Group::Search,
        "depth-beyond-the-end",
        "it answers where the depth is greater than the plies that are left",
        "stop deepening where the search has seen the end of the game",
        beyond_the_end,
    ),
    Check::new(
        Group::Search,
        "no-limit",
        "it searches without a limit until it is stopped, and then answers at once",
        "keep your answer until you are stopped, and look for that while you search (or wait for it)",
        |subject| stopped(subject, TimeControl::MoveTime(Duration::from_secs(5)), &Go::Infinite),
    ),
    Check::new(
        Group::Search,
        "stop-early",
        "it answers at once when a search with much time is stopped",
        "look for input while you search",
        |subject| {
            let time = TimeControl::MoveTime(Duration::from_secs(5));
            let untold = subject.unsupported_time_control(time)?.is_some();
            let time = if untold { TimeControl::Depth(12) } else { time };
            subject.told(time)?;
            stopped(subject, time, &go_of(time))
        },
    ),
    Check::new(
        Group::Search,
        "goes-on-after-stop",
        "it plays on in the same game after it was stopped",
        "a search that was stopped leaves nothing behind: no second answer, no stop that is still set",
        after_stop,
    ),
    Check::new(
        Group::Search,
        "one-answer",
        "it gives each answer once, and says nothing that looks like one in between",
        "answer each request once",
        one_answer,
    ),
    Check::new(
        Group::Search,
        "told-its-time",
        "it is told how long it may think",
        "its own arguments limit it: give it a level that is fast enough for the time of the tournament",
        told_its_time,
    ),
];

/// What counts as at once.
const AT_ONCE: Duration = Duration::from_millis(500);
/// A busy machine may hold an engine up for so long.
const GRACE: Duration = Duration::from_millis(100);
/// If it is late it may try again, so often in all.
const TRIES: u32 = 3;

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn middle() -> Vec<Ply> {
    let start = Position::start(BoardSize::Eight);
    find(start, |line, position| line.len() == 16 && position.moves().len() > 4).unwrap_or_default()
}

/// A search in the middle of a game that has to end within `most`.
fn timed(subject: &mut EngineUnderTest, time: TimeControl, go: Go, most: Duration) -> Verdict {
    subject.told(time)?;
    let start = Position::start(BoardSize::Eight);
    let line = middle();
    let end = replayed(start, &line);
    let mut slowest = Duration::ZERO;
    for _ in 0..TRIES {
        subject.new_game(start, end.side_to_move(), time)?;
        subject.tell(&line, &go)?;
        let allowance = most + subject.patience();
        let (_, answer) = subject.think(end, &go, allowance)?;
        if answer.spent <= most + GRACE {
            return Ok(in_millis(answer.spent));
        }
        slowest = slowest.max(answer.spent);
    }
    let (most, slowest) = (format_duration(most), in_millis(slowest));
    Err(late(end, format!("took {slowest} where {most} was given, {TRIES} times in a row")))
}

fn late(position: Position, why: String) -> NotPassed {
    NotPassed::Failed(Fault { why, hint: None, position: Some(position) })
}

/// A search with so many milliseconds on its clock and on the opponent's, and as increment.
fn on_clock(subject: &mut EngineUnderTest, own: u64, other: u64, increment: u64, most: u64) -> Verdict {
    let increment = Duration::from_millis(increment);
    let main = Duration::from_millis(own);
    let mover = replayed(Position::start(BoardSize::Eight), &middle()).side_to_move();
    let time = ByColor::from_fn(|color| if color == mover { main } else { Duration::from_millis(other) });
    let go = Go::Clock { time, increment: ByColor::new(increment, increment) };
    timed(subject, TimeControl::Game { main, increment }, go, Duration::from_millis(most))
}

fn game_on_clock(subject: &mut EngineUnderTest) -> Verdict {
    let main = Duration::from_secs(6);
    let time = TimeControl::Game { main, increment: Duration::ZERO };
    subject.told(time)?;
    let start = Position::start(BoardSize::Eight);
    subject.new_game(start, Color::Black, time)?;
    let (mut plies, mut position, mut left, mut lots) = (Vec::new(), start, main, Lots::new(31));
    loop {
        position = through_passes(position, &mut plies);
        if position.is_over() {
            return Ok(format!("{} of 6s left", in_millis(left)));
        }
        let ply = if position.side_to_move() == Color::Black {
            let go = Go::Clock { time: ByColor::new(left, main), increment: ByColor::default() };
            subject.tell(&plies, &go)?;
            let allowance = left + GRACE;
            let (ply, answer) = subject.think(position, &go, allowance)?;
            left = left.saturating_sub(answer.spent);
            ply
        } else {
            random_game(position, &mut lots)[0]
        };
        plies.push(ply);
        position = replayed(start, &plies);
    }
}

fn counted(subject: &mut EngineUnderTest, times: &[TimeControl]) -> Verdict {
    let start = Position::start(BoardSize::Eight);
    let line = middle();
    let end = replayed(start, &line);
    let mut remarks = Vec::new();
    for &time in times {
        subject.told(time)?;
        let go = go_of(time);
        subject.new_game(start, end.side_to_move(), time)?;
        subject.tell(&line, &go)?;
        let patience = subject.patience();
        let (_, answer) = subject.think(end, &go, patience)?;
        remarks.push(format!("{time} in {}", in_millis(answer.spent)));
    }
    Ok(remarks.join(", "))
}

fn beyond_the_end(subject: &mut EngineUnderTest) -> Verdict {
    let time = TimeControl::Depth(30);
    subject.told(time)?;
    let start = Position::start(BoardSize::Eight);
    let line = find(start, |_, position| position.empty().len() == 4 && position.moves().len() > 1);
    let line = line.ok_or_else(|| NotPassed::skipped("no such position was found"))?;
    let end = replayed(start, &line);
    subject.new_game(start, end.side_to_move(), time)?;
    let ply = subject.ask_on(end, &line, time)?;
    Ok(format!("4 squares left, {ply}"))
}

/// Breaks off a search that would take long, soon after it began.
fn stopped(subject: &mut EngineUnderTest, time: TimeControl, go: &Go) -> Verdict {
    const AFTER: Duration = Duration::from_millis(150);
    let checks = subject.protocol().checks();
    if let Some(why) = checks.cannot_stop {
        return Err(NotPassed::skipped(why));
    }
    let start = Position::start(BoardSize::Eight);
    let line = middle();
    let end = replayed(start, &line);
    subject.new_game(start, end.side_to_move(), time)?;
    subject.tell(&line, go)?;
    let patience = subject.patience();
    let (stopped, answer) = subject.engine()?.go_and_stop(go, AFTER, patience)?;
    subject.judge(end, &answer, patience)?;
    match stopped {
        None if checks.has_infinite && *go == Go::Infinite => {
            let after = in_millis(answer.spent);
            Err(NotPassed::skipped(format!(
                "it answers by itself, after {after}, and no tournament asks for that"
            )))
        }
        None => Ok("it answered before it was stopped".to_owned()),
        Some(spent) if spent > AT_ONCE => {
            Err(late(end, format!("went on for {} after it was stopped", in_millis(spent))))
        }
        Some(spent) => Ok(format!("{} after it was stopped", in_millis(spent))),
    }
}

fn after_stop(subject: &mut EngineUnderTest) -> Verdict {
    const AFTER: Duration = Duration::from_millis(50);
    let checks = subject.protocol().checks();
    if let Some(why) = checks.cannot_stop {
        return Err(NotPassed::skipped(why));
    }
    if !checks.has_infinite {
        return Err(NotPassed::skipped(format!("{} knows no search without a limit", subject.protocol())));
    }
    let start = Position::start(BoardSize::Eight);
    let time = subject.quick()?;
    let (mut plies, mut position) = (Vec::new(), start);
    subject.new_game(start, Color::Black, time)?;
    let begun = Instant::now();
    while position.side_to_move() == Color::Black && plies.len() < 8 && begun.elapsed() < AT_ONCE * 10 {
        subject.tell(&plies, &Go::Infinite)?;
        let patience = subject.patience();
        let (_, answer) = subject.engine()?.go_and_stop(&Go::Infinite, AFTER, patience)?;
        plies.push(subject.judge(position, &answer, patience)?);
        position = through_passes(replayed(start, &plies), &mut plies);
        plies.push(random_game(position, &mut Lots::new(1))[0]);
        position = through_passes(replayed(start, &plies), &mut plies);
    }
    subject.ask_on(position, &plies, time)?;
    Ok(String::new())
}

fn one_answer(subject: &mut EngineUnderTest) -> Verdict {
    let before = subject.engine()?.oddities();
    let start = Position::start(BoardSize::Eight);
    let mut lots = Lots::new(17);
    super::rules_knowledge::play_game(subject, start, Color::Black, &[], &mut lots, 6, |_| true)?;
    // What comes late is heard with the next question.
    subject.ask(start, &[])?;
    let time = subject.quick()?;
    subject.new_game(start, Color::Black, time)?;
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
