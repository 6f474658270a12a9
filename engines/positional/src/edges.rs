//! Edge patterns: the features of every possible edge, computed once and looked up.

use std::sync::OnceLock;

use rules::{Bitboard, Board, BoardSize};

/// The features of one edge. Differences are those of the first side less those of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Edge {
    /// The first side's discs that no play along the edge can flip.
    own_stable: u8,
    /// The same for the other side.
    opponent_stable: u8,
    /// The difference in edges with an anchored block: it can't be outflanked along the edge by the next move.
    anchors: i8,
    /// The difference in edges that are an unbalanced block.
    unbalanced: i8,
}

/// The features of all four edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCount {
    /// The mover's discs, including corners, that no play along their edge can flip.
    pub own_stable: Bitboard,
    /// The same for the opponent.
    pub opponent_stable: Bitboard,
    /// Edges with an anchored block: the mover's less the opponent's.
    pub anchors: i32,
    /// Edges with an unbalanced block: the mover's less the opponent's.
    pub unbalanced: i32,
}

/// The features of every edge of one board size.
pub struct EdgeTable {
    side: u32,
    /// By [`index`].
    edges: Vec<Edge>,
    /// For each byte, the sum of 3^n over its set bits n.
    ternary: [u16; 256],
    /// For each byte, its bits spread over column a.
    column: [u64; 256],
}

impl EdgeTable {
    /// The table of this board size; the first call computes it.
    #[must_use]
    pub fn of(size: BoardSize) -> &'static Self {
        static TABLES: [OnceLock<EdgeTable>; 3] = [const { OnceLock::new() }; 3];
        let place = match size {
            BoardSize::Four => 0,
            BoardSize::Six => 1,
            BoardSize::Eight => 2,
        };
        TABLES[place].get_or_init(|| Self::new(size))
    }

    fn new(size: BoardSize) -> Self {
        let side = u32::from(size.side());
        let mut ternary = [0; 256];
        let mut column = [0; 256];
        for byte in 0..256usize {
            for bit in 0..8 {
                if byte >> bit & 1 != 0 {
                    ternary[byte] += 3u16.pow(bit);
                    column[byte] |= 1 << (8 * bit);
                }
            }
        }
        let mut table = Self { side, edges: Vec::new(), ternary, column };
        table.edges = vec![Edge::default(); 3usize.pow(side)];
        let all = ((1u32 << side) - 1) as u8;
        let mut pairs: Vec<(u8, u8)> =
            (0..=all).flat_map(|own| subsets(all & !own).map(move |other| (own, other))).collect();
        // Edges with fewer empty squares first: stability needs the edges after one more move.
        pairs.sort_by_key(|(own, opponent)| (all & !(own | opponent)).count_ones());
        for (own, opponent) in pairs {
            let index = table.index(own, opponent);
            table.edges[index] = table.compute(own, opponent, all);
        }
        table
    }

    fn index(&self, own: u8, opponent: u8) -> usize {
        usize::from(self.ternary[usize::from(own)]) + 2 * usize::from(self.ternary[usize::from(opponent)])
    }

    fn compute(&self, own: u8, opponent: u8, all: u8) -> Edge {
        let block = |a, b| i8::from(is_anchored(a, b, self.side));
        let unbalanced = |a, b| i8::from(is_unbalanced(a, b, self.side));
        let (own_stable, opponent_stable) = self.stable(own, opponent, all);
        Edge {
            own_stable,
            opponent_stable,
            anchors: block(own, opponent) - block(opponent, own),
            unbalanced: unbalanced(own, opponent) - unbalanced(opponent, own),
        }
    }

    /// The discs of each side that stay whichever side plays on whichever empty square, now and later.
    fn stable(&self, own: u8, opponent: u8, all: u8) -> (u8, u8) {
        let empty = all & !(own | opponent);
        let squares = (0..self.side).map(|bit| 1u8 << bit).filter(|bit| empty & bit != 0);
        squares.fold((own, opponent), |(own_left, opponent_left), bit| {
            let turned = turned(bit, own, opponent);
            let after_own = self.edges[self.index(own | bit | turned, opponent & !turned)];
            let turned = self::turned(bit, opponent, own);
            let after_opponent = self.edges[self.index(own & !turned, opponent | bit | turned)];
            (
                own_left & after_own.own_stable & after_opponent.own_stable,
                opponent_left & after_own.opponent_stable & after_opponent.opponent_stable,
            )
        })
    }

    /// Adds up the four edges of a board.
    #[inline]
    #[must_use]
    pub fn count(&self, board: Board) -> EdgeCount {
        let last = self.side - 1;
        let mut count = EdgeCount::default();
        let (own, opponent) = (board.own.bits(), board.opponent.bits());
        for shift in [0, 8 * last] {
            let edge = self.edges[self.index((own >> shift) as u8, (opponent >> shift) as u8)];
            count.add(edge, |stable| u64::from(stable) << shift);
        }
        for shift in [0, last] {
            let edge = self.edges[self.index(column_a(own >> shift), column_a(opponent >> shift))];
            count.add(edge, |stable| self.column[usize::from(stable)] << shift);
        }
        count
    }
}

impl EdgeCount {
    #[inline]
    fn add(&mut self, edge: Edge, to_board: impl Fn(u8) -> u64) {
        self.own_stable |= Bitboard::from_bits(to_board(edge.own_stable));
        self.opponent_stable |= Bitboard::from_bits(to_board(edge.opponent_stable));
        self.anchors += i32::from(edge.anchors);
        self.unbalanced += i32::from(edge.unbalanced);
    }
}

/// Gathers column a into a byte, row 1 as bit 0.
#[inline]
fn column_a(bits: u64) -> u8 {
    ((bits & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// All subsets of the bits of `all`, including the empty one.
fn subsets(all: u8) -> impl Iterator<Item = u8> {
    (0..=all).filter(move |bits| bits & !all == 0)
}

/// The discs that an own disc on the empty square `bit` flips along the edge. It may flip none: the move
/// can be legal because of flips elsewhere.
fn turned(bit: u8, own: u8, opponent: u8) -> u8 {
    let towards = |step: fn(u8) -> u8| {
        let (mut run, mut at) = (0, step(bit));
        while at & opponent != 0 {
            run |= at;
            at = step(at);
        }
        if at & own != 0 { run } else { 0 }
    };
    towards(|at| at << 1) | towards(|at| at >> 1)
}

/// The runs of adjacent discs, each as its lowest and highest bit.
fn blocks(discs: u8) -> impl Iterator<Item = (u32, u32)> {
    let starts =
        (0..8).filter(move |&bit| discs >> bit & 1 != 0 && (bit == 0 || discs >> (bit - 1) & 1 == 0));
    starts.map(move |low| (low, low + (discs >> low).trailing_ones() - 1))
}

/// True if the edge has an anchored block: it lies between the corners, does not touch the C-square of
/// an empty corner, and the opponent can't outflank it along the edge with the next move (which needs
/// an opponent's disc at one end and an empty square at the other).
fn is_anchored(own: u8, opponent: u8, side: u32) -> bool {
    let last = side - 1;
    let is_empty = |bit: u32| (own | opponent) >> bit & 1 == 0;
    let is_opponent = |bit: u32| opponent >> bit & 1 != 0;
    blocks(own).any(|(low, high)| {
        if low == 0 || high == last {
            return false; // held by a corner: stable, not merely anchored
        }
        let open_corner = (low == 1 && is_empty(0)) || (high == last - 1 && is_empty(last));
        let outflanked =
            (is_opponent(low - 1) && is_empty(high + 1)) || (is_empty(low - 1) && is_opponent(high + 1));
        !open_corner && !outflanked
    })
}

/// True if the edge is one unbalanced block between two empty corners: one empty square lies between it
/// and one corner, none between it and the other. On 8x8 these are five discs, one on a C-square.
fn is_unbalanced(own: u8, opponent: u8, side: u32) -> bool {
    let block = (1u32 << (side - 3)) - 1;
    opponent == 0 && (u32::from(own) == block << 1 || u32::from(own) == block << 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Symmetry;

    /// An edge as drawn: own `X`, the opponent's `O`.
    fn edge(text: &str) -> Edge {
        let size = BoardSize::try_from(text.len() as u8).unwrap();
        let bits = |disc| text.chars().enumerate().filter(|&(_, c)| c == disc).map(|(at, _)| 1u8 << at).sum();
        let table = EdgeTable::of(size);
        table.edges[table.index(bits('X'), bits('O'))]
    }

    #[test]
    fn stable_edges() {
        for (text, own, opponent) in [
            ("--------", 0, 0),
            ("X-------", 1, 0),
            ("XXX-----", 7, 0),
            ("XOX-----", 1, 0),
            ("XOOOOOOX", 0b1000_0001, 0b0111_1110),
            ("XOXOXOXO", 0b0101_0101, 0b1010_1010),
            ("-XXXXXX-", 0, 0),
            ("XXO-----", 3, 0),
            ("XXO----O", 3, 0b1000_0000),
            ("-XXXXXXX", 0b1111_1110, 0),
        ] {
            let edge = edge(text);
            assert_eq!((edge.own_stable, edge.opponent_stable), (own, opponent), "{text}");
        }
    }

    #[test]
    fn anchored_and_unbalanced_edges() {
        for (text, anchors, unbalanced) in [
            ("--------", 0, 0),
            ("--XX----", 1, 0),
            ("--XXO---", -0, 0),
            ("-OXXO---", 1, 0),
            ("-XX-----", 0, 0),
            ("OXX-----", 0, 0),
            ("-XXXXX--", 0, 1),
            ("--OOOOO-", 0, -1),
            ("-XXXXXX-", 0, 0),
            ("-XXXX---", 0, 0),
            ("XXXXX---", 0, 0),
            ("-XXX--", 0, 1),
            ("-X--", 0, 1),
            ("XX--", 0, 0),
        ] {
            let found = edge(text);
            assert_eq!((found.anchors, found.unbalanced), (anchors, unbalanced), "{text}");
        }
    }

    #[test]
    fn edges_of_a_board_are_found_on_all_sides() {
        for size in BoardSize::ALL {
            let table = EdgeTable::of(size);
            let top = (size.edges().bits() & 0xFF) as u8;
            let row = Board { own: Bitboard::from_bits(u64::from(top)), opponent: Bitboard::EMPTY };
            for symmetry in Symmetry::ALL {
                let own = row.own.image(symmetry, size);
                let count = table.count(Board { own, ..row });
                assert_eq!((count.own_stable, count.opponent_stable), (own, Bitboard::EMPTY), "{size}");
            }
        }
    }
}
