//! From rows to counts for each encounter. All numbers of the standings are computed from these counts.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use ratings::{ColourTally, Pentanomial, Pool, PoolError, Trinomial};
use rules::{ByColor, Color};

use super::Results;
use super::tally::{Row, Tally};
use crate::canonical_keys::fold;

/// The engines in the order of their first appearance in the schedule, which is that of the definition.
pub(super) struct EngineOrder {
    /// From the number in this order to the index in [`Tally::engines`].
    pub(super) to_tally: Vec<usize>,
    /// The inverse.
    from_tally: Vec<usize>,
}

impl EngineOrder {
    /// Engines known only from bare results come last, in the order in which they were added.
    pub(super) fn of(tally: &Tally, rows: &ScheduledRows<'_>) -> Self {
        let engines = tally.engines.len();
        let mut order = Self { to_tally: Vec::with_capacity(engines), from_tally: vec![usize::MAX; engines] };
        let in_rows = rows.from(0).flat_map(Row::in_order);
        let in_rows = in_rows.map(|engine| engine as usize);
        for engine in in_rows.chain(0..engines) {
            let place = &mut order.from_tally[engine];
            if *place == usize::MAX {
                *place = order.to_tally.len();
                order.to_tally.push(engine);
            }
            if order.to_tally.len() == engines {
                break;
            }
        }
        order
    }

    fn players(&self, players: ByColor<u32>) -> ByColor<usize> {
        players.map(|engine| self.from_tally[engine as usize])
    }

    /// The number in this order of the engine with this name.
    pub(super) fn number(&self, tally: &Tally, name: &str) -> Option<usize> {
        self.to_tally.iter().position(|&index| tally.engines[index].name == name)
    }
}

/// The rows in the order of the schedule.
pub(super) struct ScheduledRows<'a> {
    rows: &'a [Row],
    /// Indices of `rows` in that order; `None` if `rows` is in it already.
    sorted: Option<Vec<u32>>,
}

impl<'a> ScheduledRows<'a> {
    fn of(rows: &'a [Row]) -> Self {
        let sorted = (!rows.is_sorted_by_key(|row| row.game)).then(|| {
            let count = u32::try_from(rows.len()).expect("fewer than four billion games");
            let mut sorted: Vec<u32> = (0..count).collect();
            sorted.sort_by_key(|&row| rows[row as usize].game);
            sorted
        });
        Self { rows, sorted }
    }

    fn get(&self, place: usize) -> Option<&'a Row> {
        match &self.sorted {
            Some(sorted) => sorted.get(place).map(|&row| &self.rows[row as usize]),
            None => self.rows.get(place),
        }
    }

    /// The rows from an index of the schedule on.
    fn from(&self, place: usize) -> impl Iterator<Item = &'a Row> + Clone {
        (place..).map_while(|place| self.get(place))
    }

    /// The games of the pair that begins at an index.
    fn pair(&self, place: usize) -> impl Iterator<Item = &'a Row> + Clone {
        let pair = self.get(place).map(|row| row.game / 2);
        self.from(place).take_while(move |row| Some(row.game / 2) == pair)
    }
}

/// Sums over the games of one engine.
#[derive(Clone, Default)]
pub(super) struct ResultTotals {
    pub(super) results: Results,
    /// Sum of disc differences, over the games with a known termination.
    pub(super) discs: i64,
    pub(super) endings_known: u64,
}

/// The counts of an encounter.
pub(super) struct Encounter {
    /// Its two engines by [`EngineOrder`], the lower number first.
    pub(super) engines: (usize, usize),
    /// All games, seen from the first engine.
    pub(super) results: Results,
    /// Finished pairs.
    pub(super) pairs: Pentanomial,
    /// The single games of the finished pairs.
    pub(super) paired: Trinomial,
    /// For each pair played to an end, the sum of the first engine's two disc differences.
    pub(super) pair_discs: Vec<i32>,
    /// Games that are not the replay of an earlier one.
    pub(super) distinct: u64,
    /// True if the moves of every game are known.
    pub(super) moves_known: bool,
    /// Pairs with at least one game played. A bare result is a pair by itself.
    begun: u64,
    pub(super) clusters: u64,
}

impl Encounter {
    fn new(engines: (usize, usize)) -> Self {
        Self {
            engines,
            results: Results::default(),
            pairs: Pentanomial::default(),
            paired: Trinomial::default(),
            pair_discs: Vec::new(),
            distinct: 0,
            moves_known: true,
            begun: 0,
            clusters: 0,
        }
    }

    /// Pairs that began from the start position of an earlier pair.
    pub(super) fn repeated_starts(&self) -> u64 {
        self.begun.saturating_sub(self.clusters)
    }
}

pub(super) struct PoolCounts {
    pub(super) order: EngineOrder,
    /// In ascending order of their engines.
    pub(super) encounters: Vec<Encounter>,
    pub(super) pool: Pool,
    /// By engine, in [`EngineOrder`].
    pub(super) totals: Vec<ResultTotals>,
}

/// A game of an encounter. 12 bytes, since there may be millions.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
struct PackedGame {
    word: u64,
    /// Bits 0 and 1: half points of the encounter's first engine. Bit 2: 1 if that engine had White. Above: the number
    /// of the encounter.
    rest: u32,
}

const _: () = assert!(size_of::<PackedGame>() == 12, "no room is left between two");

impl PackedGame {
    fn new(word: u64, encounter: u32, color: Color, half_points: u8) -> Self {
        Self { word, rest: encounter << 3 | u32::from(color == Color::White) << 2 | u32::from(half_points) }
    }

    fn encounter(self) -> usize {
        (self.rest >> 3) as usize
    }

    /// The colour of the encounter's first engine.
    fn color(self) -> Color {
        if self.rest & 4 == 0 { Color::Black } else { Color::White }
    }

    fn half_points(self) -> usize {
        (self.rest & 3) as usize
    }

    /// The encounter and the key: equal for games of one cluster, or for replays.
    fn kind(self) -> (usize, u64) {
        (self.encounter(), self.word)
    }
}

pub(super) fn gather(tally: &Tally) -> Result<PoolCounts, PoolError> {
    let rows = ScheduledRows::of(&tally.rows);
    let order = EngineOrder::of(tally, &rows);
    let mut collector = Collector {
        numbers: HashMap::default(),
        encounters: Vec::new(),
        totals: vec![ResultTotals::default(); order.to_tally.len()],
        order,
    };
    let mut pool = Pool::new(tally.engines.len());

    let mut evidence = Vec::with_capacity(tally.rows.len());
    let mut place = 0;
    while place < tally.rows.len() {
        let pair = rows.pair(place);
        let mut begun = None;
        let before = place;
        for game in pair.clone() {
            let packed = collector.add_game(game, cluster(game, pair.clone()));
            if begun != Some(packed.encounter()) {
                collector.encounters[packed.encounter()].begun += 1;
                begun = Some(packed.encounter());
            }
            evidence.push(packed);
            place += 1;
        }
        if let (2, Some(one), Some(other)) = (place - before, rows.get(before), rows.get(before + 1)) {
            collector.add_pair(one, other);
        }
    }
    drop(rows);
    evidence.sort_unstable_by_key(|game| game.kind());
    for games in evidence.chunk_by(|a, b| a.encounter() == b.encounter()) {
        let encounter = &mut collector.encounters[games[0].encounter()];
        let mut clusters: Vec<_> = games.chunk_by(|a, b| a.kind() == b.kind()).map(colour_tally).collect();
        encounter.clusters += clusters.len() as u64;
        clusters.sort_unstable();
        let alike = clusters.chunk_by(|a, b| a == b).map(|alike| (alike[0], alike.len() as u64));
        // Collected, so that the pool knows their number and allocates no more.
        pool.add_all(encounter.engines.0, encounter.engines.1, alike.collect::<Vec<_>>())?;
    }

    // The same memory is used again, for the keys of whole games.
    evidence.clear();
    evidence
        .extend(tally.rows.iter().filter(|row| row.moves_known()).map(|row| collector.packed(row, row.key)));
    evidence.sort_unstable_by_key(|game| game.kind());
    for games in evidence.chunk_by(|a, b| a.kind() == b.kind()) {
        collector.encounters[games[0].encounter()].distinct += 1;
    }
    drop(evidence);

    let results = tally.result_counts().all();
    collector.encounters.reserve(results.len());
    for (players, counts) in results {
        collector.add_results(players, counts, &mut pool)?;
    }
    let Collector { order, mut encounters, totals, .. } = collector;
    encounters.sort_unstable_by_key(|encounter| encounter.engines);
    Ok(PoolCounts { order, encounters, pool, totals })
}

struct Collector {
    order: EngineOrder,
    numbers: HashMap<(u32, u32), u32, FixedState>,
    encounters: Vec<Encounter>,
    totals: Vec<ResultTotals>,
}

impl Collector {
    /// The index of the encounter of two players, and the colour of its first engine.
    fn number_of(&mut self, players: ByColor<u32>) -> (u32, Color) {
        let ByColor { black, white } = self.order.players(players);
        let (engines, color) =
            if black < white { ((black, white), Color::Black) } else { ((white, black), Color::White) };
        // Keyed by tally indices, which are `u32`: half as large as numbers of [`EngineOrder`].
        let ByColor { black, white } = players;
        let key = (black.min(white), black.max(white));
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.encounters.push(Encounter::new(engines));
            let last = u32::try_from(self.encounters.len() - 1).ok().filter(|last| *last < 1 << 29);
            last.expect("fewer than 500 million encounters, which would need 100 GB")
        });
        (number, color)
    }

    fn packed(&mut self, row: &Row, word: u64) -> PackedGame {
        let (number, color) = self.number_of(row.players);
        PackedGame::new(word, number, color, half_points(row, color))
    }

    /// Counts a game.
    fn add_game(&mut self, row: &Row, cluster: u64) -> PackedGame {
        let packed = self.packed(row, cluster);
        let encounter = &mut self.encounters[packed.encounter()];
        encounter.results.count(half_points(row, packed.color()));
        encounter.moves_known &= row.moves_known();
        let players = self.order.players(row.players);
        for (color, sign) in [(Color::Black, 1), (Color::White, -1)] {
            let engine = &mut self.totals[players[color]];
            engine.results.count(half_points(row, color));
            if row.termination.is_some() {
                engine.discs += sign * i64::from(row.discs);
                engine.endings_known += 1;
            }
        }
        packed
    }

    /// Counts two games as a pair, if they are the same two players with colours swapped.
    fn add_pair(&mut self, one: &Row, other: &Row) {
        if one.players != other.players.swap() {
            return;
        }
        let (number, color) = self.number_of(one.players);
        let scores = [half_points(one, color), half_points(other, color.opposite())];
        let encounter = &mut self.encounters[number as usize];
        encounter.pairs.0[usize::from(scores[0] + scores[1])] += 1;
        scores.iter().for_each(|&score| encounter.paired.0[usize::from(score)] += 1);
        if one.discs_count() && other.discs_count() {
            let for_black = i32::from(one.discs) - i32::from(other.discs);
            encounter.pair_discs.push(if color == Color::Black { for_black } else { -for_black });
        }
    }

    /// Counts the games of an encounter of which only the results are known. `counts` is by the colour of `one`; each
    /// is (won by Black, drawn, won by White). Each game is a cluster.
    fn add_results(
        &mut self,
        (one, other): (u32, u32),
        counts: ByColor<[u64; 3]>,
        pool: &mut Pool,
    ) -> Result<(), PoolError> {
        let (number, color) = self.number_of(ByColor::new(one, other));
        let encounter = &mut self.encounters[number as usize];
        encounter.moves_known = false;
        let (first, second) = encounter.engines;
        // From here on by the colour of the encounter's first engine.
        let counts = if color == Color::Black { counts } else { counts.swap() };
        let kinds = Color::ALL.into_iter().flat_map(|color| [2u8, 1, 0].map(|points| (color, points)));
        let kinds = kinds.map(|(color, black_half_points)| {
            let times = counts[color][usize::from(2 - black_half_points)];
            let score = if color == Color::Black { black_half_points } else { 2 - black_half_points };
            (color, score, times)
        });
        for (_, score, times) in kinds.clone() {
            encounter.results.count_many(score, times);
            encounter.begun += times;
            encounter.clusters += times;
            self.totals[first].results.count_many(score, times);
            self.totals[second].results.count_many(2 - score, times);
        }
        let clusters = kinds.map(|(color, score, times)| {
            let mut results = ByColor::new([0; 3], [0; 3]);
            results[color][usize::from(score)] = 1;
            (ColourTally::new(results.black, results.white).expect("one game"), times)
        });
        pool.add_all(first, second, clusters)
    }
}

/// The key of a game's cluster. All games of an encounter from one start position are one cluster. If all games begin
/// from the standard position, the cluster is the pair, and pairs that replay each other are one cluster.
fn cluster<'a>(game: &Row, pair: impl Iterator<Item = &'a Row> + Clone) -> u64 {
    if game.has_opening() {
        return game.start;
    }
    if !pair.clone().all(|game| game.moves_known()) {
        return fold([game.game / 2]);
    }
    let keys = pair.map(|game| game.key);
    let (least, most) = keys.fold((u64::MAX, 0), |(least, most), key| (least.min(key), most.max(key)));
    fold([least, most])
}

fn half_points(row: &Row, color: Color) -> u8 {
    match color {
        Color::Black => row.half_points(),
        Color::White => 2 - row.half_points(),
    }
}

fn colour_tally(games: &[PackedGame]) -> ColourTally {
    let mut results = ByColor::new([0; 3], [0; 3]);
    for game in games {
        results[game.color()][game.half_points()] += 1;
    }
    ColourTally::new(results.black, results.white).expect("a cluster has a game, and not two billion")
}
