//! The standings of games made by hand.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{Ending, finished, game, series};
use proptest::prelude::*;
use records::{GameRecord, Outcome, RecordError, Termination};
use rules::{BoardSize, ByColor, Color, Ply, Position};
use tournament::canonical_keys::GameKeys;
use tournament::standings::{EngineStanding, Faults, GameResult, Standings, Tally};

fn standings<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Standings {
    let mut tally = Tally::new();
    for game in games {
        tally.add(game).expect("a sound record");
    }
    tally.standings()
}

/// A game that this colour wins at once, from an opening of its own for each pair.
fn won(index: u64, players: [&str; 2], winner: Color) -> GameRecord {
    let ending = Ending::Fault(Termination::Crash, winner.opposite(), 0);
    game(index, players, 4, ending, series(index / 2))
}

fn drawn(index: u64, players: [&str; 2]) -> GameRecord {
    game(index, players, 4, Ending::Adjudicated(Outcome::Draw), series(index / 2))
}

fn names(standings: &Standings) -> Vec<&str> {
    standings.engines.iter().map(|engine| engine.name.as_str()).collect()
}

#[test]
fn no_game() {
    let standings = standings([]);
    assert!(standings.engines.is_empty() && standings.pairings.is_empty());
    assert_eq!((standings.games.played, standings.pairs, standings.pool.colour), (0, 0, None));
}

#[test]
fn one_game() {
    let standings = standings(&[won(0, ["a", "b"], Color::White)]);
    assert_eq!(names(&standings), ["b", "a"]);
    let [b, a] = &standings.engines[..] else { panic!("two engines") };
    assert_eq!((b.results.wins, a.results.losses, a.faults.map(|faults| faults.crashes)), (1, 1, Some(1)));
    assert!(b.extreme && a.extreme && b.elo > a.elo);
    assert_eq!(
        (a.disc_diff, a.mean_move, a.max_move),
        (Some(-16.0), None, None),
        "it was a crash at the first move, on a board of sixteen squares"
    );
    let [pairing] = &standings.pairings[..] else { panic!("one pairing") };
    assert_eq!((pairing.engine, pairing.opponent), (1, 0), "a comes first in the definition");
    assert_eq!((pairing.pairs.units(), pairing.games.clusters), (0, 1));
    let h = &pairing.head_to_head;
    assert_eq!((h.score, h.elo, h.elo_lo, h.elo_hi, h.p_equal), (Some(0.0), None, None, None, Some(1.0)));
    assert_eq!(pairing.p_holm, Some(1.0));
}

#[test]
fn processor_time_out_of_turn_is_summed_where_it_was_measured() {
    let mut games = [
        won(0, ["a", "b"], Color::Black),
        won(1, ["b", "a"], Color::White),
        won(2, ["a", "c"], Color::White),
    ];
    let ms = Duration::from_millis;
    games[0].off_turn = Some(ByColor::new(ms(1), ms(20)));
    games[1].off_turn = Some(ByColor::new(ms(300), Duration::ZERO));
    let standings = standings(&games);
    let of =
        |name| standings.engines.iter().find(|engine| engine.name == name).and_then(|engine| engine.off_turn);
    assert_eq!([of("a"), of("b"), of("c")], [Some(ms(1)), Some(ms(320)), None]);
}

#[test]
fn all_won() {
    let games: Vec<_> = (0..10)
        .map(|index| match index % 2 {
            0 => won(index, ["a", "b"], Color::Black),
            _ => won(index, ["b", "a"], Color::White),
        })
        .collect();
    let standings = standings(&games);
    let pairing = &standings.pairings[0];
    assert_eq!((pairing.pairs.0, pairing.results.wins), ([0, 0, 0, 0, 5], 10));
    assert_eq!((pairing.head_to_head.elo, pairing.head_to_head.elo_hi), (None, None));
    assert_eq!(pairing.head_to_head.p_equal, Some(1.0 / 16.0));
    assert_eq!((pairing.discs.n, pairing.discs.mean), (0, None), "no game was played out");
    assert!(standings.engines.iter().all(|engine| engine.extreme && engine.elo.is_some_and(f64::is_finite)));
}

#[test]
fn all_drawn() {
    let games =
        (0..6).map(|index| if index % 2 == 0 { drawn(index, ["a", "b"]) } else { drawn(index, ["b", "a"]) });
    let standings = standings(&games.collect::<Vec<_>>());
    assert_eq!((names(&standings), standings.draws), (vec!["a", "b"], 6));
    for engine in &standings.engines {
        assert_eq!((engine.elo, engine.elo_low, engine.extreme), (Some(0.0), None, false));
    }
    assert_eq!(standings.pool.colour, None);
    assert_eq!(standings.pairings[0].pairs.0, [0, 0, 3, 0, 0]);
    assert_eq!(standings.pairings[0].head_to_head.los, Some(0.5));
}

#[test]
fn in_odd_games_the_first_engine_of_the_encounter_has_white() {
    // Game 0 is missing: an interruption.
    let standings = standings(&[
        won(1, ["b", "a"], Color::Black),
        won(3, ["c", "a"], Color::Black),
        won(2, ["a", "c"], Color::Black),
    ]);
    let number =
        |name| standings.engines.iter().find(|engine| engine.name == name).map(|engine| engine.number);
    assert_eq!([number("a"), number("b"), number("c")], [Some(0), Some(1), Some(2)]);
    let first = |pairing: usize| standings.engines[standings.pairings[pairing].engine].name.as_str();
    assert_eq!((first(0), first(1)), ("a", "a"));
    assert_eq!((standings.pairs, standings.games.clusters), (1, 2));
    assert_eq!(standings.pairings[1].pairs.0, [0, 0, 1, 0, 0]);
}

#[test]
fn faults_are_counted_by_kind() {
    let faults = Termination::ALL.into_iter().filter(|kind| kind.has_offender());
    let games: Vec<_> = (0..)
        .zip(faults)
        .map(|(index, kind)| {
            let (players, offender) =
                if index % 2 == 0 { (["a", "b"], Color::White) } else { (["b", "a"], Color::Black) };
            game(index, players, 2, Ending::Fault(kind, offender, 3), series(index))
        })
        .collect();
    let standings = standings(&games);
    let b = standings.engines[1].faults.expect("endings are known");
    assert_eq!((b.timeouts, b.illegal_moves, b.crashes, b.others, b.total()), (1, 1, 1, 3, 6));
    assert_eq!(standings.engines[0].faults, Some(Faults::default()));
    for (kind, count) in standings.terminations {
        assert_eq!(count, u64::from(kind.has_offender()), "{kind}");
    }
}

#[test]
fn times_are_those_of_moves() {
    let played = game(0, ["a", "b"], 3, Ending::Normal, series(6));
    let (opening, passes) =
        (played.opening.len(), played.moves.iter().filter(|m| m.ply == Ply::Pass).count());
    assert!(opening == 3 && passes > 0, "{passes} passes");
    // Three plies were the opening's: White makes the first move.
    let of = |parity: usize| -> Vec<Duration> {
        let turns = played.moves.iter().enumerate().filter(|(at, m)| at % 2 == parity && m.ply != Ply::Pass);
        turns.map(|(_, m)| m.spent).collect()
    };
    let standings = standings(std::slice::from_ref(&played));
    for (name, times) in [("b", of(0)), ("a", of(1))] {
        let engine = standings.engines.iter().find(|engine| engine.name == name).expect(name);
        assert_eq!(engine.max_move, times.iter().max().copied());
        let mean = times.iter().sum::<Duration>().as_nanos() as f64 / times.len() as f64;
        assert_eq!(engine.mean_move.map(|mean| mean.as_nanos()), Some(mean.round() as u128));
    }
}

#[test]
fn discs_of_pairs_count_where_play_came_to_an_end_those_of_engines_always() {
    let games = [
        game(0, ["a", "b"], 2, Ending::Normal, series(1)),
        game(1, ["b", "a"], 2, Ending::Normal, series(2)),
        game(2, ["a", "b"], 4, Ending::Normal, series(3)),
        won(3, ["b", "a"], Color::Black),
    ];
    let standings = standings(&games);
    let of_a =
        |game: &GameRecord| game.disc_difference(if game.black == "a" { Color::Black } else { Color::White });
    let differences: Vec<i32> = games.iter().map(of_a).collect();
    let pairing = &standings.pairings[0];
    assert_eq!((pairing.discs.n, pairing.pairs.units()), (1, 2));
    assert_eq!(pairing.discs.mean, Some(f64::from(differences[0] + differences[1]) / 2.0));
    let a = standings.engines.iter().find(|engine| engine.name == "a").expect("a");
    assert_eq!(a.disc_diff, Some(f64::from(differences.iter().sum::<i32>()) / 4.0));
}

#[test]
fn without_openings_the_pair_is_the_cluster() {
    let pairs = |same: bool| -> Vec<GameRecord> {
        let choices = |index| series(if same { index % 2 } else { index });
        let players = |index| if index % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
        (0..8).map(|index| game(index, players(index), 0, Ending::Normal, choices(index))).collect()
    };
    assert_eq!(standings(&pairs(false)).games.clusters, 4);
    let repeated = standings(&pairs(true));
    assert_eq!(
        (repeated.games.clusters, repeated.games.distinct, repeated.games.duplicates()),
        (1, Some(2), Some(6))
    );
}

#[test]
fn what_does_not_hold_together_is_not_added() {
    let sound = game(4, ["a", "b"], 2, Ending::Normal, series(1));
    let mut tally = Tally::new();
    let mut refused = |change: &dyn Fn(&mut GameRecord), word: &str| {
        let mut record = sound.clone();
        change(&mut record);
        let error: RecordError = tally.add(&record).expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!((tally.games(), &tally.standings()), (0, &standings([])));
    };
    refused(&|record| record.pair = 3, "game 4 is one of pair 2, not of pair 3");
    refused(&|record| record.white = "a".into(), "plays both colours");
    refused(&|record| record.discs.black += 1, "discs");
    refused(&|record| record.termination = Termination::Crash, "offender");
    refused(&|record| record.moves[1].ply = Ply::Pass, "ply 4");
}

/// The reference cases: a repeat, a mirror image, an opening by another order of moves, then colours
/// swapped and another opponent.
#[test]
fn reference_cases_of_duplicates() {
    let file: serde_json::Value = serde_json::from_str(include_str!("data/duplicates.json")).expect("JSON");
    for case in file["cases"].as_array().expect("cases") {
        let plies = |words: &serde_json::Value| -> Vec<Ply> {
            let words = words.as_array().expect("a list of plies");
            words.iter().map(|word| word.as_str().expect("a word").parse().expect("a ply")).collect()
        };
        let games =
            case["in"]["games"].as_array().expect("games").iter().enumerate().map(|(index, given)| {
                let (opening, moves) = (plies(&given["opening"]), plies(&given["moves"]));
                let all = opening.iter().chain(&moves).copied();
                let last = rules::replay(Position::start(BoardSize::Eight), all).expect("legal").position();
                let player = |side| given[side].as_str().expect("a name");
                // Every other number, since these games are no pairs.
                finished(2 * index as u64, [player("black"), player("white")], opening, moves, last)
            });
        let games: Vec<GameRecord> = games.collect();

        let mut numbers = BTreeMap::new();
        let keyed = games.iter().map(|game| {
            let mut number = |name: &str| {
                let next = numbers.len() as u64;
                *numbers.entry(name.to_owned()).or_insert(next)
            };
            let players = ByColor::new(number(&game.black), number(&game.white));
            let keys = GameKeys::of(game, players).expect("a sound record");
            let encounter = [players.black.min(players.white), players.black.max(players.white)];
            (encounter, keys.start)
        });
        // Clusters are numbered in order of first appearance.
        let mut clusters = Vec::new();
        let cluster_of = |key| {
            clusters.iter().position(|known| *known == key).unwrap_or_else(|| {
                clusters.push(key);
                clusters.len() - 1
            })
        };
        let numbered: Vec<usize> = keyed.map(cluster_of).collect();
        let out = &case["out"];
        assert_eq!(serde_json::json!(numbered), out["cluster"]);

        let standings = standings(&games);
        let counts = standings.games;
        for (key, count) in [
            ("games", counts.played),
            ("clusters", counts.clusters),
            ("distinct", counts.distinct.expect("moves are known")),
            ("duplicates", counts.duplicates().expect("moves are known")),
        ] {
            assert_eq!(out[key], count, "{key}");
        }
        let by_pairing: Vec<_> = standings
            .pairings
            .iter()
            .filter(|pairing| pairing.games.duplicates() > Some(0))
            .map(|pairing| {
                let name = |index: usize| standings.engines[index].name.as_str();
                serde_json::json!([
                    [name(pairing.engine), name(pairing.opponent)],
                    pairing.games.duplicates()
                ])
            })
            .collect();
        assert_eq!(serde_json::json!(by_pairing), out["duplicates_by_pairing"]);
    }
}

/// Games of a round robin of three, some of them missing, ended in every way.
fn any_games() -> impl Strategy<Value = Vec<GameRecord>> {
    let one = (any::<u64>(), 0usize..6, 0usize..14, any::<bool>(), any::<bool>());
    prop::collection::vec(prop::option::weighted(0.85, one), 0..24).prop_map(|games| {
        let players = [["a", "b"], ["a", "c"], ["b", "c"]];
        let record = |(index, game_of): (usize, Option<_>)| {
            let (seed, opening, kind, white, draw): (u64, usize, usize, bool, bool) = game_of?;
            let [first, second] = players[index / 2 % 3];
            let players = if index % 2 == 0 { [first, second] } else { [second, first] };
            let side = if white { Color::White } else { Color::Black };
            let ending = match Termination::ALL.get(kind) {
                Some(&kind) if kind.has_offender() => Ending::Fault(kind, side, opening),
                Some(Termination::Adjudicated) if draw => Ending::Adjudicated(Outcome::Draw),
                Some(Termination::Adjudicated) => Ending::Adjudicated(Outcome::Win(side)),
                _ => Ending::Normal,
            };
            Some(game(index as u64, players, opening, ending, series(seed % 5)))
        };
        games.into_iter().enumerate().filter_map(record).collect()
    })
}

proptest! {
    #[test]
    fn the_order_of_adding_makes_no_difference(
        (games, shuffled) in any_games().prop_flat_map(|games| (Just(games.clone()), Just(games).prop_shuffle()))
    ) {
        prop_assert_eq!(standings(&games), standings(&shuffled));
    }

    #[test]
    fn sums_agree(games in any_games()) {
        let standings = standings(&games);
        let played = games.len() as u64;
        prop_assert_eq!(standings.games.played, played);
        prop_assert_eq!(standings.terminations.iter().map(|(_, count)| count).sum::<u64>(), played);
        let sum = |of: &dyn Fn(&EngineStanding) -> u64| {
            standings.engines.iter().map(of).sum::<u64>()
        };
        prop_assert_eq!(sum(&|engine| engine.results.games()), 2 * played);
        prop_assert_eq!(sum(&|engine| engine.results.wins), sum(&|engine| engine.results.losses));
        prop_assert_eq!(sum(&|engine| engine.results.draws), 2 * standings.draws);
        prop_assert_eq!(sum(&|engine| engine.results.half_points()), 2 * played);
        let faults = standings.terminations.iter().filter(|(kind, _)| kind.has_offender());
        prop_assert_eq!(sum(&|engine| engine.faults.expect("endings are known").total()), faults.map(|(_, count)| count).sum::<u64>());
        for (index, engine) in standings.engines.iter().enumerate() {
            let mut wins = 0;
            for pairing in &standings.pairings {
                wins += if pairing.engine == index { pairing.results.wins } else { 0 };
                wins += if pairing.opponent == index { pairing.results.losses } else { 0 };
            }
            prop_assert_eq!(wins, engine.results.wins);
        }
        for pairing in &standings.pairings {
            let number = |index: usize| standings.engines[index].number;
            prop_assert!(number(pairing.engine) < number(pairing.opponent));
            prop_assert_eq!(pairing.games.played, pairing.results.games());
            prop_assert_eq!(pairing.head_to_head.games, pairing.results.games());
            prop_assert!(pairing.games.clusters <= pairing.games.played);
            prop_assert!(pairing.discs.n <= pairing.pairs.units());
            prop_assert!(2 * pairing.pairs.units() <= pairing.games.played);
        }
        // Ratings that differ by rounding alone are tied.
        let elo = |engine: &EngineStanding| engine.elo.expect("everybody played");
        prop_assert!(standings.engines.is_sorted_by(|a, b| elo(a) >= elo(b) - 1e-5));
    }
}

/// Equal engines, and chance. Corrected for the circles alone, which are chosen by their outcome, one would be named
/// from each of these seeds.
#[test]
fn chance_names_no_circle() {
    for seed in [27u64, 33, 84] {
        let mut lots = seed;
        let mut tally = Tally::new();
        for black in 0..60 {
            for white in (0..60).filter(|white| *white != black) {
                for _ in 0..15 {
                    lots =
                        lots.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let winner = if lots >> 63 == 0 { Color::Black } else { Color::White };
                    let (black, white) = (black.to_string(), white.to_string());
                    let outcome = Outcome::Win(winner);
                    let (game, start, key) = (None, None, None);
                    let bare = GameResult { black: &black, white: &white, outcome, game, start, key };
                    tally.add_result(&bare).expect("two engines");
                }
            }
        }
        let pool = tally.standings().pool;
        assert_eq!(pool.fit.triples, 60 * 59 * 58 / 6);
        assert!(pool.fit.cycles > 5000 && pool.cycles.is_empty(), "{seed}: {:?}", pool.cycles);
    }
}
