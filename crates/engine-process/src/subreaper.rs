//! The subreaper: a process between us and an engine whose processes have to be found whatever they do.
//!
//! It is this same program under the name [`NAME`]. It starts the engine by way of [`enter`], and
//! whatever the engine starts and leaves behind is handed to it (`prctl PR_SET_CHILD_SUBREAPER`): also what has left its process group
//! and session, emptied its environment, or made itself a child of the engine's parent. So the engine's processes are
//! those below the subreaper, no more and no fewer. It waits for each that ends, so that none is a zombie
//! for long and their processor time stays known.
//!
//! When the engine has ended, the subreaper ends all that is left and then itself, in the same way as the engine did. When
//! the referee is gone, it ends everything.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, getppid, kill_process, pidfd_open,
    setrlimit, wait,
};

use crate::procfs;
use crate::refusal::{Refusal, RefusalSender};
use crate::sandbox::enter;
use crate::supervisor;

/// The name under which this program keeps an engine.
pub const NAME: &str = "outflank-keeper";

/// Keeps an engine. The words are the number of the referee's process, the path of the pipe for refusals, and what
/// [`enter`] takes.
pub fn run(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let referee = words.next().and_then(|word| Pid::from_raw(word.to_str()?.parse().ok()?));
    let refusals = words.next().unwrap_or_default();
    let refused = |what: &str, error: &io::Error| {
        let refusal = Refusal::new(what, error);
        eprintln!("{refusal}");
        RefusalSender::open(Some(Path::new(&refusals))).send(&refusal);
        ExitCode::from(126)
    };
    procfs::become_subreaper();
    supervisor::set_process_name(c"outflank-keeper");
    let watching = thread::Builder::new().stack_size(64 << 10).spawn(move || {
        wait_for_referee_exit(referee);
        end_all();
        std::process::exit(1);
    });
    if let Err(error) = watching {
        return refused("start a thread", &error);
    }
    let this = format!("subreaper={}", getpid().as_raw_pid());
    let mut pipe = OsString::from("refusals=");
    pipe.push(&refusals);
    let started = Command::new("/proc/self/exe").arg0(enter::NAME).arg(pipe).arg(this).args(words).spawn();
    let engine = match started {
        Ok(child) => Pid::from_child(&child),
        Err(error) => return refused("start a process", &error),
    };
    // Its pipes are its own: an end of its output that we held would hide that it closed it.
    if let Ok(nothing) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
    let ended = end_of(engine);
    end_all();
    exit_like(ended)
}

/// Waits until the referee is gone.
fn wait_for_referee_exit(referee: Option<Pid>) {
    let handle = referee.and_then(|referee| pidfd_open(referee, PidfdFlags::empty()).ok());
    // Whose number it was at first, it may be another's by now: then we are another's child too.
    while getppid() == referee {
        match &handle {
            Some(handle) => {
                let _ = poll(&mut [PollFd::new(handle, PollFlags::IN)], None);
            }
            None => thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Waits for the engine's end, and for that of all that was handed to us meanwhile.
fn end_of(engine: Pid) -> Option<ExitStatus> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == engine => return Some(ExitStatus::from_raw(status.as_raw())),
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Ends what is left below us. Their own children are handed to us then, so this goes on until there are none, or, with
/// ever new ones against all expectation, for a while.
fn end_all() {
    const ROUNDS: u32 = 2_000;
    for _ in 0..ROUNDS {
        let children = procfs::children_of(getpid());
        if children.is_empty() {
            return;
        }
        for child in children {
            let _ = kill_process(child, Signal::KILL);
        }
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        thread::sleep(Duration::from_micros(500));
    }
}

/// Ends this process as the engine ended.
fn exit_like(ended: Option<ExitStatus>) -> ExitCode {
    let Some(signal) = ended.and_then(|status| status.signal()) else {
        let code = ended.and_then(|status| status.code()).unwrap_or(1);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    };
    // There was one dump, if any.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    // The first knows whose handlers have to be taken away, but not all signals.
    if signal_hook::low_level::emulate_default_handler(signal).is_err() {
        let _ = signal_hook::low_level::raise(signal);
    }
    let _ = kill_process(getpid(), Signal::KILL);
    ExitCode::from(1)
}
