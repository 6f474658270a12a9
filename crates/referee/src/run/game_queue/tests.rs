//! Tournaments with invented results: whatever the order and the interruptions, one record.

use super::*;
use std::time::Duration;

use clock::TimeControl;
use proptest::prelude::*;
use records::{AT_START, FaultPhase, Termination};
use rules::{BoardSize, ByColor, Empties, Position, Variant};

use play::GameJob;
use play::engine::Failure;
use play::game::{Game, Setup, Step};

/// A tournament whose results are invented: who starts in which game and who comes through.
#[derive(Clone, Debug)]
struct World {
    schedule: Schedule,
    /// Of each engine, in which games it fails to start: a bit each.
    failures: Vec<u64>,
    /// In which games it is lost, if it starts.
    lapses: Vec<u64>,
    /// After how many in a row it is withdrawn.
    faults: Option<u32>,
}

impl World {
    fn engines(&self) -> usize {
        self.failures.len()
    }

    fn starts(&self, fixture: &Fixture, side: Color) -> bool {
        self.failures[fixture.players[side]] >> (fixture.game % 64) & 1 == 0
    }

    fn lapses(&self, fixture: &Fixture, side: Color) -> bool {
        self.lapses[fixture.players[side]] >> (fixture.game % 64) & 1 == 1
    }

    fn job(fixture: &Fixture) -> GameJob {
        let setup = Setup {
            variant: Variant::Othello,
            empties: Empties::Winner,
            time: ByColor::new(TimeControl::Depth(1), TimeControl::Depth(1)),
            margin: Duration::ZERO,
            move_limit: Duration::ZERO,
            // Nobody can move.
            start: "XXXX------------ X".parse().expect("a position"),
            opening: Vec::new(),
        };
        let names = fixture.players.map(|engine| engine.to_string());
        let Fixture { game, pair, round, players } = *fixture;
        GameJob {
            game,
            pair,
            round,
            players,
            setup,
            seed: 0,
            names,
            dropped: std::collections::BTreeMap::new(),
        }
    }

    /// How a game goes that is played: Black is started first.
    fn play(&self, fixture: &Fixture) -> GameRecord {
        let job = Self::job(fixture);
        if let Some(side) = Color::ALL.into_iter().find(|&side| !self.starts(fixture, side)) {
            let detail = format!("{AT_START}failed in game {}", fixture.game);
            return Self::lost(
                &job,
                side,
                FaultPhase::Start,
                Failure { termination: Termination::Crash, detail },
            );
        }
        if let Some(side) = Color::ALL.into_iter().find(|&side| self.lapses(fixture, side)) {
            let detail = format!("lapsed in game {}", fixture.game);
            return Self::lost(
                &job,
                side,
                FaultPhase::Play,
                Failure { termination: Termination::Stall, detail },
            );
        }
        let mut game = Game::new(job.setup.clone());
        let Step::Over(ending) = game.advance() else { panic!("nobody can move") };
        job.record(game, ending, String::new(), Duration::ZERO)
    }

    fn lost(job: &GameJob, side: Color, phase: FaultPhase, failure: Failure) -> GameRecord {
        let game = Game::new(job.setup.clone());
        let ending = game.failed(side, phase, failure);
        job.record(game, ending, String::new(), Duration::ZERO)
    }
}

/// A run of a tournament, as the coordinator would run_tournament it.
struct Run<'a> {
    world: &'a World,
    queue: GameQueue,
    running: Vec<Fixture>,
    /// The record file.
    recorded: Vec<GameRecord>,
}

impl<'a> Run<'a> {
    /// Takes up what an earlier run has recorded.
    fn resume(world: &'a World, recorded: Vec<GameRecord>) -> Self {
        let mut queue = GameQueue::new(world.schedule.clone(), world.engines(), world.faults);
        for record in &recorded {
            let fixture = world.schedule.fixture(record.game).expect("a game of the schedule");
            assert!(queue.mark_recorded(&fixture, record), "game {} is recorded twice", record.game);
        }
        queue.find_not_played(false);
        Self { world, queue, running: Vec::new(), recorded }
    }

    /// Begins a game, unless there is none; `false` then.
    fn begin(&mut self) -> bool {
        match self.queue.assign() {
            Assignment::Play(fixture) => self.running.push(fixture),
            Assignment::Nothing => return false,
        }
        true
    }

    fn finish(&mut self, index: usize) {
        let fixture = self.running.remove(index);
        self.queue.finished(Box::new(self.world.play(&fixture)), Vec::new());
        while let Some(release) = self.queue.next_recordable() {
            match release {
                Release::AsPlayed(record, _) => self.recorded.push(*record),
                Release::NotPlayed(_) => {}
            }
        }
    }

    fn drop_game(&mut self, index: usize) {
        let fixture = self.running.remove(index);
        self.queue.dropped(fixture.game);
    }

    fn both_are_up(&mut self, index: usize) {
        let fixture = self.running[index];
        if Color::ALL.iter().all(|&side| self.world.starts(&fixture, side)) {
            self.queue.engines_ready(fixture.game);
        }
    }

    /// Plays what is left, so many games at once, and tells every game in a line.
    fn play_to_the_end(mut self, at_once: usize) -> Vec<String> {
        while !self.queue.is_complete() {
            let begun = self.running.len() < at_once && self.begin();
            if !begun && !self.queue.is_complete() {
                assert!(!self.running.is_empty(), "neither a game to begin nor one to wait for");
                self.finish(0);
            }
        }
        assert!(self.queue.is_idle());
        assert_eq!(self.queue.recorded(), self.recorded.len() as u64);
        self.recorded.sort_by_key(|record| record.game);
        let told = |record: &GameRecord| {
            let lost = record.offender.map(|side| format!(" lost by {}", record.name(side)));
            let detail = record.detail.as_deref().unwrap_or_default();
            format!("{}: {}-{}{} {detail}", record.game, record.black, record.white, lost.unwrap_or_default())
        };
        self.recorded.iter().map(told).collect()
    }
}

/// Short to read where the whole would be a page.
fn first_difference(one: &[String], other: &[String]) -> Option<(String, String)> {
    assert_eq!(one.len(), other.len(), "{one:#?} {other:#?}");
    one.iter().zip(other).find(|(one, other)| one != other).map(|(one, other)| (one.clone(), other.clone()))
}

fn worlds() -> impl Strategy<Value = World> {
    let bits = prop_oneof![
        Just(0),
        Just(u64::MAX),
        any::<u64>(),
        (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a | b),
    ];
    let engines = prop::collection::vec((bits.clone(), bits), 2..6);
    (engines, 1u64..6, prop::option::of(1u32..6)).prop_map(|(engines, pairs, faults)| {
        let (failures, lapses): (Vec<_>, Vec<_>) = engines.into_iter().unzip();
        World { schedule: Schedule::round_robin(failures.len(), pairs), failures, lapses, faults }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever finishes first, is dropped, or is lost when the referee is killed and resumed: the
    /// record is that of a run in order that nothing interrupted.
    #[test]
    fn any_order_and_any_interruption_lead_to_the_same_record(
        world in worlds(),
        at_once in 1usize..7,
        steps in prop::collection::vec((0u8..16, any::<prop::sample::Index>()), 0..300),
    ) {
        let in_order = Run::resume(&world, Vec::new()).play_to_the_end(1);
        let mut run = Run::resume(&world, Vec::new());
        for (what, which) in steps {
            let some = (!run.running.is_empty()).then(|| which.index(run.running.len().max(1)));
            match (what, some) {
                (0..=5, _) if run.running.len() < at_once => { run.begin(); }
                (6..=11, Some(index)) => run.finish(index),
                (12 | 13, Some(index)) => run.both_are_up(index),
                (14, Some(index)) => run.drop_game(index),
                (15, _) => {
                    // Killed; what stands in the file is what is left.
                    let kept = std::mem::take(&mut run.recorded);
                    run = Run::resume(&world, kept);
                }
                _ => {}
            }
        }
        prop_assert_eq!(first_difference(&run.play_to_the_end(at_once), &in_order), None);
    }

    /// The same with a record cut off after any game, in whatever order it was written.
    #[test]
    fn any_prefix_of_a_record_leads_to_the_same_record(
        world in worlds(),
        at_once in 1usize..7,
        order in any::<prop::sample::Index>(),
    ) {
        let in_order = Run::resume(&world, Vec::new()).play_to_the_end(1);
        let mut whole = Run::resume(&world, Vec::new());
        while !whole.queue.is_complete() {
            while whole.running.len() < at_once && whole.begin() {}
            if !whole.running.is_empty() {
                whole.finish(order.index(whole.running.len()));
            }
        }
        for kept in 0..=whole.recorded.len() {
            let resumed = Run::resume(&world, whole.recorded[..kept].to_vec());
            let difference = first_difference(&resumed.play_to_the_end(at_once), &in_order);
            prop_assert_eq!(difference, None, "after {} games", kept);
        }
    }
}

#[test]
fn three_failures_withdraw_and_the_games_before_do_not_wait() {
    let world = World {
        schedule: Schedule::round_robin(3, 2),
        failures: vec![0, u64::MAX, 0],
        lapses: vec![0; 3],
        faults: None,
    };
    let mut run = Run::resume(&world, Vec::new());
    // It meets the others in games 0, 1, 4, 5, then 6, 7, 10, 11.
    while run.running.len() < 6 {
        run.begin();
    }
    run.finish(2);
    assert_eq!(run.recorded.len(), 1, "game 2 is not one of its games");
    run.finish(4);
    assert_eq!(run.recorded.len(), 1, "game 5 may be lost otherwise");
    run.finish(0);
    run.finish(0);
    assert_eq!(run.recorded.len(), 3);
    run.finish(1);
    assert_eq!(run.recorded.len(), 4, "game 4 decides over game 5");
    assert_eq!(run.queue.withdrawn().map(|(engine, from, _)| (engine, from)).collect::<Vec<_>>(), [(1, 5)]);
    let told = run.play_to_the_end(4);
    let games: Vec<&str> = told.iter().filter_map(|game| game.split(':').next()).collect();
    assert_eq!(games, ["0", "1", "2", "3", "4", "8", "9"]);
}

#[test]
fn a_game_is_taken_in_once() {
    let world = World {
        schedule: Schedule::round_robin(2, 1),
        failures: vec![0, 0],
        lapses: vec![0; 2],
        faults: None,
    };
    let mut queue = GameQueue::new(world.schedule.clone(), 2, None);
    let fixture = world.schedule.fixture(1).expect("a fixture");
    assert!(queue.mark_recorded(&fixture, &world.play(&fixture)));
    assert!(!queue.mark_recorded(&fixture, &world.play(&fixture)));
    assert_eq!(queue.recorded(), 1);
    assert!(matches!(queue.assign(), Assignment::Play(fixture) if fixture.game == 0));
    assert_eq!(queue.assign(), Assignment::Nothing);
    queue.dropped(0);
    assert!(matches!(queue.assign(), Assignment::Play(fixture) if fixture.game == 0));
}

#[test]
fn the_board_of_these_tests_has_no_move() {
    let position: Position = "XXXX------------ X".parse().expect("a position");
    assert_eq!((position.size(), position.is_over()), (BoardSize::Four, true));
}
