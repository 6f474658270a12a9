//! What is fed with bytes: each module has a `run` that panics when a law is broken. The fuzzer calls them
//! with bytes of its own invention, the tests of the workspace with those in `corpus`.

pub mod definition;
pub mod dialects;
pub mod formats;
pub mod game;
mod laws;
mod pretended;
