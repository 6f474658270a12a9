//! What a single edge is worth, looked up: every edge of discs there can be, worked out once.

use std::sync::OnceLock;

use rules::{Bitboard, Board, BoardSize};

/// What the discs along one edge amount to. Differences are the first side's less the other's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Edge {
    /// The first side's squares that no play along the edge can turn.
    own_stable: u8,
    /// The other side's.
    opponent_stable: u8,
    /// Blocks that can't be outflanked along the edge by the next move.
    anchors: i8,
    /// Unbalanced blocks.
    unbalanced: i8,
}

/// What the four edges amount to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCount {
    /// Squares of the mover, corners too, that no play along their edge can turn.
    pub own_stable: Bitboard,
    /// The opponent's.
    pub opponent_stable: Bitboard,
    /// Edges with an anchored block, mover's less opponent's.
    pub anchors: i32,
    /// Edges with an unbalanced block, mover's less opponent's.
    pub unbalanced: i32,
}

/// Every edge of one board size, by its discs.
pub struct EdgeTable {
    side: u32,
    /// By [`index`].
    edges: Vec<Edge>,
    /// 3^0 for bit 0, 3^1 for bit 1, and so on, summed up for each byte.
    ternary: [u16; 256],
    /// The bits of a byte one below the other, in column a.
    column: [u64; 256],
}

impl EdgeTable {
    /// The edges of this board size, worked out when they are first asked for.
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
        // The fewest empty squares first: stability looks at the edges one move on.
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

    /// What stays, whoever plays on whichever empty square next, and in all that follows.
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

/// Column a, its rows as the bits of a byte.
#[inline]
fn column_a(bits: u64) -> u8 {
    ((bits & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Every set of bits within `all`, the empty one too.
fn subsets(all: u8) -> impl Iterator<Item = u8> {
    (0..=all).filter(move |bits| bits & !all == 0)
}

/// What a disc of `own` on the empty square `bit` turns along the edge; perhaps nothing, where the
/// move is legal for what it turns elsewhere.
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

/// The blocks of neighbouring discs, each as its lowest and highest bit.
fn blocks(discs: u8) -> impl Iterator<Item = (u32, u32)> {
    let starts =
        (0..8).filter(move |&bit| discs >> bit & 1 != 0 && (bit == 0 || discs >> (bit - 1) & 1 == 0));
    starts.map(move |low| (low, low + (discs >> low).trailing_ones() - 1))
}

/// Whether there is a block between the corners, off the C-squares of empty corners, that the
/// opponent can't outflank along the edge at once: not one with the opponent at one end and an
/// empty square at the other.
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

/// Whether the edge holds one block, between two empty corners, that leaves one square free on one
/// side and none on the other: on 8x8, five discs with one of them on a C-square.
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
