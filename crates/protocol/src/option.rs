//! Options that an engine declares, as in UCI, and their values.

use std::fmt;

use thiserror::Error;

use crate::framing::{escape, escape_list};

/// An option as an engine declared it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDecl {
    /// Its name; may hold blanks.
    pub name: String,
    /// Its type, with the values that it takes.
    pub kind: OptionKind,
}

impl OptionDecl {
    /// Bytes of text in it.
    pub(crate) fn text_bytes(&self) -> usize {
        let of = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let kind = match &self.kind {
            OptionKind::Combo { default, values } => {
                of(default) + values.iter().map(|value| size_of::<String>() + value.len()).sum::<usize>()
            }
            OptionKind::String { default } => of(default),
            OptionKind::Other(kind) => kind.len(),
            OptionKind::Check { .. } | OptionKind::Spin { .. } | OptionKind::Button => 0,
        };
        self.name.len() + kind
    }
}

/// An option and its value, as they are sent to the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option's name as declared.
    pub name: String,
    /// Its value; `None` for a button.
    pub value: Option<String>,
}

/// The type of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A boolean: `true` or `false`.
    Check {
        /// Value if it is not set.
        default: Option<bool>,
    },
    /// A whole number.
    Spin {
        /// Value if it is not set. It may be outside the range: some engines declare that.
        default: Option<i64>,
        /// Smallest value.
        min: Option<i64>,
        /// Largest value.
        max: Option<i64>,
    },
    /// One of several words.
    Combo {
        /// Value if it is not set.
        default: Option<String>,
        /// All values.
        values: Vec<String>,
    },
    /// Any text on one line.
    String {
        /// Value if it is not set.
        default: Option<String>,
    },
    /// Does something when it is set; has no value.
    Button,
    /// A type that UGI does not know; values are passed on as they are.
    Other(String),
}

/// Why a value can't be sent to an engine.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    /// The engine has no such option.
    #[error("the engine declares no option `{}`{}", escape(.name), known_names(.known))]
    Undeclared {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The value is not of the option's type.
    #[error("`{}` does not fit option `{}`, which takes {wants}", escape(.value), escape(.name))]
    WrongType {
        /// The option.
        name: String,
        /// The value that was given.
        value: String,
        /// What it takes, in words.
        wants: String,
    },
}

fn known_names(known: &[String]) -> String {
    if known.is_empty() {
        "; it declares none".to_owned()
    } else {
        format!("; it declares {}", escape_list(known))
    }
}

impl OptionDecl {
    /// Reads what stands behind `option` in a declaration, for example
    /// `name Hash type spin default 16 min 1 max 1024`. `None` if no name or type can be found.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        const KINDS: [&str; 5] = ["check", "spin", "combo", "string", "button"];
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if words.first() != Some(&"name") {
            return None;
        }
        // A name may hold the word `type`: the real one stands before a type that exists.
        let is_type = |&at: &usize| words[at] == "type" && at > 1;
        let known = |&at: &usize| words.get(at + 1).is_some_and(|kind| KINDS.contains(kind));
        let candidates = || (2..words.len().saturating_sub(1)).filter(is_type);
        let at = candidates().find(known).or_else(|| candidates().next())?;
        let name = words[1..at].join(" ");
        let fields = Fields::parse(&words[at + 2..], words[at + 1] == "string");
        let kind = match words[at + 1] {
            "check" => OptionKind::Check {
                default: match fields.default.as_deref().map(str::to_ascii_lowercase).as_deref() {
                    Some("true") => Some(true),
                    Some("false") => Some(false),
                    _ => None,
                },
            },
            "spin" => OptionKind::Spin {
                default: fields.default.and_then(|value| value.parse().ok()),
                min: fields.min.and_then(|value| value.parse().ok()),
                max: fields.max.and_then(|value| value.parse().ok()),
            },
            "combo" => OptionKind::Combo { default: fields.default, values: fields.values },
            "string" => OptionKind::String {
                default: fields.default.map(|value| if value == "<empty>" { String::new() } else { value }),
            },
            "button" => OptionKind::Button,
            other => OptionKind::Other(other.to_owned()),
        };
        Some(Self { name, kind })
    }

    /// The value as it is sent to the engine; a combo's in the spelling that was declared.
    ///
    /// # Errors
    /// [`OptionError::WrongType`] if the value is not of the option's type or outside its range.
    pub fn setting(&self, value: &str) -> Result<Setting, OptionError> {
        let wrong = || OptionError::WrongType {
            name: self.name.clone(),
            value: value.to_owned(),
            wants: self.kind.accepted_values(),
        };
        let value = match &self.kind {
            OptionKind::Check { .. } => match value {
                "true" | "false" => Some(value.to_owned()),
                _ => return Err(wrong()),
            },
            OptionKind::Spin { min, max, .. } => {
                let number: i64 = value.parse().map_err(|_| wrong())?;
                if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
                    return Err(wrong());
                }
                Some(number.to_string())
            }
            OptionKind::Combo { values, .. } => {
                let exact = values.iter().find(|known| *known == value);
                let alike = || values.iter().find(|known| known.eq_ignore_ascii_case(value));
                Some(exact.or_else(alike).ok_or_else(wrong)?.clone())
            }
            OptionKind::Button => match value {
                "" | "true" => None,
                _ => return Err(wrong()),
            },
            OptionKind::String { .. } | OptionKind::Other(_) => {
                if value.chars().any(char::is_control) {
                    return Err(wrong());
                }
                Some(value.to_owned())
            }
        };
        Ok(Setting { name: self.name.clone(), value })
    }
}

impl OptionKind {
    fn accepted_values(&self) -> String {
        match self {
            Self::Check { .. } => "true or false".to_owned(),
            Self::Spin { min: Some(min), max: Some(max), .. } => {
                format!("a whole number from {min} to {max}")
            }
            Self::Spin { min: Some(min), max: None, .. } => format!("a whole number of at least {min}"),
            Self::Spin { min: None, max: Some(max), .. } => format!("a whole number of at most {max}"),
            Self::Spin { .. } => "a whole number".to_owned(),
            Self::Combo { values, .. } => format!("one of {}", escape_list(values)),
            Self::String { .. } | Self::Other(_) => "text on one line".to_owned(),
            Self::Button => "no value".to_owned(),
        }
    }
}

/// What follows the type: each keyword with the text up to the next one.
#[derive(Default)]
struct Fields {
    default: Option<String>,
    min: Option<String>,
    max: Option<String>,
    values: Vec<String>,
}

impl Fields {
    fn parse(words: &[&str], is_text: bool) -> Self {
        let mut fields = Self::default();
        if is_text {
            if let Some((&"default", rest)) = words.split_first() {
                fields.default = Some(rest.join(" "));
            }
            return fields;
        }
        let is_keyword = |word: &&str| matches!(*word, "default" | "min" | "max" | "var");
        let mut rest = words;
        while let Some((keyword, behind)) = rest.split_first() {
            let end = behind.iter().position(is_keyword).unwrap_or(behind.len());
            let value = behind[..end].join(" ");
            match *keyword {
                "default" => fields.default = Some(value),
                "min" => fields.min = Some(value),
                "max" => fields.max = Some(value),
                "var" if !value.is_empty() => fields.values.push(value),
                _ => {}
            }
            rest = &behind[end..];
        }
        fields
    }
}

/// As in a declaration, after `option `.
impl fmt::Display for OptionDecl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => {
                f.write_str("check")?;
                default.map_or(Ok(()), |value| write!(f, " default {value}"))
            }
            OptionKind::Spin { default, min, max } => {
                f.write_str("spin")?;
                for (keyword, value) in [("default", default), ("min", min), ("max", max)] {
                    if let Some(value) = value {
                        write!(f, " {keyword} {value}")?;
                    }
                }
                Ok(())
            }
            OptionKind::Combo { default, values } => {
                f.write_str("combo")?;
                if let Some(value) = default {
                    write!(f, " default {value}")?;
                }
                values.iter().try_for_each(|value| write!(f, " var {value}"))
            }
            OptionKind::String { default } => {
                f.write_str("string")?;
                match default.as_deref() {
                    Some("") => f.write_str(" default <empty>"),
                    Some(value) => write!(f, " default {value}"),
                    None => Ok(()),
                }
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Other(kind) => f.write_str(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Identity;
    use proptest::prelude::*;

    fn parsed(text: &str) -> OptionDecl {
        OptionDecl::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn odd_declarations() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            ("name Clear Hash type button", "Clear Hash", OptionKind::Button),
            ("name Book type string default <empty>", "Book", OptionKind::String { default: some("") }),
            ("name Log File type string default", "Log File", OptionKind::String { default: some("") }),
            ("name Log type string", "Log", OptionKind::String { default: None }),
            (
                "name Style of play type combo default Very Solid var Very Solid var Wild and risky",
                "Style of play",
                OptionKind::Combo {
                    default: some("Very Solid"),
                    values: vec!["Very Solid".into(), "Wild and risky".into()],
                },
            ),
            (
                "name Contempt  type spin default 500 min -100 max 100",
                "Contempt",
                OptionKind::Spin { default: Some(500), min: Some(-100), max: Some(100) },
            ),
            (
                "name Own Book type check default False",
                "Own Book",
                OptionKind::Check { default: Some(false) },
            ),
            (
                "name Search type MCTS type check default true",
                "Search type MCTS",
                OptionKind::Check { default: Some(true) },
            ),
            ("name Colour type rgb default #ff0000", "Colour", OptionKind::Other("rgb".into())),
        ];
        for (text, name, kind) in cases {
            assert_eq!(parsed(text), OptionDecl { name: name.into(), kind }, "{text}");
        }
        for text in ["", "name", "type spin", "name Hash", "name type spin", "name X type"] {
            assert_eq!(OptionDecl::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_declared_is_shown_in_part_and_printable() {
        let values = " var v\u{14}\u{1b}[31m".repeat(10_000);
        let error = parsed(&format!("name Va\0riant type combo{values}")).setting("x").expect_err("no value");
        let text = error.to_string();
        assert!(
            text.starts_with("`x` does not fit option `Va\\0riant`, which takes one of v\\u{14}"),
            "{text}"
        );
        assert!(text.len() < 3000 && !text.contains(char::is_control), "{text}");
        let name = "n".repeat(60_000);
        let options = vec![parsed(&format!("name {name} type button")); 50];
        let text =
            Identity { options, ..Identity::default() }.setting("x", "1").expect_err("unknown").to_string();
        assert!(text.len() < 3000, "{text}");
    }

    #[test]
    fn values_are_checked_against_the_declaration() {
        let hash = parsed("name Hash type spin default 16 min 1 max 1024");
        assert_eq!(hash.setting("64").map(|s| s.value), Ok(Some("64".into())));
        for value in ["0", "4096", "many", "1.5", ""] {
            let error = hash.setting(value).expect_err(value).to_string();
            assert!(error.contains("from 1 to 1024"), "{error}");
        }
        let check = parsed("name Ponder type check default false");
        assert!(check.setting("true").is_ok());
        for value in ["True", "1", "yes", ""] {
            assert!(check.setting(value).is_err(), "{value}");
        }
        let combo = parsed("name Variant type combo default othello var othello var reversed");
        assert_eq!(combo.setting("Reversed").map(|s| s.value), Ok(Some("reversed".into())));
        assert!(combo.setting("chess").is_err());
        assert!(parsed("name Log type string").setting("a\nquit").is_err());
        assert_eq!(parsed("name Clear type button").setting("").map(|s| s.value), Ok(None));
    }

    #[test]
    fn an_undeclared_option_is_named_with_those_that_exist() {
        let identity = Identity { options: vec![parsed("name Depth type spin")], ..Identity::default() };
        assert_eq!(
            identity.setting("Dept", "3").expect_err("undeclared").to_string(),
            "the engine declares no option `Dept`; it declares Depth"
        );
        assert!(identity.setting("depth", "3").is_ok(), "upper and lower case are the same");
    }

    fn any_decl() -> impl Strategy<Value = OptionDecl> {
        let word = "[A-Z][a-z]{0,6}( [A-Z][a-z]{0,6})?";
        let kind = prop_oneof![
            any::<Option<bool>>().prop_map(|default| OptionKind::Check { default }),
            any::<(Option<i64>, Option<i64>, Option<i64>)>()
                .prop_map(|(default, min, max)| OptionKind::Spin { default, min, max }),
            (prop::option::of(word), prop::collection::vec(word, 0..4))
                .prop_map(|(default, values)| OptionKind::Combo { default, values }),
            prop::option::of(prop_oneof![Just(String::new()), word.prop_map(String::from)])
                .prop_map(|default| OptionKind::String { default }),
            Just(OptionKind::Button),
        ];
        (word, kind).prop_map(|(name, kind)| OptionDecl { name, kind })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(decl in any_decl()) {
            prop_assert_eq!(OptionDecl::parse(&decl.to_string()), Some(decl));
        }

        #[test]
        fn no_text_panics(text in "(name|type|spin|default|min|var|string|[a-z]{1,3}| ){0,12}") {
            let _ = OptionDecl::parse(&text);
        }
    }
}
