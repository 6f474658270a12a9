//! `positional`: alpha-beta over an evaluation, and an exact search once few squares are empty. Each
//! term of the evaluation has its weight as an option.
//!
//! - [`weights`]: the terms and their options
//! - [`evaluation`]: the value of a position; [`edges`] and [`stability`] are parts of it
//! - [`search`]: alpha-beta; [`transposition_table`] stores its results
//! - [`Positional`]: iterative deepening, and the choice of a move

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
