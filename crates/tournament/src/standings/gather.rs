//! From rows to counts for each encounter: what all numbers of the standings are computed from.

use std::collections::HashMap;

use ratings::{ColourTally, Pentanomial, Pool, PoolError, Trinomial};
use rules::{ByColor, Color};

use super::Results;
use super::tally::{Row, Tally};
use crate::keys::fold;
use crate::quick::Quick;

/// The engines in the order of first appearance, which is that of the definition.
pub(super) struct EngineOrder {
    /// From a number in this order to the one in order of adding.
    pub(super) to_tally: Vec<usize>,
    /// And back.
    from_tally: Vec<usize>,
}

impl EngineOrder {
    /// Engines that are only known from bare results come last, as they were added.
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

    /// The number in this order of an engine given by its name.
    pub(super) fn number(&self, tally: &Tally, name: &str) -> Option<usize> {
        self.to_tally.iter().position(|&index| tally.engines[index].name == name)
    }
}

/// The rows in the order of the schedule.
pub(super) struct ScheduledRows<'a> {
    rows: &'a [Row],
    /// Their numbers in that order; `None` where they stand in it already.
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

    /// The rows from a place on.
    fn from(&self, place: usize) -> impl Iterator<Item = &'a Row> + Clone {
        (place..).map_while(|place| self.get(place))
    }

    /// The games of the pair that begins at a place.
    fn pair(&self, place: usize) -> impl Iterator<Item = &'a Row> + Clone {
        let pair = self.get(place).map(|row| row.game / 2);
        self.from(place).take_while(move |row| Some(row.game / 2) == pair)
    }
}

/// Sums over the games of one engine that depend on the result.
#[derive(Clone, Default)]
pub(super) struct ResultTotals {
    pub(super) results: Results,
    /// Over the games of which it is known how they ended.
    pub(super) discs: i64,
    pub(super) endings_known: u64,
}

/// What is counted of an encounter.
pub(super) struct Encounter {
    /// Its two engines in the order of first appearance, the earlier first.
    pub(super) engines: (usize, usize),
    /// All games, seen from the first engine.
    pub(super) results: Results,
    /// Finished pairs.
    pub(super) pairs: Pentanomial,
    /// The single games of the finished pairs.
    pub(super) paired: Trinomial,
    /// For each pair that counts, the first engine's disc differences added up.
    pub(super) pair_discs: Vec<i32>,
    /// Games that replay no earlier one.
    pub(super) distinct: u64,
    /// Whether the moves of every game are known.
    pub(super) moves_known: bool,
    /// Pairs of which at least one game was played, a bare result being one by itself.
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

    /// Pairs that began where an earlier pair had begun.
    pub(super) fn repeated_starts(&self) -> u64 {
        self.begun.saturating_sub(self.clusters)
    }
}

/// The counts of a tally.
pub(super) struct PoolCounts {
    pub(super) order: EngineOrder,
    /// By their engines.
    pub(super) encounters: Vec<Encounter>,
    pub(super) pool: Pool,
    /// By engine, in the order of first appearance.
    pub(super) totals: Vec<ResultTotals>,
}

/// A game as one of its encounter's: 12 bytes, since there may be millions.
#[derive(Clone, Copy)]
#[repr(Rust, packed(4))]
struct PackedGame {
    word: u64,
    /// The number of the encounter; below it in three bits whether its first engine had White, and its half points.
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

    /// What games of one kind have in common.
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
        // Collected, so that the pool knows how many kinds there are and keeps no room free.
        pool.add_all(encounter.engines.0, encounter.engines.1, alike.collect::<Vec<_>>())?;
    }

    // The same memory again, for the keys of whole games.
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
    numbers: HashMap<(u32, u32), u32, Quick>,
    encounters: Vec<Encounter>,
    totals: Vec<ResultTotals>,
}

impl Collector {
    /// The number of an encounter, and the colour of its first engine.
    fn number_of(&mut self, players: ByColor<u32>) -> (u32, Color) {
        let ByColor { black, white } = self.order.players(players);
        let (engines, color) =
            if black < white { ((black, white), Color::Black) } else { ((white, black), Color::White) };
        // By order of adding, which needs no more than half the room.
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

    /// Counts two games as a pair, if they are one.
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

    /// Counts the games of an encounter of which only the results are known (won by Black, drawn, won by White), by
    /// the colour that `one` had: each is a cluster.
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

/// All games of an encounter from one start position are one cluster. Where every game begins from
/// the same position, the cluster is the pair, and pairs that replay each other are one.
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

/// The games of one cluster.
fn colour_tally(games: &[PackedGame]) -> ColourTally {
    let mut results = ByColor::new([0; 3], [0; 3]);
    for game in games {
        results[game.color()][game.half_points()] += 1;
    }
    ColourTally::new(results.black, results.white).expect("a cluster has a game, and not two billion")
}
