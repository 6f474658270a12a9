//! An engine's standard error: read at once whatever comes, its end kept.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

/// Bytes that are kept: 16 KiB. So much is read at a time too, so that other games of the core get their turn.
const KEPT: usize = 16 * 1024;

/// Reads an engine's standard error by a task of its own, until its end or until this is dropped.
#[derive(Debug)]
pub struct StderrTail {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    tail: Mutex<VecDeque<u8>>,
    written: AtomicU64,
}

impl StderrTail {
    /// Begins to read. To be called within a runtime.
    pub fn read(stream: pipe::Receiver) -> Self {
        let shared = Arc::<Shared>::default();
        Self { task: tokio::spawn(drain(stream, Arc::clone(&shared))), shared }
    }

    /// The end of what was written.
    pub fn text(&self) -> Vec<u8> {
        self.shared.tail.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// How many bytes were read in all.
    pub fn written(&self) -> u64 {
        self.shared.written.load(Ordering::Relaxed)
    }

    /// Waits until all was read, at most so long: a helper of the engine may hold the pipe open.
    pub async fn drained(&mut self, patience: Duration) {
        if !self.task.is_finished() {
            let _ = tokio::time::timeout(patience, &mut self.task).await;
        }
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn drain(stream: pipe::Receiver, shared: Arc<Shared>) {
    // Most engines write nothing here, so the buffer is made when something comes.
    let mut buffer = Vec::new();
    while stream.readable().await.is_ok() {
        buffer.resize(KEPT, 0);
        match stream.try_read(&mut buffer) {
            Ok(0) => return,
            Ok(bytes) => {
                let mut tail = shared.tail.lock().unwrap_or_else(PoisonError::into_inner);
                keep(&mut tail, &buffer[..bytes]);
                shared.written.fetch_add(bytes as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(_) => return,
        }
        tokio::task::yield_now().await;
    }
}

fn keep(tail: &mut VecDeque<u8>, bytes: &[u8]) {
    let fresh = &bytes[bytes.len().saturating_sub(KEPT)..];
    let surplus = (tail.len() + fresh.len()).saturating_sub(KEPT);
    tail.drain(..surplus.min(tail.len()));
    tail.extend(fresh);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let mut tail = VecDeque::new();
        for piece in 0..100u8 {
            keep(&mut tail, &vec![piece; 1000]);
        }
        assert_eq!(tail.len(), KEPT);
        assert_eq!((tail.front(), tail.back()), (Some(&83), Some(&99)));
        keep(&mut tail, &[7; 2 * KEPT]);
        assert_eq!(tail.len(), KEPT);
    }
}
