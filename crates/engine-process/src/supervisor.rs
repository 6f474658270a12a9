//! Two processes that watch each other, so that nothing an engine does or starts outlives the
//! referee, also when one of them is killed with KILL.
//!
//! The *outer* process is the one the user started. It starts the *inner* one, which referees, holds
//! the other end of its standard input, forwards signals and waits. If the inner ends in whatever
//! way, everything it left is handed to the outer, which ends it. If the outer is killed, the
//! inner's standard input closes, and the inner ends everything.
//!
//! The inner one has a process group and a name of its own, so that neither Ctrl-C, which the outer
//! forwards, nor a kill by group or by name meets both at once.

use std::env;
use std::ffi::{CStr, OsString};
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit_status::ExitStatus;
use crate::procfs;

/// The variable that tells the inner process what it is. Engines never see it.
pub const INNER: &str = "OUTFLANK_INNER";

/// How many heaps glibc's allocator keeps. Its default, eight a core, costs a slot a heap of its own;
/// slots allocate too little to get into each other's way. Engines get back what the user has set.
const ARENAS: &str = "MALLOC_ARENA_MAX";

/// The value of [`INNER`] where the outer process has set [`ARENAS`].
const WITH_ARENAS: &str = "arenas";

/// The variables that are ours alone and no business of an engine's.
pub fn internal_env_vars() -> &'static [&'static str] {
    if env::var_os(INNER).is_some_and(|value| value == WITH_ARENAS) { &[INNER, ARENAS] } else { &[INNER] }
}

/// Has this process listed under another name than the program's, so that a kill by name means the outer one only.
pub fn set_process_name(name: &CStr) {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(name);
    #[cfg(not(target_os = "linux"))]
    let _ = name;
}

/// True if this is the inner process.
#[must_use]
pub fn is_supervised() -> bool {
    env::var_os(INNER).is_some()
}

/// Marks inherited files, locks and job servers as close-on-exec, so that engines do not get them.
#[cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "the libraries that wrap this call are not kept up")
)]
fn set_cloexec_on_inherited_fds() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call closes nothing now and touches no memory; it only marks descriptors as not to be inherited, which all that
    // Rust opens are anyway. Linux before 5.11 refuses it.
    let _ = unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC.cast_signed()) };
}

/// Becomes the outer process: runs this same command line in an inner one and returns how that
/// ended.
///
/// # Errors
/// If the inner process can't be started.
pub fn supervise(arguments: impl Iterator<Item = OsString>) -> io::Result<ExitStatus> {
    procfs::become_subreaper();
    set_cloexec_on_inherited_fds();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let exit = runtime.block_on(async {
        // Listen before there is anything to forward to, so that no signal finds us unprepared.
        let mut signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
            .map(|kind| signal(kind).map(|stream| (kind, stream)))
            .into_iter()
            .collect::<io::Result<Vec<_>>>()?;
        let mut ended = signal(SignalKind::child())?;
        let mut command = Command::new(env::current_exe()?);
        command.arg0("outflank-inner").args(arguments).env(INNER, "1");
        if env::var_os(ARENAS).is_none() {
            command.env(ARENAS, "2").env(INNER, WITH_ARENAS);
        }
        let mut inner = command.stdin(Stdio::piped()).process_group(0).spawn()?;
        loop {
            if let Some(exit) = exit_of(&mut inner)? {
                return Ok::<ExitStatus, io::Error>(exit);
            }
            let forward = std::future::poll_fn(|cx| {
                let mut heard = signals
                    .iter_mut()
                    .filter_map(|(kind, stream)| stream.poll_recv(cx).is_ready().then_some(*kind));
                heard.next().map_or(std::task::Poll::Pending, std::task::Poll::Ready)
            });
            tokio::select! {
                kind = forward => send(&inner, kind),
                _ = ended.recv() => {}
            }
        }
    });
    procfs::kill_all_children();
    exit
}

fn send(inner: &Child, kind: SignalKind) {
    let signal = if kind == SignalKind::interrupt() { Signal::INT } else { Signal::TERM };
    let _ = kill_process(Pid::from_child(inner), signal);
}

fn exit_of(inner: &mut Child) -> io::Result<Option<ExitStatus>> {
    let Some(status) = inner.try_wait()? else { return Ok(None) };
    Ok(Some(match status.code() {
        Some(code) => ExitStatus::Code(code),
        None => ExitStatus::Signal(status.signal().unwrap_or_default()),
    }))
}

/// Completes when the outer process is gone. Never, in a process that has none.
pub async fn supervisor_gone() {
    if !is_supervised() {
        return std::future::pending().await;
    }
    let watched = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)
        .map_err(io::Error::from)
        .and_then(tokio::net::unix::pipe::Receiver::from_owned_fd);
    let Ok(pipe) = watched else { return std::future::pending().await };
    loop {
        if pipe.readable().await.is_err() {
            return;
        }
        match pipe.try_read(&mut [0; 16]) {
            Ok(0) => return,
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return,
            _ => {}
        }
    }
}
