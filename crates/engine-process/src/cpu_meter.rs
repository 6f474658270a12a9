//! How much CPU time an engine uses while it is not its turn, and how much one search may use.
//!
//! A turn begins when `go` is sent and ends when the answer has come: CPU time used at any other time of a game is used
//! on the opponent's time, or on nobody's. Reading the CPU clock of the engine's process takes 0.3 µs, so it is read at
//! the begin and the end of a turn, if the last reading is 1 ms old. Its children are read by the
//! [sampler](crate::cpu_sampler). CPU time between two readings counts as the engine's own up to the time of its own
//! turns in between, times the number of cores; only the rest counts against it.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::process::Process;
use crate::process_tree::{CpuSnapshot, TreeTimes};

/// The least time between two readings of the engine's own CPU clock.
const APART: Duration = Duration::from_millis(1);

/// How many of a process's threads can run at the same time, at the most.
static CORES: LazyLock<u32> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(cores).unwrap_or(u32::MAX)
});

/// The CPU time of one engine in one game.
#[derive(Debug, Default)]
pub struct Meters {
    /// When the game began; unknown before the first.
    begun: Option<Instant>,
    own: Meter,
    others: Meter,
    /// How long its threads had run and waited for a core before its turn.
    before: TreeTimes,
    /// The CPU time out of turn up to its last answer.
    off_turn_at_answer: Duration,
}

impl Meters {
    /// A game begins. Until [`turn_begins`](Self::turn_begins) it is the other side's turn.
    pub fn game_begins(now: Instant, process: &Process) -> Self {
        process.sampled.set_in_game(true);
        let own = process.tree().own_time().map(|used| (now, used));
        Self { begun: Some(now), own: Meter { last: own, ..Meter::default() }, ..Self::default() }
    }

    /// The engine is about to be asked.
    pub fn turn_begins(&mut self, now: Instant, process: &Process) {
        self.own.read_own(now, process);
        self.read_others(process);
    }

    /// It has answered at this moment, after so long.
    pub fn turn_ends(&mut self, now: Instant, took: Duration, process: &Process) {
        let turn = Turn { end: now, took };
        self.own.add(turn);
        self.others.add(turn);
        self.own.read_own(now, process);
        self.read_others(process);
        self.off_turn_at_answer = self.own.off_turn + self.others.off_turn;
    }

    /// The CPU time that was used out of turn since its last answer, read anew.
    pub async fn off_turn_since_answer(&mut self, process: &Process) -> Duration {
        if let Some(times) = process.times().await {
            self.others.read(Instant::now(), times.others);
        }
        (self.own.off_turn + self.others.off_turn).saturating_sub(self.off_turn_at_answer)
    }

    fn read_others(&mut self, process: &Process) {
        let Some(sample) = process.sampled.last() else { return };
        self.before = sample.times;
        if self.begun.is_some_and(|begun| sample.at >= begun) {
            self.others.read(sample.at, sample.times.others);
        }
    }

    /// How long the engine's threads, added up, waited for a core in a turn that took so long. To be asked before the turn
    /// ends. Zero if the system does not tell.
    ///
    /// A wait is booked once it is over. Of threads that are ready to run at this moment, all of the turn in which they
    /// neither ran nor had waited is taken for the wait that goes on.
    pub async fn waited(&self, took: Duration, process: &Process) -> Waited {
        let runnable = process.runnable_threads().await;
        let times = process.times().await.unwrap_or_default();
        let booked = times.waited.saturating_sub(self.before.waited);
        if times.waited.is_zero() && times.ran.is_zero() {
            return Waited::default();
        }
        let ran = times.ran.saturating_sub(self.before.ran);
        let goes_on = (took * runnable).saturating_sub(ran + booked);
        let threads = (booked + goes_on).min(took * times.threads);
        Waited { threads, engine: threads.min(took.saturating_sub(ran)) }
    }

    /// The game is over: the CPU time that was used out of turn in all, `None` if it is not known.
    pub fn game_ends(&mut self, now: Instant, process: &Process) -> Option<Duration> {
        self.turn_begins(now, process);
        process.sampled.set_in_game(false);
        self.own.last?;
        let all = self.own.off_turn + self.others.off_turn;
        Some(Duration::from_micros(u64::try_from(all.as_micros()).unwrap_or(u64::MAX)))
    }
}

/// How long an engine waited for a core in a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// Its threads, added up.
    pub threads: Duration,
    /// The engine as a whole: no longer than none of its threads ran. Threads that wait for each other keep it from
    /// nothing.
    pub engine: Duration,
}

/// The processor time that one search may use.
#[derive(Debug)]
pub struct CpuBudget {
    most: Duration,
    used: Duration,
    /// At the last look.
    usage: CpuSnapshot,
}

impl CpuBudget {
    /// So much from now on; `None` if the system does not tell what is used.
    pub fn new(most: Duration, process: &Process) -> Option<Self> {
        Some(Self { most, used: Duration::ZERO, usage: process.tree().usage()? })
    }

    /// The CPU time that is left. A process that has ended counts up to its last reading. The times are read in the
    /// background, since a search may take long.
    pub async fn left(&mut self, process: &Process) -> Duration {
        let usage = process.usage().await;
        self.take_reading(usage)
    }

    fn take_reading(&mut self, usage: Option<CpuSnapshot>) -> Duration {
        if let Some(usage) = usage {
            self.used += usage.since(&self.usage);
            self.usage = usage;
        }
        self.most.saturating_sub(self.used)
    }

    /// The CPU time that was used in all.
    pub fn used(mut self, process: &Process) -> Duration {
        // Read at once: what it uses after its answer is not charged.
        self.take_reading(process.tree().usage());
        self.used
    }
}

/// A turn of the engine.
#[derive(Clone, Copy, Debug)]
struct Turn {
    end: Instant,
    took: Duration,
}

/// The CPU time of some processes in one game.
#[derive(Debug, Default)]
struct Meter {
    /// The last reading: when, and what was used up to then.
    last: Option<(Instant, Duration)>,
    /// The time of the engine's own turns since then.
    own: Duration,
    turn: Option<Turn>,
    off_turn: Duration,
}

impl Meter {
    /// The engine had a turn.
    fn add(&mut self, turn: Turn) {
        self.own += turn.took;
        self.turn = Some(turn);
    }

    /// Reads the CPU clock of the engine's own process, unless it was read just before.
    fn read_own(&mut self, now: Instant, process: &Process) {
        let Some((last, _)) = self.last else { return };
        // Once the process is gone, nothing more is known of it, and nothing more is used.
        if now.saturating_duration_since(last) >= APART
            && let Some(used) = process.tree().own_time()
        {
            self.read(now, used);
        }
    }

    /// Takes a reading: at this moment so much had been used. One that is not newer than the last is left out.
    fn read(&mut self, at: Instant, used: Duration) {
        if self.last.is_some_and(|(last, _)| at <= last) {
            return;
        }
        // The part of the last turn that comes after the reading belongs to the next one.
        let after =
            self.turn.map_or(Duration::ZERO, |turn| turn.end.saturating_duration_since(at).min(turn.took));
        let after = after.min(self.own);
        if let Some((_, before)) = self.last {
            let between = used.saturating_sub(before);
            self.off_turn += between.saturating_sub((self.own - after).saturating_mul(*CORES));
        }
        (self.last, self.own) = (Some((at, used)), after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A game of turns: own time, CPU time in it, the opponent's time, CPU time in that. Read at both ends of a turn.
    fn measured(turns: &[(Duration, Duration, Duration, Duration)]) -> Duration {
        let (mut now, mut used) = (Instant::now(), ms(5));
        let mut meter = Meter { last: Some((now, used)), ..Meter::default() };
        for &(own, busy, others, pondered) in turns {
            meter.read(now, used);
            now += own;
            used += busy;
            meter.add(Turn { end: now, took: own });
            meter.read(now, used);
            now += others;
            used += pondered;
        }
        meter.read(now, used);
        meter.off_turn
    }

    #[test]
    fn cpu_time_on_the_opponents_time_is_counted() {
        assert_eq!(measured(&[(ms(50), ms(50), ms(50), ms(0)); 20]), ms(0));
        assert_eq!(measured(&[(ms(50), ms(50), ms(50), ms(30)); 20]), ms(600));
        // Several threads in its own turn.
        assert_eq!(measured(&[(ms(50), ms(50) * *CORES, ms(50), ms(1)); 20]), ms(20));
    }

    #[test]
    fn an_engine_that_thinks_before_it_is_asked_is_found_out() {
        let at_once = Duration::from_micros(20);
        let found = measured(&[(at_once, at_once, ms(50), ms(50)); 20]);
        assert!(found > ms(950) && found <= ms(1000), "{found:?}");
    }

    #[test]
    fn a_reading_counts_the_turn_up_to_its_moment() {
        let begun = Instant::now();
        // Busy with one thread in a turn from 10 to 30 ms, idle else; read at 0, at `at`, and at 40 ms.
        for at in [5, 10, 17, 25, 30, 35] {
            let used = |at: u64| ms(at.clamp(10, 30) - 10);
            let mut meter = Meter { last: Some((begun, ms(0))), ..Meter::default() };
            meter.add(Turn { end: begun + ms(30), took: ms(20) });
            // The reading becomes known after the turn, whenever it was taken.
            meter.read(begun + ms(at), used(at));
            meter.read(begun + ms(40), used(40));
            assert_eq!(meter.off_turn, ms(0), "read at {at} ms");
            assert_eq!(meter.own, ms(0), "read at {at} ms");
        }
    }

    #[test]
    fn a_reading_is_used_once_and_never_goes_back() {
        let begun = Instant::now();
        let mut meter = Meter { last: Some((begun, ms(0))), ..Meter::default() };
        meter.read(begun + ms(20), ms(9));
        meter.read(begun + ms(20), ms(9));
        meter.read(begun + ms(10), ms(50));
        assert_eq!(meter.off_turn, ms(9));
    }

    #[test]
    fn without_a_beginning_it_is_counted_from_the_first_reading_on() {
        let now = Instant::now();
        let mut meter = Meter::default();
        meter.add(Turn { end: now + ms(9), took: ms(9) });
        meter.read(now + ms(9), ms(40));
        assert_eq!(meter.off_turn, ms(0));
        meter.read(now + ms(20), ms(49));
        assert_eq!(meter.off_turn, ms(9));
    }
}
