//! One `go`, as the player that thinks about it sees it.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use protocol::ugi::{Info, Limits};
use rules::{Position, Square};

use crate::budget::Budget;
use crate::now::now;

/// The search has to end: out of time or nodes, or told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search has to end")
    }
}

impl Error for Stopped {}

/// The other end of the dialogue, while a search runs.
pub(crate) trait Controller {
    /// Sees to what has come; whether the search has to stop.
    fn poll(&mut self) -> bool;

    /// Says something of the search.
    fn send_info(&mut self, info: &Info<'_>);
}

/// Time between two looks at the clock.
const CHECK_EVERY: Duration = Duration::from_micros(20);
/// Longer than this between two looks at the clock, and others had the processor meanwhile (or a node
/// takes long, which comes to the same).
const PREEMPTED_AFTER: Duration = Duration::from_millis(1);
/// So many nodes lie at most between two looks at the clock.
const MAX_STRIDE: u64 = 128;
/// Time between two looks at the input.
const POLL_EVERY: Duration = Duration::from_millis(1);

/// One `go`: what limits it, and what it has used up.
///
/// Under a limit of nodes or depth the answers given here depend on the number of nodes alone,
/// unless the referee says `stop`.
pub struct Search<'a> {
    controller: Option<&'a mut dyn Controller>,
    limits: Limits,
    budget: Option<Budget>,
    started: Instant,
    nodes: u64,
    max_nodes: u64,
    stopped: bool,
    /// The number of nodes at which the clock is read next, and how many nodes after the last reading.
    next_check: u64,
    stride: u64,
    last_check: Instant,
    /// The longest time without the processor, in this search or, fading, in those before it.
    preempted: Duration,
    last_poll: Instant,
}

impl<'a> Search<'a> {
    /// A search with nobody at the other end, for tests and tools; its time begins now.
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

    /// Counts a node that is about to be searched. What a node is, is the player's to say.
    ///
    /// # Errors
    /// [`Stopped`] if there is no time or node left for it, from then on always.
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
        // So many nodes that the next reading comes after about the same time, be nodes fast or slow.
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

    /// On a busy machine a search is stopped before it would be preempted at its limit: so much earlier as
    /// it was preempted before, at most by half. This takes over what earlier searches went through.
    pub(crate) fn expect_preemption(&mut self, preempted: Duration) {
        self.preempted = self.preempted.max(preempted);
    }

    /// The longest time preempted; what the next search should reckon with.
    pub(crate) fn preempted(&self) -> Duration {
        self.preempted
    }

    /// How many nodes have been counted.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// What `go` said.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether a clock limits this search.
    #[must_use]
    pub fn has_clock(&self) -> bool {
        self.budget.is_some()
    }

    /// Whether this move has had the time it should take. More can be had, up to the limit at
    /// which [`node`](Self::node) stops, but later moves will miss it. Never true without a clock,
    /// always true of a search with a clock that has been stopped; as of the last reading of the
    /// clock, at most some microseconds ago.
    #[must_use]
    pub fn is_past_soft_limit(&self) -> bool {
        let had = |budget: Budget| self.stopped || self.last_check - self.started >= budget.soft;
        self.budget.is_some_and(had)
    }

    /// Whether a search one ply deeper is worth beginning: it takes longer than all before it
    /// together, so not if half of this move's share of a clock is gone. Always true where
    /// time that is saved would be lost.
    #[must_use]
    pub fn is_worth_deepening(&self) -> bool {
        let half_gone = |budget: Budget| budget.carries_over && now() - self.started >= budget.soft / 2;
        !self.stopped && !self.budget.is_some_and(half_gone)
    }

    /// Tells how far the search has come: plies searched, the expected final difference in
    /// hundredths of a disc from the mover's view, and the expected line of play.
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

    /// Tells something in words, on one line.
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
