//! One run of a tournament: hands out games, records them, and resumes where an earlier run stopped.

pub mod coordinator;
pub mod game_queue;
pub mod program_files;
pub mod results_dir;
pub mod worker;
