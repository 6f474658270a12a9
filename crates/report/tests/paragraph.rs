//! The paragraph in words, against its text, for no engine, two, a few and two hundred.

mod common;

use common::{forfeit, game, standings};
use records::Outcome;
use report::{paragraph, wrapped};
use rules::Color;
use tournament::standings::{GameResult, Standings, Tally};

/// So many wins, draws and losses of the first, each game a cluster by itself, colours in turn.
fn bare(tally: &mut Tally, first: &str, second: &str, [wins, draws, losses]: [u32; 3]) {
    let results = [(wins, Some(true)), (draws, None), (losses, Some(false))];
    let all = results.into_iter().flat_map(|(times, won)| (0..times).map(move |index| (index, won)));
    for (index, won) in all {
        let even = index % 2 == 0;
        let (black, white) = if even { (first, second) } else { (second, first) };
        let outcome = match won {
            None => Outcome::Draw,
            Some(won) => Outcome::Win(if won == even { Color::Black } else { Color::White }),
        };
        let game = GameResult { black, white, outcome, game: None, start: None, key: None };
        tally.add_result(&game).expect("two engines");
    }
}

fn of_two(results: [u32; 3]) -> Standings {
    let mut tally = Tally::new();
    bare(&mut tally, "a", "b", results);
    tally.standings()
}

#[test]
fn nothing_was_played() {
    assert_eq!(paragraph(&standings(&[])), "No game has been played, so there is nothing to say yet.");
}

#[test]
fn one_game_says_nothing() {
    let words = paragraph(&standings(&[game(1, ["a", "b"], 2)]));
    let expected = "b and a cannot be told apart by these games: b took 100.0 % of one game, p = 1.00. \
                    b won every game, so that its Elo means \"at least\". a lost every game, so that its Elo means \"at most\". \
                    There was only one game. ";
    assert!(words.starts_with(expected), "{words}");
}

#[test]
fn two_that_differ_and_two_that_do_not() {
    let words = paragraph(&of_two([130, 0, 70]));
    assert!(
        words.starts_with("a is stronger than b: 65.0 % of 200 games, Elo +108 (95 % interval +5"),
        "{words}"
    );
    assert!(words.contains("), p < 0.0001. How many games were truly different is not known"), "{words}");
    let words = paragraph(&of_two([52, 4, 44]));
    assert!(
        words.starts_with("a and b cannot be told apart by these games: a took 54.0 % of 100 games"),
        "{words}"
    );
    // Seen from the one that is ahead, even if it comes second.
    let words = paragraph(&of_two([70, 0, 130]));
    assert!(
        words.starts_with("b is stronger than a: 65.0 % of 200 games, Elo +108 (95 % interval +5"),
        "{words}"
    );
    let words = paragraph(&of_two([0, 10, 0]));
    assert!(
        words.starts_with("a and b cannot be told apart by these games: a took 50.0 % of 10 games"),
        "{words}"
    );
}

#[test]
fn a_few_are_told_one_by_one() {
    let mut tally = Tally::new();
    bare(&mut tally, "a", "b", [52, 0, 48]);
    bare(&mut tally, "a", "c", [80, 0, 20]);
    bare(&mut tally, "b", "c", [78, 0, 22]);
    let words = paragraph(&tally.standings());
    let expected = "a is stronger than c; b is stronger than c (p < 0.05 after Holm's correction for 3 comparisons). \
                    These games cannot tell apart a and b. Nothing speaks against one number per engine (p = ";
    assert!(words.starts_with(expected), "{words}");
    assert!(
        words.contains("Moving first is worth ") && words.ends_with("which may as well be nothing."),
        "{words}"
    );
}

#[test]
fn a_circle_is_named() {
    let mut tally = Tally::new();
    for (first, second) in [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")] {
        bare(&mut tally, first, second, [80, 0, 20]);
    }
    let words = paragraph(&tally.standings());
    assert!(words.contains("These results do not fit a single ranking (p < 0.0001)"), "{words}");
    assert!(
        words.contains("More than chance runs in a circle: rock over scissors over paper over rock."),
        "{words}"
    );
}

#[test]
fn replays_are_no_evidence() {
    // The same two games again and again.
    let games: Vec<_> = (0..20u64)
        .map(|index| game(index, if index % 2 == 0 { ["a", "b"] } else { ["b", "a"] }, 7))
        .collect();
    let words = paragraph(&standings(&games));
    assert!(
        words.contains("Of 20 games only 2 were truly different, the others replay an earlier one (deterministic engines: give more openings, not more games)."),
        "{words}"
    );
    assert!(words.contains("9 game pairs repeat an opening of the same two engines"), "{words}");
    assert!(words.ends_with("Too few different starts tell what moving first is worth."), "{words}");
    let different: Vec<_> = (0..4).map(|index| game(index, ["a", "b"], 100 + index)).collect();
    let words = paragraph(&standings(&different));
    assert!(words.contains("All 4 games were different."), "{words}");
}

#[test]
fn who_lost_everything_has_no_measured_rating() {
    let games: Vec<_> = (0..4)
        .map(|index| match index % 2 {
            0 => forfeit(index, ["winner", "loser"], Color::White),
            _ => forfeit(index, ["loser", "winner"], Color::Black),
        })
        .collect();
    let words = paragraph(&standings(&games));
    assert!(
        words.contains("winner won every game, so that its Elo means \"at least\". loser lost every game"),
        "{words}"
    );
    assert!(words.contains("Elo -"), "with two clusters the lower bound is low: {words}");
}

#[test]
fn two_hundred_engines_take_no_more_than_a_few_lines() {
    let mut tally = Tally::new();
    let name = |number: usize| format!("engine with a rather long name {number:03}");
    for first in 0..200 {
        for second in first + 1..200 {
            let results = if second - first > 60 { [10, 0, 0] } else { [5, 1, 4] };
            bare(&mut tally, &name(first), &name(second), results);
        }
    }
    let words = paragraph(&tally.standings());
    assert!(words.len() < 2500, "{} bytes: {words}", words.len());
    // Ten games are too few for 19,900 comparisons.
    assert!(
        words.starts_with("No engine is shown to be stronger than another: in none of the 19,900 pairings"),
        "{words}"
    );
}

#[test]
fn many_engines_are_counted() {
    let mut tally = Tally::new();
    for first in 0..8 {
        for second in first + 1..8 {
            let results = if first == 0 { [95, 0, 5] } else { [51, 0, 49] };
            bare(&mut tally, &format!("e{first}"), &format!("e{second}"), results);
        }
    }
    let words = paragraph(&tally.standings());
    let expected = "In 7 of 28 pairings one engine is shown to be stronger (p < 0.05 after Holm's correction); \
                    in 21 the two cannot be told apart. Number 1, e0, is stronger than all of the 7 engines it met. \
                    Number 2, ";
    assert!(words.starts_with(expected), "{words}");
    assert!(
        words.contains(
            ", is stronger than none of the 7 engines it met, weaker than e0, and not told apart from e"
        ),
        "{words}"
    );
}

#[test]
fn pools_that_never_met_are_not_compared() {
    let mut tally = Tally::new();
    bare(&mut tally, "a", "b", [5, 1, 4]);
    bare(&mut tally, "c", "d", [4, 2, 4]);
    let standings = tally.standings();
    let components: Vec<usize> = standings.engines.iter().map(|engine| engine.component).collect();
    assert!(components.contains(&1) && components.contains(&2));
    assert!(paragraph(&standings).contains("There are 2 groups of engines that never met"));
}

#[test]
fn names_do_no_harm() {
    let words = paragraph(&standings(&[game(0, ["a\u{1b}[2J", "b\nc"], 1)]));
    assert!(!words.contains(char::is_control), "{words:?}");
}

#[test]
fn lines_are_cut_between_words() {
    let text = wrapped("one two three four", 9);
    assert_eq!(text, "one two\nthree\nfour");
    assert_eq!(wrapped("incomprehensibility of x", 5), "incomprehensibility\nof x");
    assert_eq!(wrapped("", 5), "");
}
