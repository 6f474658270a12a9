//! Sample games and positions, found among random games that are the same in each run.

use rules::{BoardSize, Color, Ply, Position, SplitMix64, Turn};

/// A game so far, passes included.
#[derive(Clone, Debug)]
pub(crate) struct GameSoFar {
    pub(crate) start: Position,
    pub(crate) plies: Vec<Ply>,
    /// The position after the plies.
    pub(crate) position: Position,
}

impl GameSoFar {
    pub(crate) fn new(start: Position, plies: &[Ply]) -> Self {
        let mut game = Self { start, plies: Vec::with_capacity(64), position: start };
        plies.iter().for_each(|&ply| game.play(ply));
        game
    }

    /// Plays a legal ply.
    pub(crate) fn play(&mut self, ply: Ply) {
        self.plies.push(ply);
        self.position = self.position.play(ply).unwrap_or(self.position);
    }

    /// Plays the pass of a side that cannot move.
    pub(crate) fn play_forced_pass(&mut self) {
        if matches!(self.position.turn(), Turn::Pass(_)) {
            self.play(Ply::Pass);
        }
    }
}

/// The start of Othello on 8x8.
pub(crate) fn standard_start() -> Position {
    Position::start(BoardSize::Eight)
}

/// A random index below `count`, which is at least 1.
pub(crate) fn index_below(rng: &mut SplitMix64, count: usize) -> usize {
    usize::try_from(rng.below(count as u64)).unwrap_or(0)
}

/// A game of random moves to its end, passes included.
pub(crate) fn random_game(start: Position, rng: &mut SplitMix64) -> Vec<Ply> {
    let mut game = GameSoFar::new(start, &[]);
    loop {
        game.play_forced_pass();
        let Turn::Place(moves) = game.position.turn() else { return game.plies };
        game.play(moves.get(index_below(rng, moves.len())).unwrap_or(moves.first()).ply());
    }
}

/// The first `count` plies of a random game.
pub(crate) fn random_plies(start: Position, seed: u64, count: usize) -> Vec<Ply> {
    let mut plies = random_game(start, &mut SplitMix64::new(seed));
    plies.truncate(count);
    plies
}

/// A random move where there is one.
pub(crate) fn random_move(position: Position, rng: &mut SplitMix64) -> Ply {
    random_game(position, rng)[0]
}

/// The number of random games that [`find`] searches.
const GAMES: u64 = 20_000;

/// The first beginning of a random game after which the side to move has a move and `holds` is true.
pub(crate) fn find(start: Position, holds: impl Fn(&[Ply], Position) -> bool) -> Option<Vec<Ply>> {
    (0..GAMES).find_map(|seed| {
        let mut game = GameSoFar::new(start, &[]);
        for ply in random_game(start, &mut SplitMix64::new(seed)) {
            if !game.position.moves().is_empty() && holds(&game.plies, game.position) {
                return Some(game.plies);
            }
            game.play(ply);
        }
        None
    })
}

/// A game after 16 plies, with more than four moves to choose from.
pub(crate) fn middle_game() -> GameSoFar {
    let start = standard_start();
    let plies = find(start, |plies, position| plies.len() == 16 && position.moves().len() > 4);
    GameSoFar::new(start, &plies.unwrap_or_default())
}

/// True if a move takes the opponent's last disc.
pub(crate) fn can_wipe_out(position: Position) -> bool {
    let opponent = position.side_to_move().opposite();
    position
        .moves()
        .iter()
        .any(|square| position.play(Ply::from(square)).is_ok_and(|after| after.discs()[opponent].is_empty()))
}

/// True if the only move ends the game with empty squares and discs of both colours left.
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

pub(crate) fn is_pass(ply: &Ply) -> bool {
    *ply == Ply::Pass
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_legal_whole_and_the_same_each_time() {
        for size in [BoardSize::Four, BoardSize::Six, BoardSize::Eight] {
            for seed in 0..50 {
                let start = Position::start(size);
                let game = random_game(start, &mut SplitMix64::new(seed));
                assert!(rules::replay(start, game.clone()).expect("legal").position().is_over());
                assert_eq!(game, random_game(start, &mut SplitMix64::new(seed)));
            }
        }
    }

    #[test]
    fn everything_looked_for_is_found() {
        let start = standard_start();
        let double = find(start, |_, position| ends_by_double_pass(position)).expect("a double pass");
        assert!(ends_by_double_pass(GameSoFar::new(start, &double).position));
        let wiped = find(start, |_, position| can_wipe_out(position)).expect("a wipe-out");
        assert!(can_wipe_out(GameSoFar::new(start, &wiped).position));
        assert!(find(start, |_, _| false).is_none());
    }
}
