//! The reference data, and short ways to read it.

use rules::{Bitboard, BoardSize, Position, Square};
use serde_json::Value;

/// `data/positions.json`; its README names the sources.
pub(crate) fn reference() -> Value {
    serde_json::from_str(include_str!("../data/positions.json")).unwrap()
}

/// The entries of a list.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("no list `{key}`"))
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no text `{key}`"))
}

/// The numbers of a list.
pub(crate) fn numbers(value: &Value, key: &str) -> Vec<u64> {
    list(value, key).iter().map(|number| number.as_u64().unwrap()).collect()
}

/// The squares of a list of names.
pub(crate) fn squares(value: &Value, key: &str) -> Bitboard {
    list(value, key).iter().map(|name| name.as_str().unwrap().parse::<Square>().unwrap()).collect()
}

/// The position of an entry's `board` and `to_move`.
pub(crate) fn position(entry: &Value) -> Position {
    Position::parse(text(entry, "board"), text(entry, "to_move")).unwrap()
}

/// The start position of an entry's `board_size` and `start`.
pub(crate) fn start(entry: &Value) -> Position {
    let size = BoardSize::try_from(entry["board_size"].as_u64().unwrap() as u8).unwrap();
    match text(entry, "start") {
        "diagonal" => Position::start(size),
        "parallel" => Position::parallel(size),
        text if text.starts_with("free centre") => Position::empty_board(size),
        other => panic!("unknown start {other}"),
    }
}
