//! When it is noticed that engines play the same games again.

#[expect(dead_code, reason = "each test file uses its part")]
mod common;

use common::{Ending, game};
use records::{GameRecord, Termination};
use rules::{Color, Ply, Symmetry};
use tournament::repeated_games::RepeatDetector;
use tournament::schedule::{Fixture, Schedule};

/// A game of two engines in which the n-th choice takes this move.
fn played(fixture: &Fixture, choices: [usize; 4], ending: Ending) -> GameRecord {
    let names = ["A", "B", "C"];
    let mut number = 0;
    let players = [names[fixture.players.black], names[fixture.players.white]];
    game(fixture.game, players, 2, ending, |count| {
        number += 1;
        choices[(number - 1) % 4] % count
    })
}

fn mirrored(mut record: GameRecord) -> GameRecord {
    let image = |ply: Ply| match ply.square() {
        Some(square) => square.image(Symmetry::HalfTurn, record.board).into(),
        None => Ply::Pass,
    };
    record.opening = record.opening.iter().map(|&ply| image(ply)).collect();
    record.moves.iter_mut().for_each(|played| played.ply = image(played.ply));
    record
}

#[test]
fn a_pair_that_was_played_before_is_noticed_once() {
    let schedule = Schedule::round_robin(2, 4);
    let fixture = |game| schedule.fixture(game).expect("in the schedule");
    let normal = |game: u64, choices| played(&fixture(game), choices, Ending::Normal);
    let take =
        |repeats: &mut RepeatDetector, record: &GameRecord| repeats.add_game(&fixture(record.game), record);
    let (one, other) = ([0, 1, 2, 3], [3, 0, 2, 1]);

    let mut repeats = RepeatDetector::default();
    assert!(!take(&mut repeats, &normal(0, one)));
    assert!(!take(&mut repeats, &normal(1, one)), "the same with colours swapped is another game");
    assert!(!take(&mut repeats, &normal(2, one)));
    assert!(!take(&mut repeats, &normal(3, other)), "one of two is chance");
    // In any order, and turned round.
    assert!(!take(&mut repeats, &mirrored(normal(5, other))));
    assert!(take(&mut repeats, &normal(4, one)));
    assert!(!take(&mut repeats, &normal(6, one)) && !take(&mut repeats, &normal(7, one)), "told once");
}

#[test]
fn other_engines_and_lost_games_are_no_repeats() {
    let schedule = Schedule::round_robin(3, 2);
    let mut repeats = RepeatDetector::default();
    for game in 0..6 {
        let fixture = schedule.fixture(game).expect("in the schedule");
        assert!(!repeats.add_game(&fixture, &played(&fixture, [1, 1, 1, 1], Ending::Normal)), "game {game}");
    }
    let schedule = Schedule::round_robin(2, 9);
    let mut repeats = RepeatDetector::default();
    for game in 0..18 {
        let fixture = schedule.fixture(game).expect("in the schedule");
        let ending = Ending::Fault(Termination::Crash, Color::Black, 0);
        assert!(!repeats.add_game(&fixture, &played(&fixture, [1, 1, 1, 1], ending)), "game {game}");
    }
}

#[test]
fn games_of_an_earlier_run_are_known_and_not_told_of() {
    let schedule = Schedule::round_robin(2, 3);
    let mut repeats = RepeatDetector::default();
    let record = |game| {
        let fixture = schedule.fixture(game).expect("in the schedule");
        (fixture, played(&fixture, [2, 1, 0, 1], Ending::Normal))
    };
    for game in 0..4 {
        let (fixture, record) = record(game);
        repeats.load(&fixture, &record);
    }
    let [(first, one), (second, other)] = [record(4), record(5)];
    assert!(!repeats.add_game(&first, &one));
    assert!(repeats.add_game(&second, &other), "a new pair, like those before");
}
