//! The transposition table: results of the search by position, in a table of fixed size.

use rules::{Board, Square};

/// The relation of a stored value to the true value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// The true value is at least the stored one.
    #[default]
    Lower,
    /// The true value is at most the stored one.
    Upper,
    /// The stored value is the true one.
    Exact,
}

/// The result of searching a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The value of the position, or a bound on it.
    pub value: i32,
    /// The kind of bound.
    pub bound: Bound,
    /// The search depth in plies.
    pub depth: u8,
    /// The best move, if one was found.
    pub best: Option<Square>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: u64,
    value: i32,
    depth: u8,
    bound: Bound,
    /// The index of the square of the best move; above 63 if there is none.
    best: u8,
    /// The generation of the entry; 0 if it was never used.
    search: u8,
}

/// The table. A search does not see the entries of earlier searches, so that an answer depends on its
/// position alone.
pub struct TranspositionTable {
    entries: Vec<Entry>,
    search: u8,
}

/// The two kinds of values, which must not be mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values by the evaluation, from a search to a depth.
    Heuristic,
    /// Final disc differences, from a search to the end.
    Exact,
}

impl TranspositionTable {
    /// A table of at most this many bytes, but at least one entry.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let fit = (bytes / size_of::<Entry>()).max(1);
        let entries = 1usize << fit.ilog2();
        Self { entries: vec![Entry::default(); entries], search: 1 }
    }

    /// Makes all entries invalid, by starting a new generation.
    pub fn clear(&mut self) {
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(Entry::default());
            1
        });
    }

    /// The stored result of a position, if there is one.
    #[inline]
    #[must_use]
    pub fn probe(&self, board: Board, kind: Kind) -> Option<SearchResult> {
        let key = key(board, kind);
        let entry = &self.entries[self.place(key)];
        (entry.key == key && entry.search == self.search).then(|| SearchResult {
            value: entry.value,
            bound: entry.bound,
            depth: entry.depth,
            best: Square::from_index(entry.best),
        })
    }

    /// Stores the result of a position; it replaces any other entry in its place.
    #[inline]
    pub fn store(&mut self, board: Board, kind: Kind, result: SearchResult) {
        let key = key(board, kind);
        let place = self.place(key);
        self.entries[place] = Entry {
            key,
            value: result.value,
            depth: result.depth,
            bound: result.bound,
            best: result.best.map_or(u8::MAX, Square::index),
            search: self.search,
        };
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        // The length is a power of two.
        key as usize & (self.entries.len() - 1)
    }
}

/// A 64-bit hash of the position and the kind of value.
#[inline]
fn key(board: Board, kind: Kind) -> u64 {
    let own = board.own.bits().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let opponent = board.opponent.bits().wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = own ^ opponent.rotate_left(31) ^ kind as u64;
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{BoardSize, Position};

    #[test]
    fn what_is_kept_is_found_until_it_is_forgotten() {
        let board = Position::start(BoardSize::Eight).board();
        let mut table = TranspositionTable::new(1 << 16);
        let result = SearchResult { value: -7, bound: Bound::Upper, depth: 3, best: "f5".parse().ok() };
        assert_eq!(table.probe(board, Kind::Heuristic), None);
        for _ in 0..600 {
            table.store(board, Kind::Heuristic, result);
            assert_eq!(table.probe(board, Kind::Heuristic), Some(result));
            assert_eq!(table.probe(board, Kind::Exact), None);
            assert_eq!(table.probe(board.swapped(), Kind::Heuristic), None);
            table.clear();
            assert_eq!(table.probe(board, Kind::Heuristic), None);
        }
    }

    #[test]
    fn an_entry_is_small_and_the_table_within_its_bound() {
        assert_eq!(size_of::<Entry>(), 16);
        assert_eq!(TranspositionTable::new(3 << 20).entries.len() * 16, 2 << 20);
        assert_eq!(TranspositionTable::new(0).entries.len(), 1);
    }
}
