//! `mcts`: Monte-Carlo tree search (UCT) that proves wins and losses where the tree reaches the end.
//!
//! - [`rollout`]: random games to the end
//! - [`tree`]: the search tree
//! - [`Mcts`]: the choice of a move, and when to stop

pub mod outcome;
pub mod rollout;
pub mod tree;

mod player;

pub use player::Mcts;

#[cfg(test)]
#[path = "../../../crates/rules/tests/common/simd_levels.rs"]
mod simd_levels;
