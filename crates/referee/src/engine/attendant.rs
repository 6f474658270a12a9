//! The attendant: one thread that sees to everything about running engines that happens seldom, so
//! that a slot can simply block in a read while its engine thinks.
//!
//! For each engine it drains standard error, notices the end of the process, and looks at the
//! deadline of the answer that is owed. When the slot has to wake up though nothing has come, it is
//! woken by a blank put into the pipe it reads, again and again until it does: every protocol takes white space between words,
//! and a dialogue that is woken this way is over, unless its answer came at that very moment.
//!
//! A blocking read is what makes a ply cheap: against waiting in a runtime it saves a fifth of a bare
//! round trip.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::sync::{Notify, broadcast, mpsc};

use super::Recall;
use super::family::Family;

/// How much of an engine's standard error is kept, in bytes: 16 KiB.
const KEPT: usize = 16 * 1024;

/// However far off a deadline is, it is looked at this often: those who set one then need to tell
/// the attendant only if it comes before the next look.
const LOOK: Duration = Duration::from_secs(1);

/// Somebody who has to wake up and does not is woken again after so long: an engine can read its own output, and so catch the
/// blank.
const AGAIN: Duration = Duration::from_millis(2);

/// From then on with as many blanks as the pipe holds.
const INSISTENTLY: Duration = Duration::from_millis(20);

/// From then on the engine's processes are killed too.
const BY_FORCE: Duration = Duration::from_millis(500);

/// No answer is owed.
const NEVER: u64 = u64::MAX;

/// Moments are told between threads in nanoseconds since this one.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

fn nanos(moment: Instant) -> u64 {
    u64::try_from(moment.saturating_duration_since(*EPOCH).as_nanos()).unwrap_or(NEVER - 1)
}

/// What a slot and the attendant share about one engine.
#[derive(Debug)]
pub(super) struct Watch {
    /// When the answer that is owed is overdue.
    deadline: AtomicU64,
    /// When the attendant looks at the deadline next.
    next_look: AtomicU64,
    /// An earlier deadline has been set, or nobody is interested any more.
    changed: Notify,
    ended: AtomicBool,
    dismissed: AtomicBool,
    drained: AtomicBool,
    tail: Mutex<VecDeque<u8>>,
    /// Bytes written to standard error; set while the tail is held.
    written: AtomicU64,
}

impl Watch {
    /// From now on an answer is owed until then. Cheap unless it is sooner than all before.
    pub(super) fn owe(&self, deadline: Instant) {
        let deadline = nanos(deadline);
        self.deadline.store(deadline, Ordering::SeqCst);
        if deadline < self.next_look.load(Ordering::SeqCst) {
            self.changed.notify_one();
        }
    }

    /// Nothing is owed any more.
    pub(super) fn settle(&self) {
        self.deadline.store(NEVER, Ordering::SeqCst);
    }

    /// Whether the process has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Whether all that the engine wrote to standard error was read.
    pub(super) fn is_drained(&self) -> bool {
        self.drained.load(Ordering::SeqCst)
    }

    /// The end of what the engine wrote to standard error, and how many bytes it wrote there in all.
    pub(super) fn errors(&self) -> (Vec<u8>, u64) {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        (tail.iter().copied().collect(), self.errors_written())
    }

    /// How many bytes the engine wrote to standard error, as far as they were read.
    pub(super) fn errors_written(&self) -> u64 {
        self.written.load(Ordering::SeqCst)
    }

    /// The attendant need not look after this engine any more.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }

    /// Sets when the next look is due, never later than the deadline, and says how long it is till then.
    fn plan_look(&self, now: Instant) -> Duration {
        let horizon = nanos(now + LOOK);
        // Between our reading the deadline and telling when we look next, an earlier one may be
        // set by somebody who still sees the old promise. So promise first, then read.
        self.next_look.store(horizon, Ordering::SeqCst);
        let deadline = self.deadline.load(Ordering::SeqCst);
        let look = deadline.min(horizon);
        self.next_look.store(look, Ordering::SeqCst);
        Duration::from_nanos(look.saturating_sub(nanos(now)))
    }

    /// Whether somebody waits for an answer who has to know that it is overdue, that nothing comes any more, or that nobody
    /// wants it.
    fn has_to_wake(&self, now: Instant, recall: &Recall) -> bool {
        let deadline = self.deadline.load(Ordering::SeqCst);
        deadline != NEVER && (recall.is_called() || self.has_ended() || deadline <= nanos(now))
    }
}

/// An engine that is handed to the attendant.
struct Charge {
    watch: Arc<Watch>,
    family: Arc<Family>,
    recall: Recall,
    exit: Arc<OwnedFd>,
    /// The pipe that the slot reads from, opened by its path for writing to wake the slot. Held open
    /// here too, so that its number is never another file's.
    output: Arc<File>,
    errors: OwnedFd,
}

struct Attendant {
    charges: mpsc::UnboundedSender<Charge>,
    wake_all: broadcast::Sender<()>,
}

static ATTENDANT: LazyLock<io::Result<Attendant>> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (charges, inbox) = mpsc::unbounded_channel();
    let (wake_all, _) = broadcast::channel(1);
    let wake = wake_all.clone();
    std::thread::Builder::new()
        .name("attendant".to_owned())
        .stack_size(1 << 20)
        .spawn(move || runtime.block_on(attend_all(inbox, wake)))?;
    Ok(Attendant { charges, wake_all })
});

fn attendant() -> io::Result<&'static Attendant> {
    ATTENDANT.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// Hands an engine to the attendant. `output` is the pipe that the slot reads the engine's output
/// from.
pub(super) fn attend(
    family: Arc<Family>,
    recall: Recall,
    exit: Arc<OwnedFd>,
    output: Arc<File>,
    errors: OwnedFd,
) -> io::Result<Arc<Watch>> {
    let watch = Arc::new(Watch {
        deadline: AtomicU64::new(NEVER),
        next_look: AtomicU64::new(0),
        changed: Notify::new(),
        ended: AtomicBool::new(false),
        dismissed: AtomicBool::new(false),
        drained: AtomicBool::new(false),
        tail: Mutex::default(),
        written: AtomicU64::new(0),
    });
    let charge = Charge { watch: Arc::clone(&watch), family, recall, exit, output, errors };
    attendant()?.charges.send(charge).map_err(|_| io::Error::other("the attendant has ended"))?;
    Ok(watch)
}

/// Has every slot woken that waits for an engine and was called.
pub(crate) fn wake_all() {
    if let Ok(attendant) = attendant() {
        let _ = attendant.wake_all.send(());
    }
}

async fn attend_all(mut charges: mpsc::UnboundedReceiver<Charge>, wake_all: broadcast::Sender<()>) {
    while let Some(charge) = charges.recv().await {
        let wakes = wake_all.subscribe();
        tokio::spawn(attend_one(charge, wakes));
    }
}

async fn attend_one(charge: Charge, mut wakes: broadcast::Receiver<()>) {
    let Charge { watch, family, recall, exit, output, errors } = charge;
    #[expect(
        deprecated,
        reason = "the other constructor is unsafe for the sake of types that give their descriptor away; an OwnedFd keeps it"
    )]
    let watched = AsyncFd::with_interest(Arc::clone(&exit), Interest::READABLE).ok();
    let mut errors = Some(Errors::new(errors));
    let mut buffer = Vec::new();
    // Since when somebody has to wake up who did not yet.
    let mut urgent: Option<Instant> = None;
    let mut sleep = std::pin::pin!(tokio::time::sleep(watch.plan_look(Instant::now())));
    while !watch.dismissed.load(Ordering::SeqCst) {
        tokio::select! {
            drained = drain(&mut errors, &mut buffer, &watch), if errors.is_some() => {
                if drained {
                    errors = None;
                    watch.drained.store(true, Ordering::SeqCst);
                }
                continue;
            }
            () = end_of(&exit, watched.as_ref()), if !watch.has_ended() => {
                watch.ended.store(true, Ordering::SeqCst);
            }
            _ = wakes.recv() => {}
            () = watch.changed.notified() => {}
            () = &mut sleep => {}
        }
        let now = Instant::now();
        let mut next = watch.plan_look(now);
        if watch.has_to_wake(now, &recall) {
            let since = now.duration_since(*urgent.get_or_insert(now));
            wake(&output, if since < INSISTENTLY { b" " } else { BLANKS });
            if since >= BY_FORCE {
                family.signal_all(Signal::KILL);
            }
            next = AGAIN;
        } else {
            urgent = None;
        }
        sleep.as_mut().reset(tokio::time::Instant::from_std(now + next));
    }
}

/// What fills a pipe.
const BLANKS: &[u8] = &[b' '; 1 << 16];

/// Wakes whoever blocks in a read of this pipe. A pipe that is full needs no blank: nobody blocks. If there is no way, the
/// engine's end will have to do it.
fn wake(output: &File, blanks: &[u8]) {
    let _ = reopen(output, OpenOptions::new().write(true)).and_then(|mut pipe| pipe.write(blanks));
}

/// The same pipe once more, so that to read or write there never blocks.
pub(super) fn reopen(pipe: &File, how: &mut OpenOptions) -> io::Result<File> {
    how.custom_flags(nonblocking()).open(format!("/proc/self/fd/{}", pipe.as_raw_fd()))
}

fn nonblocking() -> i32 {
    rustix::fs::OFlags::NONBLOCK.bits().cast_signed()
}

/// How often that is looked at which can't be watched: the system counts watches per user, and engines can use them up.
const NOW_AND_THEN: Duration = Duration::from_millis(10);

/// Waits for the end of a process. Without a watch it is looked at now and then.
async fn end_of(exit: &OwnedFd, watched: Option<&AsyncFd<Arc<OwnedFd>>>) {
    if let Some(watched) = watched {
        // An error is as good as an end: there is no such process.
        let _ = watched.readable().await;
        return;
    }
    let has_ended = || {
        let mut polled = [PollFd::new(exit, PollFlags::IN)];
        !matches!(poll(&mut polled, Some(&Timespec::default())), Ok(0))
    };
    while !has_ended() {
        tokio::time::sleep(NOW_AND_THEN).await;
    }
}

/// Where an engine's standard error comes from.
enum Errors {
    Watched(pipe::Receiver),
    /// There was no watch for it. Never blocks.
    Looked(File),
}

impl Errors {
    fn new(errors: OwnedFd) -> Self {
        let file = File::from(errors);
        // A pipe takes that.
        let _ = rustix::io::ioctl_fionbio(&file, true);
        let watched = file.try_clone().map(OwnedFd::from).and_then(pipe::Receiver::from_owned_fd);
        watched.map_or(Self::Looked(file), Self::Watched)
    }

    /// Reads some of it; nothing at the end.
    async fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        loop {
            match self {
                Self::Watched(stream) => stream.readable().await?,
                Self::Looked(_) => {}
            }
            // The buffer is made only when something comes: most engines say nothing here.
            if buffer.is_empty() {
                *buffer = vec![0; KEPT];
            }
            let read = match self {
                Self::Watched(stream) => stream.try_read(buffer),
                Self::Looked(file) => file.read(buffer),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            if matches!(self, Self::Looked(_)) {
                tokio::time::sleep(NOW_AND_THEN).await;
            }
        }
    }
}

/// Reads some of standard error and keeps its end; `true` when there is no more.
async fn drain(errors: &mut Option<Errors>, buffer: &mut Vec<u8>, watch: &Watch) -> bool {
    let Some(stream) = errors else { return true };
    match stream.read(buffer).await {
        Ok(0) | Err(_) => true,
        Ok(bytes) => {
            let mut tail = watch.tail.lock().unwrap_or_else(PoisonError::into_inner);
            keep(&mut tail, &buffer[..bytes]);
            watch.written.fetch_add(bytes as u64, Ordering::SeqCst);
            false
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

    /// As it is for every further engine when one has used up the watches of a user.
    #[test]
    fn what_cannot_be_watched_is_looked_at() {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};
        use std::process::{Command, Stdio};

        let mut command = Command::new("sh");
        command.args(["-c", "echo alas >&2"]).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let exit = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).expect("its handle");
        let file = File::from(OwnedFd::from(child.stderr.take().expect("its errors")));
        rustix::io::ioctl_fionbio(&file, true).expect("never blocks");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let (mut errors, mut buffer, mut all) = (Errors::Looked(file), Vec::new(), Vec::new());
        runtime.block_on(async {
            end_of(&exit, None).await;
            while let Ok(bytes @ 1..) = errors.read(&mut buffer).await {
                all.extend_from_slice(&buffer[..bytes]);
            }
        });
        assert_eq!(all, b"alas\n");
        assert!(child.wait().expect("its end").success());
    }
}
