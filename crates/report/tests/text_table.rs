//! The table and the line for people, against their text.

mod common;

use common::{forfeit, game, standings};
use report::{leader_line, table};
use rules::Color;
use tournament::standings::Standings;

/// Four engines with awkward names, three pairs an encounter.
fn four() -> Standings {
    let names = ["mcts", "positional (mobility, corners)", "名人の強いオセロ", "Éric, \"le Grand\""];
    let mut games = Vec::new();
    for round in 0..3 {
        for (first, second) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let index = games.len() as u64;
            games.push(game(index, [names[first], names[second]], round * 7 + first as u64));
            games.push(game(index + 1, [names[second], names[first]], round * 5 + second as u64));
        }
    }
    standings(&games)
}

/// Columns of a terminal.
fn width(line: &str) -> usize {
    line.chars().map(|character| if character >= '\u{2e80}' { 2 } else { 1 }).sum()
}

#[test]
fn names_are_cut_to_fit() {
    let text = "\
#  engine                 games   +W =D -L   score         Elo  discs  faults
1  Éric, \"le Grand\"          18  +14 =1 -3  80.6 %  +240 ± 178   +5.2       0
2  positional (mobility…     18   +7 =3 -8  47.2 %   -22 ± 140   -1.6       0
3  名人の強いオセロ          18   +8 =1 -9  47.2 %   -22 ± 140   -0.6       0
4  mcts                      18  +4 =1 -13  25.0 %  -195 ± 167   -3.1       0
";
    assert_eq!(table(&four(), Some(80)).split_inclusive("\n").take(5).collect::<String>(), text);
    let line = "1 Éric, \"le Grand\" +240  2 positional (mobility, corners) -22";
    assert_eq!(leader_line(&four(), Some(80)), line);
}

#[test]
fn then_columns_go() {
    let text = "\
#  engine                score         Elo  faults
1  Éric, \"le Grand\"     80.6 %  +240 ± 178       0
2  positional…          47.2 %   -22 ± 140       0
3  名人の強いオセロ     47.2 %   -22 ± 140       0
4  mcts                 25.0 %  -195 ± 167       0

engine          opponent                       Elo
mcts            positional…    -191 (-537 .. +156)
mcts            名人の強いオ…  -120 (-450 .. +209)
mcts            Éric, \"le…     -280 (-703 .. +144)
positional…     名人の強いオ…   -58 (-379 .. +263)
positional…     Éric, \"le…     -191 (-491 .. +109)
名人の強いオ…   Éric, \"le…     -280 (-703 .. +144)";
    assert_eq!(table(&four(), Some(50)), text);
}

#[test]
fn no_line_is_too_wide() {
    let standings = four();
    for room in 40..130 {
        for line in table(&standings, Some(room)).lines().chain([&leader_line(&standings, Some(room))[..]]) {
            assert!(width(line) <= usize::from(room), "{room}: {line}");
        }
    }
    // No panic below that.
    for room in 0..40 {
        assert!(!table(&standings, Some(room)).is_empty());
        assert!(width(&leader_line(&standings, Some(room))) <= usize::from(room));
    }
}

#[test]
fn who_won_everything_is_at_least_so_strong() {
    let games: Vec<_> = (0..6)
        .map(|index| match index % 2 {
            0 => forfeit(index, ["winner", "loser"], Color::White),
            _ => forfeit(index, ["loser", "winner"], Color::Black),
        })
        .collect();
    let standings = standings(&games);
    let text = "\
#  engine  games  +W =D -L    score            Elo  discs  faults
1  winner      6  +6 =0 -0  100.0 %  at least +367  +16.0       0
2  loser       6  +0 =0 -6    0.0 %   at most -367  -16.0       6

engine  opponent  +W =D -L    score         Elo  discs  p (Holm)
winner  loser     +6 =0 -0  100.0 %  (from -43)           0.2500";
    assert_eq!(table(&standings, None), text);
}

#[test]
fn nothing_that_a_terminal_obeys() {
    let standings = standings(&[game(0, ["a\u{1b}[2J", "b\nc"], 1)]);
    let text = table(&standings, None) + &leader_line(&standings, None);
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
    assert_eq!(text.lines().count(), 6, "{text}");
}

#[test]
fn no_games() {
    let none = standings(&[]);
    assert_eq!(table(&none, Some(80)).lines().count(), 1);
    assert_eq!(leader_line(&none, None), "");
}
