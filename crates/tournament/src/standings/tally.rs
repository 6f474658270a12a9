//! Finished games as counts and compact rows: all that the standings are computed from.

use std::collections::HashMap;
use std::time::Duration;

use ratings::{PoolError, Settings};
use records::{GameRecord, RecordError, Termination};
use rules::{ByColor, Color};
use serde::de::Error as _;

use super::Standings;
use super::compute::compute;
use crate::keys::GameKeys;

/// Finished games, added one by one in any order; the standings do not depend on it.
///
/// A game needs 40 bytes here, however long it was. Adding replays it, so that a record that does not
/// hold together is refused. The same game must not be added twice: that is for the reader of the
/// file to see to, who knows the lines.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    numbers: HashMap<String, u32>,
    pub(super) engines: Vec<EngineSums>,
    pub(super) rows: Vec<Row>,
}

/// One game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) game: u64,
    /// The start position's key, see [`GameKeys`].
    pub(super) start: u64,
    /// The whole game's key.
    pub(super) key: u64,
    /// By order of adding.
    pub(super) players: ByColor<u32>,
    /// Black's disc difference.
    pub(super) discs: i16,
    /// Black's half points.
    pub(super) half_points: u8,
    pub(super) termination: Termination,
    /// Whether it began from a position chosen for it, and not from where every game begins.
    pub(super) has_opening: bool,
}

const _: () = assert!(size_of::<Row>() <= 40, "a million games fit in 40 MB");

impl Row {
    /// The encounter's first engine, as far as one game tells, and its second: in odd games the
    /// first has White.
    pub(super) fn in_order(&self) -> [u32; 2] {
        match self.game.is_multiple_of(2) {
            true => [self.players.black, self.players.white],
            false => [self.players.white, self.players.black],
        }
    }

    /// Whether its discs say something about play.
    pub(super) fn discs_count(&self) -> bool {
        matches!(self.termination, Termination::Normal | Termination::Adjudicated)
    }
}

/// Sums over the games of one engine, all of them integers.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineSums {
    pub(super) name: String,
    /// Moves it was asked for and made in time, passes left out.
    pub(super) moves: u64,
    pub(super) nanoseconds: u128,
    pub(super) longest: Duration,
    /// Games that ended by its fault, by [`Termination`].
    pub(super) faults: [u64; Termination::ALL.len()],
}

impl Tally {
    /// A tally without games.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many games were added.
    #[must_use]
    pub fn games(&self) -> usize {
        self.rows.len()
    }

    /// Adds a finished game.
    ///
    /// # Errors
    /// [`RecordError`] if the record does not hold together; nothing was added then.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        let replay = record.replay()?;
        if record.pair != record.game / 2 {
            let (game, pair) = (record.game, record.pair);
            return Err(refused(format!("game {game} is one of pair {}, not of pair {pair}", game / 2)));
        }
        if record.black == record.white {
            return Err(refused(format!("{:?} plays both colours", record.black)));
        }
        let players = ByColor::from_fn(|color| self.number(record.name(color)));
        let moves = record.moves.iter().map(|played| played.ply);
        let keys = GameKeys::new(replay.opened(), moves, players.map(u64::from));
        let discs = record.disc_difference(Color::Black);
        self.rows.push(Row {
            game: record.game,
            start: keys.start,
            key: keys.game,
            players,
            discs: i16::try_from(discs).expect("the difference of two numbers of discs below 256"),
            half_points: record.result.half_points(Color::Black),
            termination: record.termination,
            has_opening: !record.opening.is_empty() || record.start != records::Start::Standard,
        });

        let mut mover = replay.opened().side_to_move();
        for played in &record.moves {
            if played.ply.square().is_some() {
                let engine = &mut self.engines[players[mover] as usize];
                engine.moves += 1;
                engine.nanoseconds += played.spent.as_nanos();
                engine.longest = engine.longest.max(played.spent);
            }
            mover = mover.opposite();
        }
        if let Some(offender) = record.offender {
            self.engines[players[offender] as usize].faults[record.termination as usize] += 1;
        }
        Ok(())
    }

    /// The standings of all games added so far, rated as by default.
    #[must_use]
    pub fn standings(&self) -> Standings {
        self.standings_with(&Settings::default())
            .expect("the default settings name no engine and have a sound prior")
    }

    /// The standings, rated in another way. An anchor is given by its number in the order of first
    /// appearance.
    ///
    /// # Errors
    /// [`PoolError`] if there is no such anchor, or the prior is none.
    pub fn standings_with(&self, settings: &Settings) -> Result<Standings, PoolError> {
        compute(self, settings)
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.engines.len()).expect("fewer than four billion engines");
        self.numbers.insert(name.to_owned(), number);
        self.engines.push(EngineSums { name: name.to_owned(), ..EngineSums::default() });
        number
    }
}

fn refused(why: String) -> RecordError {
    RecordError::Json(serde_json::Error::custom(why))
}
