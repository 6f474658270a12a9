//! Engines numbered by their names, which are looked up twice a game.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use crate::quick::Quick;

/// Numbers by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    short: HashMap<Short, u32, Quick>,
    long: HashMap<String, u32, Quick>,
}

/// A name of at most 16 bytes, which is kept in the table itself and compared in one step: its first and its last
/// bytes, which overlap unless it has eight or sixteen, and how many it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Short {
    first: u64,
    last: u64,
    length: u64,
}

/// One word, so that it is hashed in one step. Where the bytes overlap, turning one half keeps them from cancelling
/// each other.
impl Hash for Short {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.first ^ self.last.rotate_left(29) ^ self.length);
    }
}

impl Short {
    #[inline]
    fn of(name: &str) -> Option<Self> {
        let bytes = name.as_bytes();
        let (first, last) = match bytes.len() {
            8..=16 => (eight(bytes.first_chunk()?), eight(bytes.last_chunk()?)),
            4..=7 => (four(bytes.first_chunk()?), four(bytes.last_chunk()?)),
            0..=3 => (bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
            _ => return None,
        };
        Some(Self { first, last, length: bytes.len() as u64 })
    }
}

fn eight(bytes: &[u8; 8]) -> u64 {
    u64::from_le_bytes(*bytes)
}

fn four(bytes: &[u8; 4]) -> u64 {
    u32::from_le_bytes(*bytes).into()
}

impl Names {
    /// The number of a name, if it has one.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        match Short::of(name) {
            Some(short) => self.short.get(&short).copied(),
            None => self.long.get(name).copied(),
        }
    }

    /// Gives a name its number.
    pub(crate) fn insert(&mut self, name: &str, number: u32) {
        match Short::of(name) {
            Some(short) => self.short.insert(short, number),
            None => self.long.insert(name.to_owned(), number),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_length_are_told_apart() {
        // Of each length one name, and those that differ from it in one place.
        let one = |length: usize| {
            (0..=length).map(move |place| {
                (0..length).map(|at| if at == place { '\0' } else { 'a' }).collect::<String>()
            })
        };
        let all: Vec<String> = (0..40).flat_map(one).collect();
        let mut names = Names::default();
        for (number, name) in (0..).zip(&all) {
            assert_eq!(names.get(name), None, "{name:?}");
            names.insert(name, number);
        }
        for (number, name) in (0..).zip(&all) {
            assert_eq!(names.get(name), Some(number), "{name:?}");
        }
    }
}
