//! All of a tournament that is decided without playing.
pub mod attendance;
pub mod definition;
pub mod keys;
pub mod openings;
pub mod resolved;
pub mod schedule;
pub mod seeds;
