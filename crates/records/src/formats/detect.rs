//! Detection of a file's format.

use std::path::Path;

use rules::Position;

use super::wthor::Header;
use super::{Format, table};

/// The format by the extension of the file name, in either case.
#[must_use]
pub fn by_name(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "txt" | "moves" => Format::Transcripts,
        "ggf" => Format::Ggf,
        "wtb" => Format::Wthor,
        "sgf" => Format::Sgf,
        "obf" | "scr" => Format::Obf,
        "pgn" => Format::Pgn,
        "jsonl" => Format::Jsonl,
        "csv" => Format::Csv,
        _ => return None,
    })
}

/// The format of a file that begins with these bytes, if it is certain. 1,000 bytes are enough. Transcripts are never
/// the answer, since any text could be one: the caller assumes them if nothing else fits.
#[must_use]
pub fn by_content(beginning: &[u8]) -> Option<Format> {
    if let Some(head) = beginning.first_chunk()
        && beginning.contains(&0)
        && Header::parse(head).is_plausible()
    {
        return Some(Format::Wthor);
    }
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first = text.lines().next().unwrap_or("");
    if text.starts_with('{') {
        return Some(Format::Jsonl);
    }
    let behind_count =
        text.trim_start_matches(|character: char| character.is_ascii_digit() || character == ' ');
    if behind_count.starts_with("(;") {
        return tagged(behind_count);
    }
    if is_tag(first) {
        return Some(Format::Pgn);
    }
    if table::is_header(first) {
        return Some(Format::Csv);
    }
    let solid = |line: &&str| !line.trim().is_empty() && !line.starts_with(['%', '#']);
    let board = text.lines().find(solid).unwrap_or("");
    let is_position = board.split(';').next().is_some_and(|board| board.parse::<Position>().is_ok());
    is_position.then_some(Format::Obf)
}

/// GGF and SGF differ in the value of `GM`: a name, or a number.
fn tagged(text: &str) -> Option<Format> {
    let name = text.split_once("GM[").map(|(_, rest)| rest.trim_start())?;
    if name.starts_with(|character: char| character.is_ascii_digit()) {
        Some(Format::Sgf)
    } else {
        Some(Format::Ggf)
    }
}

/// `[Name "value"]`.
fn is_tag(line: &str) -> bool {
    line.starts_with('[') && line.trim_end().ends_with("\"]") && line.contains(" \"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_recognised() {
        let board = "---------------------------OX------XO--------------------------- X";
        for (text, format) in [
            ("{\"format\":1", Some(Format::Jsonl)),
            ("1 (;GM[ Othello ]\r\nPC[x]", Some(Format::Ggf)),
            ("(;FF[4]GM[2]", Some(Format::Sgf)),
            ("\u{feff}[Event \"?\"]\r\n", Some(Format::Pgn)),
            ("a,\"transcript\",b\n", Some(Format::Csv)),
            (board, Some(Format::Obf)),
            (&format!("% FFO\n\n{board}; f5:+0;\n"), Some(Format::Obf)),
            ("f5d6\n", None),
            ("# f5d6\n", None),
            ("", None),
        ] {
            assert_eq!(by_content(text.as_bytes()), format, "{text}");
        }
        let wthor = [20, 26, 11, 29, 2, 0, 0, 0, 0, 0, 0xb9, 7, 8, 0, 24, 0, 1];
        assert_eq!(by_content(&wthor), Some(Format::Wthor));
        assert_eq!(by_content(&wthor[..15]), None);
    }

    #[test]
    fn names_are_recognised() {
        for (name, format) in
            [("a/WTH_1977.WTB", Some(Format::Wthor)), ("x.Ggf", Some(Format::Ggf)), ("x", None)]
        {
            assert_eq!(by_name(Path::new(name)), format);
        }
    }
}
