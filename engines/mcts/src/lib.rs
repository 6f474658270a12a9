//! `mcts`: Monte-Carlo tree search (UCT) that proves wins and losses where the tree reaches the end.
//!
//! - [`rollout`]: games played quickly to their end
//! - [`tree`]: what is known about the positions that come up, and how it grows
//! - [`Mcts`]: which move to play, and how long to look

pub mod outcome;
pub mod rollout;
pub mod tree;

mod player;

pub use player::Mcts;

#[cfg(test)]
#[path = "../../../crates/rules/tests/common/simd_levels.rs"]
mod simd_levels;
