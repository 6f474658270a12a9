//! GTP version 2 for Othello. Sends one command at a time, without ids, comments or empty lines, since some engines
//! fail on each of these. `list_commands` comes first; optional commands are sent only if they are in that list. An
//! answer begins with `=` or `?` and ends with an empty line.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use clock::TimeControl;
use rules::{BoardSize, Color, Ply, Position, Variant};

use super::{ClockStyle, Dialect, Protocol, parse_ply, unreadable_move};
use crate::framing::quote;
use crate::message::{ExpectsReply, Go, Identity, NewGame, PlayedPly, Request, Response, clean_name};
use crate::probe::{Probe, ProbeGroup, ProtocolChecks};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "gtp",
    about: "Go Text Protocol 2, for Othello",
    has_options: false,
    is_detectable: true,
    clock_styles: &[ClockStyle::Protocol, ClockStyle::SuddenDeath, ClockStyle::Fischer, ClockStyle::None],
    checks: CHECKS,
    new_dialect: |clock_style| Box::new(Gtp { clock_style, ..Gtp::default() }),
};

const CHECKS: ProtocolChecks = ProtocolChecks {
    probes: &[
        Probe {
            name: "protocol-version",
            group: ProbeGroup::Start,
            about: "it says that it speaks version 2",
            send: "protocol_version\n",
            expect: |lines| {
                answers(lines, 1, |all| match all {
                    [(true, text)] if text.starts_with('2') => Ok(()),
                    _ => Err("`= 2` is wanted".to_owned()),
                })
            },
            hint: "answer `protocol_version` by `= 2` and an empty line",
        },
        Probe {
            name: "needed-commands",
            group: ProbeGroup::Start,
            about: "it lists the commands that a game needs",
            send: "list_commands\n",
            expect: |lines| {
                answers(lines, 1, |all| {
                    let (accepted, text) = &all[0];
                    let lacks = |command: &&str| {
                        !text.split_whitespace().any(|word| word.eq_ignore_ascii_case(command))
                    };
                    let missing: Vec<&str> = ["boardsize", "clear_board", "play", "genmove", "quit"]
                        .into_iter()
                        .filter(lacks)
                        .collect();
                    match (accepted, &missing[..]) {
                        (false, _) => Err("`list_commands` was refused".to_owned()),
                        (true, []) => Ok(()),
                        (true, missing) => Err(format!("the list lacks {}", missing.join(", "))),
                    }
                })
            },
            hint: "answer `list_commands` by `= ` and all you know, one command a line, then an empty line",
        },
        Probe {
            name: "known-command",
            group: ProbeGroup::Input,
            about: "`known_command` tells what it knows from what it does not",
            send: "known_command genmove\nknown_command no_such_command\n",
            expect: |lines| {
                answers(lines, 2, |all| match all {
                    [(true, yes), (true, no)]
                        if yes.eq_ignore_ascii_case("true") && no.eq_ignore_ascii_case("false") =>
                    {
                        Ok(())
                    }
                    _ => Err("`= true` and `= false` are wanted".to_owned()),
                })
            },
            hint: "answer `known_command C` by `= true` or `= false`",
        },
        Probe {
            name: "unknown-command",
            group: ProbeGroup::Input,
            about: "a command that it does not know is refused",
            send: "no_such_command 1 2\n",
            expect: |lines| {
                answers(lines, 1, |all| if all[0].0 { Err("a `?` is wanted".to_owned()) } else { Ok(()) })
            },
            hint: "answer a command you do not know by `? unknown command` and an empty line",
        },
        Probe {
            name: "illegal-play",
            group: ProbeGroup::Rules,
            about: "an illegal `play` is refused",
            send: "play black a1\n",
            expect: |lines| {
                answers(lines, 1, |all| {
                    if all[0].0 { Err("a1 turns nothing over: a `?` is wanted".to_owned()) } else { Ok(()) }
                })
            },
            hint: "hold each `play` against the rules and answer `? illegal move` where it breaks them",
        },
        Probe {
            name: "numbered-command",
            group: ProbeGroup::Input,
            about: "a command with a number is answered with that number",
            send: "4711 name\n",
            expect: |lines| {
                answers(lines, 1, |all| match &all[0] {
                    (true, text) if text.starts_with("4711") => Ok(()),
                    _ => Err("`=4711` and a name are wanted".to_owned()),
                })
            },
            hint: "a command may begin with a number; repeat it right behind `=` or `?`",
        },
        Probe {
            name: "comments",
            group: ProbeGroup::Input,
            about: "comments and empty lines are ignored",
            send: "# a comment\n\nname\n",
            expect: |lines| {
                answers(lines, 1, |all| {
                    if all[0].0 { Ok(()) } else { Err("answered what is no command".to_owned()) }
                })
            },
            hint: "cut off everything behind `#`, and pass over lines in which nothing is left",
        },
        Probe {
            name: "many-at-once",
            group: ProbeGroup::Input,
            about: "several commands that come at once are all answered",
            send: "name\nversion\nname\n",
            expect: |lines| answers(lines, 3, |_| Ok(())),
            hint: "read line by line: what comes in one piece may hold several commands",
        },
    ],
    queries: None,
    cannot_stop: Some("its protocol has no word to stop a search"),
    has_infinite: false,
};

/// Calls `verdict` once there are `count` complete answers, with the first `count`: true for `=`, and the text.
fn answers(
    lines: &[String],
    count: usize,
    verdict: impl Fn(&[(bool, String)]) -> Result<(), String>,
) -> Option<Result<(), String>> {
    let mut complete = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in lines.iter().map(|line| line.trim()) {
        open = match (open, line.as_bytes().first()) {
            (Some(answer), None) => {
                complete.push(answer);
                None
            }
            (Some((accepted, text)), Some(_)) => Some((accepted, format!("{text}\n{line}"))),
            (None, Some(b'=')) => Some((true, line[1..].trim().to_owned())),
            (None, Some(b'?')) => Some((false, line[1..].trim().to_owned())),
            (None, _) => None,
        };
    }
    (complete.len() >= count).then(|| verdict(&complete[..count]))
}

/// Commands, and lines of an answer, after so many are dropped, so that an engine can't fill the memory.
const MAX_COMMANDS: usize = 1000;

/// Lines of an answer are dropped also where the answer would be longer than this, in bytes.
const MAX_ANSWER_BYTES: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    ListCommands,
    Name,
    Version,
    SetGame,
    BoardSize,
    ClearBoard,
    /// The three numbers after it.
    TimeSettings(String),
    Play(Color, Ply),
    /// Seconds and stones.
    TimeLeft(Color, u64, u64),
    GenMove(Color),
}

impl Command {
    fn text(&self) -> String {
        match self {
            Self::ListCommands => "list_commands".to_owned(),
            Self::Name => "name".to_owned(),
            Self::Version => "version".to_owned(),
            Self::SetGame => "set_game Othello".to_owned(),
            Self::BoardSize => "boardsize 8".to_owned(),
            Self::ClearBoard => "clear_board".to_owned(),
            Self::TimeSettings(numbers) => format!("time_settings {numbers}"),
            Self::Play(color, ply) => format!("play {color} {ply}"),
            Self::TimeLeft(color, seconds, stones) => format!("time_left {color} {seconds} {stones}"),
            Self::GenMove(color) => format!("genmove {color}"),
        }
    }
}

/// The part of an answer that has come.
#[derive(Debug)]
struct Answer {
    accepted: bool,
    /// The text after `=` or `?`, and the lines that follow.
    lines: Vec<String>,
    /// Bytes in `lines`.
    bytes: usize,
}

/// A dialogue in GTP.
#[derive(Debug, Default)]
struct Gtp {
    clock_style: ClockStyle,
    identity: Identity,
    /// Its answer to `list_commands`, in lower case; `None` if it refused.
    known_commands: Option<HashSet<String>>,
    /// The command that was sent last, then those to send after it.
    queue: VecDeque<Command>,
    answer: Option<Answer>,
    color: Option<Color>,
    first_color: Option<Color>,
    /// The number of plies of the game on the engine's board, without `own_ply`.
    sent_plies: usize,
    /// The move that the engine chose last. GTP plays it on the engine's board at once.
    own_ply: Option<Ply>,
}

impl Gtp {
    fn knows(&self, command: &str) -> bool {
        self.known_commands.as_ref().is_some_and(|known| known.contains(command))
    }

    fn new_game(&mut self, game: &NewGame<'_>) {
        self.color = Some(game.color);
        self.first_color = Some(game.start.side_to_move());
        (self.sent_plies, self.own_ply) = (0, None);
        if self.knows("set_game") {
            self.queue.push_back(Command::SetGame);
        }
        if self.known_commands.is_none() || self.knows("boardsize") {
            self.queue.push_back(Command::BoardSize);
        }
        // Before `clear_board`, since some engines reset their clocks at that command.
        if let Some(numbers) = self.time_settings(game.time[game.color]) {
            self.queue.push_back(Command::TimeSettings(numbers));
        }
        self.queue.push_back(Command::ClearBoard);
    }

    /// Main time, overtime and moves in the overtime, in whole seconds.
    fn time_settings(&self, time: TimeControl) -> Option<String> {
        if !self.knows("time_settings") {
            return None;
        }
        match (self.clock_style, time) {
            (ClockStyle::Protocol | ClockStyle::SuddenDeath, TimeControl::Game { main: time, .. }) => {
                Some(format!("{} 0 0", seconds(time)))
            }
            (ClockStyle::Fischer, TimeControl::Game { main: time, increment }) => {
                Some(format!("{} {} 0", seconds(time), increment.as_secs()))
            }
            (ClockStyle::Protocol, TimeControl::MoveTime(time)) => Some(format!("0 {} 1", seconds(time))),
            (ClockStyle::Fischer, TimeControl::MoveTime(time)) => Some(format!("0 {} 0", seconds(time))),
            _ => None,
        }
    }

    fn time_left(&self, go: &Go) -> Option<Command> {
        let color = self.color.filter(|_| self.knows("time_left"))?;
        match (self.clock_style, go) {
            (ClockStyle::None, _) => None,
            (_, Go::Clock { time, .. }) => Some(Command::TimeLeft(color, seconds(time[color]), 0)),
            (ClockStyle::Protocol, Go::MoveTime(time)) => Some(Command::TimeLeft(color, seconds(*time), 1)),
            _ => None,
        }
    }

    fn position(&mut self, played: &[PlayedPly], go: &Go) {
        let mut own = self.own_ply.take();
        for (number, PlayedPly { ply, .. }) in played.iter().enumerate().skip(self.sent_plies) {
            // The engine's own move is on its board already.
            if own.take() != Some(*ply) {
                let first = self.first_color.unwrap_or(Color::Black);
                let color = if number % 2 == 0 { first } else { first.opposite() };
                self.queue.push_back(Command::Play(color, *ply));
            }
        }
        self.sent_plies = played.len();
        let time_left = self.time_left(go);
        self.queue.extend(time_left);
    }

    fn send_next(&self, out: &mut Vec<u8>) {
        if let Some(command) = self.queue.front() {
            out.extend_from_slice(command.text().as_bytes());
            out.push(b'\n');
        }
    }

    /// Handles the complete answer to `command`.
    fn handle_answer(&mut self, command: Command, answer: Answer, out: &mut Vec<u8>) -> Response {
        let Answer { accepted, lines, .. } = answer;
        let text = lines.first().map_or("", String::as_str);
        match command {
            Command::ListCommands if accepted => {
                let words = lines.iter().flat_map(|line| line.split_whitespace());
                self.known_commands = Some(words.take(MAX_COMMANDS).map(str::to_lowercase).collect());
            }
            Command::Name if accepted => self.identity.name = clean_name(text),
            Command::Version if accepted => self.identity.version = clean_name(text),
            Command::ListCommands | Command::Name | Command::Version => {}
            // The game goes on without. `time_left` before each move matters more.
            Command::TimeSettings(_) | Command::TimeLeft(..) => {}
            // Refused by engines that pass by themselves.
            Command::Play(_, Ply::Pass) => {}
            Command::Play(..) if !accepted => {
                self.queue.clear();
                let asked = command.text();
                return Response::Unreadable(format!("refused the legal `{asked}`: {}", quote(text)));
            }
            Command::SetGame | Command::BoardSize | Command::ClearBoard if !accepted => {
                self.queue.clear();
                return Response::Unreadable(format!("refused `{}`: {}", command.text(), quote(text)));
            }
            Command::Play(..) | Command::SetGame | Command::BoardSize | Command::ClearBoard => {}
            Command::GenMove(_) => return self.parse_move(accepted, text),
        }
        if self.queue.is_empty() {
            return Response::Done;
        }
        self.send_next(out);
        Response::Ignored
    }

    fn parse_move(&mut self, accepted: bool, text: &str) -> Response {
        if !accepted {
            return Response::Unreadable(format!("answered genmove by the error {}", quote(text)));
        }
        // The last word: some engines write the id of an earlier command before it.
        let word = text.split_whitespace().next_back().unwrap_or("");
        if word.eq_ignore_ascii_case("resign") {
            return Response::Resigned;
        }
        let Some(ply) = parse_ply(word) else { return unreadable_move(&format!("= {text}")) };
        self.own_ply = Some(ply);
        Response::Move(ply)
    }
}

/// Whole seconds, rounded down, at least 1.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}

impl Dialect for Gtp {
    fn write_request(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> ExpectsReply {
        match request {
            Request::Stop => return ExpectsReply::No,
            Request::Quit => {
                out.extend_from_slice(b"quit\n");
                return ExpectsReply::No;
            }
            Request::Handshake => {
                self.queue.extend([Command::ListCommands, Command::Name, Command::Version]);
            }
            Request::SetOptions(_) => {}
            Request::NewGame(game) => self.new_game(game),
            Request::Position { played, go } => self.position(played, go),
            Request::Go(_) => {
                self.queue.push_back(Command::GenMove(self.color.unwrap_or(Color::Black)));
            }
        }
        self.answer = None;
        self.send_next(out);
        if self.queue.is_empty() { ExpectsReply::No } else { ExpectsReply::Yes }
    }

    fn parse_line(&mut self, line: &str, out: &mut Vec<u8>) -> Response {
        let line = line.trim();
        if let Some(answer) = &mut self.answer {
            if !line.is_empty() {
                if answer.lines.len() < MAX_COMMANDS && answer.bytes + line.len() <= MAX_ANSWER_BYTES {
                    answer.bytes += line.len();
                    answer.lines.push(line.to_owned());
                }
                return Response::Ignored;
            }
        } else {
            let accepted = match line.as_bytes() {
                // Decoration, such as a line under a title.
                [b'=', b'=', ..] | [b'?', b'?', ..] => return Response::Ignored,
                [b'=', ..] => true,
                [b'?', ..] => false,
                _ => return Response::Ignored,
            };
            if self.queue.is_empty() {
                return Response::Unexpected;
            }
            let first = line[1..].trim().to_owned();
            self.answer = Some(Answer { accepted, bytes: first.len(), lines: vec![first] });
            return Response::Ignored;
        }
        match (self.queue.pop_front(), self.answer.take()) {
            (Some(command), Some(answer)) => self.handle_answer(command, answer, out),
            _ => Response::Ignored,
        }
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn cannot_play(&self, variant: Variant, start: &Position) -> Option<String> {
        if variant != Variant::Othello {
            return Some(format!("its protocol, {}, knows no variant {variant}", PROTOCOL.name));
        }
        let usual = *start == Position::start(BoardSize::Eight);
        (!usual).then(|| format!("its protocol, {}, knows only the usual start on 8x8", PROTOCOL.name))
    }

    fn unsupported_time_control(&self, time: TimeControl) -> Option<String> {
        let text = match (time, self.clock_style) {
            (_, ClockStyle::None) => "it is not to be told (`clock = \"none\"`)",
            (TimeControl::Nodes(_), _) => "its protocol knows no limit on nodes",
            (TimeControl::Depth(_), _) => "its protocol knows no limit on depth",
            _ if !self.knows("time_left") && !self.knows("time_settings") => {
                "it has no commands for the time"
            }
            (TimeControl::Game { .. }, _) if !self.knows("time_left") => "it has no command `time_left`",
            (TimeControl::MoveTime(_), ClockStyle::SuddenDeath) => {
                "it is told of game clocks only (`clock = \"sudden-death\"`)"
            }
            (TimeControl::MoveTime(time), _) if time.subsec_nanos() > 0 => {
                "its protocol counts in whole seconds"
            }
            _ => return None,
        };
        Some(format!("{text}; its own arguments limit it"))
    }
}

#[cfg(test)]
mod tests;
