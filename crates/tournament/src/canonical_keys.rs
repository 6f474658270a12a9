//! Keys that are equal for positions and for games that are the same up to the board's symmetries.

use records::{GameRecord, RecordError};
use rules::{Bitboard, ByColor, Color, Ply, Position, Symmetry};

/// A 64-bit hash of words. It is stored nowhere, so that it may change.
pub(crate) fn fold(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut state = 0x0ddb_1a5e_5bad_5eed_u64;
    for word in words {
        state = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 29;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 32;
    }
    state
}

/// The keys of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameKeys {
    /// Of the position after the opening.
    pub start: u64,
    /// Of the whole game: equal if one symmetry takes start and moves (passes left out) of one game to those of the
    /// other, and the same engines have the same colours.
    pub game: u64,
}

impl GameKeys {
    /// The keys of a game with the position `opened` after its opening, and these plies from there on. `players`
    /// are any two numbers that identify the engines.
    #[must_use]
    pub fn new(opened: Position, plies: impl Iterator<Item = Ply> + Clone, players: ByColor<u64>) -> Self {
        let size = opened.size();
        let side = opened.side_to_move();
        let discs = |symmetry: Symmetry| {
            let discs = opened.discs().map(|squares: Bitboard| squares.image(symmetry, size).bits());
            (discs.black, discs.white)
        };
        let images = Symmetry::ALL.map(|symmetry| (discs(symmetry), symmetry));
        let least = images.iter().map(|(discs, _)| *discs).min().unwrap_or_default();
        let start = fold([least.0, least.1, u64::from(side == Color::White), u64::from(size.side())]);
        // The least image of the whole game has the least start. So only symmetries with that start are compared.
        let line = |symmetry: Symmetry| {
            let squares = plies.clone().filter_map(Ply::square);
            squares.map(move |square| square.image(symmetry, size).index())
        };
        let candidates = images.iter().filter(|(discs, _)| *discs == least).map(|(_, symmetry)| *symmetry);
        let chosen = candidates.min_by(|&a, &b| line(a).cmp(line(b)));
        let moves = chosen.into_iter().flat_map(line).map(u64::from);
        let game = fold([start, players.black, players.white].into_iter().chain(moves));
        Self { start, game }
    }

    /// The keys of a recorded game, which is replayed for that.
    ///
    /// # Errors
    /// [`RecordError`] if the record contradicts itself.
    pub fn of(record: &GameRecord, players: ByColor<u64>) -> Result<Self, RecordError> {
        let opened = record.replay()?.after_opening;
        Ok(Self::new(opened, record.moves.iter().map(|played| played.ply), players))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rules::{BoardSize, Turn, Variant};

    fn keys(opening: &str, moves: &str, players: (u64, u64)) -> GameKeys {
        let plies = |text: &str| -> Vec<Ply> {
            rules::parse_plies(text).expect(text).into_iter().map(|(ply, _)| ply).collect()
        };
        let opened =
            rules::replay(Position::start(BoardSize::Eight), plies(opening)).expect(opening).position();
        GameKeys::new(opened, plies(moves).into_iter(), ByColor::new(players.0, players.1))
    }

    #[test]
    fn replays_are_found_and_others_are_not() {
        let game = keys("f5d6", "c3d3c4", (1, 2));
        assert_eq!(keys("d3c5", "f6e6f5", (1, 2)).start, keys("e6f4", "c3c4d3", (1, 2)).start);
        assert_eq!(keys("e6f4", "c3c4d3", (1, 2)), game, "mirrored along the diagonal");
        assert_ne!(keys("f5d6", "c3d3c4", (2, 1)).game, game.game, "colours swapped");
        assert_ne!(keys("f5d6", "c3d3c4", (1, 3)).game, game.game, "another opponent");
        assert_ne!(keys("f5d6", "c3d3", (1, 2)).game, game.game);
        assert_ne!(keys("f5f4", "c3", (1, 2)).start, game.start);
    }

    proptest! {
        #[test]
        fn keys_do_not_change_under_symmetry(choices in prop::collection::vec(0usize..60, 20), opening in 0usize..8, which in 0usize..8, variant in 0usize..3) {
            let start = Variant::ALL[variant].start(BoardSize::Eight);
            let mut position = start;
            let mut plies = Vec::new();
            for choice in choices {
                let Turn::Place(moves) = position.turn() else { break };
                let chosen = moves.get(choice % moves.len()).expect("within the moves");
                plies.push(chosen.ply());
                position = position.after(chosen);
            }
            let opened = rules::replay(start, plies[..opening].iter().copied()).expect("legal").position();
            let symmetry = Symmetry::ALL[which];
            let image = |ply: &Ply| ply.square().map_or(Ply::Pass, |square| square.image(symmetry, BoardSize::Eight).into());
            let rest = plies[opening..].to_vec();
            let mirrored: Vec<Ply> = rest.iter().map(image).collect();
            let players = ByColor::new(5, 9);
            let key = GameKeys::new(opened, rest.iter().copied(), players);
            prop_assert_eq!(GameKeys::new(opened.image(symmetry), mirrored.into_iter(), players), key);
        }
    }
}
