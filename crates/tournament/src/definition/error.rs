//! Errors of a definition, with their place.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error of a definition: file, line and key, and what is wrong, on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionError {
    /// The file; `None` is the command line.
    pub file: Option<PathBuf>,
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The key, such as `engine[2].options.Corners` (of the second engine), or the option of the
    /// command line.
    pub key: Option<String>,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl DefinitionError {
    /// An error of a file as a whole.
    #[must_use]
    pub fn in_file(file: &Path, message: impl Into<String>) -> Self {
        Self { file: Some(file.to_owned()), line: None, key: None, message: message.into() }
    }

    /// An error at a line of a file.
    #[must_use]
    pub fn at_line(file: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::in_file(file, message) }
    }

    /// An error of the command line.
    #[must_use]
    pub fn on_command_line(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: None, line: None, key: Some(key.into()), message: message.into() }
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            f.write_str(" ")?;
        }
        if let Some(key) = &self.key {
            write_on_one_line(key, f)?;
            f.write_str(": ")?;
        }
        write_on_one_line(&self.message, f)
    }
}

/// Writes text from an engine or a file on one line, without control characters, cut after 3000 bytes.
fn write_on_one_line(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const LONGEST: usize = 3000;
    let mut room = LONGEST;
    for character in text.chars() {
        let shown = match character {
            '\n' | '\r' | '\t' => " ".to_owned(),
            _ if character.is_control() => character.escape_default().to_string(),
            _ => character.to_string(),
        };
        let Some(left) = room.checked_sub(shown.len()) else { return f.write_str("...") };
        room = left;
        f.write_str(&shown)?;
    }
    Ok(())
}

impl std::error::Error for DefinitionError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_a_line() {
        let text = format!("a\nb\u{1b} {}", "x".repeat(100_000));
        let shown = DefinitionError::in_file(Path::new("t.toml"), text).to_string();
        assert!(shown.starts_with("t.toml: a b\\u{1b} xxx") && shown.ends_with("xxx..."), "{shown}");
        assert!(shown.len() < 4000, "{}", shown.len());
    }
}
