//! Ctrl-C, TERM and HUP. One listener lives through the whole run, so no signal is lost between two of its stages.

use std::io;

use rustix::process::Signal as Sig;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Counts interruptions: Ctrl-C as one, TERM and HUP as two.
#[derive(Debug)]
pub struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    /// Caught, so that a write beyond the limit on file sizes fails with an error and does not kill us.
    _file_size: Signal,
    count: u32,
}

impl Interrupts {
    /// Listens from now on. Signals that come between two calls of [`next`](Self::next) are kept.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            _file_size: signal(SignalKind::from_raw(Sig::XFSZ.as_raw()))?,
            count: 0,
        })
    }

    /// Waits for a signal and returns the number of interruptions so far.
    pub async fn next(&mut self) -> u32 {
        let weight = tokio::select! {
            _ = self.interrupt.recv() => 1,
            _ = self.terminate.recv() => 2,
            _ = self.hangup.recv() => 2,
        };
        self.count = counted(self.count, weight);
        self.count
    }
}

/// The number of interruptions after one more. TERM after one Ctrl-C makes two, not three: it asks to stop the games,
/// not to abort.
fn counted(count: u32, weight: u32) -> u32 {
    if weight == 2 { count.max(1) + 1 } else { count + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn term_counts_as_two_but_does_not_abort() {
        let after = |weights: &[u32]| weights.iter().fold(0, |count, &weight| counted(count, weight));
        assert_eq!([after(&[1]), after(&[1, 1]), after(&[1, 1, 1])], [1, 2, 3]);
        assert_eq!([after(&[2]), after(&[1, 2]), after(&[2, 1]), after(&[2, 2])], [2, 2, 3, 3]);
    }
}
