//! Cancelling: one call that every wait for an engine hears.

use tokio::sync::watch;

/// Cancels everything that waits for an engine. Clones belong together.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(watch::Sender<bool>);

impl CancelToken {
    /// Cancels: every wait for an engine ends at once.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// True once it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Completes when it is cancelled, at once if it was.
    pub async fn cancelled(&self) {
        // The sender is held here, so this ends by the call only.
        let _ = self.0.subscribe().wait_for(|&cancelled| cancelled).await;
    }
}
