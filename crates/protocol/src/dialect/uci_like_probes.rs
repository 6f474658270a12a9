//! What can be tried alike on engines of UCI and of protocols made after it.

use crate::probe::{Area, Probe, said};

pub(super) const UNKNOWN_OPTION: Probe = Probe {
    name: "unknown-option",
    area: Area::Options,
    about: "an option that it never declared is ignored",
    send: "setoption name No Such Option value 1\nisready\n",
    judge: ready_once,
    hint: "pass over options you do not know, and answer the `isready` behind them",
};

pub(super) const STOP_WHEN_IDLE: Probe = Probe {
    name: "stop-when-idle",
    area: Area::Search,
    about: "`stop` without a search is ignored",
    send: "stop\nisready\n",
    judge: |lines| {
        let answered = lines.iter().any(|line| line.trim_start().starts_with("bestmove"));
        if answered { Some(Err("answered a `go` that there was not".to_owned())) } else { ready_once(lines) }
    },
    hint: "answer `stop` only while you search, and each `go` by exactly one `bestmove`",
};

pub(super) const UNKNOWN_COMMAND: Probe = Probe {
    name: "unknown-command",
    area: Area::Input,
    about: "lines that it does not know are ignored",
    send: "hello\nbanana 1 2 3\nisready\n",
    judge: ready_once,
    hint: "pass over a line whose first word you do not know; never leave because of it",
};

/// `send` has empty lines and an `isready` behind them.
pub(super) const fn empty_lines(send: &'static str) -> Probe {
    Probe {
        name: "empty-lines",
        area: Area::Input,
        about: "empty lines are ignored",
        send,
        judge: ready_once,
        hint: "pass over a line that holds no word",
    }
}

/// `send` has three times `isready`, and a position between them.
pub(super) const fn many_at_once(send: &'static str) -> Probe {
    Probe {
        name: "many-at-once",
        area: Area::Input,
        about: "several lines that come at once are all read",
        send,
        judge: |lines| said(lines, "readyok", 3),
        hint: "read line by line: what comes in one piece may hold several lines, and each `isready` wants its `readyok`",
    }
}

fn ready_once(lines: &[String]) -> Option<Result<(), String>> {
    said(lines, "readyok", 1)
}
