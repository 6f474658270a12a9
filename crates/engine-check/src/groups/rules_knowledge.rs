//! Whether it knows the rules: what it says of ten thousand positions where its protocol lets it be
//! asked, and the legality of many answers.

use std::time::{Duration, Instant};

use clock::TimeControl;
use protocol::framing::quote;
use protocol::probe::{PositionQueries, QueriedPosition};
use rules::{BoardSize, Color, Ply, Position};

use crate::check::{Check, Group};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::{replayed, through_passes};
use crate::sample_games::{Lots, random_game};
use crate::verdict::{NotPassed, Verdict};

pub(crate) const CHECKS: &[Check] = &[
    Check::new(
        Group::Rules,
        "ten-thousand-positions",
        "it knows who is to move, whether the game is over and who has won, in 10000 random positions",
        "set the position up on your board and count: discs turned in all eight directions, passes told as plies, the game over only \
         where neither side can move",
        |subject| positions(subject, BoardSize::Eight, 10_000, Duration::from_secs(40)),
    ),
    Check::new(
        Group::Rules,
        "small-boards",
        "the same on the smaller boards that it plays on",
        "on a smaller board the first row has fewer squares, and the last column is another",
        |subject| {
            let mut remarks = Vec::new();
            let mut refused = String::new();
            for size in [BoardSize::Four, BoardSize::Six] {
                match positions(subject, size, 500, Duration::from_secs(5)) {
                    Ok(remark) => remarks.push(format!("{size}: {remark}")),
                    Err(NotPassed::Skipped(why)) => refused = why,
                    Err(miss) => return Err(miss),
                }
            }
            if remarks.is_empty() { Err(NotPassed::skipped(refused)) } else { Ok(remarks.join(", ")) }
        },
    ),
    Check::new(
        Group::Rules,
        "legal-answers",
        "its answers are legal, in random games from random openings",
        "hold your list of legal moves against the one above; a referee takes no other",
        answers,
    ),
];

/// Asks so many positions' queries, or as many as fit into the time.
fn positions(subject: &mut EngineUnderTest, size: BoardSize, count: usize, most: Duration) -> Verdict {
    /// Questions are asked so many positions at a time.
    const BATCH: usize = 20;
    let Some(queries) = subject.protocol().checks().queries else {
        return Err(NotPassed::skipped(format!("{} has no questions about a position", subject.protocol())));
    };
    if !subject.answers_queries {
        return Err(NotPassed::skipped("it does not answer queries"));
    }
    let (begun, start) = (Instant::now(), subject.variant.start(size));
    let time = subject.quick()?;
    subject.new_game(start, Color::Black, time)?;
    let mut lots = Lots::new(10_000);
    let mut asked = 0;
    while asked < count && begun.elapsed() < most {
        let cases: Vec<(Position, Vec<Ply>)> =
            (0..BATCH.min(count - asked)).map(|number| random_case(start, number, &mut lots)).collect();
        ask(subject, queries, &cases)?;
        asked += cases.len();
    }
    let mut remark = format!("{asked} positions");
    if asked < count {
        remark.push_str(&format!(", as many as {} s allow", most.as_secs()));
    }
    Ok(remark)
}

/// A position of a random game, every fourth its end: told from the start, or as a board, or as a board
/// and moves.
fn random_case(start: Position, number: usize, lots: &mut Lots) -> (Position, Vec<Ply>) {
    let game = random_game(start, lots);
    let total = u32::try_from(game.len()).unwrap_or(1);
    let length = if number % 4 == 3 { game.len() } else { lots.below(total + 1) as usize };
    let from = match number % 3 {
        0 => 0,
        1 => length,
        _ => lots.below(u32::try_from(length).unwrap_or(0) + 1) as usize,
    };
    (replayed(start, &game[..from]), game[from..length].to_vec())
}

fn ask(
    subject: &mut EngineUnderTest,
    queries: PositionQueries,
    cases: &[(Position, Vec<Ply>)],
) -> Result<(), NotPassed> {
    const LIMIT: Duration = Duration::from_secs(10);
    let variant = subject.variant;
    let mut text = Vec::new();
    let mut right = Vec::new();
    for (start, plies) in cases {
        let case = QueriedPosition { variant, start: *start, plies, end: replayed(*start, plies) };
        right.extend((queries.write)(&case, &mut text).into_iter().map(|answer| (answer, case.end)));
    }
    let mut wrong = None;
    let mut heard = 0;
    // All answers are heard out, so that none of them is taken for one to what is asked next.
    let judged = subject.engine()?.send_raw(&text, LIMIT, |line| {
        let said = (queries.parse)(line)?;
        let (answer, end) = &right[heard];
        heard += 1;
        if *answer != said && wrong.is_none() {
            wrong = Some((said, answer.clone(), *end));
        }
        (heard == right.len()).then(|| wrong.take())
    })?;
    let Some((said, answer, end)) = judged else { return Ok(()) };
    // Once more by itself, so that what is shown is about this position alone.
    let case =
        right.iter().position(|(_, position)| *position == end).map(|at| at * cases.len() / right.len());
    if cases.len() > 1
        && let Some(case) = case
    {
        subject.engine()?.clear_log();
        ask(subject, queries, &cases[case..=case])?;
    }
    Err(NotPassed::at(end, format!("said {} where {} is right", quote(&said), quote(&answer))))
}

/// How a game went in which it was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// How many of its moves it was asked for.
    pub(crate) asked: usize,
    /// Where the game stands.
    pub(crate) position: Position,
}

/// Plays a game of one colour against random moves from an opening to its end, or until it was
/// asked so often, or as long as `on` allows.
pub(crate) fn play_game(
    subject: &mut EngineUnderTest,
    start: Position,
    color: Color,
    opening: &[Ply],
    lots: &mut Lots,
    most: usize,
    on: impl Fn(usize) -> bool,
) -> Result<Asked, NotPassed> {
    let time: TimeControl = subject.quick()?;
    subject.new_game(start, color, time)?;
    let mut plies = opening.to_vec();
    let mut position = through_passes(replayed(start, &plies), &mut plies);
    let mut asked = 0;
    while !position.is_over() && asked < most && on(asked) {
        if position.side_to_move() == color {
            plies.push(subject.ask_on(position, &plies, time)?);
            asked += 1;
        } else {
            plies.push(random_game(position, lots)[0]);
        }
        position = through_passes(replayed(start, &plies), &mut plies);
    }
    Ok(Asked { asked, position })
}

/// As many answers as fit: fewer where the rules were asked for directly.
fn answers(subject: &mut EngineUnderTest) -> Verdict {
    let (wanted, most) = if subject.answers_queries {
        (300, Duration::from_secs(12))
    } else {
        (1000, Duration::from_secs(40))
    };
    let (begun, start) = (Instant::now(), subject.variant.start(BoardSize::Eight));
    let mut lots = Lots::new(200);
    let mut asked = 0;
    let mut games = 0_usize;
    while asked < wanted && begun.elapsed() < most {
        let opening = random_game(start, &mut lots);
        let length = lots.below(24) as usize;
        let color = Color::ALL[games % 2];
        let enough = |more: usize| asked + more < wanted && begun.elapsed() < most;
        asked += play_game(
            subject,
            start,
            color,
            &opening[..length.min(opening.len())],
            &mut lots,
            usize::MAX,
            enough,
        )?
        .asked;
        games += 1;
    }
    Ok(format!("{asked} answers in {games} games"))
}
