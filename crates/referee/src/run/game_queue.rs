//! Which games are recorded, running, held back or missing. A plain value without I/O that decides for the coordinator.

use std::collections::{BTreeMap, BTreeSet};

use records::GameRecord;
use rules::Color;
use tournament::schedule::{Fixture, Schedule};
use tournament::withdrawal_tracker::{EntryStatus, StartOutcome, WithdrawalTracker, start_outcomes};

/// A set of game numbers, as a bit set.
#[derive(Clone, Debug, Default)]
struct GameSet {
    words: Vec<u64>,
    count: u64,
}

impl GameSet {
    fn contains(&self, game: u64) -> bool {
        let word = usize::try_from(game / 64).unwrap_or(usize::MAX);
        self.words.get(word).is_some_and(|bits| bits >> (game % 64) & 1 == 1)
    }

    fn insert(&mut self, game: u64) -> bool {
        if self.contains(game) {
            return false;
        }
        let word = usize::try_from(game / 64).unwrap_or(usize::MAX);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (game % 64);
        self.count += 1;
        true
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// Play this game.
    Play(Fixture),
    /// There is nothing left to begin.
    Nothing,
}

/// A finished game that may be recorded now.
#[derive(Debug)]
pub enum Release {
    /// As it was played.
    AsPlayed(Box<GameRecord>, Vec<u8>),
    /// It does not count: by the order of the schedule a player was withdrawn before.
    NotPlayed(Fixture),
}

/// The state of every game of a tournament.
#[derive(Debug)]
pub struct GameQueue {
    schedule: Schedule,
    tracker: WithdrawalTracker,
    recorded: GameSet,
    /// The games of withdrawn engines, which are not played.
    not_played: GameSet,
    /// All games before it are recorded, handed out or held.
    next: u64,
    running: BTreeSet<u64>,
    held: BTreeMap<u64, (Box<GameRecord>, Vec<u8>)>,
}

impl GameQueue {
    /// A tournament of which nothing is played. An engine that loses `faults` games in a row by its own fault is
    /// withdrawn.
    #[must_use]
    pub fn new(schedule: Schedule, engines: usize, faults: Option<u32>) -> Self {
        let tracker = WithdrawalTracker::new(engines, faults);
        Self {
            schedule,
            tracker,
            recorded: GameSet::default(),
            not_played: GameSet::default(),
            next: 0,
            running: BTreeSet::new(),
            held: BTreeMap::new(),
        }
    }

    /// Marks a game that an earlier run recorded. `false` if it was marked already.
    pub fn mark_recorded(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        self.tracker.record_game(&self.schedule, fixture, record);
        self.recorded.insert(fixture.game)
    }

    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number of recorded games.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        self.recorded.count
    }

    /// True if this game is recorded.
    #[must_use]
    pub fn is_recorded(&self, game: u64) -> bool {
        self.recorded.contains(game)
    }

    /// Finds the games that are not played since an engine is withdrawn. To be called once everything recorded is taken
    /// in. With `readmit` no engine counts as withdrawn any more, until it fails again.
    pub fn find_not_played(&mut self, readmit: bool) {
        if readmit {
            self.tracker.readmit();
        }
        if self.tracker.withdrawn().next().is_none() {
            return;
        }
        for game in 0..self.schedule.games() {
            let Some(fixture) = self.schedule.fixture(game) else { return };
            if !self.recorded.contains(fixture.game) && self.is_withdrawn(&fixture) == Ok(true) {
                self.skip(&fixture);
            }
        }
    }

    /// Takes note that a game is not played, so it says nothing about the opponent either.
    fn skip(&mut self, fixture: &Fixture) {
        self.not_played.insert(fixture.game);
        for side in Color::ALL {
            let engine = fixture.players[side];
            self.tracker.record_final(&self.schedule, engine, fixture.game, StartOutcome::NotTried);
        }
    }

    /// How many games are not played since an engine is withdrawn.
    #[must_use]
    pub fn not_played(&self) -> u64 {
        self.not_played.count
    }

    /// True if every game is recorded that is played at all.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.recorded.count + self.not_played.count == self.schedule.games()
    }

    /// True if a game is being played.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// The first game that is neither recorded nor handed out. It counts as running from now on.
    pub fn assign(&mut self) -> Assignment {
        while let Some(fixture) = self.schedule.fixture(self.next) {
            let game = self.next;
            self.next += 1;
            let is_begun = self.running.contains(&game) || self.held.contains_key(&game);
            if is_begun || self.recorded.contains(game) || self.not_played.contains(game) {
                continue;
            }
            if self.is_withdrawn(&fixture) == Ok(true) {
                self.skip(&fixture);
                continue;
            }
            self.running.insert(game);
            return Assignment::Play(fixture);
        }
        Assignment::Nothing
    }

    /// True if a player of a game was withdrawn before it; an error if that is still open.
    fn is_withdrawn(&self, fixture: &Fixture) -> Result<bool, ()> {
        let status = |side| self.tracker.status(&self.schedule, fixture.players[side], fixture.game);
        let [black, white] = Color::ALL.map(status);
        match (black, white) {
            (EntryStatus::Withdrawn, _) | (_, EntryStatus::Withdrawn) => Ok(true),
            (EntryStatus::Open, _) | (_, EntryStatus::Open) => Err(()),
            (EntryStatus::Present, EntryStatus::Present) => Ok(false),
        }
    }

    /// Both engines of a running game have started.
    pub fn engines_ready(&mut self, game: u64) {
        let Some(fixture) = self.schedule.fixture(game) else { return };
        for side in Color::ALL {
            self.tracker.record_provisional(fixture.players[side], game, StartOutcome::Up);
        }
    }

    /// A running game was dropped and has to be played again.
    pub fn dropped(&mut self, game: u64) {
        self.running.remove(&game);
        if let Some(fixture) = self.schedule.fixture(game) {
            for side in Color::ALL {
                self.tracker.drop_provisional(fixture.players[side], game);
            }
        }
        self.next = self.next.min(game);
    }

    /// A running game has finished. It is held back until [`next_recordable`](Self::next_recordable) returns it.
    pub fn finished(&mut self, record: Box<GameRecord>, line: Vec<u8>) {
        let game = record.game;
        self.running.remove(&game);
        if let Some(fixture) = self.schedule.fixture(game) {
            let start_outcomes = start_outcomes(&record);
            for side in Color::ALL {
                let start = start_outcomes[side].clone();
                self.tracker.record_provisional(fixture.players[side], game, start);
            }
        }
        self.held.insert(game, (record, line));
    }

    /// The next finished game that may be recorded now: of which no game that is still open can
    /// show that a player had been withdrawn before it. It counts as recorded from now on.
    pub fn next_recordable(&mut self) -> Option<Release> {
        let decided = self.held.keys().find_map(|&game| {
            let fixture = self.schedule.fixture(game)?;
            Some((fixture, self.is_withdrawn(&fixture).ok()?))
        });
        let (fixture, is_withdrawn) = decided?;
        let (record, line) = self.held.remove(&fixture.game)?;
        Some(if is_withdrawn {
            self.skip(&fixture);
            Release::NotPlayed(fixture)
        } else {
            self.recorded.insert(fixture.game);
            self.tracker.record_game(&self.schedule, &fixture, &record);
            Release::AsPlayed(record, line)
        })
    }

    /// The engines that are withdrawn, with the first game each is withdrawn from and the reason.
    pub fn withdrawn(&self) -> impl Iterator<Item = (usize, u64, &str)> + '_ {
        self.tracker.withdrawn()
    }
}

#[cfg(test)]
mod tests;
