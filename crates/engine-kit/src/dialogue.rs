//! Lines in, answers out, and commands that arrive during a search.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::Write;
use std::time::{Duration, Instant};

use protocol::framing::LineBuffer;
use protocol::ugi::{Command, CommandError, Info};

use crate::input::Input;
use crate::now::now;
use crate::search::Controller;

/// While a search runs, no more input is read once this many bytes of commands are queued.
const MAX_READ_AHEAD: usize = 256 * 1024;
/// A long search sends its `info` lines this often; a short one sends them with its answer.
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// The engine's end of the dialogue. It collects answers and writes them at once before it waits for
/// input.
pub(crate) struct Dialogue<I, O> {
    input: I,
    output: O,
    buffer: LineBuffer,
    /// Commands that arrived during a search; they are executed after it.
    queued: VecDeque<String>,
    queued_bytes: usize,
    answers: Vec<u8>,
    last_flush: Instant,
    /// The time of the last read.
    arrived: Instant,
    /// A search without a limit (`go infinite`) is running: any command that is queued ends it.
    infinite: bool,
    stop: bool,
    closed: bool,
}

impl<I: Input, O: Write> Dialogue<I, O> {
    pub(crate) fn new(input: I, output: O) -> Self {
        let now = now();
        Self {
            input,
            output,
            buffer: LineBuffer::default(),
            queued: VecDeque::new(),
            queued_bytes: 0,
            answers: Vec::with_capacity(1024),
            last_flush: now,
            arrived: now,
            infinite: false,
            stop: false,
            closed: false,
        }
    }

    /// Waits for the next line and reads it into `line`; `false` at the end of the dialogue.
    pub(crate) fn next_line(&mut self, line: &mut String) -> bool {
        line.clear();
        while !self.closed {
            if let Some(kept) = self.queued.pop_front() {
                self.queued_bytes -= kept.len();
                *line = kept;
                return true;
            }
            if let Some(text) = self.buffer.next_line() {
                line.push_str(text);
                return true;
            }
            self.flush();
            self.read();
        }
        false
    }

    /// The time at which the current command arrived, or at which the search before it ended if that was later.
    pub(crate) fn arrived(&self) -> Instant {
        self.arrived
    }

    /// Ends the dialogue: no more lines are read.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Adds a line to the answers.
    pub(crate) fn answer(&mut self, line: impl Display) {
        // Writing to memory does not fail.
        let _ = writeln!(self.answers, "{line}");
    }

    /// Adds an `info string` line with at most 300 characters of `text`, control characters replaced by blanks.
    pub(crate) fn info_string(&mut self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
        self.answer(Info { string: Some(&text), ..Info::default() });
    }

    /// Writes the collected answers. A write error ends the dialogue.
    pub(crate) fn flush(&mut self) {
        if self.answers.is_empty() {
            return;
        }
        if self.output.write_all(&self.answers).and_then(|()| self.output.flush()).is_err() {
            self.close();
        }
        self.answers.clear();
        self.last_flush = now();
    }

    /// Prepares for a search.
    pub(crate) fn begin_search(&mut self, infinite: bool) {
        self.infinite = infinite;
        self.stop = false;
        self.flush();
        self.last_flush = self.arrived;
    }

    /// Waits until a search without limit (`go infinite`) may be answered.
    pub(crate) fn wait_for_stop(&mut self) {
        while !self.process_lines() {
            self.flush();
            self.read();
        }
    }

    /// Ends a search and writes its answer at once, even if commands are queued.
    pub(crate) fn end_search(&mut self) {
        self.infinite = false;
        self.stop = false;
        self.flush();
        self.arrived = self.last_flush;
    }

    /// Waits for input and reads it.
    fn read(&mut self) {
        match self.input.read(self.buffer.room()) {
            Ok(count @ 1..) => {
                self.arrived = now();
                self.buffer.filled(count);
            }
            _ => self.close(),
        }
    }

    /// Handles the lines that arrived during a search: answers `isready`, queues most others. Returns true
    /// if the search must stop.
    fn process_lines(&mut self) -> bool {
        while !self.stop && !self.closed {
            let Some(line) = self.buffer.next_line() else { break };
            match Command::parse(line) {
                Ok(Command::Stop) => self.stop = true,
                Ok(Command::Quit) => self.close(),
                // With commands queued before it, `isready` has to wait until they are done.
                Ok(Command::IsReady) if self.queued.is_empty() => {
                    self.answer("readyok");
                    self.flush();
                }
                Err(CommandError::Unknown) => {}
                _ => {
                    self.queued_bytes += line.len();
                    self.queued.push_back(line.to_owned());
                    self.stop |= self.infinite;
                }
            }
        }
        self.stop || self.closed
    }
}

impl<I: Input, O: Write> Controller for Dialogue<I, O> {
    fn poll(&mut self) -> bool {
        if !self.answers.is_empty() && now() - self.last_flush >= REPORT_EVERY {
            self.flush();
        }
        if !self.closed && self.queued_bytes < MAX_READ_AHEAD && self.input.ready() {
            self.read();
        }
        self.process_lines()
    }

    fn send_info(&mut self, info: &Info<'_>) {
        self.answer(info);
    }
}
