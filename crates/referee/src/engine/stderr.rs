//! What an engine writes to its standard error: always drained, its end kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

/// How much is kept, in bytes: 16 KiB.
const KEPT: usize = 16 * 1024;

/// Drains a stream in a task of its own and keeps its last 16 KiB.
#[derive(Debug)]
pub(super) struct StderrTail {
    tail: Arc<Mutex<VecDeque<u8>>>,
    task: JoinHandle<()>,
}

impl StderrTail {
    pub(super) fn drain(stream: pipe::Receiver) -> Self {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let task = tokio::spawn(drain(stream, Arc::clone(&tail)));
        Self { tail, task }
    }

    /// Waits for what is still in the pipe after the end of the process. Helpers may hold the pipe
    /// open, so this takes a moment at the most.
    pub(super) async fn finish(&mut self) {
        const MOMENT: Duration = Duration::from_millis(50);
        if !self.task.is_finished() {
            let _ = tokio::time::timeout(MOMENT, &mut self.task).await;
        }
    }

    /// The last lines, at most `lines`, as text fit to show: joined by ` | `, control characters out.
    pub(super) fn last_lines(&self, lines: usize) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        drop(tail);
        let text = String::from_utf8_lossy(&bytes);
        let shown = text.lines().map(printable).filter(|line| !line.is_empty());
        let all: Vec<String> = shown.collect();
        all[all.len().saturating_sub(lines)..].join(" | ")
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn printable(line: &str) -> String {
    const LONGEST: usize = 300;
    let kept = line.chars().filter(|c| !c.is_control() && *c != char::REPLACEMENT_CHARACTER);
    let text: String = kept.skip_while(|c| c.is_whitespace()).take(LONGEST).collect();
    text.trim_end().to_owned()
}

async fn drain(mut stream: pipe::Receiver, tail: Arc<Mutex<VecDeque<u8>>>) {
    // The buffer is made only when something comes: most engines say nothing here.
    let mut buffer: Vec<u8> = Vec::new();
    loop {
        if stream.readable().await.is_err() {
            return;
        }
        if buffer.is_empty() {
            buffer = vec![0; KEPT];
        }
        let read = std::future::poll_fn(|cx| {
            let mut room = ReadBuf::new(&mut buffer);
            std::pin::Pin::new(&mut stream).poll_read(cx, &mut room).map_ok(|()| room.filled().len())
        });
        match read.await {
            Ok(0) | Err(_) => return,
            Ok(bytes) => keep(&mut tail.lock().unwrap_or_else(PoisonError::into_inner), &buffer[..bytes]),
        }
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

    #[test]
    fn what_is_shown_is_printable() {
        assert_eq!(printable("\u{1b}[31mred\u{7}\0 \u{fffd}"), "[31mred");
    }
}
