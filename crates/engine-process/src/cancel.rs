//! Cancelling: one call that every wait for an engine hears.

use std::time::{Duration, Instant};

use tokio::sync::watch;

/// Cancels everything that waits for an engine. Clones belong together.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(watch::Sender<Option<Instant>>);

impl CancelToken {
    /// Cancels: every wait for an engine ends at once.
    pub fn cancel(&self) {
        self.0.send_if_modified(|since| {
            let is_first = since.is_none();
            since.get_or_insert_with(Instant::now);
            is_first
        });
    }

    /// True once it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// How long ago it was cancelled, if it was.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        self.0.borrow().map(|since| since.elapsed())
    }

    /// Completes when it is cancelled, at once if it was.
    pub async fn cancelled(&self) {
        // The sender is held here, so this ends by the call only.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}
