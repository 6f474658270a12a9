//! Becoming an engine: this program sets the limits on itself, closes itself in, and then becomes the engine.

use std::ffi::OsString;
use std::process::ExitCode;

/// The name under which this program confines itself and becomes an engine.
pub const NAME: &str = "outflank-confine";

/// Stands before the names of the variables of the engine's environment until nothing but the engine comes after: the
/// loader, the libraries and this program itself heed some of them. (Anybody could read them among the words.)
pub(crate) const VARIABLE: &str = "OUTFLANK_ENV_";

/// Becomes an engine, confined as these words say. What can't be done is sent to the referee and said on standard
/// error, and the exit status is 126.
pub fn enter_and_exec(words: impl Iterator<Item = OsString>) -> ExitCode {
    let refusal = inner::confine_and_exec(words);
    eprintln!("{refusal}");
    ExitCode::from(126)
}

#[cfg(target_os = "linux")]
mod inner {
    use std::ffi::{OsStr, OsString};
    use std::fs;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::Command;

    use clock::Resources;
    use landlock::{
        ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
        RulesetCreatedAttr as _, Scope, path_beneath_rules,
    };
    use rustix::process::{
        Pid, Resource, Rlimit, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
    };
    use rustix::thread::UnshareFlags;

    use super::super::policy::is_root;
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    use super::super::seccomp::set as filter_calls;
    use super::VARIABLE;
    use crate::refusal::{Refusal, RefusalSender};

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    fn filter_calls(_: bool) -> Result<(), String> {
        Err("there is one for x86-64, ARM64 and RISC-V only".to_owned())
    }

    /// What the words say.
    #[derive(Default)]
    struct Orders {
        resources: Resources,
        /// The temporary folder of the sandbox.
        sandbox: Option<OsString>,
        /// The control group to enter.
        group: Option<OsString>,
        /// The process that must still be our parent when the engine begins.
        subreaper: Option<Pid>,
        /// Where a refusal is sent.
        refusals: Option<OsString>,
    }

    impl Orders {
        /// Reads the words up to `--`.
        fn read(words: &mut impl Iterator<Item = OsString>) -> Result<Self, String> {
            let mut orders = Self::default();
            for word in words.take_while(|word| word != "--") {
                let split = word.as_bytes().splitn(2, |&byte| byte == b'=').collect::<Vec<_>>();
                let [key, value] = split[..] else { return Err(format!("cannot read {}", word.display())) };
                let value = OsStr::from_bytes(value);
                match (key, value.to_str()) {
                    (b"sandbox", _) => orders.sandbox = Some(value.to_owned()),
                    (b"group", _) => orders.group = Some(value.to_owned()),
                    (b"refusals", _) => orders.refusals = Some(value.to_owned()),
                    (b"subreaper", Some(text)) => {
                        orders.subreaper = text.parse().ok().and_then(Pid::from_raw)
                    }
                    (key, Some(text)) => orders.resources.set(&String::from_utf8_lossy(key), text)?,
                    (_, None) => return Err(format!("{} is not text", word.display())),
                }
            }
            Ok(orders)
        }
    }

    /// Says what could not be done and why.
    fn refused<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Refusal {
        let what = what.into();
        move |error| Refusal::new(&what, &error.into())
    }

    /// Returns only with what was refused, or, without a program, ends this process in peace.
    pub(super) fn confine_and_exec(mut words: impl Iterator<Item = OsString>) -> Refusal {
        let orders = match Orders::read(&mut words) {
            Ok(orders) => orders,
            Err(why) => return refused("confine an engine")(io::Error::other(why)),
        };
        let sender = RefusalSender::open(orders.refusals.as_deref().map(Path::new));
        let refusal = match confine(&orders) {
            Err(refusal) => refusal,
            Ok(()) => become_engine(&orders, words),
        };
        sender.send(&refusal);
        refusal
    }

    fn become_engine(orders: &Orders, mut words: impl Iterator<Item = OsString>) -> Refusal {
        let Some(program) = words.next() else { std::process::exit(0) };
        let mut command = Command::new(&program);
        command.args(words);
        for (name, value) in std::env::vars_os() {
            if let Some(own) = name.as_bytes().strip_prefix(VARIABLE.as_bytes()) {
                command.env_remove(&name).env(OsStr::from_bytes(own), value);
            }
        }
        if let Some(folder) = &orders.sandbox {
            command.envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, folder)));
        }
        // The engine ends with its subreaper, even if that is killed. The subreaper may have ended just before this was set.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        if orders.subreaper.is_some() && getppid() != orders.subreaper {
            return refused("go on")(io::Error::other("its subreaper has ended"));
        }
        Refusal::at_program(Path::new(&program), &command.exec())
    }

    fn confine(orders: &Orders) -> Result<(), Refusal> {
        let Orders { resources, sandbox, group, .. } = orders;
        let sandbox = sandbox.as_deref().map(Path::new);
        if let Some(group) = group {
            let entered = fs::write(Path::new(group).join("cgroup.procs"), "0");
            entered.map_err(refused("enter the control group"))?;
        }
        // A session of its own has no terminal: one could take Ctrl-C away from the user.
        rustix::process::setsid().map_err(refused("begin a session"))?;
        // Root is counted in a control group, which was entered already.
        let counted = resources.processes.filter(|_| !is_root());
        if sandbox.is_some() || counted.is_some() {
            unshare_namespaces(sandbox.is_some())?;
        }
        if let Some(folder) = sandbox {
            let landlock = apply_landlock(folder).map_err(|error| error.to_string());
            landlock.map_err(io::Error::other).map_err(refused("set up the sandbox (Landlock)"))?;
            let filter = filter_calls(resources.memory.is_some());
            filter.map_err(io::Error::other).map_err(refused("set up the sandbox (seccomp)"))?;
        }
        let limits = [
            ("files", Resource::Nofile, resources.files, 0),
            ("file_size", Resource::Fsize, resources.file_size, 0),
            ("processes", Resource::Nproc, counted, 0),
            // The signal that tells of it, and a second later the one that can't be caught.
            ("cpu", Resource::Cpu, resources.cpu, 1),
            ("memory", Resource::As, resources.memory, 0),
        ];
        for (name, resource, wanted, slack) in limits {
            let Some(wanted) = wanted else { continue };
            let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
            let (current, maximum) = (wanted.min(most), (wanted + slack).min(most));
            let limit = Rlimit { current: Some(current), maximum: Some(maximum) };
            setrlimit(resource, limit).map_err(refused(format!("limit {name}")))?;
        }
        Ok(())
    }

    /// A user namespace, in which this user is who he was; in the sandbox also one of networks that has
    /// none, and one of shared memory, which goes with the engine.
    fn unshare_namespaces(sandbox: bool) -> Result<(), Refusal> {
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        let mut spaces = UnshareFlags::NEWUSER;
        spaces.set(UnshareFlags::NEWNET | UnshareFlags::NEWIPC, sandbox);
        #[expect(
            deprecated,
            reason = "its successor is unsafe for the sake of file tables shared by threads; neither is asked for, and there is one thread"
        )]
        let left = rustix::thread::unshare(spaces);
        left.map_err(refused("have namespaces of our own"))?;
        let (user, group) = (user.as_raw(), group.as_raw());
        for (file, text) in [
            ("setgroups", "deny".to_owned()),
            ("uid_map", format!("{user} {user} 1")),
            ("gid_map", format!("{group} {group} 1")),
        ] {
            let written = fs::write(Path::new("/proc/self").join(file), text);
            written.map_err(refused(format!("write /proc/self/{file}")))?;
        }
        Ok(())
    }

    /// From now on nothing can be written but into this folder.
    fn apply_landlock(folder: &Path) -> Result<(), landlock::RulesetError> {
        let all = AccessFs::from_all(ABI::V3);
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(all)?
            .set_compatibility(CompatLevel::BestEffort)
            .scope(Scope::from_all(ABI::V6))?
            .create()?
            .add_rules(path_beneath_rules(["/"], AccessFs::from_read(ABI::V3)))?
            .add_rules(path_beneath_rules([folder], all))?
            .add_rules(path_beneath_rules(["/dev/null", "/dev/zero", "/dev/full"], all))?;
        ruleset.restrict_self()?;
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod inner {
    use std::io;

    use crate::refusal::Refusal;

    pub(super) fn confine_and_exec(_: impl Iterator<Item = std::ffi::OsString>) -> Refusal {
        Refusal::new("confine an engine", &io::Error::other("this system has no limits and no sandbox"))
    }
}
