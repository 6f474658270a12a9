//! Finished games as counts and compact rows, from which the standings are computed.

use std::collections::HashMap;
use std::time::Duration;

use foldhash::fast::FixedState;
use records::{FaultPhase, GameRecord, Outcome, RecordError, Termination};
use rules::{ByColor, Color};

use super::result_counts::ResultCounts;
use crate::canonical_keys::GameKeys;

/// Finished games, added one by one in any order; the standings do not depend on it.
///
/// A game takes 36 bytes here, however long it was. Adding replays it, so that an inconsistent record is refused. The
/// same game must not be added twice; the reader of the file checks that, since it knows the lines.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The index of each engine by its name.
    numbers: HashMap<Box<str>, u32, FixedState>,
    pub(super) engines: Vec<EngineTotals>,
    pub(super) rows: Vec<Row>,
    /// Games of which only the result is known.
    result_counts: ResultCounts,
    next_pair: u64,
}

/// A game of which little more than the result is known, such as a line of another program's record.
#[derive(Clone, Copy, Debug)]
pub struct GameResult<'a> {
    pub black: &'a str,
    pub white: &'a str,
    pub outcome: Outcome,
    /// Its index, if it belongs to a pair: games 2k and 2k+1 are pair k. `None` for a single game.
    pub game: Option<u64>,
    /// The key of its start position, if that is known and was chosen for this game.
    pub start: Option<u64>,
    /// The key of the whole game, if its moves are known.
    pub key: Option<u64>,
}

/// One game. Packed, since there may be millions.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
pub(super) struct Row {
    pub(super) game: u64,
    /// The key of the start position, see [`GameKeys`].
    pub(super) start: u64,
    /// The key of the whole game.
    pub(super) key: u64,
    /// As indices of [`Tally::engines`].
    pub(super) players: ByColor<u32>,
    /// Black's disc difference.
    pub(super) discs: i16,
    /// `None` if it is not known.
    pub(super) termination: Option<Termination>,
    flags: GameFlags,
}

const _: () = assert!(size_of::<Row>() <= 36, "a million games fit in 36 MB");

/// Bits 0 and 1: Black's half points. Bit 2: 1 if the game began from a position chosen for it, not from the standard
/// one. Bit 3: 1 if its moves are known.
#[derive(Clone, Copy, Debug)]
struct GameFlags(u8);

impl GameFlags {
    fn new(half_points: u8, has_opening: bool, moves_known: bool) -> Self {
        Self(half_points | u8::from(has_opening) << 2 | u8::from(moves_known) << 3)
    }
}

impl Row {
    /// Black's half points.
    pub(super) fn half_points(&self) -> u8 {
        self.flags.0 & 3
    }

    /// True if it began from a position chosen for it, not from the standard one.
    pub(super) fn has_opening(&self) -> bool {
        self.flags.0 & 4 != 0
    }

    /// True if its moves are known; else `key` has no meaning.
    pub(super) fn moves_known(&self) -> bool {
        self.flags.0 & 8 != 0
    }

    /// The first and the second engine of the pair: in odd games the first has White.
    pub(super) fn in_order(&self) -> [u32; 2] {
        let (players, game) = (self.players, self.game);
        if game.is_multiple_of(2) { [players.black, players.white] } else { [players.white, players.black] }
    }

    /// True if its discs are those of a game played to its end.
    pub(super) fn discs_count(&self) -> bool {
        matches!(self.termination, Some(Termination::Normal | Termination::Adjudicated))
    }
}

/// Sums over the games of one engine.
#[derive(Clone, Debug, Default)]
pub(super) struct EngineTotals {
    pub(super) name: String,
    /// Moves made in time, without passes.
    pub(super) moves: u64,
    pub(super) nanoseconds: u128,
    pub(super) longest: Duration,
    /// CPU time while it was not its turn, in nanoseconds. `None` if it was never measured.
    pub(super) off_turn: Option<u128>,
    /// Games lost by its fault, indexed by [`Termination`].
    pub(super) faults: [u64; Termination::ALL.len()],
    /// Games lost because it failed at its start.
    pub(super) failed_starts: u64,
}

impl Tally {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of games added.
    #[must_use]
    pub fn games(&self) -> usize {
        self.rows.len() + self.result_counts.games()
    }

    /// The lowest game index after all pairs so far, always even. The games of another record can follow from here.
    #[must_use]
    pub fn next_pair(&self) -> u64 {
        self.next_pair
    }

    /// Adds a game of which little is known. One without index, start and key takes no memory.
    ///
    /// # Errors
    /// [`RecordError`] if an engine plays both colours; nothing was added then.
    pub fn add_result(&mut self, game: &GameResult<'_>) -> Result<(), RecordError> {
        let players = self.players(game.black, game.white)?;
        let half_points = game.outcome.half_points(Color::Black);
        if (game.game, game.start, game.key) == (None, None, None) {
            self.result_counts.count(players, half_points);
            return Ok(());
        }
        self.push(Row {
            game: game.game.unwrap_or(self.next_pair),
            start: game.start.unwrap_or_default(),
            key: game.key.unwrap_or_default(),
            players,
            discs: 0,
            termination: None,
            flags: GameFlags::new(half_points, game.start.is_some(), game.key.is_some()),
        });
        Ok(())
    }

    fn push(&mut self, row: Row) {
        self.next_pair = self.next_pair.max((row.game / 2).saturating_add(1).saturating_mul(2));
        self.rows.push(row);
    }

    /// The counts of games of which only the result is known.
    pub(super) fn result_counts(&self) -> &ResultCounts {
        &self.result_counts
    }

    /// Adds a finished game.
    ///
    /// # Errors
    /// [`RecordError`] if the record does not hold together; nothing was added then.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        self.add_with_offset(record, 0)
    }

    /// Adds a finished game of another record: `offset`, an even number, is added to its index. See
    /// [`next_pair`](Self::next_pair).
    ///
    /// # Errors
    /// [`RecordError`] if the record does not hold together; nothing was added then.
    pub fn add_with_offset(&mut self, record: &GameRecord, offset: u64) -> Result<(), RecordError> {
        let positions = record.replay()?;
        if record.pair != record.game / 2 {
            let (game, pair) = (record.game, record.pair);
            return Err(refused(format!("game {game} is one of pair {}, not of pair {pair}", game / 2)));
        }
        if record.black == record.white {
            return Err(both_colours(&record.black));
        }
        let Some(game) = record.game.checked_add(offset & !1) else {
            return Err(refused(format!("game {} has too high a number", record.game)));
        };
        let players = ByColor::from_fn(|color| self.number(record.name(color)));
        let moves = record.moves.iter().map(|played| played.ply);
        let keys = GameKeys::new(positions.after_opening, moves, players.map(u64::from));
        let discs = record.disc_difference(Color::Black);
        let has_opening = !record.opening.is_empty() || record.start != records::Start::Standard;
        self.push(Row {
            game,
            start: keys.start,
            key: keys.game,
            players,
            discs: i16::try_from(discs).expect("the difference of two numbers of discs below 256"),
            termination: Some(record.termination),
            flags: GameFlags::new(record.result.half_points(Color::Black), has_opening, true),
        });

        if let Some(off_turn) = record.off_turn {
            for color in Color::ALL {
                let sum = &mut self.engines[players[color] as usize].off_turn;
                *sum = Some(sum.unwrap_or(0) + off_turn[color].as_nanos());
            }
        }
        let mut mover = positions.after_opening.side_to_move();
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
            let engine = &mut self.engines[players[offender] as usize];
            engine.faults[record.termination as usize] += 1;
            engine.failed_starts += u64::from(record.fault_phase() == Some(FaultPhase::Start));
        }
        Ok(())
    }

    /// The indices of two engines in [`Tally::engines`]; new engines are added.
    pub(crate) fn players(&mut self, black: &str, white: &str) -> Result<ByColor<u32>, RecordError> {
        match (self.numbers.get(black), self.numbers.get(white)) {
            (Some(&black), Some(&white)) if black != white => Ok(ByColor::new(black, white)),
            _ if black == white => Err(both_colours(black)),
            _ => Ok(ByColor::new(self.number(black), self.number(white))),
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.engines.len()).expect("fewer than four billion engines");
        self.numbers.insert(name.into(), number);
        self.engines.push(EngineTotals { name: name.to_owned(), ..EngineTotals::default() });
        number
    }
}

fn both_colours(name: &str) -> RecordError {
    refused(format!("{name:?} plays both colours"))
}

fn refused(why: String) -> RecordError {
    RecordError::Refused(why)
}
