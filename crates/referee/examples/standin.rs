//! Stands in for engines that speak other protocols than ours, for the referee's own tests. It plays
//! by the rules, with the habits that are asked for, and watches the referee: what the protocol or the
//! rules do not allow ends it with status 70.
//!
//! `standin gtp|nboard [HABIT...]`
//!
//! GTP: `keeps-id` (answers with the number of an earlier command), `upper`, `passes-by-itself` (and
//! refuses to be told of it), `no-list`, `no-clock`, `chatty`; faults at its third move: `error`, `illegal`, `hang`,
//! `endless-answer`, `resigns`; `refuses` the third move it is told of.
//! NBoard: `slashes`, `late-pongs`, `banner`, `clocked` (wants clocks in the game text), faults `illegal`, `hang`,
//! `garbage`.

use std::env;
use std::io::{self, BufRead as _, Write as _};
use std::process::exit;
use std::thread;
use std::time::Duration;

use rules::{BoardSize, Color, Ply, Position, Turn};

const LIFE: Duration = Duration::from_secs(120);
const OUT_OF_ORDER: i32 = 70;

fn main() {
    thread::spawn(|| {
        thread::sleep(LIFE);
        exit(99);
    });
    let mut words = env::args().skip(1);
    let protocol = words.next().unwrap_or_default();
    let mut engine = Engine {
        habits: words.collect(),
        position: Position::start(BoardSize::Eight),
        moves: 0,
        told: 0,
        pings: Vec::new(),
        set_up: false,
        asked_to_move: false,
    };
    if engine.has("banner") {
        say("*** Welcome! ***\n=====\npong? === d3\n\nreading the book ... done");
    }
    for line in io::stdin().lock().lines() {
        let line = line.unwrap_or_else(|error| out_of_order(&error.to_string()));
        if line.trim() != line || line.is_empty() || line.contains("  ") {
            out_of_order(&line);
        }
        match &*protocol {
            "gtp" => engine.gtp(&line),
            "nboard" => engine.nboard(&line),
            _ => out_of_order(&protocol),
        }
    }
}

fn out_of_order(what: &str) -> ! {
    eprintln!("VIOLATION: {what:?}");
    exit(OUT_OF_ORDER);
}

/// Whoever has gone away hears nothing.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn hang() -> ! {
    loop {
        thread::sleep(LIFE);
    }
}

struct Engine {
    habits: Vec<String>,
    position: Position,
    /// Moves it chose in this game, and moves it was told of.
    moves: u32,
    told: u32,
    pings: Vec<String>,
    set_up: bool,
    /// Whether a move was asked for that it was not told of yet.
    asked_to_move: bool,
}

impl Engine {
    fn has(&self, habit: &str) -> bool {
        self.habits.iter().any(|each| each == habit)
    }

    fn fault(&self, habit: &str) -> bool {
        self.has(habit) && self.moves == 3
    }

    /// The last of its moves; a pass if that is all.
    fn choose(&self) -> Ply {
        self.position.moves().iter().last().map_or(Ply::Pass, Ply::Place)
    }

    fn play(&mut self, ply: Ply) -> bool {
        let after = self.position.play(ply);
        self.position = after.unwrap_or(self.position);
        after.is_ok()
    }

    fn must_pass(&self) -> bool {
        matches!(self.position.turn(), Turn::Pass(_))
    }

    fn answer(&self, accepted: bool, text: &str) {
        let sign = if accepted { '=' } else { '?' };
        let text = if self.has("upper") { text.to_uppercase() } else { text.to_owned() };
        match (self.has("keeps-id"), self.has("chatty")) {
            (true, _) => say(&format!("{sign} 43 {text}\n")),
            (_, true) => say(&format!("thinking about it\r\n{sign}  {text} \r\n\r\n\r\n")),
            _ => say(&format!("{sign} {text}\n")),
        }
    }

    fn gtp(&mut self, line: &str) {
        let mut words = line.split(' ');
        let command = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        let color = || match rest.first().copied() {
            Some("black") => Color::Black,
            Some("white") => Color::White,
            _ => out_of_order(line),
        };
        match command {
            "list_commands" if self.has("no-list") => self.answer(false, "unknown command"),
            "list_commands" => {
                let time = if self.has("no-clock") { "" } else { "\ntime_settings\ntime_left" };
                self.answer(
                    true,
                    &format!("name\nversion\nset_game\nboardsize\nclear_board\nplay\ngenmove{time}"),
                );
            }
            "name" => self.answer(true, "Stand-in"),
            "version" => self.answer(true, "1.2"),
            "set_game" if rest == ["Othello"] => self.answer(true, ""),
            "boardsize" if rest == ["8"] => self.answer(true, ""),
            "time_settings" | "time_left" if !self.has("no-clock") && !self.has("no-list") => {
                let numbers = if command == "time_left" { &rest[1..] } else { &rest[..] };
                let whole: Vec<u64> = numbers.iter().filter_map(|word| word.parse().ok()).collect();
                let enough =
                    if command == "time_left" { whole.len() == 2 && whole[0] > 0 } else { whole.len() == 3 };
                if !enough {
                    out_of_order(line);
                }
                self.answer(true, "");
            }
            "clear_board" => {
                self.position = Position::start(BoardSize::Eight);
                (self.moves, self.told) = (0, 0);
                self.answer(true, "");
            }
            "play" => self.gtp_play(line, color(), rest.get(1).copied().unwrap_or_default()),
            "genmove" => self.gtp_genmove(line, color()),
            "quit" => {
                self.answer(true, "");
                exit(0);
            }
            _ => out_of_order(line),
        }
    }

    fn gtp_play(&mut self, line: &str, color: Color, word: &str) {
        let ply: Ply = word.parse().unwrap_or_else(|_| out_of_order(line));
        if self.has("passes-by-itself") && ply == Ply::Pass {
            return self.answer(false, "syntax error");
        }
        self.told += 1;
        if self.has("refuses") && self.told == 3 {
            return self.answer(false, "illegal move");
        }
        if color != self.position.side_to_move() || !self.play(ply) {
            out_of_order(line);
        }
        self.pass_by_itself();
        self.answer(true, "");
    }

    fn gtp_genmove(&mut self, line: &str, color: Color) {
        if color != self.position.side_to_move() || self.position.moves().is_empty() {
            out_of_order(line);
        }
        self.moves += 1;
        if self.fault("error") {
            return self.answer(false, "cannot move");
        }
        if self.fault("illegal") {
            return self.answer(true, "d4");
        }
        if self.fault("resigns") {
            return self.answer(true, "resign");
        }
        if self.fault("hang") {
            hang();
        }
        let ply = self.choose();
        self.play(ply);
        self.pass_by_itself();
        if self.fault("endless-answer") {
            return say(&format!("= {ply}"));
        }
        self.answer(true, &ply.to_string());
    }

    fn pass_by_itself(&mut self) {
        if self.has("passes-by-itself") && self.must_pass() {
            self.play(Ply::Pass);
        }
    }

    fn nboard(&mut self, line: &str) {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (command, rest) {
            ("nboard", "2") => {}
            ("set", _) => match rest.split_once(' ') {
                Some(("depth", depth)) if depth.parse::<u32>().is_ok_and(|depth| depth > 0) => {
                    say("set myname Standin26");
                }
                Some(("game", text)) => self.set_game(text),
                _ => out_of_order(line),
            },
            ("move", _) => self.nboard_move(line, rest),
            ("ping", _) => {
                self.pings.push(rest.to_owned());
                // Late: the pong of the ping before comes now, and its own only behind it.
                if self.has("late-pongs") && self.pings.len() > 1 {
                    say(&format!("pong {}", self.pings[self.pings.len() - 2]));
                }
                say(&format!("pong {rest}"));
            }
            ("go", "") => self.nboard_go(line),
            ("quit", "") => exit(0),
            _ => out_of_order(line),
        }
    }

    fn set_game(&mut self, text: &str) {
        let tag = |name: &str| {
            let from = text.find(&format!("{name}["))? + name.len() + 1;
            Some(&text[from..from + text[from..].find(']')?])
        };
        let wrong = || -> ! { out_of_order(text) };
        if !text.starts_with("(;GM[Othello]") || !text.ends_with(";)") || tag("TY") != Some("8") {
            wrong();
        }
        let board = tag("BO").and_then(|board| board.strip_prefix("8 ")).unwrap_or_else(|| wrong());
        let (squares, side) = board.rsplit_once(' ').unwrap_or_else(|| wrong());
        let letters = |part: &str| part.replace('*', "X").replace(' ', "");
        self.position = Position::parse(&letters(squares), &letters(side)).unwrap_or_else(|_| wrong());
        if self.has("clocked") {
            let clock = tag("TI").or(tag("TB")).unwrap_or_else(|| wrong());
            let (minutes, seconds) =
                clock.split(['/']).next().and_then(|main| main.split_once(':')).unwrap_or_else(|| wrong());
            if minutes.parse::<u32>().is_err() || seconds.parse::<u32>().is_err() {
                wrong();
            }
        }
        (self.moves, self.told, self.set_up, self.asked_to_move) = (0, 0, true, false);
    }

    fn nboard_move(&mut self, line: &str, text: &str) {
        let mut fields = text.split('/');
        let word = fields.next().unwrap_or_default();
        let spent = fields.nth(1);
        let ply = if word == "PA" { Ply::Pass } else { word.parse().unwrap_or_else(|_| out_of_order(line)) };
        // Its own move, measured, after it was asked for one.
        if self.asked_to_move
            && self.has("clocked")
            && spent.is_none_or(|spent| spent.parse::<f64>().is_err())
        {
            out_of_order(line);
        }
        self.asked_to_move = false;
        if word.to_uppercase() != word || !self.set_up || !self.play(ply) {
            out_of_order(line);
        }
    }

    fn nboard_go(&mut self, line: &str) {
        if self.pings.is_empty() || self.position.moves().is_empty() {
            out_of_order(line);
        }
        self.moves += 1;
        self.asked_to_move = true;
        if self.fault("hang") {
            hang();
        }
        say("status Stand-in is thinking");
        say("search F5-D6 -1.25 0 12 some text");
        say("nodestats 405 0.00");
        let word = match self.choose() {
            _ if self.fault("illegal") => "D4".to_owned(),
            _ if self.fault("garbage") => "banana".to_owned(),
            ply => ply.to_string(),
        };
        if self.has("slashes") {
            say(&format!("=== {}/1.00/0.02", word.to_uppercase()));
        } else {
            say(&format!("=== {word} 1.00 0.0"));
        }
        say("status Stand-in is waiting");
    }
}
