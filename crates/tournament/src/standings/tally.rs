//! Finished games as counts and compact rows: all that the standings are computed from.

use std::time::Duration;

use records::{GameRecord, Outcome, RecordError, Termination};
use rules::{ByColor, Color};

use super::bare::BareResults;
use crate::keys::GameKeys;
use crate::names::Names;

/// Finished games, added one by one in any order; the standings do not depend on it.
///
/// A game needs 36 bytes here, however long it was. Adding replays it, so that a record that does not
/// hold together is refused. The same game must not be added twice: that is for the reader of the
/// file to see to, who knows the lines.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    numbers: Names,
    pub(super) engines: Vec<EngineSums>,
    pub(super) rows: Vec<Row>,
    /// Games of which only the result is known.
    bare: BareResults,
    next_pair: u64,
}

/// A game of which the record says little more than who won, such as a line of another program's.
#[derive(Clone, Copy, Debug)]
pub struct BareGame<'a> {
    /// Black's name.
    pub black: &'a str,
    /// White's name.
    pub white: &'a str,
    /// Who has won.
    pub outcome: Outcome,
    /// Its index, if it is one of a pair: games 2k and 2k+1 are pair k. `None` for a game by itself.
    pub game: Option<u64>,
    /// The key of its start position, where that is known and was chosen for it.
    pub start: Option<u64>,
    /// The key of the whole game, where its moves are known.
    pub key: Option<u64>,
}

/// One game. There may be millions: packed, so that no room is left between two.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
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
    /// `None` where it is not known.
    pub(super) termination: Option<Termination>,
    facts: Facts,
}

const _: () = assert!(size_of::<Row>() <= 36, "a million games fit in 36 MB");

/// Facts of a game in one byte: Black's half points in the two lowest bits, then whether it began from a position
/// chosen for it (and not from where every game begins), and whether its key is one.
#[derive(Clone, Copy, Debug)]
struct Facts(u8);

impl Facts {
    fn new(half_points: u8, has_opening: bool, moves_known: bool) -> Self {
        Self(half_points | u8::from(has_opening) << 2 | u8::from(moves_known) << 3)
    }
}

impl Row {
    /// Black's half points.
    pub(super) fn half_points(&self) -> u8 {
        self.facts.0 & 3
    }

    /// Whether it began from a position chosen for it, and not from where every game begins.
    pub(super) fn has_opening(&self) -> bool {
        self.facts.0 & 4 != 0
    }

    /// Whether its moves are known, so that `key` is one.
    pub(super) fn moves_known(&self) -> bool {
        self.facts.0 & 8 != 0
    }

    /// The encounter's first engine, as far as one game tells, and its second: in odd games the
    /// first has White.
    pub(super) fn in_order(&self) -> [u32; 2] {
        let (players, game) = (self.players, self.game);
        if game.is_multiple_of(2) { [players.black, players.white] } else { [players.white, players.black] }
    }

    /// Whether its discs say something about play.
    pub(super) fn discs_count(&self) -> bool {
        matches!(self.termination, Some(Termination::Normal | Termination::Adjudicated))
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
    /// Processor time out of its turn, in nanoseconds, where it was measured.
    pub(super) off_turn: Option<u128>,
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
        self.rows.len() + self.bare.games()
    }

    /// The first index of a pair behind all pairs so far, from which the games of another record may
    /// go on. Always even.
    #[must_use]
    pub fn next_pair(&self) -> u64 {
        self.next_pair
    }

    /// Adds a game of which little is known. One that has no index, start or moves is counted, and takes no memory.
    ///
    /// # Errors
    /// [`RecordError`] if an engine plays both colours; nothing was added then.
    pub fn add_bare(&mut self, game: &BareGame<'_>) -> Result<(), RecordError> {
        let players = self.players(game.black, game.white)?;
        let half_points = game.outcome.half_points(Color::Black);
        if (game.game, game.start, game.key) == (None, None, None) {
            self.bare.count(players, half_points);
            return Ok(());
        }
        self.push(Row {
            game: game.game.unwrap_or(self.next_pair),
            start: game.start.unwrap_or_default(),
            key: game.key.unwrap_or_default(),
            players,
            discs: 0,
            termination: None,
            facts: Facts::new(half_points, game.start.is_some(), game.key.is_some()),
        });
        Ok(())
    }

    fn push(&mut self, row: Row) {
        self.next_pair = self.next_pair.max((row.game / 2).saturating_add(1).saturating_mul(2));
        self.rows.push(row);
    }

    /// The results of games of which nothing else is known.
    pub(super) fn bare(&self) -> &BareResults {
        &self.bare
    }

    /// Adds a finished game.
    ///
    /// # Errors
    /// [`RecordError`] if the record does not hold together; nothing was added then.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        self.add_behind(record, 0)
    }

    /// The same for a game whose index is to be higher by `behind`, an even number, since it comes from another
    /// record; see [`next_pair`](Self::next_pair).
    ///
    /// # Errors
    /// [`RecordError`] if the record does not hold together; nothing was added then.
    pub fn add_behind(&mut self, record: &GameRecord, behind: u64) -> Result<(), RecordError> {
        let positions = record.replay()?;
        if record.pair != record.game / 2 {
            let (game, pair) = (record.game, record.pair);
            return Err(refused(format!("game {game} is one of pair {}, not of pair {pair}", game / 2)));
        }
        if record.black == record.white {
            return Err(both_colours(&record.black));
        }
        let Some(game) = record.game.checked_add(behind & !1) else {
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
            facts: Facts::new(record.result.half_points(Color::Black), has_opening, true),
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
            self.engines[players[offender] as usize].faults[record.termination as usize] += 1;
        }
        Ok(())
    }

    /// The numbers of two engines, in the order of adding.
    pub(crate) fn players(&mut self, black: &str, white: &str) -> Result<ByColor<u32>, RecordError> {
        match (self.numbers.get(black), self.numbers.get(white)) {
            (Some(black), Some(white)) if black != white => Ok(ByColor::new(black, white)),
            _ if black == white => Err(both_colours(black)),
            _ => Ok(ByColor::new(self.number(black), self.number(white))),
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.engines.len()).expect("fewer than four billion engines");
        self.numbers.insert(name, number);
        self.engines.push(EngineSums { name: name.to_owned(), ..EngineSums::default() });
        number
    }
}

fn both_colours(name: &str) -> RecordError {
    refused(format!("{name:?} plays both colours"))
}

fn refused(why: String) -> RecordError {
    RecordError::Refused(why)
}
