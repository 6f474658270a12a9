//! A small referee for tests: talks UGI to an engine's process and holds it to the rules.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rules::{BoardSize, Ply, Position, Turn, Variant};

/// A test waits no longer than this for a line: only a hanging engine takes so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// An engine's process. Dropping it kills it.
pub(crate) struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    /// Starts a program with these arguments.
    pub(crate) fn start(program: &str, arguments: &[&str]) -> Self {
        #[expect(clippy::disallowed_methods, reason = "the test is about the process")]
        let command = &mut Command::new(program);
        let mut process = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {program}: {error}"));
        let output = process.stdout.take().expect("standard output is a pipe");
        let (sender, lines) = channel();
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let input = process.stdin.take();
        Self { process, input, lines }
    }

    /// Writes lines.
    pub(crate) fn say(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(format!("{text}\n").as_bytes()).expect("the engine reads");
    }

    /// The next line.
    pub(crate) fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the engine says something")
    }

    /// Reads lines until one begins with this word; all of them.
    pub(crate) fn hear(&mut self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let line = self.line();
            let found = line.split_ascii_whitespace().next() == Some(word);
            heard.push(line);
            if found {
                return heard;
            }
        }
    }

    /// Says something and waits for the line that answers it; what stands behind the word.
    pub(crate) fn ask(&mut self, text: &str, word: &str) -> String {
        self.say(text);
        let heard = self.hear(word);
        let complaint = heard.iter().find(|line| line.contains("ignored") || line.contains("does not fit"));
        assert_eq!(complaint, None, "after `{text}`");
        heard.last().expect("at least the answer")[word.len()..].trim().to_owned()
    }

    /// Lets it play a whole game against itself; the plies, all legal.
    pub(crate) fn game(&mut self, variant: Variant, size: BoardSize, limits: &str) -> Vec<Ply> {
        let start: Position = variant.start(size);
        let (mut position, mut plies, mut list) = (start, Vec::new(), String::new());
        self.ask("uginewgame\nisready", "readyok");
        loop {
            let ply = match position.turn() {
                Turn::Over(_) => break,
                Turn::Pass(_) => Ply::Pass,
                Turn::Place(_) => {
                    let told =
                        if size == BoardSize::Eight { "startpos".to_owned() } else { format!("fen {start}") };
                    let moves = if list.is_empty() { String::new() } else { format!(" moves{list}") };
                    self.ask(&format!("position {told}{moves}\nisready"), "readyok");
                    self.ask(&format!("go {limits}"), "bestmove").parse().expect("a move")
                }
            };
            position = position.play(ply).unwrap_or_else(|error| panic!("{error} after{list}"));
            list = format!("{list} {ply}");
            plies.push(ply);
        }
        plies
    }

    /// Closes its input and waits until it has left.
    pub(crate) fn leave(mut self) {
        drop(self.input.take());
        let status = self.process.wait().expect("it is our process");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What every engine of ours has to do, under limits that don't take it long.
pub(crate) fn check(program: &str, name: &str, limits: &[&str]) {
    let mut engine = Engine::start(program, &[]);
    engine.say("ugi");
    let greeting = engine.hear("ugiok");
    assert_eq!(greeting[0], format!("id name {name}"));
    for option in ["Seed type spin", "Variant type combo", "BoardSize type spin"] {
        assert!(greeting.iter().any(|line| line.starts_with(&format!("option name {option}"))), "{option}");
    }

    // All variants on all boards, and all limits.
    for variant in Variant::ALL {
        for size in BoardSize::ALL {
            engine.say(&format!(
                "setoption name Variant value {variant}\nsetoption name BoardSize value {}",
                size.side()
            ));
            for limits in limits.iter().chain(&["movetime 2"]) {
                engine.game(variant, size, limits);
            }
        }
    }
    engine.say("setoption name Variant value othello\nsetoption name BoardSize value 8");
    engine.game(Variant::Othello, BoardSize::Eight, "p1time 300 p2time 250 p1inc 1 p2inc 2");

    // The same seed, the same game, whatever was played before; also in another process.
    let mut other = Engine::start(program, &[]);
    for limits in limits {
        engine.say("setoption name Seed value 12345");
        let game = engine.game(Variant::Othello, BoardSize::Eight, limits);
        engine.say("setoption name Seed value 99");
        engine.game(Variant::Othello, BoardSize::Eight, limits);
        engine.say("setoption name Seed value 12345");
        assert_eq!(engine.game(Variant::Othello, BoardSize::Eight, limits), game, "{limits}");
        other.say("setoption name Seed value 12345");
        assert_eq!(other.game(Variant::Othello, BoardSize::Eight, limits), game, "{limits}, another process");
    }
    other.say("quit");
    other.leave();

    // An endless search: ready in its midst, answered at `stop`, left at the end of the input.
    engine.ask("uginewgame\nposition startpos moves f5 d6\ngo infinite\nisready", "readyok");
    engine.ask("stop", "bestmove");
    engine.say("position startpos moves f5 f6\ngo infinite");
    engine.leave();
}
