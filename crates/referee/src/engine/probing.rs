//! What `check` needs of an engine beyond what a game does: to say anything at all, to say it in
//! pieces, to break a search off, and to see how it leaves.

use std::time::{Duration, Instant};

use protocol::dialect::{DialectKind, Telling};
use protocol::message::{Claims, Go, Heard, Question, Reply, Setting};
use records::Termination;

use super::meter::{Meters, Waits};
use super::process::{Came, Process};
use super::{
    Answer, AnswerKind, Conduct, Engine, Failure, Journal, Launch, Limits, Recall, Silence, Trouble,
    VecDeque, Written,
};

pub use super::process::Departure;

/// How what is said to an engine is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Each question in one piece, its lines ended by LF.
    #[default]
    Whole,
    /// The same, its lines ended by CR LF.
    CarriageReturns,
    /// A few bytes at a time, with pauses.
    Pieces,
}

/// So many bytes at a time...
const PIECE: usize = 7;
/// ...with at least so much time between them, so that each is read by itself.
const PAUSE: Duration = Duration::from_millis(1);

impl Delivery {
    /// Writes all of it; `false` if it was not taken in time.
    pub(super) fn write(
        self,
        process: &mut Process,
        bytes: &[u8],
        deadline: Instant,
        recall: &Recall,
    ) -> bool {
        match self {
            Self::Whole => process.write(bytes, deadline, recall),
            Self::CarriageReturns => {
                let mut longer = Vec::with_capacity(bytes.len() + 8);
                for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                    longer.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
                    longer.extend_from_slice(if line.ends_with(b"\n") { b"\r\n" } else { b"" });
                }
                process.write(&longer, deadline, recall)
            }
            Self::Pieces => bytes.chunks(PIECE).all(|piece| {
                std::thread::sleep(PAUSE);
                process.write(piece, deadline, recall)
            }),
        }
    }
}

impl Engine {
    /// Starts a process and says nothing to it yet.
    ///
    /// # Errors
    /// [`Trouble`] if it can't be started.
    pub(crate) fn open(
        launch: &Launch,
        protocol: DialectKind,
        clock: Telling,
        limits: Limits,
        recall: &Recall,
        unsure: bool,
    ) -> Result<Self, Trouble> {
        if recall.is_called() {
            return Err(Trouble::Called);
        }
        let process = Process::spawn(launch, recall).map_err(|error| {
            Trouble::Failed(Failure {
                termination: Termination::Crash,
                detail: format!("cannot start {}: {error}", launch.program.display()),
            })
        })?;
        Ok(Self {
            process,
            dialect: protocol.dialogue(clock),
            inbox: Default::default(),
            out: Vec::new(),
            noise: VecDeque::new(),
            journal: Journal::new(),
            has_begun: false,
            surplus: 0,
            floods: 0,
            before: Written::default(),
            limits,
            recall: recall.clone(),
            conduct: Conduct::default(),
            meters: Meters::default(),
            waits: Waits::default(),
            ration: None,
            unsure,
            delivery: Delivery::Whole,
            now: Instant::now(),
        })
    }

    /// Greets it.
    ///
    /// # Errors
    /// [`Trouble`]; what was said until then stays in the journal.
    pub(crate) fn introduce(&mut self) -> Result<(), Trouble> {
        self.settle(&Question::Greet, self.limits.start)?;
        self.unsure = false;
        Ok(())
    }

    /// Sets its options, as before its first game.
    ///
    /// # Errors
    /// [`Trouble`].
    pub(crate) fn configure(&mut self, settings: &[Setting]) -> Result<(), Trouble> {
        self.settle(&Question::Configure(settings), self.limits.ready)
    }

    /// From now on what is said to it is written like this.
    pub(crate) fn deliver(&mut self, delivery: Delivery) {
        self.delivery = delivery;
    }

    /// Begins its journal anew.
    pub(crate) fn reopen_journal(&mut self) {
        self.journal.reopen();
    }

    /// Says something that is not in its dialect's questions and hands every line that comes back to
    /// `judge`, until it returns something. To be used between two questions.
    ///
    /// # Errors
    /// [`Trouble`] if it ends or is silent past the limit.
    pub(crate) fn converse<T>(
        &mut self,
        text: &[u8],
        limit: Duration,
        mut judge: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Trouble> {
        self.drop_what_waits();
        self.noise.clear();
        self.out.clear();
        self.out.extend_from_slice(text);
        self.now = Instant::now();
        self.journal.sent(&self.out, self.now);
        let deadline = self.now + limit;
        match self.listen(deadline, &mut judge) {
            Ok(found) => Ok(found),
            Err(Silence::Called) => Err(Trouble::Called),
            Err(Silence::Gone) => Err(Trouble::Failed(Failure {
                termination: Termination::Crash,
                detail: self.how_it_ended("while it was asked"),
            })),
            Err(Silence::TimedOut) => {
                let (within, pending) = (clock::format_duration(limit), self.what_is_pending());
                let detail = format!("no answer to that within {within}{pending}");
                Err(Trouble::Failed(Failure { termination: Termination::Stall, detail }))
            }
        }
    }

    fn listen<T>(
        &mut self,
        deadline: Instant,
        judge: &mut impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Silence> {
        self.process.watch().owe(deadline);
        let heard = self.listen_until(deadline, judge);
        self.process.watch().settle();
        heard
    }

    fn listen_until<T>(
        &mut self,
        deadline: Instant,
        judge: &mut impl FnMut(&str) -> Option<T>,
    ) -> Result<T, Silence> {
        self.write_out(deadline)?;
        loop {
            while let Some(line) = self.inbox.next_line() {
                self.journal.heard(line, self.now);
                if let Some(found) = judge(line) {
                    return Ok(found);
                }
            }
            if self.recall.is_called() {
                return Err(Silence::Called);
            }
            if self.process.watch().has_ended() && !self.process.has_output() {
                return Err(Silence::Gone);
            }
            if self.now >= deadline {
                return Err(Silence::TimedOut);
            }
            if self.process.read(&mut self.inbox) == Came::End {
                return Err(Silence::Gone);
            }
            self.now = Instant::now();
        }
    }

    /// Asks for a move and does not wait for it.
    pub(crate) fn begin_search(&mut self, go: &Go) {
        self.drop_what_waits();
        self.noise.clear();
        self.out.clear();
        self.dialect.ask(&Question::Go(go), &mut self.out);
        self.now = Instant::now();
        self.journal.sent(&self.out, self.now);
        let deadline = self.now + self.limits.ready;
        // Whether it takes it shows in what it does next.
        let _ = self.write_out(deadline);
    }

    /// Asks for a move, breaks the search off after some time if the answer has not come, and waits
    /// for it at most for `allowance`, counted from there. The time spent is counted from there too; it is
    /// `None` if the answer came before.
    ///
    /// # Errors
    /// [`Trouble::Called`] only; what an engine does wrong is an answer.
    pub(crate) fn go_and_stop(
        &mut self,
        go: &Go,
        after: Duration,
        allowance: Duration,
    ) -> Result<(Option<Duration>, Answer), Trouble> {
        self.begin_search(go);
        self.out.clear();
        let mut claims = Claims::default();
        let mut asked = self.now;
        let mut stopped = false;
        let mut heard = self.exchange(asked + after, &mut claims);
        if matches!(heard, Err(Silence::TimedOut)) {
            self.out.clear();
            stopped = self.dialect.ask(&Question::Stop, &mut self.out) == Reply::Expected;
            asked = Instant::now();
            self.now = asked;
            self.journal.sent(&self.out, asked);
            heard = self.exchange(asked + allowance, &mut claims);
        }
        let spent = self.now.duration_since(asked);
        let kind = self.answer_of(heard)?;
        Ok((stopped.then_some(spent), Answer { spent, waited: Duration::ZERO, claims, kind }))
    }

    /// What an answer to `go` amounts to.
    pub(super) fn answer_of(&self, heard: Result<Heard, Silence>) -> Result<AnswerKind, Trouble> {
        Ok(match heard {
            Ok(Heard::Move(ply)) => AnswerKind::Ply(ply),
            Ok(Heard::Resigned) => AnswerKind::Resigned,
            Ok(Heard::Unreadable(why)) => AnswerKind::Unreadable(why),
            Ok(other) => AnswerKind::Unreadable(format!("{other:?} is no answer to a request for a move")),
            Err(Silence::TimedOut) => AnswerKind::Silent(self.what_is_pending()),
            Err(Silence::Gone) => AnswerKind::Gone(self.how_it_ended("while it was to move")),
            Err(Silence::Called) => return Err(Trouble::Called),
        })
    }

    /// What it says when it is to leave, in its protocol; nothing, where that has no word for it.
    pub(crate) fn goodbye(&mut self) -> Vec<u8> {
        self.out.clear();
        self.dialect.ask(&Question::Quit, &mut self.out);
        std::mem::take(&mut self.out)
    }

    /// Says `goodbye` to it, closes its input if `close`, and sees how it leaves. It is stopped if it
    /// does not leave within `patience`, and nothing that it started is left afterwards.
    pub(crate) fn leave(mut self, goodbye: &[u8], close: bool, patience: Duration) -> (Departure, Journal) {
        self.journal.sent(goodbye, Instant::now());
        let Self { process, journal, limits, .. } = self;
        (process.leave(goodbye, close, patience, limits.quit), journal)
    }
}
