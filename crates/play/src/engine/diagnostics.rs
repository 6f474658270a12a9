//! What is known of an engine when its game is over, taken down before the engine plays on or is gone.

use super::dialogue_log::DialogueLog;
use engine_process::exit_status::ExitStatus;

/// What was said between us and an engine in a game, and what else is known of its process.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    /// Every line, both ways. Of the first game of a process, its start too.
    pub journal: DialogueLog,
    /// What had come of a line without an end; cut to 4 KiB.
    pub unfinished: Vec<u8>,
    /// Lines longer than 64 KiB, which were skipped.
    pub skipped_lines: u64,
    /// The end of its standard error, at most 16 KiB, since its process was started.
    pub errors: Vec<u8>,
    /// How much it has written to standard error since then, in bytes.
    pub errors_written: u64,
    /// How its process ended, if it has.
    pub ended: Option<ExitStatus>,
    /// Whether we stopped it.
    pub stopped: bool,
}
