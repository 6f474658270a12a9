//! What an engine in the sandbox may not ask the kernel for.
//!
//! Landlock sees to what is opened, made and removed. It does not see to what is changed about files that are
//! there (modes, owners, times, attributes), to sockets of the file system, or to priorities of
//! other processes. These system calls are refused (`EPERM`) by a filter on their numbers and
//! arguments (seccomp(2)); whatever the engine starts inherits it. It must leave alone what ordinary
//! programs live on, so it is a list of what is refused, not of what is allowed.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Refused whatever their arguments are.
const ALWAYS: &[libc::c_long] = &[
    // Modes and owners.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    // Times.
    libc::SYS_utimensat,
    // Attributes.
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
    // Would do what is refused here without asking.
    libc::SYS_io_uring_setup,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    // What no engine needs and the kernel has paid for before.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Older names of some of them, which newer architectures do without.
#[cfg(target_arch = "x86_64")]
const OLD: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[libc::c_long] = &[];

// Not in the crate `libc` for all architectures; the numbers are the same on each.
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// On x86-64 the calls of x32 have the same numbers with this bit set, and some have numbers of their own.
#[cfg(target_arch = "x86_64")]
const X32: libc::c_long = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const X32_OWN: &[libc::c_long] = &[X32 | 514, X32 | 521, X32 | 540]; // ioctl, ptrace, process_vm_writev

/// Requests to `ioctl` that change a file that was opened for reading, or type on the user's terminal.
const IOCTLS: &[u64] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x5412,      // TIOCSTI
    0x541c,      // TIOCLINUX
];

/// Sets the filter on this thread, for good. There must be no other.
pub(super) fn set() -> Result<(), String> {
    let program = program().map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn program() -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules()?, SeccompAction::Allow, refused, architecture)?.try_into()
}

/// By the number of a call, the cases in which it is refused; without any, all are.
fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let argument = |index, is, value| SeccompCondition::new(index, SeccompCmpArgLen::Dword, is, value);
    let case = |conditions: Vec<SeccompCondition>| SeccompRule::new(conditions);
    let number = |constant: i32| u64::from(constant.unsigned_abs());

    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        ALWAYS.iter().chain(OLD).map(|&call| (call, Vec::new())).collect();
    // Of sockets those that the network namespace separates stay. A pair of sockets is a pipe, unless
    // it is one of datagrams: those can be sent elsewhere.
    let kept = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let others = kept.iter().map(|&family| argument(0, Ne, number(family))).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_socket, vec![case(others)?]);
    let kind = |kind| case(vec![argument(1, MaskedEq(0xf), number(kind))?]);
    rules.insert(libc::SYS_socketpair, vec![kind(libc::SOCK_DGRAM)?, kind(libc::SOCK_RAW)?]);
    // A thread may set its own priority and processors. Groups, and all processes of a user, hold others.
    for (call, process) in [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)] {
        let another_kind = case(vec![argument(0, Ne, process)?])?;
        rules.insert(call, vec![another_kind, case(vec![argument(1, Ne, 0)?])?]);
    }
    let scheduling = [
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_prlimit64,
    ];
    for call in scheduling {
        rules.insert(call, vec![case(vec![argument(0, Ne, 0)?])?]);
    }
    let requests = IOCTLS.iter().map(|&request| case(vec![argument(1, Eq, request)?]));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    // Holds up whoever opens the file to write.
    rules.insert(libc::SYS_fcntl, vec![case(vec![argument(1, Eq, number(libc::F_SETLEASE))?])?]);

    #[cfg(target_arch = "x86_64")]
    {
        let twins: Vec<_> = rules.iter().map(|(&call, cases)| (call | X32, cases.clone())).collect();
        rules.extend(twins);
        for &call in X32_OWN {
            let cases = if call == X32 | 514 { rules[&libc::SYS_ioctl].clone() } else { Vec::new() };
            rules.insert(call, cases);
        }
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_one_that_a_kernel_takes() {
        let program = program().expect("a program");
        assert!(program.len() < 4096, "{}", program.len());
    }

    #[test]
    fn no_call_of_threads_and_files_is_refused_as_such() {
        let rules = rules().expect("rules");
        for call in [libc::SYS_clone, libc::SYS_clone3, libc::SYS_openat, libc::SYS_execve, libc::SYS_futex] {
            assert!(!rules.contains_key(&call), "{call}");
        }
        let sometimes = [libc::SYS_socket, libc::SYS_socketpair, libc::SYS_ioctl, libc::SYS_prlimit64];
        assert!(sometimes.iter().all(|call| !rules[call].is_empty()));
    }
}
