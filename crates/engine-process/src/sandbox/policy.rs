//! The limits on an engine, and whether it is in the sandbox.

use std::ffi::OsString;

use clock::Resources;

use crate::exit_status::ExitStatus;

/// How an engine is confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// Limits on memory, CPU time, processes and files.
    pub resources: Resources,
    /// True if it has no network and can write nowhere but into a temporary folder of its own.
    pub sandbox: bool,
}

impl SandboxPolicy {
    /// True if it confines nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The words that name its limits.
    pub(super) fn words(&self) -> Vec<OsString> {
        let limits = self.resources.words().into_iter();
        limits.map(|(key, value)| format!("{key}={value}").into()).collect()
    }

    /// The limit that may have ended the process, as text behind its exit status.
    pub fn explain_exit(&self, status: ExitStatus) -> String {
        let words = self.resources.words();
        let limit = |key: &str| words.iter().find(|(word, _)| *word == key).map(|(_, value)| value.as_str());
        let known = match status {
            ExitStatus::Signal(SIGXCPU) => limit("cpu").map(|value| format!("cpu = {value}")),
            ExitStatus::Signal(SIGXFSZ) => limit("file_size").map(|value| format!("file_size = {value}")),
            ExitStatus::Code(0) => return String::new(),
            _ => None,
        };
        if let Some(known) = known {
            return format!(", by its limit {known}");
        }
        let mut all: Vec<String> = words.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
        if self.sandbox {
            all.push("sandbox".to_owned());
        }
        if all.is_empty() { String::new() } else { format!(" (limits in force: {})", all.join(", ")) }
    }
}

const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;

/// True if we are root, whose processes no resource limit counts.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_names_its_limit_or_all_that_are_in_force() {
        let mut confinement = SandboxPolicy::default();
        assert_eq!(confinement.explain_exit(ExitStatus::Signal(9)), "");
        confinement.resources.set("cpu", "5s").expect("a limit");
        confinement.resources.set("memory", "64MiB").expect("a limit");
        confinement.sandbox = true;
        assert_eq!(confinement.explain_exit(ExitStatus::Signal(SIGXCPU)), ", by its limit cpu = 5s");
        let in_force = " (limits in force: memory = 64MiB, cpu = 5s, sandbox)";
        for end in [ExitStatus::Signal(9), ExitStatus::Signal(SIGXFSZ), ExitStatus::Code(1)] {
            assert_eq!(confinement.explain_exit(end), in_force, "{end}");
        }
        assert_eq!(confinement.explain_exit(ExitStatus::Code(0)), "");
    }
}
