//! A quick hash for tables that are asked millions of times and hold names or small numbers. It withstands no one
//! who means to slow us down: the names are those of the user's own records.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`QuickHasher`]s.
pub(crate) type Quick = BuildHasherDefault<QuickHasher>;

/// Eight bytes at a time, multiplied and folded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuickHasher(u64);

const OFFSET: u64 = 0xf39c_c060_5ced_c834;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|&word| self.write_u64(u64::from_le_bytes(word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(byte.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ OFFSET) * u128::from(FACTOR);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher as _;

    use super::*;

    #[test]
    fn names_and_numbers_are_spread() {
        let quick = Quick::default();
        let names = (0..10_000).map(|number| quick.hash_one(format!("engine{number}")));
        let numbers =
            (0..100u32).flat_map(|a| (0..100u32).map(move |b| (a, b))).map(|pair| quick.hash_one(pair));
        for hashes in [names.collect::<Vec<u64>>(), numbers.collect()] {
            for part in [|hash: u64| hash >> 50, |hash: u64| hash & 0x3fff] {
                // 10,000 into 16,384: chance leaves 7,485 apart.
                let apart = hashes.iter().map(|&hash| part(hash)).collect::<HashSet<_>>().len();
                assert!(apart > 6500, "{apart}");
            }
        }
    }
}
