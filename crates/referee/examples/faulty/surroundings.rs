//! What is around an engine's process, and whether it can be reached: tried from within.

use std::env;
use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::process::{Command, exit};
use std::thread;

use crate::failed;

/// Fails if whoever started it has left it open files.
pub(crate) fn inherit_nothing() {
    // Beside its three streams there is the folder that is being read.
    let open = std::fs::read_dir("/proc/self/fd").expect("its files");
    let number = |path: &std::path::Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let others = open.filter_map(|entry| Some(entry.ok()?.path()).filter(|path| number(path) > Some(2)));
    let others: Vec<_> = others.filter_map(|path| std::fs::read_link(path).ok()).collect();
    let others: Vec<_> = others.iter().filter(|path| !path.starts_with("/proc")).collect();
    if !others.is_empty() {
        failed(&io::Error::other(format!("these are open: {others:?}")));
    }
}

/// Tries what is forbidden in a sandbox, and what is allowed there; says what went otherwise.
pub(crate) fn snoop() {
    let there = |variable: &str| env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"));
    let mut found = Vec::new();
    if File::create(there("TARGET")).is_ok() {
        found.push("could write a file");
    }
    if std::net::TcpStream::connect(there("ADDRESS")).is_ok() {
        found.push("could connect");
    }
    let victim = there("VICTIM");
    if std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o600)).is_ok() {
        found.push("could change a mode");
    }
    let file = File::open(&victim).expect("readable");
    if file.set_permissions(std::fs::Permissions::from_mode(0o640)).is_ok() {
        found.push("could change an open file's mode");
    }
    if file.set_modified(std::time::SystemTime::UNIX_EPOCH).is_ok() {
        found.push("could change a time");
    }
    if std::os::unix::fs::chown(&victim, None, None).is_ok() {
        found.push("could change an owner");
    }
    // Not every file system has them.
    if rustix::fs::setxattr(&victim, "user.a", b"b", rustix::fs::XattrFlags::empty()).is_ok() {
        found.push("could set an attribute");
    }
    if UnixStream::connect(there("SOCKET")).is_ok() {
        found.push("could connect to a socket of the file system");
    }
    if UnixDatagram::pair().and_then(|(one, _other)| one.send_to(b"x", there("DATAGRAMS"))).is_ok() {
        found.push("could send to a socket of the file system");
    }
    if UnixStream::pair().is_err() {
        found.push("could not make a pair of sockets");
    }
    let other = there("SLEEPER").parse().ok().and_then(rustix::process::Pid::from_raw);
    if rustix::process::setpriority_process(other, 19).is_ok() {
        found.push("could change another's priority");
    }
    let mine = rustix::thread::sched_getaffinity(None).expect("processors");
    if rustix::thread::sched_setaffinity(other, &mine).is_ok() {
        found.push("could move another");
    }
    if rustix::thread::sched_setaffinity(None, &mine).is_err() {
        found.push("could not choose its own processors");
    }
    if std::fs::read_link("/proc/self/ns/ipc").is_ok_and(|own| own.as_os_str() == &*there("MEMORY")) {
        found.push("could share memory with others");
    }
    // A terminal of its own, but opened for reading like the user's.
    let terminal = File::open("/dev/ptmx").ok().and_then(|terminal| {
        use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
        let modes = tcgetattr(&terminal).ok()?;
        tcsetattr(&terminal, OptionalActions::Now, &modes).ok()
    });
    if terminal.is_some() {
        found.push("could change a terminal");
    }
    if rustix::fs::memfd_create("a", rustix::fs::MemfdFlags::empty()).is_ok() {
        found.push("could take memory that no limit counts");
    }
    if thread::Builder::new()
        .spawn(|| ())
        .and_then(|one| one.join().map_err(|_| io::ErrorKind::Other.into()))
        .is_err()
    {
        found.push("could not start a thread");
    }
    if !Command::new("true").status().is_ok_and(|status| status.success()) {
        found.push("could not start a program");
    }
    let parent = rustix::process::getppid().expect("a parent");
    if rustix::process::test_kill_process(parent).is_ok() {
        found.push("could signal its parent");
    }
    if File::open("/dev/null").and(File::create("/dev/null")).is_err() {
        found.push("could not use /dev/null");
    }
    let private = std::path::Path::new(&there("TMPDIR")).join("notes");
    if std::fs::write(&private, "mine").is_err() || std::fs::read(&private).is_err() {
        found.push("could not use its own folder");
    }
    if !found.is_empty() {
        eprintln!("{}", found.join("; "));
        exit(6);
    }
}
