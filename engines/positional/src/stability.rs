//! Stable discs: they can never be flipped.

use rules::{Bitboard, BoardSize};

/// Finds stable discs among `own`, starting from discs known to be `stable`. A disc is added if on each of
/// the four lines through it one of three things holds: a neighbour is a stable disc, a neighbour is
/// beyond the edge of the board, or the line has no empty square. All discs found are stable; some may
/// be missed.
#[must_use]
pub fn stable(own: Bitboard, stable: Bitboard, empty: Bitboard, size: BoardSize) -> Bitboard {
    let full = full_lines(empty, size);
    let mut found = stable & own;
    loop {
        let mut more = own;
        for (step, full) in STEPS.into_iter().zip(full) {
            more &= full | supported(found, step, size);
        }
        more |= found;
        if more == found {
            return found;
        }
        found = more;
    }
}

/// A line through a square: the distance in bits, and masks that stop a step from wrapping around.
#[derive(Clone, Copy)]
struct Step {
    bits: u32,
    /// The columns that a step to a higher bit can reach.
    up: u64,
    /// The columns that a step to a lower bit can reach.
    down: u64,
}

const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

const STEPS: [Step; 4] = [
    Step { bits: 1, up: NOT_A, down: NOT_H },
    Step { bits: 8, up: u64::MAX, down: u64::MAX },
    Step { bits: 7, up: NOT_H, down: NOT_A },
    Step { bits: 9, up: NOT_A, down: NOT_H },
];

impl Step {
    fn up(self, squares: u64) -> u64 {
        squares << self.bits & self.up
    }

    fn down(self, squares: u64) -> u64 {
        squares >> self.bits & self.down
    }
}

/// The squares beside a stable disc or the edge of the board, along one line.
fn supported(stable: Bitboard, step: Step, size: BoardSize) -> Bitboard {
    let board = size.mask().bits();
    let by_disc = step.up(stable.bits()) | step.down(stable.bits());
    let by_rim = board & !step.up(board) | board & !step.down(board);
    Bitboard::from_bits(by_disc | by_rim)
}

/// For each of the four lines, the squares whose line has no empty square.
fn full_lines(empty: Bitboard, size: BoardSize) -> [Bitboard; 4] {
    let board = size.mask().bits();
    STEPS.map(|step| {
        // Spread the empty squares along their lines in both directions.
        let mut open = empty.bits();
        for _ in 1..size.side() {
            open |= (step.up(open) | step.down(open)) & board;
        }
        Bitboard::from_bits(board & !open)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Position;

    fn of(text: &str) -> (Bitboard, u32) {
        let position: Position = text.parse().unwrap();
        let (size, board) = (position.size(), position.board());
        let corners = board.own & size.corners();
        let found = stable(board.own, corners, position.empty(), size);
        (found, found.len())
    }

    #[test]
    fn from_the_corner_outwards() {
        assert_eq!(of("---------------------------OX------XO--------------------------- X").1, 0);
        let corner = "XXX-----XX------X-----------------------------------------------X";
        assert_eq!(of(corner).1, 6, "a triangle in the corner");
        // b2 is supported by a1, b1 and a2, but not along the other diagonal, from a3 to c1.
        assert_eq!(of("XX------XX------------------------------------------------------X").1, 3);
    }

    #[test]
    fn a_full_board_can_not_change() {
        let text = "XXXXOOOOXXXXOOOOXXXXOOOOXXXXOOOOXXXXOOOOXXXXOOOOXXXXOOOOXXXXOOOOX";
        assert_eq!(of(text).1, 32);
        assert_eq!(of("XXOOXXOOXXOOXXOOX").1, 8, "4x4");
    }

    /// Whatever is played in the last eight moves, nothing that was stable is turned.
    #[test]
    fn stable_discs_stay() {
        use rules::Turn;
        fn check(position: Position, kept: Bitboard, side: rules::Color) {
            assert_eq!(position.discs()[side] & kept, kept, "{position}");
            match position.turn() {
                Turn::Place(moves) => moves.iter().for_each(|m| check(position.after(m), kept, side)),
                Turn::Pass(pass) => check(position.after_pass(pass), kept, side),
                Turn::Over(_) => {}
            }
        }
        // A game played by a fixed rule to its last squares, on each board.
        for (size, left) in [(BoardSize::Four, 7), (BoardSize::Six, 6), (BoardSize::Eight, 6)] {
            for rule in 0..12usize {
                let mut position = Position::start(size);
                let mut ply = rule;
                while position.empty().len() > left {
                    position = match position.turn() {
                        Turn::Place(moves) => position.after(moves.get(ply % moves.len()).unwrap()),
                        Turn::Pass(pass) => position.after_pass(pass),
                        Turn::Over(_) => break,
                    };
                    ply = (ply * 7 + 3) & 0xFFFF;
                }
                for side in rules::Color::ALL {
                    let own = position.discs()[side];
                    let kept = stable(own, own & size.corners(), position.empty(), size);
                    check(position, kept, side);
                }
            }
        }
    }
}
