//! From a tally to standings.

use std::collections::BTreeMap;
use std::time::Duration;

use ratings::{ColourTally, Estimate, Pentanomial, Pool, PoolError, Settings, Z95};
use records::Termination;
use rules::{ByColor, Color};

use super::tally::{EngineSums, Row, Tally};
use super::{EngineStanding, Faults, GameCounts, Pairing, Results, Standings};

/// Two engines, by their numbers in the order of first appearance, the lower first.
type Encounter = (usize, usize);

/// What makes games one cluster of an encounter.
type ClusterKey = (u64, u64);

pub(super) fn compute(tally: &Tally, settings: &Settings) -> Result<Standings, PoolError> {
    let mut rows = tally.rows.clone();
    rows.sort_by_key(|row| row.game);
    let order = Order::of(&rows, tally.engines.len());

    let mut encounters: BTreeMap<Encounter, Meetings> = BTreeMap::new();
    let mut evidence = Vec::with_capacity(rows.len());
    for games in rows.chunk_by(|a, b| a.game / 2 == b.game / 2) {
        for game in games {
            let game = Seen::new(game, cluster_key(game, games), &order);
            encounters.entry(game.encounter).or_default().results.count(game.half_points);
            evidence.push(game);
        }
        if let [one, other] = games
            && one.players == other.players.swap()
        {
            let both = [one, other].map(|game| Seen::new(game, (0, 0), &order));
            let meetings = encounters.entry(both[0].encounter).or_default();
            meetings.pairs.0[usize::from(both[0].half_points + both[1].half_points)] += 1;
            if one.discs_count() && other.discs_count() {
                meetings.pair_discs.push(both[0].discs + both[1].discs);
            }
        }
    }

    let mut pool = Pool::new(tally.engines.len());
    evidence.sort_unstable_by_key(|game| (game.encounter, game.cluster));
    for games in evidence.chunk_by(|a, b| (a.encounter, a.cluster) == (b.encounter, b.cluster)) {
        let (first, second) = games[0].encounter;
        pool.add(first, second, colour_tally(games), 1)?;
    }
    evidence.sort_unstable_by_key(|game| (game.encounter, game.key));
    for games in evidence.chunk_by(|a, b| (a.encounter, a.key) == (b.encounter, b.key)) {
        encounters.entry(games[0].encounter).or_default().distinct += 1;
    }

    let ratings = pool.rate(settings)?;
    let ranking = ratings.ranking();
    let mut ranks = vec![0; ranking.len()];
    for (rank, &number) in ranking.iter().enumerate() {
        ranks[number] = rank;
    }
    let pairings = pairings(&encounters, &pool, &ranks);
    let totals = order.totals(&rows);
    let engines = ranking.iter().map(|&number| {
        let sums = &tally.engines[order.adding[number]];
        let rating = &ratings.engines[number];
        let total = &totals[number];
        EngineStanding {
            name: sums.name.clone(),
            number,
            results: total.results,
            elo: rating.elo,
            elo_low: rating.lo,
            elo_high: rating.hi,
            extreme: rating.extreme.unwrap_or(false),
            disc_diff: (total.results.games() > 0).then(|| total.discs as f64 / total.results.games() as f64),
            faults: sums.faults(),
            mean_move: sums.mean_move(),
            max_move: (sums.moves > 0).then_some(sums.longest),
        }
    });
    let count = |f: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| f(row)).count() as u64;
    Ok(Standings {
        engines: engines.collect(),
        games: GameCounts {
            played: rows.len() as u64,
            distinct: pairings.iter().map(|pairing| pairing.games.distinct).sum(),
            clusters: pairings.iter().map(|pairing| pairing.games.clusters).sum(),
        },
        pairs: pairings.iter().map(|pairing| pairing.pairs.units()).sum(),
        draws: count(&|row| row.half_points == 1),
        terminations: Termination::ALL.map(|kind| (kind, count(&|row| row.termination == kind))),
        colour: ratings.colour_elo.zip(ratings.colour_se).map(|(value, se)| Estimate {
            value,
            lo: value - Z95 * se,
            hi: value + Z95 * se,
        }),
        pairings,
    })
}

/// All games of an encounter from one start position are one cluster. Where every game begins from
/// the same position, the cluster is the pair, and pairs that replay each other are one.
fn cluster_key(game: &Row, pair: &[Row]) -> ClusterKey {
    if game.has_opening {
        return (game.start, 0);
    }
    let keys = || pair.iter().map(|game| game.key);
    (keys().min().unwrap_or(game.key), keys().max().unwrap_or(game.key))
}

/// The engines in the order of first appearance, which is that of the definition.
struct Order {
    /// From a number in this order to the one in order of adding.
    adding: Vec<usize>,
    /// And back.
    appearance: Vec<usize>,
}

#[derive(Clone, Default)]
struct Totals {
    results: Results,
    discs: i64,
}

impl Order {
    fn of(rows: &[Row], engines: usize) -> Self {
        let mut order = Self { adding: Vec::with_capacity(engines), appearance: vec![usize::MAX; engines] };
        for engine in rows.iter().flat_map(Row::in_order) {
            let place = &mut order.appearance[engine as usize];
            if *place == usize::MAX {
                *place = order.adding.len();
                order.adding.push(engine as usize);
            }
        }
        order
    }

    fn players(&self, row: &Row) -> ByColor<usize> {
        row.players.map(|engine| self.appearance[engine as usize])
    }

    fn totals(&self, rows: &[Row]) -> Vec<Totals> {
        let mut totals = vec![Totals::default(); self.adding.len()];
        for row in rows {
            let players = self.players(row);
            for (color, sign) in [(Color::Black, 1), (Color::White, -1)] {
                let engine = &mut totals[players[color]];
                engine.results.count(half_points(row, color));
                engine.discs += sign * i64::from(row.discs);
            }
        }
        totals
    }
}

fn half_points(row: &Row, color: Color) -> u8 {
    match color {
        Color::Black => row.half_points,
        Color::White => 2 - row.half_points,
    }
}

/// A game seen from the first engine of its encounter.
struct Seen {
    encounter: Encounter,
    cluster: ClusterKey,
    key: u64,
    color: Color,
    half_points: u8,
    discs: i32,
}

impl Seen {
    fn new(row: &Row, cluster: ClusterKey, order: &Order) -> Self {
        let ByColor { black, white } = order.players(row);
        let (color, sign) = if black < white { (Color::Black, 1) } else { (Color::White, -1) };
        Self {
            encounter: (black.min(white), black.max(white)),
            cluster,
            key: row.key,
            color,
            half_points: half_points(row, color),
            discs: sign * i32::from(row.discs),
        }
    }
}

/// The games of one cluster.
fn colour_tally(games: &[Seen]) -> ColourTally {
    let mut results = ByColor::new([0; 3], [0; 3]);
    for game in games {
        results[game.color][usize::from(game.half_points)] += 1;
    }
    ColourTally::new(results.black, results.white).expect("a cluster has a game, and not two billion")
}

/// What is counted of an encounter.
#[derive(Default)]
struct Meetings {
    results: Results,
    pairs: Pentanomial,
    /// For each pair that counts, the first engine's disc differences added up.
    pair_discs: Vec<i32>,
    distinct: u64,
}

fn pairings(encounters: &BTreeMap<Encounter, Meetings>, pool: &Pool, ranks: &[usize]) -> Vec<Pairing> {
    let pairing = |(&(first, second), meetings): (&Encounter, &Meetings)| {
        let head_to_head = ratings::head_to_head(&pool.clusters(first, second));
        Pairing {
            engine: ranks[first],
            opponent: ranks[second],
            results: meetings.results,
            games: GameCounts {
                played: meetings.results.games(),
                distinct: meetings.distinct,
                clusters: head_to_head.clusters,
            },
            pairs: meetings.pairs,
            head_to_head,
            discs: ratings::discs(&meetings.pair_discs),
            p_holm: None,
        }
    };
    let mut pairings: Vec<Pairing> = encounters.iter().map(pairing).collect();
    let p_values: Vec<_> = pairings.iter().map(|pairing| pairing.head_to_head.p_equal).collect();
    for (pairing, p_holm) in pairings.iter_mut().zip(ratings::holm(&p_values)) {
        pairing.p_holm = p_holm;
    }
    pairings
}

impl EngineSums {
    fn faults(&self) -> Faults {
        let of = |kind: Termination| self.faults[kind as usize];
        Faults {
            timeouts: of(Termination::Timeout),
            illegal_moves: of(Termination::IllegalMove),
            crashes: of(Termination::Crash),
            others: of(Termination::Stall) + of(Termination::ProtocolError) + of(Termination::Resigned),
        }
    }

    /// Rounded to the nanosecond.
    fn mean_move(&self) -> Option<Duration> {
        let moves = u128::from(self.moves);
        let mean = (self.nanoseconds + moves / 2).checked_div(moves)?;
        u64::try_from(mean).ok().map(Duration::from_nanos)
    }
}
