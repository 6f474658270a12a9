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
pub(crate) trait Peer {
    /// Sees to what has come; whether the search has to stop.
    fn attend(&mut self) -> bool;

    /// Says something of the search.
    fn tell(&mut self, info: &Info<'_>);
}

/// Time between two looks at the clock.
const LOOK_EVERY: Duration = Duration::from_micros(20);
/// Longer than this between two looks at the clock, and others had the processor meanwhile (or a node
/// takes long, which comes to the same).
const AWAY: Duration = Duration::from_millis(1);
/// So many nodes lie at most between two looks at the clock.
const LONGEST_STRIDE: u64 = 128;
/// Time between two looks at the input.
const ATTEND_EVERY: Duration = Duration::from_millis(1);

/// One `go`: what limits it, and what it has used up.
///
/// Under a limit of nodes or depth the answers given here depend on the number of nodes alone,
/// unless the referee says `stop`.
pub struct Search<'a> {
    peer: Option<&'a mut dyn Peer>,
    limits: Limits,
    budget: Option<Budget>,
    started: Instant,
    nodes: u64,
    most_nodes: u64,
    stopped: bool,
    /// The number of nodes at which the clock is looked at next, and how many that is after the last look.
    next_look: u64,
    stride: u64,
    looked: Instant,
    /// The longest time away, in this search or, fading, in those before it.
    away: Duration,
    attended: Instant,
}

impl<'a> Search<'a> {
    /// A search with nobody at the other end, for tests and tools; its time begins now.
    #[must_use]
    pub fn alone(limits: Limits, position: Position) -> Search<'static> {
        Search::new(limits, position, now(), None)
    }

    pub(crate) fn new(
        limits: Limits,
        position: Position,
        started: Instant,
        peer: Option<&'a mut dyn Peer>,
    ) -> Self {
        let budget = Budget::new(&limits, position.side_to_move(), position.empty().len());
        Self {
            peer,
            limits,
            budget,
            started,
            nodes: 0,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            stopped: false,
            next_look: 1,
            stride: 1,
            looked: started,
            away: Duration::ZERO,
            attended: started,
        }
    }

    /// Counts a node that is about to be looked at. What a node is, is the player's to say.
    ///
    /// # Errors
    /// [`Stopped`] if there is no time or node left for it, from then on always.
    #[inline]
    pub fn node(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes < self.next_look { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stopped> {
        if self.stopped || self.nodes > self.most_nodes {
            self.nodes -= 1;
            self.stop();
            return Err(Stopped);
        }
        let now = now();
        let spent = now - self.looked;
        self.looked = now;
        if spent > AWAY {
            self.away = self.away.max(spent);
        }
        if self
            .budget
            .is_some_and(|budget| now - self.started + self.away.min(budget.limit / 2) >= budget.limit)
        {
            self.stop();
        }
        if now - self.attended >= ATTEND_EVERY {
            self.attended = now;
            if self.peer.as_mut().is_some_and(|peer| peer.attend()) {
                self.stop();
            }
        }
        if self.stopped {
            return Err(Stopped);
        }
        // So many nodes that the next look comes after about the same time, be nodes fast or slow.
        if spent > LOOK_EVERY * 2 {
            self.stride = (self.stride / 2).max(1);
        } else if spent < LOOK_EVERY / 2 {
            self.stride = (self.stride * 2).min(LONGEST_STRIDE);
        }
        self.next_look = (self.nodes + self.stride).min(self.most_nodes.saturating_add(1));
        Ok(())
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.next_look = 0;
    }

    /// On a busy machine a search is stopped before it would be away at its limit: so much earlier as
    /// it was away before, at most by half. This takes over what earlier searches went through.
    pub(crate) fn expect_away(&mut self, away: Duration) {
        self.away = self.away.max(away);
    }

    /// The longest time away; what the next search should reckon with.
    pub(crate) fn away(&self) -> Duration {
        self.away
    }

    /// Whether the search has to end.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// How many nodes have been looked at.
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
    /// always true of a search with a clock that has been stopped; as of the last look at the
    /// clock, at most some microseconds ago.
    #[must_use]
    pub fn has_had_its_share(&self) -> bool {
        let had = |budget: Budget| self.stopped || self.looked - self.started >= budget.target;
        self.budget.is_some_and(had)
    }

    /// Whether a search one ply deeper is worth beginning: it takes longer than all before it
    /// together, so not if half of this move's share of a clock is gone. Always true where
    /// time that is saved would be lost.
    #[must_use]
    pub fn is_worth_deepening(&self) -> bool {
        let half_gone = |budget: Budget| budget.saved && now() - self.started >= budget.target / 2;
        !self.stopped && !self.budget.is_some_and(half_gone)
    }

    /// Tells how far the search has come: plies searched, the expected final difference in
    /// hundredths of a disc from the mover's view, and the expected line of play.
    pub fn report(&mut self, depth: u32, score: i64, line: &[Square]) {
        let Some(peer) = self.peer.as_mut() else { return };
        let time = now() - self.started;
        let pv: Vec<String> = line.iter().map(Square::to_string).collect();
        let pv = pv.join(" ");
        let nps = self.nodes as f64 / time.as_secs_f64().max(1e-6);
        peer.tell(&Info {
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
        if let Some(peer) = self.peer.as_mut() {
            let text = text.replace(char::is_control, " ");
            peer.tell(&Info { string: Some(&text), ..Info::default() });
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
        Search::alone(limits, Position::start(BoardSize::Eight))
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
            assert!(search.is_stopped() && search.node().is_err());
            assert_eq!(search.nodes(), most, "nodes that were refused don't count");
        }
    }

    #[test]
    fn a_limit_of_time_ends_the_search() {
        let mut search = alone(Limits { movetime: Some(Duration::from_millis(3)), ..Limits::default() });
        while search.node().is_ok() {}
        // However long this thread was kept waiting, no more than half the limit goes for that.
        assert!(search.looked - search.started >= Duration::from_millis(1));
        assert!(search.has_had_its_share());
    }

    #[test]
    fn a_peer_can_stop_it() {
        struct Impatient(u32);
        impl Peer for Impatient {
            fn attend(&mut self) -> bool {
                self.0 += 1;
                self.0 == 2
            }
            fn tell(&mut self, _: &Info<'_>) {}
        }
        let mut peer = Impatient(0);
        let limits = Limits { infinite: true, ..Limits::default() };
        let mut search = Search::new(limits, Position::start(BoardSize::Eight), now(), Some(&mut peer));
        while search.node().is_ok() {}
        assert!(!search.has_clock() && !search.has_had_its_share());
        assert_eq!(peer.0, 2);
    }
}
