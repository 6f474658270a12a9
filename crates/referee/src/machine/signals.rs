//! Ctrl-C and its relatives. One listener for the whole run: a signal that comes between two of its
//! stages is not lost.

use std::io;

use rustix::process::Signal as Sig;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Ctrl-C and the signals that count as one or two.
#[derive(Debug)]
pub struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    /// Turns a file that grows beyond the limit into an error of the write that does it.
    _file_size: Signal,
    count: u32,
}

impl Interrupts {
    /// Listens from now on; what comes while nobody asks is kept.
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

    /// How many interruptions there have been, when there is one more.
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

/// How many interruptions there are with one more. TERM after one Ctrl-C is two in all, not three:
/// it asks to stop, not to be out at once.
fn counted(count: u32, weight: u32) -> u32 {
    if weight == 2 { count.max(1) + 1 } else { count + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn term_counts_as_two_but_not_as_out_at_once() {
        let after = |weights: &[u32]| weights.iter().fold(0, |count, &weight| counted(count, weight));
        assert_eq!([after(&[1]), after(&[1, 1]), after(&[1, 1, 1])], [1, 2, 3]);
        assert_eq!([after(&[2]), after(&[1, 2]), after(&[2, 1]), after(&[2, 2])], [2, 2, 3, 3]);
    }
}
