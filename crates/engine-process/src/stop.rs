//! The ladder by which an engine is stopped: decided here, climbed in `process`.

use std::time::Duration;

/// How patiently an engine is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// It did nothing wrong: it is told to quit and given its time.
    Polite,
    /// Its dialogue broke off: it would not understand, and is given just a moment.
    Broken,
    /// At once.
    Now,
}

/// One rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopStep {
    /// Say goodbye in its protocol and close its input.
    Quit,
    /// TERM to its process group, and to itself.
    Terminate,
    /// KILL to its process group, and to itself.
    Kill,
}

/// After TERM there is this long, or the time for `quit` if that is shorter.
const AFTER_TERM: Duration = Duration::from_millis(500);

/// After KILL a process is gone unless the system holds it; then we go on without it.
pub const AFTER_KILL: Duration = Duration::from_secs(5);

/// The pushes in their order, each with how long the process may take to end after it.
pub fn ladder(manner: StopMode, quit: Duration) -> Vec<(StopStep, Duration)> {
    let term = (StopStep::Terminate, quit.min(AFTER_TERM));
    let kill = (StopStep::Kill, AFTER_KILL);
    match manner {
        StopMode::Polite => vec![(StopStep::Quit, quit), term, kill],
        StopMode::Broken => vec![term, kill],
        StopMode::Now => vec![kill],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ladder_ends_with_kill() {
        for manner in [StopMode::Polite, StopMode::Broken, StopMode::Now] {
            let steps = ladder(manner, Duration::from_secs(2));
            assert_eq!(steps.last().map(|step| step.0), Some(StopStep::Kill), "{manner:?}");
            assert_eq!(steps.iter().filter(|step| step.0 == StopStep::Kill).count(), 1);
        }
        let polite = ladder(StopMode::Polite, Duration::from_secs(2));
        assert_eq!(polite[0], (StopStep::Quit, Duration::from_secs(2)));
        assert_eq!(
            ladder(StopMode::Broken, Duration::ZERO)[0].1,
            Duration::ZERO,
            "never longer than for quit"
        );
    }
}
