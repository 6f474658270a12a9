//! Lines from the referee to an engine.

use std::time::Duration;

use rules::ByColor;
use thiserror::Error;

use super::first_word;

/// A line from the referee. It borrows from the text of the line.
#[derive(Clone, Debug, PartialEq)]
pub enum Command<'a> {
    /// `ugi`: the handshake.
    Ugi,
    /// `setoption name N [value V]`.
    SetOption {
        /// The name of the option; may hold blanks.
        name: &'a str,
        /// The text after `value`.
        value: Option<&'a str>,
    },
    /// `isready`.
    IsReady,
    /// `uginewgame`.
    NewGame,
    /// `position ... [moves M...]`.
    Position {
        /// The position before the first ply.
        start: StartPosition<'a>,
        /// The text after `moves`: plies separated by white space.
        moves: &'a str,
    },
    /// `go ...`.
    Go(Limits),
    /// `stop`.
    Stop,
    /// `query ...`.
    Query(Query),
    /// `quit`.
    Quit,
}

/// The start of the game in a `position` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartPosition<'a> {
    /// `startpos`.
    Standard,
    /// `fen BOARD SIDE`.
    Board {
        /// The squares row by row.
        board: &'a str,
        /// `X` or `O`.
        side: &'a str,
    },
}

/// The question of a `query` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Is Black to move?
    P1Turn,
    /// Is the game over?
    GameOver,
    /// Who has won?
    Result,
}

/// The limits in a `go` line. There may be several; each holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The time that each side has left.
    pub time: ByColor<Option<Duration>>,
    /// The time that each side gets after each of its moves.
    pub increment: ByColor<Option<Duration>>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// True for a search until `stop`.
    pub infinite: bool,
}

/// The reason why a line is not a command.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CommandError {
    /// UGI has no command with this first word.
    #[error("unknown command")]
    Unknown,
    /// The text after the first word can't be read.
    #[error("{0}")]
    Malformed(&'static str),
}

impl<'a> Command<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// [`CommandError`] if the line is empty, unknown or malformed.
    pub fn parse(line: &'a str) -> Result<Self, CommandError> {
        let (first, rest) = first_word(line.trim_ascii_end());
        match first {
            "ugi" => Ok(Self::Ugi),
            "isready" => Ok(Self::IsReady),
            "uginewgame" => Ok(Self::NewGame),
            "position" => parse_position(rest),
            "go" => Limits::parse(rest).map(Self::Go),
            "stop" => Ok(Self::Stop),
            "quit" => Ok(Self::Quit),
            "setoption" => parse_setoption(rest),
            "query" => match first_word(rest).0 {
                "p1turn" => Ok(Self::Query(Query::P1Turn)),
                "gameover" => Ok(Self::Query(Query::GameOver)),
                "result" => Ok(Self::Query(Query::Result)),
                _ => Err(CommandError::Malformed("query takes p1turn, gameover or result")),
            },
            _ => Err(CommandError::Unknown),
        }
    }
}

fn parse_position(text: &str) -> Result<Command<'_>, CommandError> {
    let (kind, rest) = first_word(text);
    let (start, rest) = match kind {
        "startpos" => (StartPosition::Standard, rest),
        "fen" => {
            let (board, rest) = first_word(rest);
            let (side, rest) = first_word(rest);
            if board.is_empty() || side.is_empty() || side == "moves" {
                return Err(CommandError::Malformed("position fen takes a board and a side"));
            }
            (StartPosition::Board { board, side }, rest)
        }
        _ => return Err(CommandError::Malformed("position takes startpos or fen")),
    };
    match first_word(rest) {
        ("", _) => Ok(Command::Position { start, moves: "" }),
        ("moves", moves) => Ok(Command::Position { start, moves }),
        _ => Err(CommandError::Malformed("only `moves` can follow the start of a position")),
    }
}

fn parse_setoption(text: &str) -> Result<Command<'_>, CommandError> {
    let wrong = CommandError::Malformed("setoption takes name N, or name N value V");
    let ("name", rest) = first_word(text) else { return Err(wrong) };
    let mut tail = rest;
    let (name, value) = loop {
        let (next, behind) = first_word(tail);
        match next {
            "" => break (rest, None),
            "value" => break (&rest[..rest.len() - tail.len()], Some(behind)),
            _ => tail = behind,
        }
    };
    let name = name.trim_ascii_end();
    if name.is_empty() { Err(wrong) } else { Ok(Command::SetOption { name, value }) }
}

impl Limits {
    /// Reads the text after `go`. As in UCI, a keyword that is unknown or has no number is skipped; a negative time
    /// is zero.
    ///
    /// # Errors
    /// [`CommandError::Malformed`] if there are words, but no limit among them.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let mut limits = Self::default();
        let mut words = text.split_ascii_whitespace().peekable();
        let anything = words.peek().is_some();
        while let Some(keyword) = words.next() {
            let number = words.peek().and_then(|value| value.parse::<i64>().ok());
            let count = number.and_then(|n| u64::try_from(n).ok());
            let time = number.map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
            match keyword {
                "p1time" => limits.time.black = time,
                "p2time" => limits.time.white = time,
                "p1inc" => limits.increment.black = time,
                "p2inc" => limits.increment.white = time,
                "movetime" => limits.movetime = time,
                "nodes" => limits.nodes = count,
                "depth" => limits.depth = count.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
                "infinite" => limits.infinite = true,
                _ => {}
            }
        }
        if anything && limits == Self::default() {
            return Err(CommandError::Malformed("go names no limit that can be read"));
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_command() {
        let board = "-".repeat(64);
        let fen = format!("position fen {board} O moves f5 pass");
        for (line, command) in [
            ("ugi", Command::Ugi),
            ("  isready \r", Command::IsReady),
            ("uginewgame", Command::NewGame),
            ("position startpos", Command::Position { start: StartPosition::Standard, moves: "" }),
            (
                "position  startpos\tmoves f5  d6",
                Command::Position { start: StartPosition::Standard, moves: "f5  d6" },
            ),
            ("position startpos moves", Command::Position { start: StartPosition::Standard, moves: "" }),
            (
                &fen,
                Command::Position {
                    start: StartPosition::Board { board: &board, side: "O" },
                    moves: "f5 pass",
                },
            ),
            ("setoption name Clear Hash", Command::SetOption { name: "Clear Hash", value: None }),
            (
                "setoption name Log File value my  log value",
                Command::SetOption { name: "Log File", value: Some("my  log value") },
            ),
            ("setoption name Book value", Command::SetOption { name: "Book", value: Some("") }),
            ("query result", Command::Query(Query::Result)),
            ("go", Command::Go(Limits::default())),
            ("go infinite", Command::Go(Limits { infinite: true, ..Limits::default() })),
            ("stop now", Command::Stop),
            ("quit", Command::Quit),
        ] {
            assert_eq!(Command::parse(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn what_is_no_command() {
        for line in ["", "uci", "UGI", "hello position startpos"] {
            assert_eq!(Command::parse(line), Err(CommandError::Unknown), "{line}");
        }
        for line in [
            "position",
            "position fen",
            "position fen ---X X2",
            "position fen X moves f5",
            "position startpos f5",
            "setoption",
            "setoption Hash 5",
            "setoption name",
            "setoption name value 5",
            "query",
            "go fast",
        ] {
            let parsed = Command::parse(line);
            let fen_ok = line == "position fen ---X X2";
            assert_eq!(matches!(parsed, Err(CommandError::Malformed(_))), !fen_ok, "{line}: {parsed:?}");
        }
    }

    #[test]
    fn go_in_every_form() {
        let ms = |n| Some(Duration::from_millis(n));
        let limits =
            Limits::parse("p1time 1000 p2time -5 p1inc 0 p2inc 10 nodes 3 junk depth x").expect("limits");
        assert_eq!(limits.time, ByColor::new(ms(1000), ms(0)));
        assert_eq!(limits.increment, ByColor::new(ms(0), ms(10)));
        assert_eq!((limits.nodes, limits.depth), (Some(3), None));
    }

    proptest! {
        #[test]
        fn names_values_and_moves_are_taken_whole(name in "[A-Z][a-z]{0,5}( [A-Z][a-z]{0,5}){0,2}", value in "[!-~]{1,8}( [!-~]{1,8})?",
                                                  moves in "[a-h][1-8]( [a-h][1-8]| pass){0,9}", board in "[-XO]{64}") {
            let standard = StartPosition::Standard;
            let start = StartPosition::Board { board: &board, side: "O" };
            for (line, command) in [
                (format!("setoption name {name}"), Command::SetOption { name: &name, value: None }),
                (format!("setoption name {name} value {value}"), Command::SetOption { name: &name, value: Some(&value) }),
                (format!("position startpos moves {moves}"), Command::Position { start: standard, moves: &moves }),
                (format!("position fen {board} O moves {moves}"), Command::Position { start, moves: &moves }),
                (format!("position fen {board} O"), Command::Position { start, moves: "" }),
            ] {
                prop_assert_eq!(Command::parse(&line), Ok(command));
            }
        }

        #[test]
        fn no_line_panics(line in "(ugi|position|startpos|fen|moves|go|p1time|setoption|name|value|query|\\PC{0,4}|[0-9]{1,25}| |\t){0,12}") {
            let _ = Command::parse(&line);
        }
    }
}
