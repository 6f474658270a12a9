//! One thread for everything that blocks: starting and ending processes, reading `/proc`, writing files.
//!
//! A thread that runs games must not block, since every game of its core would wait. The background thread lives as
//! long as this process: a program can ask the system to be killed when the thread that started it ends
//! (`prctl PR_SET_PDEATHSIG`), so engines are started by a thread that does not end.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, mpsc};

use tokio::sync::oneshot;

use crate::affinity;

type Job = Box<dyn FnOnce() + Send>;

static THREAD: LazyLock<io::Result<mpsc::Sender<Job>>> = LazyLock::new(|| {
    const STACK: usize = 1 << 20;
    let (sender, jobs) = mpsc::channel::<Job>();
    std::thread::Builder::new().name("background".to_owned()).stack_size(STACK).spawn(move || {
        // The thread that asks first may be pinned.
        affinity::keep_to(&affinity::allowed_cores());
        for job in jobs {
            // A job that panics drops its answer, which its caller notices.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    })?;
    Ok(sender)
});

/// Runs a job on the background thread, after those before it, and returns what it returns. A job must be short: the
/// next one waits for it.
///
/// # Errors
/// If there is no such thread, or the job panicked.
pub async fn run<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    let sender = THREAD.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
    let (answer, answered) = oneshot::channel();
    // If nobody waits any more, what the job made is dropped.
    let job = move || drop(answer.send(job()));
    sender.send(Box::new(job)).map_err(|_| io::Error::other("the background thread has ended"))?;
    answered.await.map_err(|_| io::Error::other("a background job panicked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_panics_harms_no_other() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            assert!(run(|| -> u32 { panic!("as it may") }).await.is_err());
            assert_eq!(run(|| 2 + 2).await.expect("an answer"), 4);
        });
    }
}
