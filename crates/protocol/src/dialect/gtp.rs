//! GTP version 2 as Othello engines speak it. One command at a time, without ids, comments or
//! blank lines, since some engines stumble over each of them; `list_commands` comes before anything
//! that an engine may not know. An answer begins with `=` or `?` and ends with an empty line.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use clock::TimeControl;
use rules::{BoardSize, Color, Ply, Position, Variant};

use super::{Dialect, Protocol, Telling};
use crate::framing::quote;
use crate::message::{Go, Heard, Identity, NewGame, Played, Question, Reply, clean_name};
use crate::probe::{Area, Checks, Probe};

pub(super) static PROTOCOL: Protocol = Protocol {
    name: "gtp",
    about: "Go Text Protocol 2, for Othello",
    has_options: false,
    is_recognisable: true,
    clocks: &[Telling::Protocol, Telling::SuddenDeath, Telling::Fischer, Telling::Nothing],
    checks: CHECKS,
    dialogue: |telling| Box::new(Gtp { telling, ..Gtp::default() }),
};

const CHECKS: Checks = Checks {
    probes: &[
        Probe {
            name: "protocol-version",
            area: Area::Start,
            about: "it says that it speaks version 2",
            send: "protocol_version\n",
            judge: |lines| {
                answers(lines, 1, |all| match all {
                    [(true, text)] if text.starts_with('2') => Ok(()),
                    _ => Err("`= 2` is wanted".to_owned()),
                })
            },
            hint: "answer `protocol_version` by `= 2` and an empty line",
        },
        Probe {
            name: "needed-commands",
            area: Area::Start,
            about: "it lists the commands that a game needs",
            send: "list_commands\n",
            judge: |lines| {
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
            area: Area::Input,
            about: "`known_command` tells what it knows from what it does not",
            send: "known_command genmove\nknown_command no_such_command\n",
            judge: |lines| {
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
            area: Area::Input,
            about: "a command that it does not know is refused",
            send: "no_such_command 1 2\n",
            judge: |lines| {
                answers(lines, 1, |all| if all[0].0 { Err("a `?` is wanted".to_owned()) } else { Ok(()) })
            },
            hint: "answer a command you do not know by `? unknown command` and an empty line",
        },
        Probe {
            name: "illegal-play",
            area: Area::Rules,
            about: "an illegal `play` is refused",
            send: "play black a1\n",
            judge: |lines| {
                answers(lines, 1, |all| {
                    if all[0].0 { Err("a1 turns nothing over: a `?` is wanted".to_owned()) } else { Ok(()) }
                })
            },
            hint: "hold each `play` against the rules and answer `? illegal move` where it breaks them",
        },
        Probe {
            name: "numbered-command",
            area: Area::Input,
            about: "a command with a number is answered with that number",
            send: "4711 name\n",
            judge: |lines| {
                answers(lines, 1, |all| match &all[0] {
                    (true, text) if text.starts_with("4711") => Ok(()),
                    _ => Err("`=4711` and a name are wanted".to_owned()),
                })
            },
            hint: "a command may begin with a number; repeat it right behind `=` or `?`",
        },
        Probe {
            name: "comments",
            area: Area::Input,
            about: "comments and empty lines are ignored",
            send: "# a comment\n\nname\n",
            judge: |lines| {
                answers(lines, 1, |all| {
                    if all[0].0 { Ok(()) } else { Err("answered what is no command".to_owned()) }
                })
            },
            hint: "cut off everything behind `#`, and pass over lines in which nothing is left",
        },
        Probe {
            name: "many-at-once",
            area: Area::Input,
            about: "several commands that come at once are all answered",
            send: "name\nversion\nname\n",
            judge: |lines| answers(lines, 3, |_| Ok(())),
            hint: "read line by line: what comes in one piece may hold several commands",
        },
    ],
    facts: None,
    unstoppable: Some("its protocol has no word to stop a search"),
    endless: false,
};

/// Judges the answers that are complete, once there are so many: whether each was accepted, and its text.
fn answers(
    lines: &[String],
    count: usize,
    judge: impl Fn(&[(bool, String)]) -> Result<(), String>,
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
    (complete.len() >= count).then(|| judge(&complete[..count]))
}

/// More commands than any engine has, and more lines than they take: what comes beyond is not kept.
const MOST_COMMANDS: usize = 1000;

/// No list of commands is longer, in bytes: lines that come beyond are not kept.
const LONGEST_ANSWER: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    ListCommands,
    Name,
    Version,
    SetGame,
    BoardSize,
    ClearBoard,
    /// The three numbers behind it.
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

/// An answer as far as it has come.
#[derive(Debug)]
struct Answer {
    accepted: bool,
    /// What stands behind `=` or `?`, and the lines that follow.
    lines: Vec<String>,
    /// How long those lines are together.
    bytes: usize,
}

/// A dialogue in GTP.
#[derive(Debug, Default)]
struct Gtp {
    telling: Telling,
    identity: Identity,
    /// What it lists as its commands, in lower case; nothing if it has no such list.
    known: Option<HashSet<String>>,
    /// What was sent and is to be answered, then what is to be sent after it.
    queue: VecDeque<Command>,
    answer: Option<Answer>,
    color: Option<Color>,
    first: Option<Color>,
    /// How many plies of the game are on its board.
    told: usize,
    /// The ply behind them that it chose itself, and put on its board.
    own: Option<Ply>,
}

impl Gtp {
    fn knows(&self, command: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.contains(command))
    }

    fn new_game(&mut self, game: &NewGame<'_>) {
        self.color = Some(game.color);
        self.first = Some(game.start.side_to_move());
        (self.told, self.own) = (0, None);
        if self.knows("set_game") {
            self.queue.push_back(Command::SetGame);
        }
        if self.known.is_none() || self.knows("boardsize") {
            self.queue.push_back(Command::BoardSize);
        }
        // Before the board is cleared: that is when some take their clocks back to the start.
        if let Some(numbers) = self.time_settings(*game.time.get(game.color)) {
            self.queue.push_back(Command::TimeSettings(numbers));
        }
        self.queue.push_back(Command::ClearBoard);
    }

    /// Main time, overtime and moves in the overtime, in whole seconds.
    fn time_settings(&self, time: TimeControl) -> Option<String> {
        if !self.knows("time_settings") {
            return None;
        }
        match (self.telling, time) {
            (Telling::Protocol | Telling::SuddenDeath, TimeControl::Game { main: time, .. }) => {
                Some(format!("{} 0 0", seconds(time)))
            }
            (Telling::Fischer, TimeControl::Game { main: time, increment }) => {
                Some(format!("{} {} 0", seconds(time), increment.as_secs()))
            }
            (Telling::Protocol, TimeControl::MoveTime(time)) => Some(format!("0 {} 1", seconds(time))),
            (Telling::Fischer, TimeControl::MoveTime(time)) => Some(format!("0 {} 0", seconds(time))),
            _ => None,
        }
    }

    fn time_left(&self, go: &Go) -> Option<Command> {
        let color = self.color.filter(|_| self.knows("time_left"))?;
        match (self.telling, go) {
            (Telling::Nothing, _) => None,
            (_, Go::Clock { time, .. }) => Some(Command::TimeLeft(color, seconds(time[color]), 0)),
            (Telling::Protocol, Go::MoveTime(time)) => Some(Command::TimeLeft(color, seconds(*time), 1)),
            _ => None,
        }
    }

    fn position(&mut self, played: &[Played], go: &Go) {
        let mut own = self.own.take();
        for (number, Played { ply, .. }) in played.iter().enumerate().skip(self.told) {
            // Its own move stands on its board since it chose it.
            if own.take() != Some(*ply) {
                let first = self.first.unwrap_or(Color::Black);
                let color = if number % 2 == 0 { first } else { first.opposite() };
                self.queue.push_back(Command::Play(color, *ply));
            }
        }
        self.told = played.len();
        let time_left = self.time_left(go);
        self.queue.extend(time_left);
    }

    fn send_next(&self, out: &mut Vec<u8>) {
        if let Some(command) = self.queue.front() {
            out.extend_from_slice(command.text().as_bytes());
            out.push(b'\n');
        }
    }

    /// Takes a whole answer to the command in front.
    fn take(&mut self, command: Command, answer: Answer, out: &mut Vec<u8>) -> Heard {
        let Answer { accepted, lines, .. } = answer;
        let text = lines.first().map_or("", String::as_str);
        match command {
            Command::ListCommands if accepted => {
                let words = lines.iter().flat_map(|line| line.split_whitespace());
                self.known = Some(words.take(MOST_COMMANDS).map(str::to_lowercase).collect());
            }
            Command::Name if accepted => self.identity.name = clean_name(text),
            Command::Version if accepted => self.identity.version = clean_name(text),
            Command::ListCommands | Command::Name | Command::Version => {}
            // It goes without; what it needs to know of the time it is told before each move.
            Command::TimeSettings(_) | Command::TimeLeft(..) => {}
            // It may have passed by itself already.
            Command::Play(_, Ply::Pass) => {}
            Command::Play(..) if !accepted => {
                self.queue.clear();
                let asked = command.text();
                return Heard::Unreadable(format!("refused the legal `{asked}`: {}", quote(text)));
            }
            Command::SetGame | Command::BoardSize | Command::ClearBoard if !accepted => {
                self.queue.clear();
                return Heard::Unreadable(format!("refused `{}`: {}", command.text(), quote(text)));
            }
            Command::Play(..) | Command::SetGame | Command::BoardSize | Command::ClearBoard => {}
            Command::GenMove(_) => return self.take_move(accepted, text),
        }
        if self.queue.is_empty() {
            return Heard::Answered;
        }
        self.send_next(out);
        Heard::Nothing
    }

    fn take_move(&mut self, accepted: bool, text: &str) -> Heard {
        if !accepted {
            return Heard::Unreadable(format!("answered genmove by the error {}", quote(text)));
        }
        // Whatever stands before it: some repeat the id of an earlier command.
        let word = text.split_whitespace().next_back().unwrap_or("");
        let ply = match word.to_ascii_lowercase().as_str() {
            "resign" => return Heard::Resigned,
            "pass" => Ply::Pass,
            square => match square.parse() {
                Ok(square) => Ply::Place(square),
                Err(_) => {
                    return Heard::Unreadable(format!(
                        "cannot read {} as a move",
                        quote(&format!("= {text}"))
                    ));
                }
            },
        };
        self.own = Some(ply);
        Heard::Move(ply)
    }
}

/// Whole seconds, rounded down, but never below 1.
fn seconds(time: Duration) -> u64 {
    time.as_secs().max(1)
}

impl Dialect for Gtp {
    fn ask(&mut self, question: &Question<'_>, out: &mut Vec<u8>) -> Reply {
        match question {
            Question::Stop => return Reply::None,
            Question::Quit => {
                out.extend_from_slice(b"quit\n");
                return Reply::None;
            }
            Question::Greet => {
                self.queue.extend([Command::ListCommands, Command::Name, Command::Version]);
            }
            Question::Configure(_) => {}
            Question::NewGame(game) => self.new_game(game),
            Question::Position { played, go } => self.position(played, go),
            Question::Go(_) => {
                self.queue.push_back(Command::GenMove(self.color.unwrap_or(Color::Black)));
            }
        }
        self.answer = None;
        self.send_next(out);
        if self.queue.is_empty() { Reply::None } else { Reply::Expected }
    }

    fn hear(&mut self, line: &str, out: &mut Vec<u8>) -> Heard {
        let line = line.trim();
        if let Some(answer) = &mut self.answer {
            if !line.is_empty() {
                if answer.lines.len() < MOST_COMMANDS && answer.bytes + line.len() <= LONGEST_ANSWER {
                    answer.bytes += line.len();
                    answer.lines.push(line.to_owned());
                }
                return Heard::Nothing;
            }
        } else {
            let accepted = match line.as_bytes() {
                // An ornament, such as a line under a title.
                [b'=', b'=', ..] | [b'?', b'?', ..] => return Heard::Nothing,
                [b'=', ..] => true,
                [b'?', ..] => false,
                _ => return Heard::Nothing,
            };
            if self.queue.is_empty() {
                return Heard::Surplus;
            }
            let first = line[1..].trim().to_owned();
            self.answer = Some(Answer { accepted, bytes: first.len(), lines: vec![first] });
            return Heard::Nothing;
        }
        match (self.queue.pop_front(), self.answer.take()) {
            (Some(command), Some(answer)) => self.take(command, answer, out),
            _ => Heard::Nothing,
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

    fn untold(&self, time: TimeControl) -> Option<String> {
        let text = match (time, self.telling) {
            (_, Telling::Nothing) => "it is not to be told (`clock = \"none\"`)",
            (TimeControl::Nodes(_), _) => "its protocol knows no limit on nodes",
            (TimeControl::Depth(_), _) => "its protocol knows no limit on depth",
            _ if !self.knows("time_left") && !self.knows("time_settings") => {
                "it has no commands for the time"
            }
            (TimeControl::Game { .. }, _) if !self.knows("time_left") => "it has no command `time_left`",
            (TimeControl::MoveTime(_), Telling::SuddenDeath) => {
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
