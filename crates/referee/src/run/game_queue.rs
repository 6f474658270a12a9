//! Which games are recorded, running, held back or missing. A plain value without I/O that decides for the coordinator.

use std::collections::{BTreeMap, BTreeSet};

use records::{GameRecord, Termination};
use rules::Color;
use tournament::attendance::{Attendance, Presence, Start, starts};
use tournament::schedule::{Fixture, Schedule};

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
    /// Record this game without playing it, since a player was withdrawn.
    Forfeit(Fixture, Withdrawal),
    /// No game is left to begin.
    Nothing,
}

/// The withdrawal of an engine, by which it loses a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The side that was withdrawn.
    pub side: Color,
    /// The termination of its games.
    pub termination: Termination,
    /// The reason: "after ...".
    pub why: String,
}

/// A finished game that may be recorded now.
#[derive(Debug)]
pub enum Release {
    /// As it was played.
    AsPlayed(Box<GameRecord>, Vec<u8>),
    /// As a forfeit: in schedule order a player was withdrawn before.
    Forfeit(Fixture, Withdrawal),
}

/// The state of every game of a tournament.
#[derive(Debug)]
pub struct GameQueue {
    schedule: Schedule,
    attendance: Attendance,
    recorded: GameSet,
    /// Every game before this one is recorded, running or held back.
    next: u64,
    running: BTreeSet<u64>,
    held: BTreeMap<u64, (Box<GameRecord>, Vec<u8>)>,
}

impl GameQueue {
    /// A tournament of which nothing is played. An engine that loses `faults` games in a row by its own fault is
    /// withdrawn.
    #[must_use]
    pub fn new(schedule: Schedule, engines: usize, faults: Option<u32>) -> Self {
        let attendance = Attendance::new(engines, faults);
        Self {
            schedule,
            attendance,
            recorded: GameSet::default(),
            next: 0,
            running: BTreeSet::new(),
            held: BTreeMap::new(),
        }
    }

    /// Marks a game that an earlier run recorded. `false` if it was marked already.
    pub fn mark_recorded(&mut self, fixture: &Fixture, record: &GameRecord) -> bool {
        self.attendance.note_record(&self.schedule, fixture, record);
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

    /// True if every game is recorded.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.recorded.count == self.schedule.games()
    }

    /// True if a game is being played.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// The first game that is neither recorded nor handed out. It counts as running from now on; a forfeit must be
    /// reported by [`forfeited`](Self::forfeited) at once.
    pub fn assign(&mut self) -> Assignment {
        while let Some(fixture) = self.schedule.fixture(self.next) {
            let game = self.next;
            self.next += 1;
            if self.recorded.contains(game) || self.running.contains(&game) || self.held.contains_key(&game) {
                continue;
            }
            self.running.insert(game);
            return match self.withdrawal(&fixture) {
                Ok(Some(withdrawal)) => Assignment::Forfeit(fixture, withdrawal),
                Ok(None) | Err(()) => Assignment::Play(fixture),
            };
        }
        Assignment::Nothing
    }

    /// The player of a game that was withdrawn before it; an error while earlier games leave that open.
    fn withdrawal(&self, fixture: &Fixture) -> Result<Option<Withdrawal>, ()> {
        let mut open = false;
        for side in Color::ALL {
            match self.attendance.presence(&self.schedule, fixture.players[side], fixture.game) {
                Presence::Present => {}
                Presence::Open => open = true,
                Presence::Withdrawn(termination, why) if !open => {
                    return Ok(Some(Withdrawal { side, termination, why }));
                }
                Presence::Withdrawn(..) => {}
            }
        }
        if open { Err(()) } else { Ok(None) }
    }

    /// Both engines of a running game have started.
    pub fn engines_ready(&mut self, game: u64) {
        let Some(fixture) = self.schedule.fixture(game) else { return };
        for side in Color::ALL {
            self.attendance.presume(fixture.players[side], game, Start::Up);
        }
    }

    /// A running game was dropped and has to be played again.
    pub fn dropped(&mut self, game: u64) {
        self.running.remove(&game);
        if let Some(fixture) = self.schedule.fixture(game) {
            for side in Color::ALL {
                self.attendance.forget(fixture.players[side], game);
            }
        }
        self.next = self.next.min(game);
    }

    /// A running game has finished. It is held back until [`next_recordable`](Self::next_recordable) returns it.
    pub fn finished(&mut self, record: Box<GameRecord>, line: Vec<u8>) {
        let game = record.game;
        self.running.remove(&game);
        if let Some(fixture) = self.schedule.fixture(game) {
            let starts = starts(&record);
            for side in Color::ALL {
                let start = starts[side].clone();
                self.attendance.presume(fixture.players[side], game, start);
            }
        }
        self.held.insert(game, (record, line));
    }

    /// A game that was assigned as a forfeit is recorded.
    pub fn forfeited(&mut self, fixture: &Fixture, record: &GameRecord) {
        self.running.remove(&fixture.game);
        self.mark_recorded(fixture, record);
    }

    /// The next finished game that may be recorded: no game that is still open can withdraw one of its players. It counts
    /// as recorded from now on.
    pub fn next_recordable(&mut self) -> Option<Release> {
        let decided = self.held.keys().find_map(|&game| {
            let fixture = self.schedule.fixture(game)?;
            let withdrawal = self.withdrawal(&fixture).ok()?;
            Some((fixture, withdrawal))
        });
        let (fixture, withdrawal) = decided?;
        let (record, line) = self.held.remove(&fixture.game)?;
        self.recorded.insert(fixture.game);
        Some(match withdrawal {
            Some(withdrawal) => {
                // It counts as not played, for the opponent too.
                for side in Color::ALL {
                    let engine = fixture.players[side];
                    self.attendance.note(&self.schedule, engine, fixture.game, Start::NotTried);
                }
                Release::Forfeit(fixture, withdrawal)
            }
            None => {
                self.attendance.note_record(&self.schedule, &fixture, &record);
                Release::AsPlayed(record, line)
            }
        })
    }

    /// The engines that are withdrawn, with the first game each is withdrawn from.
    pub fn withdrawn(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.attendance.withdrawn()
    }
}

#[cfg(test)]
mod tests;
