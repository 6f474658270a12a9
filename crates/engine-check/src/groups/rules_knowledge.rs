//! Does it know the rules? What it says of ten thousand positions, where its protocol has questions about a position,
//! and the legality of many answers.

use std::time::{Duration, Instant};

use protocol::framing::quote;
use protocol::probe::{PositionQueries, QueriedPosition};
use rules::{BoardSize, Color, Position, SplitMix64};

use crate::check::{Action, Check};
use crate::engine_under_test::EngineUnderTest;
use crate::requests::on_small_boards;
use crate::sample_games::{GameSoFar, index_below, random_game};
use crate::verdict::{NotPassed, Verdict};

pub(super) const CHECKS: &[Check] = &[
    Check::new("ten-thousand-positions", "it knows who is to move, whether the game is over and who has won, in 10000 random positions")
        .does(Action::Call(|subject| positions(subject, BoardSize::Eight, 10_000, Duration::from_secs(40))))
        .hint("set the position up on your board and count: discs turned in all eight directions, passes told as plies, the game over only \
         where neither side can move"),
    Check::new("small-boards", "the same on the smaller boards that it plays on")
        .does(Action::Call(|subject| {
            on_small_boards(|size| {
                let remark = positions(subject, size, 500, Duration::from_secs(5))?;
                Ok(format!("{size}: {remark}"))
            })
        }))
        .hint("on a smaller board the first row has fewer squares, and the last column is another"),
    Check::new("legal-answers", "its answers are legal, in random games from random openings")
        .does(Action::Call(legal_answers))
        .hint("hold your list of legal moves against the one above; a referee takes no other"),
];

/// Asks about `count` positions, or as many as fit into `longest`.
fn positions(subject: &mut EngineUnderTest, size: BoardSize, count: usize, longest: Duration) -> Verdict {
    /// The number of positions that are asked about at once.
    const BATCH: usize = 20;
    let Some(queries) = subject.protocol().checks().queries else {
        return Err(NotPassed::skipped(format!("{} has no questions about a position", subject.protocol())));
    };
    if !subject.answers_queries {
        return Err(NotPassed::skipped("it does not answer queries"));
    }
    let (begun, start) = (Instant::now(), subject.variant.start(size));
    let time = subject.shortest_limit()?;
    subject.new_game(start, Color::Black, time)?;
    let mut rng = SplitMix64::new(10_000);
    let mut asked = 0;
    while asked < count && begun.elapsed() < longest {
        let batch: Vec<GameSoFar> =
            (0..BATCH.min(count - asked)).map(|number| random_case(start, number, &mut rng)).collect();
        ask_facts(subject, queries, &batch)?;
        asked += batch.len();
    }
    let cut =
        if asked < count { format!(", as many as {} s allow", longest.as_secs()) } else { String::new() };
    Ok(format!("{asked} positions{cut}"))
}

/// A position of a random game, every fourth its end: told from the start, as a board, or as a board and moves.
fn random_case(start: Position, number: usize, rng: &mut SplitMix64) -> GameSoFar {
    let plies = random_game(start, rng);
    let length = if number % 4 == 3 { plies.len() } else { index_below(rng, plies.len() + 1) };
    let from = match number % 3 {
        0 => 0,
        1 => length,
        _ => index_below(rng, length + 1),
    };
    GameSoFar::new(GameSoFar::new(start, &plies[..from]).position, &plies[from..length])
}

/// Asks everything about these positions at once.
fn ask_facts(
    subject: &mut EngineUnderTest,
    queries: PositionQueries,
    batch: &[GameSoFar],
) -> Result<(), NotPassed> {
    const LIMIT: Duration = Duration::from_secs(10);
    let variant = subject.variant;
    let (mut text, mut expected) = (Vec::new(), Vec::new());
    for game in batch {
        let case = QueriedPosition { variant, start: game.start, plies: &game.plies, end: game.position };
        expected.extend((queries.write)(&case, &mut text).into_iter().map(|answer| (answer, game)));
    }
    let mut wrong = None;
    let mut heard = 0;
    // All answers are read, so that none is taken for one to a later question.
    let first_wrong = subject.engine()?.send_raw(&text, LIMIT, |line| {
        let said = (queries.parse)(line)?;
        let (answer, game) = &expected[heard];
        heard += 1;
        if *answer != said && wrong.is_none() {
            wrong = Some((said, answer.clone(), *game));
        }
        (heard == expected.len()).then(|| wrong.take())
    })?;
    let Some((said, answer, game)) = first_wrong else { return Ok(()) };
    // Once more by itself, so that the dialogue shown is about this position alone.
    if batch.len() > 1 {
        subject.engine()?.clear_log();
        ask_facts(subject, queries, std::slice::from_ref(game))?;
    }
    let why = format!("said {} where {} is right", quote(&said), quote(&answer));
    Err(NotPassed::failed_at(game.position, why))
}

/// Plays games from random openings. Fewer answers are asked for where the rules were asked about directly.
fn legal_answers(subject: &mut EngineUnderTest) -> Verdict {
    let (count, longest) = if subject.answers_queries {
        (300, Duration::from_secs(12))
    } else {
        (1000, Duration::from_secs(40))
    };
    let (begun, start) = (Instant::now(), subject.start_position());
    let mut rng = SplitMix64::new(200);
    let (mut asked, mut games) = (0, 0);
    while asked < count && begun.elapsed() < longest {
        let plies = random_game(start, &mut rng);
        let length = index_below(&mut rng, 24).min(plies.len());
        let opening = GameSoFar::new(start, &plies[..length]);
        let goes_on = |more: usize| asked + more < count && begun.elapsed() < longest;
        asked += subject.play_game(opening, Color::ALL[games % 2], &mut rng, goes_on)?.0;
        games += 1;
    }
    Ok(format!("{asked} answers in {games} games"))
}
