//! One `go`, as the player sees it.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use protocol::ugi::{Info, Limits};
use rules::{Position, Square};

use crate::budget::Budget;
use crate::now::now;

/// The search must end: the time or the nodes are used up, or the referee sent `stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search has to end")
    }
}

impl Error for Stopped {}

/// The connection to the referee while a search runs.
pub(crate) trait Controller {
    /// Handles input that has arrived. Returns true if the search must stop.
    fn poll(&mut self) -> bool;

    /// Sends an `info` line.
    fn send_info(&mut self, info: &Info<'_>);
}

/// The clock is read about this often.
const CHECK_EVERY: Duration = Duration::from_micros(20);
/// A longer gap between two readings of the clock counts as a preemption: another process had the core
/// (or a node takes that long, which has the same effect).
const PREEMPTED_AFTER: Duration = Duration::from_millis(1);
/// The most nodes between two readings of the clock.
const MAX_STRIDE: u64 = 128;
/// The input is checked this often.
const POLL_EVERY: Duration = Duration::from_millis(1);

/// One `go`: its limits, and the nodes and time it has used.
///
/// With a limit on nodes or depth the result of each method depends on the number of nodes alone,
/// unless the referee sends `stop`.
pub struct Search<'a> {
    controller: Option<&'a mut dyn Controller>,
    limits: Limits,
    budget: Option<Budget>,
    started: Instant,
    nodes: u64,
    max_nodes: u64,
    stopped: bool,
    /// The number of nodes at which the clock is read next; `stride` is the distance from the last reading.
    next_check: u64,
    stride: u64,
    last_check: Instant,
    /// The longest preemption, in this search or (each time reduced by 1/8) in those before it.
    preempted: Duration,
    last_poll: Instant,
}

impl<'a> Search<'a> {
    /// A search without a referee, for tests and tools. Its time starts now.
    #[must_use]
    pub fn standalone(limits: Limits, position: Position) -> Search<'static> {
        Search::new(limits, position, now(), None)
    }

    pub(crate) fn new(
        limits: Limits,
        position: Position,
        started: Instant,
        controller: Option<&'a mut dyn Controller>,
    ) -> Self {
        let budget = Budget::new(&limits, position.side_to_move(), position.empty().len());
        Self {
            controller,
            limits,
            budget,
            started,
            nodes: 0,
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            stopped: false,
            next_check: 1,
            stride: 1,
            last_check: started,
            preempted: Duration::ZERO,
            last_poll: started,
        }
    }

    /// Counts a node before it is searched. The player decides what a node is.
    ///
    /// # Errors
    /// [`Stopped`] if no time or node is left; from then on always.
    #[inline]
    pub fn node(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes < self.next_check { Ok(()) } else { self.check_limits() }
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), Stopped> {
        if self.stopped || self.nodes > self.max_nodes {
            self.nodes -= 1;
            self.stop();
            return Err(Stopped);
        }
        let now = now();
        let spent = now - self.last_check;
        self.last_check = now;
        if spent > PREEMPTED_AFTER {
            self.preempted = self.preempted.max(spent);
        }
        if self
            .budget
            .is_some_and(|budget| now - self.started + self.preempted.min(budget.hard / 2) >= budget.hard)
        {
            self.stop();
        }
        if now - self.last_poll >= POLL_EVERY {
            self.last_poll = now;
            if self.controller.as_mut().is_some_and(|controller| controller.poll()) {
                self.stop();
            }
        }
        if self.stopped {
            return Err(Stopped);
        }
        // Adapt the stride so that the time between readings stays about the same.
        if spent > CHECK_EVERY * 2 {
            self.stride = (self.stride / 2).max(1);
        } else if spent < CHECK_EVERY / 2 {
            self.stride = (self.stride * 2).min(MAX_STRIDE);
        }
        self.next_check = (self.nodes + self.stride).min(self.max_nodes.saturating_add(1));
        Ok(())
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.next_check = 0;
    }

    /// Takes over the longest preemption of earlier searches. On a busy machine a search stops this much
    /// before its hard limit (at most at half of it), because it may be preempted again.
    pub(crate) fn expect_preemption(&mut self, preempted: Duration) {
        self.preempted = self.preempted.max(preempted);
    }

    /// The longest preemption, for [`Search::expect_preemption`] of the next search.
    pub(crate) fn preempted(&self) -> Duration {
        self.preempted
    }

    /// The number of nodes counted.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The limits of the `go` command.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// True if the search has a time limit.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        self.budget.is_some()
    }

    /// True if this move has used the time that it should take. The search may continue up to the hard
    /// limit, where [`node`](Self::node) stops it, but later moves then have less time. Always false
    /// without a time limit, always true after a search with a time limit was stopped. The answer is that
    /// of the last reading of the clock, some microseconds ago.
    #[must_use]
    pub fn is_past_soft_limit(&self) -> bool {
        let had = |budget: Budget| self.stopped || self.last_check - self.started >= budget.soft;
        self.budget.is_some_and(had)
    }

    /// True if a search one ply deeper is worth starting. It takes longer than all before it together, so
    /// it is not worth starting once half of the soft limit is used. Always true until the search is
    /// stopped if unused time would be lost (`go movetime`).
    #[must_use]
    pub fn is_worth_deepening(&self) -> bool {
        let half_gone = |budget: Budget| budget.carries_over && now() - self.started >= budget.soft / 2;
        !self.stopped && !self.budget.is_some_and(half_gone)
    }

    /// Sends an `info` line: plies searched, expected final difference in hundredths of a disc from the
    /// mover's view, and principal variation.
    pub fn report(&mut self, depth: u32, score: i64, line: &[Square]) {
        let Some(controller) = self.controller.as_mut() else { return };
        let time = now() - self.started;
        let pv: Vec<String> = line.iter().map(Square::to_string).collect();
        let pv = pv.join(" ");
        let nps = self.nodes as f64 / time.as_secs_f64().max(1e-6);
        controller.send_info(&Info {
            depth: Some(depth),
            time: u64::try_from(time.as_millis()).ok(),
            nodes: Some(self.nodes),
            nps: Some(nps as u64),
            score_cp: Some(score),
            pv: (!pv.is_empty()).then_some(&pv),
            ..Info::default()
        });
    }

    /// Sends an `info string` line; control characters become blanks.
    pub fn say(&mut self, text: &str) {
        if let Some(controller) = self.controller.as_mut() {
            let text = text.replace(char::is_control, " ");
            controller.send_info(&Info { string: Some(&text), ..Info::default() });
        }
    }
}

impl fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("limits", &self.limits)
            .field("nodes", &self.nodes)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::BoardSize;

    fn alone(limits: Limits) -> Search<'static> {
        Search::standalone(limits, Position::start(BoardSize::Eight))
    }

    #[test]
    fn a_limit_of_nodes_is_kept_to_the_node() {
        for most in [0, 1, 2, 3, 17, 1000, 54_321] {
            let mut search = alone(Limits { nodes: Some(most), ..Limits::default() });
            let mut counted = 0;
            while search.node().is_ok() {
                counted += 1;
            }
            assert_eq!((counted, search.nodes()), (most, most));
            assert!(search.node().is_err());
            assert_eq!(search.nodes(), most, "nodes that were refused don't count");
        }
    }

    #[test]
    fn a_limit_of_time_ends_the_search() {
        let mut search = alone(Limits { movetime: Some(Duration::from_millis(3)), ..Limits::default() });
        while search.node().is_ok() {}
        // However long this thread was kept waiting, no more than half the limit goes for that.
        assert!(search.last_check - search.started >= Duration::from_millis(1));
        assert!(search.is_past_soft_limit());
    }

    #[test]
    fn a_peer_can_stop_it() {
        struct Impatient(u32);
        impl Controller for Impatient {
            fn poll(&mut self) -> bool {
                self.0 += 1;
                self.0 == 2
            }
            fn send_info(&mut self, _: &Info<'_>) {}
        }
        let mut controller = Impatient(0);
        let limits = Limits { infinite: true, ..Limits::default() };
        let mut search = Search::new(limits, Position::start(BoardSize::Eight), now(), Some(&mut controller));
        while search.node().is_ok() {}
        assert!(!search.has_clock() && !search.is_past_soft_limit());
        assert_eq!(controller.0, 2);
    }
}
