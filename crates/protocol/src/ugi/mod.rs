//! The grammar of UGI for Othello. [`Command`] is a line from the referee, [`EngineMessage`] a line from the engine.
//! Words are separated by any white space. A line that can't be read is an error or `None`, never a panic.

mod command;
mod engine_message;

pub use command::{Command, CommandError, Limits, Query, StartPosition};
pub use engine_message::{EngineMessage, Info};

/// The first word of a text, and the rest without the white space between.
pub(crate) fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}
