//! The dialogue with one process: text out, lines in, and the one place where the referee waits.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::framing::LineBuffer;
use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::time::Sleep;

use super::dialogue_log::DialogueLog;
use super::write_mode::WriteMode;
use engine_process::cancel::CancelToken;
use engine_process::launch::Launch;
use engine_process::process::Process;
use engine_process::refusal::Refusal;

/// The pipes of one process, what was said over them, and when.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) process: Process,
    /// Output that was read and not used yet, with the begin of an unfinished line.
    pub(super) lines: LineBuffer,
    pub(super) log: DialogueLog,
    /// How text is written.
    pub(super) write_mode: WriteMode,
    /// When the last question was sent: just before the first byte was written.
    asked: Instant,
    /// When something last came, or a wait ended otherwise.
    now: Instant,
    /// True if the last read took all that was in the pipe.
    is_drained: bool,
    /// Reads that found something at once, one after the other.
    at_once: u32,
    /// Reads since the last question.
    reads: u32,
    /// Goes off at the deadline or before it: moving a timer costs more than letting one go off in vain now and then.
    timer: Pin<Box<Sleep>>,
    /// Kept from wait to wait, since to begin to listen costs more than to go on.
    until_over: UntilOver,
    /// The result of that, or [`NoAnswer::Gone`] after the end of the output.
    over: Option<NoAnswer>,
    cancel: CancelToken,
}

/// Waits for the end of a process, or for a cancel.
struct UntilOver(Pin<Box<dyn Future<Output = NoAnswer> + Send>>);

impl fmt::Debug for UntilOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UntilOver")
    }
}

impl UntilOver {
    fn new(exit: Arc<pipe::Receiver>, cancel: &CancelToken) -> Self {
        let cancel = cancel.clone();
        Self(Box::pin(async move {
            tokio::select! {
                biased;
                _ = exit.readable() => NoAnswer::Gone,
                () = cancel.cancelled() => NoAnswer::Cancelled,
            }
        }))
    }
}

/// Why a wait ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The time is up.
    TimedOut,
    /// The process ended or closed its output.
    Gone,
    /// Everything was cancelled.
    Cancelled,
}

/// After so many reads that found something at once the other games of this core get a turn.
const AT_ONCE: u32 = 8;

impl Connection {
    /// Starts a process and says nothing to it yet.
    pub(super) async fn open(
        launch: &Launch,
        cores: &Arc<[usize]>,
        cancel: &CancelToken,
    ) -> Result<Self, Refusal> {
        let process = Process::spawn(launch, cores).await?;
        let now = Instant::now();
        Ok(Self {
            lines: LineBuffer::default(),
            log: DialogueLog::new(),
            write_mode: WriteMode::Whole,
            asked: now,
            now,
            is_drained: false,
            at_once: 0,
            reads: 0,
            timer: Box::pin(tokio::time::sleep_until(now.into())),
            until_over: UntilOver::new(Arc::clone(&process.exit), cancel),
            over: None,
            cancel: cancel.clone(),
            process,
        })
    }

    /// When something last came, or a wait ended otherwise.
    pub(super) fn now(&self) -> Instant {
        self.now
    }

    /// From the moment the last question was sent to the end of the last wait.
    pub(super) fn took(&self) -> Duration {
        self.now.duration_since(self.asked)
    }

    /// When an answer to the last question is overdue that may take so long.
    pub(super) fn deadline(&self, patience: Duration) -> Instant {
        self.asked + patience
    }

    /// Sends a question. The clock starts before the first byte is written: on a shared core the engine may think before
    /// the call that writes returns. If the engine does not read all of it within `patience`, it counts as not answered.
    pub(super) async fn ask(&mut self, text: &[u8], patience: Duration) -> Result<(), NoAnswer> {
        self.asked = Instant::now();
        self.now = self.asked;
        self.is_drained = false;
        self.reads = 0;
        self.send(text, self.asked + patience).await
    }

    /// Sends text. An engine that has closed its input or ended is no error here: reading shows it.
    pub(super) async fn send(&mut self, text: &[u8], deadline: Instant) -> Result<(), NoAnswer> {
        self.log.sent(text, self.now);
        let Some(input) = &self.process.input else { return Ok(()) };
        let whole = self.write_mode == WriteMode::Whole;
        let written = if whole { rustix::io::write(input, text) } else { Ok(0) };
        match written {
            Ok(bytes) if bytes == text.len() => return Ok(()),
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => return Ok(()),
        }
        let rest = &text[written.unwrap_or(0)..];
        if self.over == Some(NoAnswer::Cancelled) {
            return Err(NoAnswer::Cancelled);
        }
        tokio::select! {
            biased;
            () = self.write_mode.write(input, rest) => {}
            over = &mut self.until_over.0, if self.over.is_none() => self.over = Some(over),
            () = tokio::time::sleep_until(deadline.into()) => return Err(NoAnswer::TimedOut),
        }
        if self.over == Some(NoAnswer::Cancelled) { Err(NoAnswer::Cancelled) } else { Ok(()) }
    }

    /// Waits until something comes, at most until `deadline`. It is the one wait of a game.
    ///
    /// Output counts before the end of the process, and that before the deadline. The caller decides by the clock if the
    /// answer was in time. A stream that never ends starves neither the deadline, nor a cancel, nor the other games of this
    /// core.
    pub(super) async fn receive(&mut self, deadline: Instant) -> Result<(), NoAnswer> {
        if self.now >= deadline {
            return Err(NoAnswer::TimedOut);
        }
        self.reads += 1;
        if self.reads.is_multiple_of(AT_ONCE) {
            self.give_way().await;
            if self.cancel.is_cancelled() {
                return Err(NoAnswer::Cancelled);
            }
        }
        // A fast engine on this core has answered before the call that wrote the question returned.
        let mut came = self.read_now();
        self.at_once = if came.is_some() { self.at_once + 1 } else { 0 };
        if self.timer.deadline() > deadline.into() {
            self.timer.as_mut().reset(deadline.into());
        }
        while came.is_none() {
            match self.over {
                // Others may hold the pipe of a process that has ended open.
                Some(NoAnswer::Gone) => break,
                Some(over) => return Err(over),
                None => {}
            }
            tokio::select! {
                biased;
                read = self.process.output.read(self.lines.room()) => came = Some(read.unwrap_or(0)),
                () = self.timer.as_mut() => {
                    self.now = Instant::now();
                    self.timer.as_mut().reset(deadline.max(self.now).into());
                    // The runtime may have been held up since it looked at the pipe.
                    came = self.read_now();
                    if came.is_none() && self.now >= deadline {
                        return Err(NoAnswer::TimedOut);
                    }
                }
                over = &mut self.until_over.0 => {
                    self.over = Some(over);
                    came = self.read_now();
                }
            }
        }
        self.now = Instant::now();
        let came = came.unwrap_or(0);
        if came == 0 {
            // Whoever cancels may also have killed it.
            if self.cancel.is_cancelled() {
                return Err(NoAnswer::Cancelled);
            }
            self.over = Some(NoAnswer::Gone);
            return Err(NoAnswer::Gone);
        }
        self.is_drained = came < self.lines.room().len();
        self.lines.filled(came);
        Ok(())
    }

    /// Gives the other games of this core a turn if this engine has answered at once several times in a row. To be called
    /// where no clock runs.
    pub(super) async fn give_way(&mut self) {
        if self.at_once >= AT_ONCE {
            self.at_once = 0;
            tokio::task::yield_now().await;
        }
    }

    /// Reads what is in the pipe at this moment: `None` if it is empty, 0 bytes at its end.
    fn read_now(&mut self) -> Option<usize> {
        match rustix::io::read(&self.process.output, self.lines.room()) {
            Err(Errno::AGAIN | Errno::INTR) => None,
            read => Some(read.unwrap_or(0)),
        }
    }

    /// How many bytes wait in the pipe at this moment: none if that was seen by the last read, and `since_read` says that
    /// nothing can have come since.
    pub(super) fn waiting_bytes(&self, since_read: bool) -> u64 {
        if since_read && self.is_drained {
            return 0;
        }
        rustix::io::ioctl_fionread(&self.process.output).unwrap_or_default()
    }

    /// Reads at most once what is in the pipe; how many bytes.
    pub(super) fn read_waiting(&mut self) -> u64 {
        let bytes = self.read_now().unwrap_or_default();
        self.lines.filled(bytes);
        bytes as u64
    }
}
