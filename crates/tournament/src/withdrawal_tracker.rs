//! Which engines are withdrawn from the tournament, and from which game on.
//!
//! An engine is withdrawn after [`FAILED_STARTS`] failed starts in a row, counted in schedule order, so that
//! it costs the others no time. With `faults.withdraw_after` it is also withdrawn after that many games in
//! a row lost by faults of any kind.
//!
//! Games finish in any order, but withdrawals must not depend on that order. So an engine's status in a game
//! is open as long as an earlier game that still runs can change it. A game may start before an earlier
//! game decides a withdrawal. Its result is provisional until all earlier games are decided; if a player
//! turns out to be withdrawn, the game is dropped and counts for neither.

use std::collections::BTreeMap;
use std::fmt;

use records::{FaultPhase, GameRecord, Termination};
use rules::{ByColor, Color};

use crate::schedule::{Fixture, Schedule};

/// Failed starts in a row after which an engine is withdrawn.
pub const FAILED_STARTS: u32 = 3;

/// The outcome of an engine's start for a game, and of the game, as far as withdrawing it depends on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartOutcome {
    /// It was ready, and did not lose by a fault.
    Succeeded,
    /// It was ready; the game is not over yet.
    Up,
    /// It was ready, and lost the game by this fault, for this reason.
    Faulted(Termination, String),
    /// It was not ready; it lost the game by this fault, for this reason.
    Failed(Termination, String),
    /// It was not started, since the opponent had failed before. Counts neither way.
    NotTried,
}

/// The reason why an engine is withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithdrawalCause {
    /// This many failed starts in a row.
    FailedStarts(u32),
    /// This many games in a row lost by faults of any kind.
    LostGames(u32),
}

impl fmt::Display for WithdrawalCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FailedStarts(starts) => write!(f, "after {starts} failed starts in a row"),
            Self::LostGames(1) => f.write_str("after a game lost by a fault"),
            Self::LostGames(games) => write!(f, "after {games} games in a row lost by faults"),
        }
    }
}

/// An engine's part in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    /// It plays.
    Present,
    /// It was withdrawn before: the game is not played.
    Withdrawn,
    /// Earlier games that are not decided yet may withdraw it.
    Open,
}

/// The starts and faults of all engines so far.
#[derive(Clone, Debug)]
pub struct WithdrawalTracker {
    engines: Vec<Engine>,
    /// Games lost by faults in a row after which an engine is withdrawn.
    faults: Option<u32>,
}

#[derive(Clone, Debug, Default)]
struct Engine {
    /// The first game, in schedule order, whose outcome is not known yet.
    next: u64,
    /// Failures in a row just before it.
    streak: Streak,
    /// Outcomes of games from `next` on that count.
    known: BTreeMap<u64, StartOutcome>,
    /// Outcomes of games that may still be dropped.
    provisional: BTreeMap<u64, StartOutcome>,
    withdrawn: Option<Withdrawn>,
}

#[derive(Clone, Debug)]
struct Withdrawn {
    /// The first game it is withdrawn from.
    from: u64,
    cause: WithdrawalCause,
    /// The cause and the last fault in words: "after ...".
    reason: String,
}

/// Failures in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    /// Failed starts.
    starts: u32,
    /// Games lost by a fault, failed starts among them.
    faults: u32,
}

impl Streak {
    /// After one more game.
    fn then(self, start: &StartOutcome) -> Self {
        match start {
            StartOutcome::Succeeded => Self::default(),
            StartOutcome::NotTried | StartOutcome::Up => self,
            StartOutcome::Faulted(..) => Self { starts: 0, faults: self.faults + 1 },
            StartOutcome::Failed(..) => Self { starts: self.starts + 1, faults: self.faults + 1 },
        }
    }

    /// The longest streak possible after one more game that may be dropped or is not known.
    fn then_perhaps(self, start: Option<&StartOutcome>) -> Self {
        match start {
            // If it is dropped, the streak goes on; it cannot become a failure.
            Some(StartOutcome::Succeeded | StartOutcome::NotTried) => self,
            Some(StartOutcome::Up | StartOutcome::Faulted(..)) => Self { faults: self.faults + 1, ..self },
            Some(StartOutcome::Failed(..)) | None => {
                Self { starts: self.starts + 1, faults: self.faults + 1 }
            }
        }
    }
}

impl WithdrawalTracker {
    /// A tournament of this many engines, before the first game. An engine is withdrawn when it has lost
    /// `faults` games in a row by faults; with `None` only failed starts count.
    #[must_use]
    pub fn new(engines: usize, faults: Option<u32>) -> Self {
        Self { engines: vec![Engine::default(); engines], faults }
    }

    /// The reason to withdraw an engine after this streak; `None` if it stays.
    fn enough(&self, streak: Streak) -> Option<WithdrawalCause> {
        if streak.starts >= FAILED_STARTS {
            return Some(WithdrawalCause::FailedStarts(FAILED_STARTS));
        }
        let most = self.faults.filter(|&most| streak.faults >= most)?;
        Some(WithdrawalCause::LostGames(most))
    }

    /// Records the outcome of a game that may still be dropped.
    pub fn record_provisional(&mut self, engine: usize, game: u64, start: StartOutcome) {
        self.engines[engine].provisional.insert(game, start);
    }

    /// Removes the provisional outcome of a game that was dropped.
    pub fn drop_provisional(&mut self, engine: usize, game: u64) {
        self.engines[engine].provisional.remove(&game);
    }

    /// Records the outcome of a game that counts.
    pub fn record_final(&mut self, schedule: &Schedule, engine: usize, game: u64, start: StartOutcome) {
        let mut state = std::mem::take(&mut self.engines[engine]);
        state.provisional.remove(&game);
        self.record_in_order(&mut state, schedule, engine, game, start);
        self.engines[engine] = state;
    }

    fn record_in_order(
        &self,
        state: &mut Engine,
        schedule: &Schedule,
        engine: usize,
        game: u64,
        start: StartOutcome,
    ) {
        if game < state.next {
            return;
        }
        if state.withdrawn.is_some() {
            if start == StartOutcome::NotTried {
                return;
            }
            // It was readmitted and has played since.
            (state.withdrawn, state.streak) = (None, Streak::default());
        }
        state.known.insert(game, start);
        while let Some(next) = schedule.next_of(engine, state.next).map(|fixture| fixture.game) {
            let Some(start) = state.known.remove(&next) else { return };
            state.next = next + 1;
            state.streak = state.streak.then(&start);
            let (StartOutcome::Failed(termination, why) | StartOutcome::Faulted(termination, why)) = start
            else {
                continue;
            };
            if let Some(cause) = self.enough(state.streak) {
                let reason = format!("{cause}: {termination}, {why}");
                state.withdrawn = Some(Withdrawn { from: state.next, cause, reason });
                state.known.clear();
                return;
            }
        }
    }

    /// Records the outcomes of both players of a game that counts.
    pub fn record_game(&mut self, schedule: &Schedule, fixture: &Fixture, record: &GameRecord) {
        for color in Color::ALL {
            let start = start_outcomes(record)[color].clone();
            self.record_final(schedule, fixture.players[color], fixture.game, start);
        }
    }

    /// An engine's part in a game, as far as it is decided.
    #[must_use]
    pub fn status(&self, schedule: &Schedule, engine: usize, game: u64) -> EntryStatus {
        let state = &self.engines[engine];
        if let Some(Withdrawn { from, .. }) = &state.withdrawn {
            return if game >= *from { EntryStatus::Withdrawn } else { EntryStatus::Present };
        }
        // If every game that is still open failed, would it be withdrawn before this one?
        let mut streak = state.streak;
        let mut from = state.next;
        while let Some(fixture) = schedule.next_of(engine, from).filter(|fixture| fixture.game < game) {
            streak = match state.known.get(&fixture.game) {
                Some(known) => streak.then(known),
                None => streak.then_perhaps(state.provisional.get(&fixture.game)),
            };
            if self.enough(streak).is_some() {
                return EntryStatus::Open;
            }
            from = fixture.game + 1;
        }
        EntryStatus::Present
    }

    /// No engine counts as withdrawn any more, until it fails again.
    pub fn readmit(&mut self) {
        for engine in &mut self.engines {
            if engine.withdrawn.take().is_some() {
                engine.streak = Streak::default();
            }
        }
    }

    /// The engines that are withdrawn, with the first game each is withdrawn from and the reason.
    pub fn withdrawn(&self) -> impl Iterator<Item = (usize, u64, &str)> + '_ {
        let engines = self.engines.iter().enumerate();
        engines.filter_map(|(index, engine)| {
            let withdrawn = engine.withdrawn.as_ref()?;
            Some((index, withdrawn.from, withdrawn.reason.as_str()))
        })
    }

    /// The reason why this engine is withdrawn; `None` if it is not.
    #[must_use]
    pub fn withdrawal_cause(&self, engine: usize) -> Option<WithdrawalCause> {
        self.engines[engine].withdrawn.as_ref().map(|withdrawn| withdrawn.cause)
    }
}

/// The outcomes of both players, from the game's record.
#[must_use]
pub fn start_outcomes(record: &GameRecord) -> ByColor<StartOutcome> {
    let detail = || record.detail.clone().unwrap_or_default();
    if !record.was_played() {
        return ByColor::new(StartOutcome::NotTried, StartOutcome::NotTried);
    }
    let (Some(offender), Some(phase)) = (record.offender, record.fault_phase()) else {
        return ByColor::new(StartOutcome::Succeeded, StartOutcome::Succeeded);
    };
    let fault = match phase {
        FaultPhase::Start => StartOutcome::Failed(record.termination, detail()),
        FaultPhase::Play => StartOutcome::Faulted(record.termination, detail()),
    };
    match (offender, phase) {
        // Black is started first.
        (Color::Black, FaultPhase::Start) => ByColor::new(fault, StartOutcome::NotTried),
        (Color::Black, FaultPhase::Play) => ByColor::new(fault, StartOutcome::Succeeded),
        (Color::White, _) => ByColor::new(StartOutcome::Succeeded, fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failed() -> StartOutcome {
        StartOutcome::Failed(Termination::Crash, "at start: exit status 3".into())
    }

    fn faulted() -> StartOutcome {
        StartOutcome::Faulted(Termination::IllegalMove, "illegal move a1".into())
    }

    #[test]
    fn games_lost_by_faults_count_only_where_that_is_said() {
        let schedule = Schedule::round_robin(2, 10);
        let withdrawn = |faults, starts: &[StartOutcome]| {
            let mut tracker = WithdrawalTracker::new(2, faults);
            for (game, start) in starts.iter().enumerate() {
                tracker.record_final(&schedule, 0, game as u64, start.clone());
            }
            tracker.withdrawn().next().map(|(_, _, why)| why.to_owned())
        };
        let mixed = [faulted(), failed(), StartOutcome::NotTried, faulted()];
        assert_eq!(withdrawn(None, &mixed), None);
        let why = withdrawn(Some(3), &mixed).expect("three in a row");
        assert_eq!(why, "after 3 games in a row lost by faults: illegal-move, illegal move a1");
        assert_eq!(withdrawn(Some(4), &mixed), None);
        assert_eq!(withdrawn(Some(2), &[faulted(), StartOutcome::Succeeded, faulted()]), None);
        assert_eq!(withdrawn(Some(9), &[failed(), faulted(), failed(), failed()]), None, "a start between");
        let starts = withdrawn(Some(9), &[failed(), failed(), failed()]).expect("three failed starts");
        assert_eq!(starts, "after 3 failed starts in a row: crash, at start: exit status 3");
    }

    #[test]
    fn three_in_a_row_and_out() {
        let schedule = Schedule::round_robin(2, 10);
        let mut tracker = WithdrawalTracker::new(2, None);
        for game in 0..2 {
            tracker.record_final(&schedule, 0, game, failed());
        }
        tracker.record_final(&schedule, 0, 2, StartOutcome::Succeeded);
        for game in 3..5 {
            tracker.record_final(&schedule, 0, game, failed());
            assert_eq!(tracker.status(&schedule, 0, game + 1), EntryStatus::Present);
        }
        tracker.record_final(&schedule, 0, 5, StartOutcome::NotTried);
        tracker.record_final(&schedule, 0, 6, failed());
        assert_eq!(tracker.status(&schedule, 0, 7), EntryStatus::Withdrawn);
        assert_eq!(tracker.status(&schedule, 0, 6), EntryStatus::Present);
        assert_eq!(
            tracker.status(&schedule, 1, 2),
            EntryStatus::Present,
            "two open games cannot be three failures"
        );
        assert_eq!(tracker.status(&schedule, 1, 19), EntryStatus::Open);
        assert_eq!(tracker.withdrawn().map(|(engine, from, _)| (engine, from)).collect::<Vec<_>>(), [(0, 7)]);
    }

    #[test]
    fn one_that_was_readmitted_and_has_played_is_withdrawn_no_more() {
        let schedule = Schedule::round_robin(2, 10);
        let mut tracker = WithdrawalTracker::new(2, None);
        for game in 0..3 {
            tracker.record_final(&schedule, 0, game, failed());
        }
        assert_eq!(tracker.status(&schedule, 0, 3), EntryStatus::Withdrawn);
        let mut resumed = tracker.clone();
        tracker.readmit();
        assert_eq!(tracker.status(&schedule, 0, 3), EntryStatus::Present);
        tracker.record_final(&schedule, 0, 3, StartOutcome::Succeeded);
        assert_eq!(tracker.status(&schedule, 0, 4), EntryStatus::Present);
        // The next run sees it in the record.
        resumed.record_final(&schedule, 0, 3, StartOutcome::Succeeded);
        assert_eq!((resumed.status(&schedule, 0, 4), resumed.withdrawn().count()), (EntryStatus::Present, 0));
        for game in 4..7 {
            resumed.record_final(&schedule, 0, game, failed());
        }
        assert_eq!(resumed.status(&schedule, 0, 7), EntryStatus::Withdrawn, "it failed again");
    }

    proptest! {
        /// In whatever order starts become known, an answer once given is the one that schedule
        /// order gives, and at the end nothing is open.
        #[test]
        fn the_order_of_news_does_not_matter(outcomes in prop::collection::vec(0u8..6, 24), faults in prop::option::of(1u32..6), order in Just((0..24u64).collect::<Vec<_>>()).prop_shuffle()) {
            let schedule = Schedule::round_robin(2, 12);
            let start = |game: u64| match outcomes[game as usize] {
                0 | 1 => failed(),
                2 => StartOutcome::NotTried,
                3 | 4 => faulted(),
                _ => StartOutcome::Succeeded,
            };
            let mut in_order = WithdrawalTracker::new(2, faults);
            for game in 0..24 {
                if in_order.status(&schedule, 0, game) == EntryStatus::Present {
                    in_order.record_final(&schedule, 0, game, start(game));
                }
            }
            let truth: Vec<EntryStatus> = (0..24).map(|game| in_order.status(&schedule, 0, game)).collect();
            prop_assert!(!truth.contains(&EntryStatus::Open));
            let mut shuffled = WithdrawalTracker::new(2, faults);
            for game in order {
                for asked in 0..24 {
                    let answer = shuffled.status(&schedule, 0, asked);
                    prop_assert!(answer == EntryStatus::Open || answer == truth[asked as usize]);
                }
                // A game behind the withdrawal never counts.
                if truth[game as usize] == EntryStatus::Present {
                    shuffled.record_final(&schedule, 0, game, start(game));
                }
            }
            let end: Vec<EntryStatus> = (0..24).map(|game| shuffled.status(&schedule, 0, game)).collect();
            prop_assert_eq!(end, truth);
        }
    }
}
