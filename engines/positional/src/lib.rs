//! `positional`: alpha-beta over an evaluation whose every term can be weighed by an option, and an
//! exact search once few squares are empty.
//!
//! - [`weights`]: the terms and their options
//! - [`evaluation`]: what a position is worth; [`edges`] and [`stability`] are parts of it
//! - [`search`]: alpha-beta; [`transposition_table`] keeps what it has found
//! - [`Positional`]: which move to play, as deep as options and time allow

pub mod edges;
pub mod evaluation;
mod order;
pub mod search;
pub mod stability;
pub mod transposition_table;
pub mod weights;

mod player;

pub use player::Positional;

#[cfg(test)]
#[path = "../../../crates/rules/tests/common/simd_levels.rs"]
mod simd_levels;
