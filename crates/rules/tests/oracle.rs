//! The rules against a slow and obvious board, and laws that hold in every position.

#![expect(clippy::unwrap_used, reason = "a test may stop here")]

#[path = "common/simd_levels.rs"]
mod simd_levels;

use std::collections::BTreeSet;

use proptest::prelude::*;
use rules::{
    Bitboard, BoardSize, Color, IllegalReason, Ply, Position, Rules, SimdTask, Square, Symmetry, Turn,
    Variant, parse_plies, perft_on, replay, to_transcript,
};
use simd_levels::simd_levels;

/// Rows of letters, walked one square at a time.
#[derive(Clone)]
struct SlowBoard {
    rows: Vec<Vec<char>>,
}

impl SlowBoard {
    fn of(position: Position) -> SlowBoard {
        let side = usize::from(position.size().side());
        let text = position.to_string();
        let letters: Vec<char> = text.chars().take(side * side).collect();
        SlowBoard { rows: letters.chunks(side).map(<[char]>::to_vec).collect() }
    }

    fn at(&self, column: i32, row: i32) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// The squares that a disc of `mover` placed here turns.
    fn flips(&self, column: i32, row: i32, mover: char) -> Vec<(i32, i32)> {
        let mut flips = Vec::new();
        if self.at(column, row) != Some('-') {
            return flips;
        }
        for (right, down) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let mut run = Vec::new();
            let (mut c, mut r) = (column + right, row + down);
            while self.at(c, r).is_some_and(|disc| disc != '-' && disc != mover) {
                run.push((c, r));
                (c, r) = (c + right, r + down);
            }
            if self.at(c, r) == Some(mover) {
                flips.extend(run);
            }
        }
        flips
    }

    /// The empty centre squares, as long as all discs are in the centre: where the next disc of the
    /// historical game goes.
    fn placements(&self) -> Vec<(i32, i32)> {
        let side = self.rows.len() as i32;
        let in_centre = |n: i32| n == side / 2 - 1 || n == side / 2;
        let mut open = Vec::new();
        for row in 0..side {
            for column in 0..side {
                let is_centre = in_centre(column) && in_centre(row);
                match (self.at(column, row), is_centre) {
                    (Some('-'), true) => open.push((column, row)),
                    (Some('-'), false) | (_, true) => {}
                    (_, false) => return Vec::new(),
                }
            }
        }
        open
    }

    /// Where this side may place a disc, and what it turns there.
    fn legal(&self, mover: char) -> Vec<(i32, i32)> {
        let open = self.placements();
        if !open.is_empty() {
            return open;
        }
        let side = self.rows.len() as i32;
        let all = (0..side).flat_map(|row| (0..side).map(move |column| (column, row)));
        all.filter(|&(column, row)| !self.flips(column, row, mover).is_empty()).collect()
    }

    /// Games of so many plies, without anything of the crate's.
    fn perft(&self, mover: char, depth: u32) -> u64 {
        let other = if mover == 'X' { 'O' } else { 'X' };
        if depth == 0 {
            return 1;
        }
        let legal = self.legal(mover);
        if legal.is_empty() {
            return if self.legal(other).is_empty() { 1 } else { self.perft(other, depth - 1) };
        }
        let after = |&(column, row): &(i32, i32)| {
            let mut next = self.clone();
            next.place(column, row, mover);
            next.perft(other, depth - 1)
        };
        legal.iter().map(after).sum()
    }

    fn place(&mut self, column: i32, row: i32, mover: char) {
        for (c, r) in self.flips(column, row, mover) {
            self.rows[r as usize][c as usize] = mover;
        }
        self.rows[row as usize][column as usize] = mover;
    }

    fn text(&self) -> String {
        self.rows.iter().flatten().collect()
    }
}

/// Compares everything both boards can say about a position.
fn compare(position: Position) {
    let (slow, mover) = (SlowBoard::of(position), position.side_to_move().letter());
    let other = position.side_to_move().opposite().letter();
    let placements = slow.placements();
    assert_eq!(position.is_placing(), !placements.is_empty(), "{position}");
    let mut legal = Bitboard::EMPTY;
    let mut opponent_can_move = false;
    for square in Square::all() {
        let (column, row) = (i32::from(square.column()), i32::from(square.row()));
        let flips: Bitboard = slow
            .flips(column, row, mover)
            .into_iter()
            .map(|(c, r)| Square::new(c as u8, r as u8).unwrap())
            .collect();
        let is_placement = placements.contains(&(column, row));
        opponent_can_move |= is_placement || !slow.flips(column, row, other).is_empty();
        if position.size().mask().contains(square) {
            assert_eq!(position.board().flips(square), flips, "flips of {square} in {position}");
        }
        let is_legal = if position.is_placing() { is_placement } else { !flips.is_empty() };
        if !is_legal {
            assert!(position.resolve(square).is_err(), "{square} in {position}");
        } else {
            legal |= square.bit();
            let legal = position.resolve(square).unwrap();
            assert_eq!((legal.square(), legal.flips()), (square, flips));
            let mut slow = slow.clone();
            slow.place(column, row, mover);
            assert_eq!(position.after(legal).to_string(), format!("{} {other}", slow.text()));
        }
    }
    assert_eq!(position.moves(), legal, "moves in {position}");
    match position.turn() {
        Turn::Place(moves) => {
            assert_eq!(moves.squares(), legal);
            assert_eq!(position.play(Ply::Pass).unwrap_err().reason(), IllegalReason::PassWithMoves);
            let all: Vec<_> = moves.iter().collect();
            for (n, &each) in all.iter().enumerate() {
                assert_eq!(moves.get(n), Some(each));
                assert_eq!(moves.on(each.square()), Some(each));
                assert_eq!(position.resolve(each.square()), Ok(each));
            }
            assert_eq!((all.len(), moves.get(all.len())), (moves.len(), None));
        }
        Turn::Pass(pass) => {
            assert!(legal.is_empty() && opponent_can_move);
            assert_eq!(position.play(Ply::Pass), Ok(position.after_pass(pass)));
        }
        Turn::Over(end) => {
            assert!(legal.is_empty() && !opponent_can_move);
            assert_eq!(end.discs(), position.disc_counts());
        }
    }
}

/// All that the rules of a level say about a position: the moves, what each flips, and the moves again
/// by their number.
struct Everything(Position);

impl SimdTask for Everything {
    type Output = (Bitboard, Vec<Bitboard>, Vec<Option<Square>>);

    #[inline(always)]
    fn run<R: Rules>(self, rules: R) -> Self::Output {
        let board = self.0.board();
        let moves = rules.moves(board, self.0.size());
        let flips = moves.iter().map(|square| rules.flips(board, square)).collect();
        (moves, flips, (0..=moves.len()).map(|n| rules.nth(moves, n)).collect())
    }
}

/// Games of some plies, one position after the other.
fn slow_perft(position: Position, depth: u32) -> u64 {
    match position.turn() {
        _ if depth == 0 => 1,
        Turn::Place(moves) => moves.iter().map(|legal| slow_perft(position.after(legal), depth - 1)).sum(),
        Turn::Pass(pass) => slow_perft(position.after_pass(pass), depth - 1),
        Turn::Over(_) => 1,
    }
}

/// Compares all levels of this machine with the plain rules, which are compared with the slow board.
fn compare_levels(position: Position, depth: u32) {
    let moves = position.moves();
    let flips: Vec<Bitboard> = moves.iter().map(|square| position.board().flips(square)).collect();
    let numbered: Vec<Option<Square>> = (0..=moves.len()).map(|n| moves.nth(n)).collect();
    let leaves: Vec<u64> = (0..=depth).map(|depth| slow_perft(position, depth)).collect();
    for level in simd_levels() {
        // Those of a board know nothing of the centre that is filled first.
        if !position.is_placing() {
            let told = level.run(Everything(position));
            assert_eq!(told, (moves, flips.clone(), numbered.clone()), "{level}: {position}");
        }
        for (depth, &leaves) in (0..).zip(&leaves) {
            assert_eq!(perft_on(level, position, depth), leaves, "{level}: depth {depth} from {position}");
        }
    }
}

/// The laws that no position breaks.
fn laws(position: Position) {
    assert_eq!(position.to_string().parse(), Ok(position));
    let discs = position.discs();
    let size = position.size();
    let side = position.side_to_move();
    assert_eq!(Position::from_discs(size, discs.black, discs.white, side), Ok(position));
    let key = position.canonical();
    assert_eq!(key.position().canonical(), key);
    for symmetry in Symmetry::ALL {
        let image = position.image(symmetry);
        assert_eq!(image.canonical(), key);
        assert!(key.position().discs() <= image.discs());
        assert_eq!(image.image(symmetry.inverse()), position);
        assert_eq!(image.moves(), position.moves().image(symmetry, size));
        for square in position.moves() {
            let flips = image.board().flips(square.image(symmetry, size));
            assert_eq!(flips, position.board().flips(square).image(symmetry, size));
        }
    }
}

/// The positions of a game in which the choices say which move is taken.
fn game(start: Position, choices: &[u8]) -> Vec<Position> {
    let (mut position, mut met) = (start, vec![start]);
    for &choice in choices {
        position = match position.turn() {
            Turn::Place(moves) => position.after(moves.get(usize::from(choice) % moves.len()).unwrap()),
            Turn::Pass(pass) => position.after_pass(pass),
            Turn::Over(_) => break,
        };
        met.push(position);
    }
    met
}

fn sizes() -> impl Strategy<Value = BoardSize> {
    prop::sample::select(&BoardSize::ALL[..])
}

fn starts() -> impl Strategy<Value = Position> {
    sizes().prop_flat_map(|size| {
        let starts = [Position::start(size), Position::parallel(size), Position::empty_board(size)];
        prop::sample::select(starts.to_vec())
    })
}

/// Any discs at all, an eighth to three quarters of the squares occupied.
fn anything() -> impl Strategy<Value = Position> {
    (sizes(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<bool>()).prop_map(
        |(size, colors, one, two, three, black)| {
            let occupied = match three % 4 {
                0 => one & two & three.rotate_left(9),
                1 => one & two,
                2 => one,
                _ => one | two,
            };
            let occupied = Bitboard::from_bits(occupied) & size.mask();
            let colors = Bitboard::from_bits(colors);
            let side = if black { Color::Black } else { Color::White };
            Position::from_discs(size, occupied & colors, occupied - colors, side).unwrap()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn games_follow_the_slow_board(start in starts(), choices in prop::collection::vec(any::<u8>(), 130)) {
        for position in game(start, &choices) {
            compare(position);
        }
    }

    #[test]
    fn levels_agree_in_games(start in starts(), choices in prop::collection::vec(any::<u8>(), 130)) {
        for position in game(start, &choices) {
            compare_levels(position, 2);
        }
    }

    #[test]
    fn laws_hold_in_games(start in starts(), choices in prop::collection::vec(any::<u8>(), 130)) {
        for position in game(start, &choices) {
            laws(position);
        }
    }

    #[test]
    fn transcripts_bring_games_back(start in starts(), choices in prop::collection::vec(any::<u8>(), 130), case: u64) {
        let positions = game(start, &choices);
        let plies: Vec<Ply> = positions.windows(2).map(|pair| {
            let placed = pair[1].board().occupied() - pair[0].board().occupied();
            placed.first().map_or(Ply::Pass, Ply::Place)
        }).collect();
        let played = replay(start, plies.iter().copied()).unwrap();
        prop_assert_eq!(played.plies(), &plies[..]);
        prop_assert_eq!(played.positions().collect::<Vec<_>>(), positions);
        // Written in mixed case, passes left out, and read again.
        let mixed: String = to_transcript(&plies).chars().enumerate().map(|(n, letter)| {
            if case >> (n % 64) & 1 == 0 { letter } else { letter.to_ascii_uppercase() }
        }).collect();
        let read = parse_plies(&mixed).unwrap().into_iter().map(|(ply, _)| ply);
        let without_last_pass = plies.len() - usize::from(plies.last() == Some(&Ply::Pass));
        prop_assert_eq!(replay(start, read).unwrap().into_plies(), &plies[..without_last_pass]);
        // Written with everything, and read again.
        let words: Vec<String> = plies.iter().map(Ply::to_string).collect();
        let read = parse_plies(&words.join(" ")).unwrap().into_iter().map(|(ply, _)| ply);
        prop_assert_eq!(replay(start, read).unwrap(), played);
    }

    #[test]
    fn text_never_panics(text in any::<String>(), board in "[-XOxo*.é 0]{60,70}") {
        let _ = text.parse::<Position>();
        let _ = board.parse::<Position>();
        let _ = text.parse::<Ply>();
        let _ = text.parse::<Square>();
        let _ = text.parse::<Color>();
        if let Err(error) = parse_plies(&text) {
            prop_assert!(text[error.column() - 1..].starts_with(error.word()));
        }
    }

    #[test]
    fn joined_words_never_panic(text in "([a-i][0-9]|pass?|--|[ ,éе1.]){0,12}") {
        if let Err(error) = parse_plies(&text) {
            prop_assert!(text[error.column() - 1..].starts_with(error.word()));
            prop_assert!(!error.word().is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_discs_follow_the_slow_board(position in anything()) {
        compare(position);
        compare_levels(position, 1);
        laws(position);
    }
}

#[test]
fn games_that_end_are_leaves_at_any_depth() {
    for size in [BoardSize::Four, BoardSize::Six] {
        // Six squares or less are left: all games end within twice as many plies.
        let late = game(Position::start(size), &[3; 130]);
        for &position in late.iter().filter(|position| position.empty().len() <= 6) {
            let leaves = slow_perft(position, 13);
            for level in simd_levels() {
                assert_eq!(perft_on(level, position, 13), leaves, "{level}: {position}");
                assert_eq!(perft_on(level, position, u32::MAX), leaves, "{level}: {position}");
            }
        }
    }
}

/// Discs in the centre alone: three to a square, both sides to move.
#[test]
fn every_centre_follows_the_slow_board() {
    for size in BoardSize::ALL {
        let centre: Vec<Square> = size.centre_squares().iter().collect();
        for code in 0..81 {
            let of = |digit: u32| -> Bitboard {
                let there = (0..).zip(&centre).filter(|(n, _)| code / 3u32.pow(*n) % 3 == digit);
                there.map(|(_, square)| *square).collect()
            };
            for side in [Color::Black, Color::White] {
                let position = Position::from_discs(size, of(1), of(2), side).unwrap();
                assert_eq!(position.is_placing(), (of(1) | of(2)).len() < 4);
                compare(position);
                compare_levels(position, 2);
                laws(position);
                for depth in 0..=4 {
                    let leaves = SlowBoard::of(position).perft(side.letter(), depth);
                    assert_eq!(slow_perft(position, depth), leaves, "{position}");
                }
            }
        }
    }
}

#[test]
fn historical_games_are_counted_as_the_slow_board_counts_them() {
    for (size, deepest) in [(BoardSize::Four, 9), (BoardSize::Six, 8), (BoardSize::Eight, 8)] {
        let start = Variant::Historical.start(size);
        for depth in 0..=deepest {
            let leaves = SlowBoard::of(start).perft('X', depth);
            for level in simd_levels() {
                assert_eq!(perft_on(level, start, depth), leaves, "{level}: {size}, depth {depth}");
            }
        }
    }
}

/// The first four plies: no pass, nothing turned, and the cross or two pairs in the end.
#[test]
fn the_centre_is_filled_first() {
    let mut position = Variant::Historical.start(BoardSize::Eight);
    assert!(
        !position.is_over() && Variant::Historical.allows(position) && !Variant::Othello.allows(position)
    );
    let reason = |position: Position, ply: &str| position.play(ply.parse().unwrap()).unwrap_err().reason();
    for (n, ply) in ["e4", "d4", "d5", "e5"].into_iter().enumerate() {
        assert_eq!(position.moves().len() as usize, 4 - n);
        assert_eq!(reason(position, "pass"), IllegalReason::PassWithMoves);
        assert_eq!(reason(position, "f5"), IllegalReason::CentreFirst);
        let legal = position.resolve(ply.parse().unwrap()).unwrap();
        assert!(legal.flips().is_empty());
        position = position.after(legal);
        assert_eq!(reason(position, ply), IllegalReason::Occupied);
    }
    assert_eq!(position, Position::start(BoardSize::Eight));
    assert!(Variant::Othello.allows(position));
    // Three discs with which f4 would turn one, but the centre comes first.
    let three: Position = format!("{}XO------X-{} X", "-".repeat(27), "-".repeat(27)).parse().unwrap();
    assert_eq!(reason(three, "f4"), IllegalReason::CentreFirst);
    assert_eq!(three.moves(), "e5".parse::<Square>().unwrap().bit());
    let line = parse_plies("e4d5d4e5").unwrap().into_iter().map(|(ply, _)| ply);
    let played = replay(Position::empty_board(BoardSize::Eight), line).unwrap();
    assert_eq!(played.position().disc_counts(), rules::ByColor::new(2, 2));
    assert_eq!(played.plies().len(), 4);
}

/// Fills the centre in every order: up to symmetry there are two centres, as there are two starts of
/// Othello, and each is met.
#[test]
fn centres_are_the_two_starts_under_symmetry() {
    for size in BoardSize::ALL {
        let mut layer = vec![Position::empty_board(size)];
        let mut distinct = Vec::new();
        while layer[0].is_placing() {
            layer = layer
                .iter()
                .flat_map(|position| {
                    position.moves().iter().map(|square| position.play(square.into()).unwrap())
                })
                .collect();
            distinct.push(layer.iter().map(|position| position.canonical()).collect::<BTreeSet<_>>());
        }
        let counts: Vec<usize> = distinct.iter().map(BTreeSet::len).collect();
        assert_eq!(counts, [1, 2, 2, 2], "beside or across, and the fourth has no choice");
        let starts = [Position::start(size), Position::parallel(size)].map(Position::canonical);
        assert_eq!(distinct[3], BTreeSet::from(starts));
    }
}

#[test]
fn discs_must_fit_the_board() {
    let (d4, h8) = ("d4".parse::<Square>().unwrap().bit(), "h8".parse::<Square>().unwrap().bit());
    let error =
        |size, black, white| Position::from_discs(size, black, white, Color::Black).unwrap_err().to_string();
    assert_eq!(error(BoardSize::Eight, d4, d4 | h8), "both a black and a white disc on d4");
    assert_eq!(error(BoardSize::Six, d4, h8), "a disc on h8, outside the board");
}
