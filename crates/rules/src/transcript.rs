//! Plain transcripts, `f5d6c3d3c4`: the usual way to write Othello games.

use std::error::Error;
use std::fmt;

use crate::Ply;
use crate::ply::PASS_WORDS;

/// Reads the plies of a transcript, each with the byte column, from 1, at which its word begins.
///
/// Squares may be upper or lower case, joined or separated by blanks or commas. Passes (`pass`, `pa`,
/// `ps`, `--`, in upper or lower case) may be written or omitted. Move numbers (`1.`, `12...`) are
/// skipped. [`replay`](crate::replay()) checks that the plies are legal. Empty text gives no plies. The
/// caller removes comments.
///
/// # Errors
/// [`TranscriptError`] at the first word that is none of these: nothing is skipped silently.
///
/// ```
/// use rules::parse_plies;
/// let plies = parse_plies("f5D6, c3 -- d3")?;
/// let places: Vec<String> = plies.iter().map(|(ply, column)| format!("{ply}@{column}")).collect();
/// assert_eq!(places, ["f5@1", "d6@3", "c3@7", "pass@10", "d3@13"]);
/// let error = parse_plies("f5 i9").unwrap_err();
/// assert_eq!(error.to_string(), "ply 2, column 4: `i9` is no square");
/// # Ok::<(), rules::TranscriptError>(())
/// ```
pub fn parse_plies(text: &str) -> Result<Vec<(Ply, usize)>, TranscriptError> {
    let mut plies = Vec::new();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        if is_separator(character) {
            at += character.len_utf8();
        } else if let Some(length) = move_number(rest) {
            at += length;
        } else if let Some((ply, length)) = first_ply(rest) {
            plies.push((ply, at + 1));
            at += length;
        } else {
            return Err(TranscriptError {
                ply: plies.len() + 1,
                column: at + 1,
                word: first_word(rest).to_owned(),
            });
        }
    }
    Ok(plies)
}

/// Writes plies as a transcript: squares joined, lower case, without passes.
pub fn to_transcript(plies: &[Ply]) -> String {
    plies.iter().filter_map(|ply| ply.square()).map(|square| square.to_string()).collect()
}

fn is_separator(character: char) -> bool {
    character.is_whitespace() || character == ','
}

/// The length in bytes of a move number at the start of `text`: digits and at least one full stop.
fn move_number(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let stops = text.bytes().skip(digits).take_while(|&byte| byte == b'.').count();
    (digits > 0 && stops > 0).then_some(digits + stops)
}

/// The ply at the start of `text` and the length of its word in bytes.
fn first_ply(text: &str) -> Option<(Ply, usize)> {
    let start = |length: usize| text.get(..length);
    if let Some(ply) = start(2).and_then(|word| word.parse().ok()).filter(|ply| *ply != Ply::Pass) {
        return Some((ply, 2));
    }
    let is_start = |word: &&&str| start(word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let length = PASS_WORDS.iter().find(is_start)?.len();
    // `party` is no pass: after `pa` only a square or another pass may follow directly.
    let goes_on = text[length..]
        .chars()
        .next()
        .is_some_and(|next| matches!(next, 'i'..='o' | 'q'..='z' | 'I'..='O' | 'Q'..='Z'));
    (!goes_on).then_some((Ply::Pass, length))
}

/// The word to report where no ply begins: two characters if they are a letter and a digit (`i9`, `5f`
/// within joined squares), else all up to the next separator, at most 20 characters.
fn first_word(text: &str) -> &str {
    let end = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    let two = &text[..end(2)];
    if let [one, other] = two.as_bytes()
        && (one.is_ascii_alphabetic() && other.is_ascii_digit()
            || one.is_ascii_digit() && other.is_ascii_alphabetic())
    {
        return two;
    }
    let word = text.find(is_separator).unwrap_or(text.len());
    &text[..word.min(end(20))]
}

/// A word of a transcript that is neither a square nor a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptError {
    ply: usize,
    column: usize,
    word: String,
}

impl TranscriptError {
    /// The number of the ply, from 1, as the transcript counts: omitted passes don't count.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// The byte column, from 1, at which the word begins.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The word, or its beginning.
    pub fn word(&self) -> &str {
        &self.word
    }
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word.escape_debug();
        write!(f, "ply {}, column {}: `{word}` is no square", self.ply, self.column)?;
        // Two common slips get a hint.
        let turned: String = self.word.chars().rev().collect();
        match turned.parse::<Ply>() {
            Ok(Ply::Place(square)) => write!(f, " (the column comes first: {square})"),
            _ if matches!(self.word.as_bytes(), [b'a'..=b'h' | b'A'..=b'H']) => {
                write!(f, " (its row is missing)")
            }
            _ => Ok(()),
        }
    }
}

impl Error for TranscriptError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn plies(text: &str) -> String {
        let words: Vec<String> =
            parse_plies(text).unwrap().iter().map(|(ply, column)| format!("{ply}@{column}")).collect();
        words.join(" ")
    }

    #[test]
    fn every_writing_is_read() {
        assert_eq!(plies(""), "");
        assert_eq!(plies(" \t\r\n"), "");
        assert_eq!(plies("f5d6C3"), "f5@1 d6@3 c3@5");
        assert_eq!(plies("F5, d6 ,c3"), "f5@1 d6@5 c3@9");
        assert_eq!(plies("1. f5 d6 2. c3"), "f5@4 d6@7 c3@13");
        assert_eq!(plies("1.f5 2...d6"), "f5@3 d6@10");
        assert_eq!(plies("f5passd6PAc3ps--"), "f5@1 pass@3 d6@7 pass@9 c3@11 pass@13 pass@15");
        assert_eq!(plies("papa"), "pass@1 pass@3");
    }

    #[test]
    fn the_first_word_that_is_no_ply_is_told() {
        for (text, ply, column, word) in [
            ("f5d6c", 3, 5, "c"),
            ("f5i9", 2, 3, "i9"),
            ("f5d0", 2, 3, "d0"),
            ("f5 d6 c3 d3 c4 (time out)", 6, 16, "(time"),
            ("5f6d3c", 1, 1, "5f"),
            ("fе d6", 1, 1, "fе"), // the second letter is Cyrillic
            ("f5 +30", 2, 4, "+30"),
            ("f5 - d6", 2, 4, "-"),
            ("f5 party", 2, 4, "party"),
            ("f5 pas", 2, 4, "pas"),
            ("f5\u{1b}[2J", 2, 3, "\u{1b}[2J"),
            ("\u{feff}f5", 1, 1, "\u{feff}f5"),
            ("f5 0000", 2, 4, "0000"),
            ("f5 f 5", 2, 4, "f"),
        ] {
            let error = parse_plies(text).unwrap_err();
            assert_eq!((error.ply(), error.column(), error.word()), (ply, column, word), "{text}");
        }
        assert_eq!(parse_plies("x".repeat(100).as_str()).unwrap_err().word().len(), 20);
    }

    #[test]
    fn messages_name_the_usual_slips() {
        let message = |text| parse_plies(text).unwrap_err().to_string();
        assert_eq!(message("5f"), "ply 1, column 1: `5f` is no square (the column comes first: f5)");
        assert_eq!(message("f5c"), "ply 2, column 3: `c` is no square (its row is missing)");
        assert_eq!(message("f5\u{1b}"), "ply 2, column 3: `\\u{1b}` is no square");
    }

    #[test]
    fn transcripts_leave_passes_out() {
        let plies: Vec<Ply> = parse_plies("F5 pass d6").unwrap().into_iter().map(|(ply, _)| ply).collect();
        assert_eq!(to_transcript(&plies), "f5d6");
    }
}
