//! Lines of play that have something in common, found among random games that are the same each time.

use rules::{Color, Ply, Position, Turn};

use crate::requests::{replayed, through_passes};

/// Lots by SplitMix64 (Steele, Lea and Flood 2014): the same from the same number, each time.
#[derive(Clone, Debug)]
pub(crate) struct Lots(u64);

impl Lots {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`, which is at least 1.
    pub(crate) fn below(&mut self, count: u32) -> u32 {
        u32::try_from(self.next() % u64::from(count.max(1))).unwrap_or(0)
    }
}

/// A game of random moves to its end, passes included.
pub(crate) fn random_game(start: Position, lots: &mut Lots) -> Vec<Ply> {
    let mut plies = Vec::with_capacity(64);
    let mut position = start;
    loop {
        position = through_passes(position, &mut plies);
        let Turn::Place(moves) = position.turn() else { return plies };
        let count = u32::try_from(moves.len()).unwrap_or(1);
        let square = moves.squares().nth(lots.below(count)).unwrap_or(moves.first().square());
        plies.push(Ply::from(square));
        position = position.play(Ply::from(square)).unwrap_or(position);
    }
}

/// So many random games are looked through.
const GAMES: u64 = 20_000;

/// The first beginning of a random game that leads to a position with a move in which this holds.
pub(crate) fn find(start: Position, holds: impl Fn(&[Ply], Position) -> bool) -> Option<Vec<Ply>> {
    (0..GAMES).find_map(|number| {
        let game = random_game(start, &mut Lots::new(number));
        let mut position = start;
        for played in 0..game.len() {
            if !position.moves().is_empty() && holds(&game[..played], position) {
                return Some(game[..played].to_vec());
            }
            position = replayed(position, &game[played..=played]);
        }
        None
    })
}

/// Whether one of the moves takes the opponent's last disc.
pub(crate) fn can_wipe_out(position: Position) -> bool {
    let opponent = position.side_to_move().opposite();
    position
        .moves()
        .iter()
        .any(|square| position.play(Ply::from(square)).is_ok_and(|after| after.discs()[opponent].is_empty()))
}

/// Whether the only move ends the game with empty squares and discs of both colours left.
pub(crate) fn ends_by_double_pass(position: Position) -> bool {
    let moves = position.moves();
    moves.len() == 1
        && moves.first().and_then(|square| position.play(Ply::from(square)).ok()).is_some_and(|after| {
            let discs = after.discs();
            after.is_over()
                && !after.empty().is_empty()
                && Color::ALL.iter().all(|&color| !discs[color].is_empty())
        })
}

/// How many passes stand in a line.
pub(crate) fn passes(plies: &[Ply]) -> usize {
    plies.iter().filter(|ply| **ply == Ply::Pass).count()
}

#[cfg(test)]
mod tests {
    use rules::BoardSize;

    use super::*;

    #[test]
    fn games_are_legal_whole_and_the_same_each_time() {
        for size in [BoardSize::Four, BoardSize::Six, BoardSize::Eight] {
            for seed in 0..50 {
                let start = Position::start(size);
                let game = random_game(start, &mut Lots::new(seed));
                assert!(rules::replay(start, game.clone()).expect("legal").position().is_over());
                assert_eq!(game, random_game(start, &mut Lots::new(seed)));
            }
        }
    }

    #[test]
    fn everything_looked_for_is_found() {
        let start = Position::start(BoardSize::Eight);
        let double = find(start, |_, position| ends_by_double_pass(position)).expect("a double pass");
        assert!(ends_by_double_pass(replayed(start, &double)));
        let wiped = find(start, |_, position| can_wipe_out(position)).expect("a wipe-out");
        assert!(can_wipe_out(replayed(start, &wiped)));
        assert!(find(start, |_, _| false).is_none());
    }
}
