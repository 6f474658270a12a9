//! All positions after a number of plies.

use std::collections::HashMap;

use rules::{Ply, Position, PositionKey, Turn};

/// The most positions that are listed. On 8x8 there are 67,245 after 8 plies and 434,029 after 9.
pub const MOST_POSITIONS: usize = 500_000;

/// All positions after `plies` plies from `start`, each once up to symmetry, with a line that leads to it (passes
/// included), in a fixed order. `None` if at some ply there are more than `most`.
#[must_use]
pub fn positions_after(start: Position, plies: u32, most: usize) -> Option<Vec<(Vec<Ply>, Position)>> {
    let mut layer: HashMap<PositionKey, (Vec<Ply>, Position)> = HashMap::new();
    layer.insert(start.canonical(), (Vec::new(), start));
    for _ in 0..plies {
        let before = sorted(layer);
        layer = HashMap::with_capacity(before.len() * 4);
        for (line, position) in before {
            let children: Vec<(Ply, Position)> = match position.turn() {
                Turn::Place(moves) => {
                    moves.iter().map(|legal| (legal.ply(), position.after(legal))).collect()
                }
                Turn::Pass(forced) => vec![(Ply::Pass, position.after_pass(forced))],
                Turn::Over(_) => Vec::new(),
            };
            for (ply, child) in children {
                layer.entry(child.canonical()).or_insert_with(|| {
                    let mut longer = line.clone();
                    longer.push(ply);
                    (longer, child)
                });
            }
            if layer.len() > most {
                return None;
            }
        }
    }
    Some(sorted(layer))
}

/// Sorted by key, so that the order depends on nothing else.
fn sorted(layer: HashMap<PositionKey, (Vec<Ply>, Position)>) -> Vec<(Vec<Ply>, Position)> {
    let mut all: Vec<_> = layer.into_iter().collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    all.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    fn count(start: Position, plies: u32) -> Option<usize> {
        positions_after(start, plies, MOST_POSITIONS).map(|all| all.len())
    }

    #[test]
    fn there_are_as_many_as_are_known() {
        let start = Position::start(BoardSize::Eight);
        let counts = (0..=6).map(|plies| count(start, plies)).collect::<Option<Vec<_>>>();
        assert_eq!(counts, Some(vec![1, 1, 3, 14, 60, 322, 1773]));
    }

    #[test]
    #[ignore = "takes its time in a debug build"]
    fn there_are_as_many_as_are_known_further_on() {
        let start = Position::start(BoardSize::Eight);
        assert_eq!([7, 8].map(|plies| count(start, plies)), [Some(10_649), Some(67_245)]);
    }

    #[test]
    fn lines_lead_to_their_positions() {
        for start in [Position::start(BoardSize::Six), Position::parallel(BoardSize::Four)] {
            for (line, position) in positions_after(start, 5, MOST_POSITIONS).expect("few") {
                assert_eq!(rules::replay(start, line).expect("legal").position(), position);
            }
        }
    }

    #[test]
    fn too_many_are_not_listed() {
        assert_eq!(positions_after(Position::start(BoardSize::Eight), 6, 1000), None);
    }
}
