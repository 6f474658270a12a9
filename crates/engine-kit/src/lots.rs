//! Seeds for players that draw lots.

use rules::{Color, Position};

/// A seed for the lots drawn in one position, from the seed of the game. It depends on nothing
/// else, so that a player answers the same whatever it was asked before.
#[must_use]
pub fn seed_at(seed: u64, position: Position) -> u64 {
    let discs = position.discs();
    let side = match position.side_to_move() {
        Color::Black => 1,
        Color::White => 2,
    };
    [discs.black.bits(), discs.white.bits(), side]
        .into_iter()
        .fold(stirred(seed), |sum, word| stirred(sum ^ word))
}

/// Spreads every bit over all of them (the output step of SplitMix64, by Sebastiano Vigna).
fn stirred(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    #[test]
    fn known_answers() {
        // The first output of SplitMix64 for these seeds, as its author's program prints them.
        assert_eq!(stirred(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(stirred(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn seed_and_position_decide() {
        let start = Position::start(BoardSize::Eight);
        let next = start.play("f5".parse().unwrap()).unwrap();
        assert_eq!(seed_at(7, start), seed_at(7, start));
        assert_ne!(seed_at(7, start), seed_at(8, start));
        assert_ne!(seed_at(7, start), seed_at(7, next));
    }
}
