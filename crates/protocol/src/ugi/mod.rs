//! The grammar of UGI as Othello engines speak it, both ways: [`Command`] is what the referee
//! says, [`EngineMessage`] what the engine says. Words are separated by any white space; whatever can't
//! be read is reported as such and never a reason to stop.

mod command;
mod engine_message;

pub use command::{Command, CommandError, Limits, Query, StartPosition};
pub use engine_message::{EngineMessage, Info};

/// The first word of a text, and what follows it without the white space between.
pub(crate) fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}
