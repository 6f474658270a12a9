//! Seeds for players that choose at random.

use rules::{Color, Position, SplitMix64};

/// A seed for one position, from the seed of the game. It depends on nothing else, so a player gives the
/// same answer whatever it was asked before.
#[must_use]
pub fn seed_at(seed: u64, position: Position) -> u64 {
    let discs = position.discs();
    let side = match position.side_to_move() {
        Color::Black => 1,
        Color::White => 2,
    };
    [discs.black.bits(), discs.white.bits(), side]
        .into_iter()
        .fold(mixed(seed), |sum, word| mixed(sum ^ word))
}

fn mixed(word: u64) -> u64 {
    SplitMix64::new(word).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    #[test]
    fn seed_and_position_decide() {
        let start = Position::start(BoardSize::Eight);
        let next = start.play("f5".parse().unwrap()).unwrap();
        assert_eq!(seed_at(7, start), seed_at(7, start));
        assert_ne!(seed_at(7, start), seed_at(8, start));
        assert_ne!(seed_at(7, start), seed_at(7, next));
    }
}
