//! Dialogue, standard error and exit status of an engine at the end of a game, copied before it plays on or is stopped.

use super::dialogue_log::DialogueLog;
use engine_process::exit_status::ExitStatus;

/// The dialogue with an engine in one game, and the state of its process.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    /// Every line, both ways. Of the first game of a process, its start too.
    pub journal: DialogueLog,
    /// The begin of an unfinished line, at most 4 KiB.
    pub unfinished: Vec<u8>,
    /// Lines longer than 64 KiB, which were skipped.
    pub skipped_lines: u64,
    /// The end of its standard error, at most 16 KiB, since its process was started.
    pub errors: Vec<u8>,
    /// How much it has written to standard error since then, in bytes.
    pub errors_written: u64,
    /// How its process ended, if it has.
    pub ended: Option<ExitStatus>,
    /// True if we stopped it.
    pub stopped: bool,
}
