//! Finding from a record which engines were withdrawn, by the same rules as in a run.

use std::collections::HashSet;

use records::GameRecord;
use rules::Color;

use crate::resolved::Resolved;
use crate::schedule::{Fixture, Schedule};
use crate::withdrawal_tracker::{
    EntryStatus, FAILED_STARTS, StartOutcome, WithdrawalCause, WithdrawalTracker,
};

/// The withdrawn engines, and the games that were not played because of that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Withdrawals {
    /// In the order of the definition.
    pub engines: Vec<Withdrawal>,
    /// Games that were not played since one of their players was withdrawn.
    pub not_played: u64,
}

/// An engine that was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    pub engine: String,
    pub cause: WithdrawalCause,
    /// The cause and the last fault in words: "after ...".
    pub reason: String,
    /// Its recorded games.
    pub played: u64,
    /// Those of its games that were not played, also because an opponent was withdrawn.
    pub not_played: u64,
}

/// Collects the games of a record, and finds the withdrawn engines from them.
#[derive(Clone, Debug)]
pub struct WithdrawalFinder<'a> {
    definition: &'a Resolved,
    schedule: Schedule,
    tracker: WithdrawalTracker,
    recorded: HashSet<u64>,
    /// Recorded games of each engine.
    played: Vec<u64>,
}

impl<'a> WithdrawalFinder<'a> {
    /// Begins with no game. `None` if the definition does not tell the schedule.
    #[must_use]
    pub fn new(definition: &'a Resolved) -> Option<Self> {
        let engines = definition.engines.len();
        Some(Self {
            definition,
            schedule: definition.schedule()?,
            tracker: WithdrawalTracker::new(engines, definition.withdraw_after()),
            recorded: HashSet::new(),
            played: vec![0; engines],
        })
    }

    /// The smallest number of games lost by faults after which an engine can be withdrawn. With fewer there is nothing
    /// to find.
    #[must_use]
    pub fn fewest_faults(definition: &Resolved) -> u64 {
        u64::from(definition.withdraw_after().unwrap_or(FAILED_STARTS).min(FAILED_STARTS))
    }

    /// Adds a recorded game. False if it is not one of this definition's schedule.
    pub fn add(&mut self, record: &GameRecord) -> bool {
        let Some(fixture) = self.schedule.fixture(record.game) else { return false };
        let fits = |color| self.definition.engines[fixture.players[color]].name == record.name(color);
        if !Color::ALL.into_iter().all(fits) {
            return false;
        }
        if self.recorded.insert(fixture.game) {
            self.tracker.record_game(&self.schedule, &fixture, record);
            Color::ALL.into_iter().for_each(|color| self.played[fixture.players[color]] += 1);
        }
        true
    }

    /// The withdrawn engines according to the games so far.
    #[must_use]
    pub fn find(mut self) -> Withdrawals {
        let mut not_played = vec![0; self.played.len()];
        let mut games = 0;
        // A game that is not played may decide that another engine was withdrawn; so the order is that of the schedule.
        let any = self.tracker.withdrawn().next().is_some();
        for game in 0..if any { self.schedule.games() } else { 0 } {
            let Some(fixture) = self.schedule.fixture(game) else { break };
            if self.recorded.contains(&game) || !self.is_withdrawn(&fixture) {
                continue;
            }
            games += 1;
            for color in Color::ALL {
                let engine = fixture.players[color];
                not_played[engine] += 1;
                self.tracker.record_final(&self.schedule, engine, game, StartOutcome::NotTried);
            }
        }
        let engines = self.tracker.withdrawn().filter_map(|(engine, _, reason)| {
            Some(Withdrawal {
                engine: self.definition.engines[engine].name.clone(),
                cause: self.tracker.withdrawal_cause(engine)?,
                reason: reason.to_owned(),
                played: self.played[engine],
                not_played: not_played[engine],
            })
        });
        Withdrawals { engines: engines.collect(), not_played: games }
    }

    fn is_withdrawn(&self, fixture: &Fixture) -> bool {
        let status = |color| self.tracker.status(&self.schedule, fixture.players[color], fixture.game);
        Color::ALL.into_iter().any(|color| status(color) == EntryStatus::Withdrawn)
    }
}
