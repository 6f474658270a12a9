//! The referee's side of each protocol. A dialect is text to and from the same few messages, in
//! one file; adding one takes that file and its line in [`DialectKind`].

mod ugi;

use std::fmt;
use std::str::FromStr;

use rules::{BoardSize, Variant};

use crate::message::{Heard, Identity, Question, Reply};

pub use ugi::Ugi;

/// One engine's dialogue in one protocol. It holds what the dialogue has come to, but no pipe and
/// no clock: questions go in, text comes out; lines go in, their meaning comes out.
pub trait Dialect: fmt::Debug + Send {
    /// Appends what is to be sent to the engine, and says whether an answer is to be waited for.
    /// Until it has come, nothing else is asked but [`Question::Stop`] and [`Question::Quit`].
    fn ask(&mut self, question: &Question<'_>, out: &mut Vec<u8>) -> Reply;

    /// Takes one line from the engine. May append what has to be sent at once.
    fn hear(&mut self, line: &str, out: &mut Vec<u8>) -> Heard;

    /// Who the engine said it is; complete once the greeting is answered.
    fn identity(&self) -> &Identity;

    /// Why the engine, by what it declared, can't play this variant on this board; `None` if it can.
    fn cannot_play(&self, variant: Variant, size: BoardSize) -> Option<String>;
}

/// The protocols there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DialectKind {
    /// Universal Game Interface, bound to Othello.
    #[default]
    Ugi,
}

impl DialectKind {
    /// All protocols, in the order in which they are named to the user.
    pub const ALL: [Self; 1] = [Self::Ugi];

    /// A fresh dialogue in this protocol.
    #[must_use]
    pub fn dialogue(self) -> Box<dyn Dialect> {
        match self {
            Self::Ugi => Box::<Ugi>::default(),
        }
    }

    /// Whether options can be set in this protocol.
    #[must_use]
    pub fn has_options(self) -> bool {
        match self {
            Self::Ugi => true,
        }
    }

    /// The word for it in definitions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
        }
    }
}

impl fmt::Display for DialectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DialectKind {
    type Err = String;

    /// # Errors
    /// A sentence that names the protocols there are.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|kind| kind.name()).collect();
            format!("`{text}` is not a protocol; there is {}", names.join(", "))
        })
    }
}
