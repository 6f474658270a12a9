//! What `check` needs of an engine beyond what a game does: to send any text, to send it in pieces, to break a search
//! off, and to see how the process leaves.

use std::time::{Duration, Instant};

use super::connection::NoAnswer;
use super::{Answer, DialogueLog, Engine, EngineError, Failure, Search, ShutdownReport, WriteMode, is_reply};
use engine_process::cpu_meter::Waited;
use protocol::message::{Go, Request};
use records::Termination;

impl Engine {
    /// From now on text is written to it like this.
    pub fn set_write_mode(&mut self, mode: WriteMode) {
        self.connection.write_mode = mode;
    }

    /// Begins its journal anew.
    pub fn clear_log(&mut self) {
        self.connection.log.reopen();
    }

    /// Sends text that is none of its dialect's questions and hands every line that comes back to `judge`, until it
    /// returns something. To be used between two questions.
    ///
    /// # Errors
    /// [`EngineError`] if it ends or is silent past the limit.
    pub async fn send_raw<T>(
        &mut self,
        text: &[u8],
        limit: Duration,
        mut judge: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, EngineError> {
        self.drop_stale(false, is_reply);
        self.search = Search { before: self.written(), ..Search::default() };
        let connection = &mut self.connection;
        let mut ended = connection.ask(text, limit).await;
        let deadline = connection.deadline(limit);
        let failed = |termination, detail| Err(EngineError::Failed(Failure { termination, detail }));
        loop {
            match ended {
                Ok(()) => {}
                Err(NoAnswer::Cancelled) => return Err(EngineError::Cancelled),
                Err(NoAnswer::Gone) => {
                    return failed(Termination::Crash, self.how_it_ended("while it was asked").await);
                }
                Err(NoAnswer::TimedOut) => {
                    let (within, pending) = (clock::format_duration(limit), self.what_is_pending());
                    return failed(Termination::Stall, format!("no answer to that within {within}{pending}"));
                }
            }
            let connection = &mut self.connection;
            let now = connection.now();
            while let Some(line) = connection.lines.next_line() {
                connection.log.heard(line, now);
                if let Some(found) = judge(line) {
                    return Ok(found);
                }
            }
            ended = connection.receive(deadline).await;
        }
    }

    /// Asks for a move and does not wait for it.
    pub async fn begin_search(&mut self, go: &Go) {
        self.drop_stale(true, is_reply);
        self.out.clear();
        self.dialect.write_request(&Request::Go(go), &mut self.out);
        // A write that failed shows when its answer is read.
        let _ = self.connection.ask(&self.out, self.limits.ready).await;
    }

    /// Asks for a move, breaks the search off after some time if the answer has not come, and waits
    /// for it at most for `allowance`, counted from there. The time spent is counted from there too; it is
    /// `None` if the answer came before.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`] only; what an engine does wrong is an answer.
    pub async fn go_and_stop(
        &mut self,
        go: &Go,
        after: Duration,
        allowance: Duration,
    ) -> Result<(Option<Duration>, Answer), EngineError> {
        let mut heard = self.ask(&Request::Go(go), after, Search::default()).await;
        let stopped = heard == Err(NoAnswer::TimedOut);
        if stopped {
            let so_far = std::mem::take(&mut self.search);
            heard = self.ask(&Request::Stop, allowance, so_far).await;
        }
        let spent = self.connection.took();
        let kind = self.answer_of(heard).await?;
        let answer = Answer { spent, waited: Waited::default(), info: self.search.info, kind };
        Ok((stopped.then_some(spent), answer))
    }

    /// Sends `goodbye`, closes its input if `close`, and sees how it leaves. It is stopped if it does not leave within
    /// `patience`, and nothing that it started is left afterwards.
    pub async fn leave(
        mut self,
        goodbye: &[u8],
        close: bool,
        patience: Duration,
    ) -> (ShutdownReport, DialogueLog) {
        let connection = &mut self.connection;
        connection.log.sent(goodbye, Instant::now());
        let departure = connection.process.leave(goodbye, close, patience, self.limits.quit).await;
        (departure, self.connection.log.clone())
    }
}
