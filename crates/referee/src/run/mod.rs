//! One run of a tournament: games are handed out, played, recorded, and resumed where an earlier run stopped.

pub mod coordinator;
pub mod game_queue;
pub mod results_dir;
pub mod worker;
