//! Probes for UCI and for UGI, which was made after it.

use crate::probe::{Probe, ProbeGroup, seen};

pub(super) const UNKNOWN_OPTION: Probe = Probe {
    name: "unknown-option",
    group: ProbeGroup::Options,
    about: "an option that it never declared is ignored",
    send: "setoption name No Such Option value 1\nisready\n",
    expect: ready_once,
    hint: "pass over options you do not know, and answer the `isready` behind them",
};

pub(super) const STOP_WHEN_IDLE: Probe = Probe {
    name: "stop-when-idle",
    group: ProbeGroup::Search,
    about: "`stop` without a search is ignored",
    send: "stop\nisready\n",
    expect: |lines| {
        let answered = lines.iter().any(|line| line.trim_start().starts_with("bestmove"));
        if answered { Some(Err("answered a `go` that there was not".to_owned())) } else { ready_once(lines) }
    },
    hint: "answer `stop` only while you search, and each `go` by exactly one `bestmove`",
};

pub(super) const UNKNOWN_COMMAND: Probe = Probe {
    name: "unknown-command",
    group: ProbeGroup::Input,
    about: "lines that it does not know are ignored",
    send: "hello\nbanana 1 2 3\nisready\n",
    expect: ready_once,
    hint: "pass over a line whose first word you do not know; never leave because of it",
};

/// `send` has empty lines, then `isready`.
pub(super) const fn empty_lines(send: &'static str) -> Probe {
    Probe {
        name: "empty-lines",
        group: ProbeGroup::Input,
        about: "empty lines are ignored",
        send,
        expect: ready_once,
        hint: "pass over a line that holds no word",
    }
}

/// `send` has `isready` three times, and a position between them.
pub(super) const fn many_at_once(send: &'static str) -> Probe {
    Probe {
        name: "many-at-once",
        group: ProbeGroup::Input,
        about: "several lines that come at once are all read",
        send,
        expect: |lines| seen(lines, "readyok", 3),
        hint: "read line by line: what comes in one piece may hold several lines, and each `isready` wants its `readyok`",
    }
}

fn ready_once(lines: &[String]) -> Option<Result<(), String>> {
    seen(lines, "readyok", 1)
}
