//! Laws that hold for whatever we say to people.

use std::fmt::{self, Write as _};

/// One line, not endless, in which nothing but printable characters stands.
pub fn is_fit_to_show(text: &str) {
    assert!(text.chars().count() < 10_000, "{} bytes to say what is wrong", text.len());
    assert!(!text.contains(char::is_control), "{text:?}");
}

/// How many characters a value holds in all, as its debug text has them: an escaped one counts once.
pub fn size_of(value: &dyn fmt::Debug) -> usize {
    let mut count = Count::default();
    write!(count, "{value:?}").expect("counting does not fail");
    count.characters
}

/// Counts what is written to it.
#[derive(Default)]
struct Count {
    characters: usize,
    escaped: Escape,
}

#[derive(Default, PartialEq)]
enum Escape {
    #[default]
    No,
    Begun,
    Code,
}

impl fmt::Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.escaped = match (&self.escaped, character) {
                (Escape::No, '\\') => Escape::Begun,
                (Escape::Begun, 'u') => Escape::Code,
                (Escape::Code, '}') | (Escape::No | Escape::Begun, _) => {
                    self.characters += 1;
                    Escape::No
                }
                (Escape::Code, _) => Escape::Code,
            };
        }
        Ok(())
    }
}
