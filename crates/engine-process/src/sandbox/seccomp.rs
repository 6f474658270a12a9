//! The system calls that are refused in the sandbox.
//!
//! Landlock sees to what is opened, made and removed. It does not see to what is changed about files that are
//! there (modes, owners, times, attributes), to devices and terminals that were opened for reading, to sockets of
//! the file system, to new namespaces, or to priorities of other processes. These system calls are refused (`EPERM`)
//! by a filter on their numbers and arguments (seccomp(2)); whatever the engine starts inherits it. It must leave
//! alone what ordinary programs live on, so of calls it is a list of those refused. Requests to devices (`ioctl`) are
//! without number, so of them it is a list of those allowed.

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
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    // Would do what is refused here without asking.
    libc::SYS_io_uring_setup,
    // Files without their paths.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // What no engine needs and the kernel has paid for before.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_lookup_dcookie,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Memory that a limit on the space of addresses (`RLIMIT_AS`) does not count.
const UNCOUNTED_MEMORY: &[libc::c_long] = &[libc::SYS_shmget, libc::SYS_memfd_create, MEMFD_SECRET];

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
const MEMFD_SECRET: libc::c_long = 447;
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;
// The numbers of old are the same on all but x86-64.
const KEXEC_FILE_LOAD: libc::c_long = if cfg!(target_arch = "x86_64") { 320 } else { 294 };

/// On x86-64 the calls of x32 have the same numbers with this bit set, and some have numbers of their own.
#[cfg(target_arch = "x86_64")]
const X32: libc::c_long = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const X32_OWN: &[(libc::c_long, libc::c_long)] = &[
    (514, libc::SYS_ioctl),
    (521, libc::SYS_ptrace),
    (528, libc::SYS_kexec_load),
    (539, libc::SYS_process_vm_readv),
    (540, libc::SYS_process_vm_writev),
];

/// The requests to `ioctl` that are allowed: they change nothing but the caller's own descriptor.
const IOCTLS: &[u64] = &[
    0x5401,      // TCGETS
    0x802c_542a, // TCGETS2
    0x540f,      // TIOCGPGRP
    0x5411,      // TIOCOUTQ
    0x5413,      // TIOCGWINSZ
    0x5429,      // TIOCGSID
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x5452,      // FIOASYNC
    // What there is of a network, which is none. Java and Python look when they seed or name something.
    0x8910, // SIOCGIFNAME
    0x8912, // SIOCGIFCONF
    0x8913, // SIOCGIFFLAGS
    0x8915, // SIOCGIFADDR
    0x8917, // SIOCGIFDSTADDR
    0x8919, // SIOCGIFBRDADDR
    0x891b, // SIOCGIFNETMASK
    0x8921, // SIOCGIFMTU
    0x8927, // SIOCGIFHWADDR
    0x8933, // SIOCGIFINDEX
];

/// What `clone` must not be asked for: namespaces, in which the engine could do what it can't here, and a child
/// that is not its child, which could hide.
const CLONES: &[i32] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_PARENT,
];

/// What `fcntl` must not be asked for: the first holds up whoever opens the file to write, the others stay with the
/// file (the last two are not in the crate `libc`).
const FCNTLS: &[i32] = &[libc::F_SETLEASE, F_SET_RW_HINT, F_SET_FILE_RW_HINT];
const F_SET_RW_HINT: i32 = 1036;
const F_SET_FILE_RW_HINT: i32 = 1038;

/// By the number of a call, the cases in which it is refused; without any, all are.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Sets the filters on this thread, for good. `memory_limited` refuses what gets round a limit on memory.
pub(super) fn set(memory_limited: bool) -> Result<(), String> {
    let programs = programs(memory_limited).map_err(|error| error.to_string())?;
    programs
        .iter()
        .try_for_each(|program| seccompiler::apply_filter(program))
        .map_err(|error| error.to_string())
}

/// Of two filters the kernel takes the stricter answer.
fn programs(memory_limited: bool) -> Result<[BpfProgram; 2], BackendError> {
    Ok([program(absent(), libc::ENOSYS)?, program(refused(memory_limited)?, libc::EPERM)?])
}

fn program(rules: Rules, answer: i32) -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let answer = SeccompAction::Errno(answer.unsigned_abs());
    SeccompFilter::new(with_twins(rules), SeccompAction::Allow, answer, architecture)?.try_into()
}

/// Calls that there seem to be none of. The flags of `clone3` lie in memory, where no filter sees them; who finds it
/// missing takes `clone`.
fn absent() -> Rules {
    Rules::from([(libc::SYS_clone3, Vec::new())])
}

fn refused(memory_limited: bool) -> Result<Rules, BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let number = |constant: i32| u64::from(constant.unsigned_abs());
    let one = |index, is, value| SeccompRule::new(vec![argument(index, is, value)?]);

    let uncounted = if memory_limited { UNCOUNTED_MEMORY } else { &[] };
    let mut rules: Rules =
        ALWAYS.iter().chain(OLD).chain(uncounted).map(|&call| (call, Vec::new())).collect();
    // Of sockets those that the network namespace separates stay. A pair of sockets is a pipe, unless
    // it is one of datagrams: those can be sent elsewhere.
    let kept = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(number);
    rules.insert(libc::SYS_socket, vec![all_but(0, &kept)?]);
    let kind = |kind| one(1, MaskedEq(0xf), number(kind));
    rules.insert(libc::SYS_socketpair, vec![kind(libc::SOCK_DGRAM)?, kind(libc::SOCK_RAW)?]);
    // A thread may set its own priority and processors. Groups, and all processes of a user, hold others.
    for (call, process) in [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)] {
        rules.insert(call, vec![one(0, Ne, process)?, one(1, Ne, 0)?]);
    }
    let of_a_process = [
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_prlimit64,
        libc::SYS_migrate_pages,
        libc::SYS_move_pages,
    ];
    for call in of_a_process {
        rules.insert(call, vec![one(0, Ne, 0)?]);
    }
    rules.insert(libc::SYS_ioctl, vec![all_but(1, IOCTLS)?]);
    let commands = FCNTLS.iter().map(|&command| one(1, Eq, number(command)));
    rules.insert(libc::SYS_fcntl, commands.collect::<Result<_, _>>()?);
    let flags = CLONES.iter().map(|&flag| number(flag)).map(|flag| one(0, MaskedEq(flag), flag));
    rules.insert(libc::SYS_clone, flags.collect::<Result<_, _>>()?);
    // To ask which it is, and to take the usual one.
    rules.insert(libc::SYS_personality, vec![all_but(0, &[0xffff_ffff, 0])?]);
    Ok(rules)
}

/// The case that this argument is none of these.
fn all_but(index: u8, allowed: &[u64]) -> Result<SeccompRule, BackendError> {
    let none = allowed.iter().map(|&value| argument(index, SeccompCmpOp::Ne, value));
    SeccompRule::new(none.collect::<Result<_, _>>()?)
}

/// Of all these arguments the kernel takes the lower half only.
fn argument(index: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, is, value)
}

/// The same for the calls of x32.
#[cfg(target_arch = "x86_64")]
fn with_twins(rules: Rules) -> Rules {
    let own = X32_OWN.iter().filter_map(|(own, call)| Some((*own, rules.get(call)?)));
    let twins = rules.iter().map(|(&call, cases)| (call, cases)).chain(own);
    let mut all: Rules = twins.map(|(call, cases)| (call | X32, cases.clone())).collect();
    all.extend(rules);
    all
}

#[cfg(not(target_arch = "x86_64"))]
fn with_twins(rules: Rules) -> Rules {
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: Option<i32> = Some(libc::EPERM);
    const MISSING: Option<i32> = Some(libc::ENOSYS);

    /// What a program answers a call, as the kernel would run it: the error, or `None` if it may go on.
    fn run(program: &BpfProgram, call: i64, arguments: [u64; 6]) -> Option<i32> {
        let architecture = program[1].k; // which the second instruction compares with
        let word = |offset: u32| match offset {
            0 => u32::try_from(call).expect("a number of a call"),
            4 => architecture,
            _ => {
                let argument = arguments[(offset as usize - 16) / 8];
                (if offset.is_multiple_of(8) { argument } else { argument >> 32 }) as u32
            }
        };
        let (mut at, mut held) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let jump = |taken| usize::from(if taken { step.jt } else { step.jf });
            match step.code {
                0x20 => held = word(step.k),
                0x54 => held &= step.k,
                0x05 => at += step.k as usize,
                0x15 => at += jump(held == step.k),
                0x06 if step.k == libc::SECCOMP_RET_ALLOW => return None,
                0x06 => return Some((step.k & libc::SECCOMP_RET_DATA) as i32),
                other => panic!("not an instruction of ours: {other:#x}"),
            }
        }
    }

    /// What both together answer.
    fn answer(memory_limited: bool, call: i64, arguments: &[u64]) -> Option<i32> {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        let programs = programs(memory_limited).expect("programs");
        programs.iter().find_map(|program| run(program, call, all))
    }

    #[test]
    fn the_filters_are_such_that_a_kernel_takes_them() {
        for program in programs(true).expect("programs") {
            assert!(program.len() < 4096, "{}", program.len());
        }
    }

    #[test]
    fn no_call_of_threads_and_files_is_refused_as_such() {
        use libc::*;
        let threads = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
        let own = CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
        let ways =
            [threads | own, CLONE_VM | CLONE_VFORK | SIGCHLD, CLONE_CHILD_SETTID | SIGCHLD, CLONE_PIDFD];
        for flags in ways.map(|flags| u64::from(flags.unsigned_abs())) {
            assert_eq!(answer(true, SYS_clone, &[flags]), None, "{flags:#x}");
        }
        assert_eq!(answer(true, SYS_clone3, &[]), MISSING);
        for call in [SYS_openat, SYS_execve, SYS_futex, SYS_mmap, SYS_write, SYS_wait4, SYS_fcntl] {
            assert_eq!(answer(true, call, &[0, 0, 0]), None, "{call}");
        }
    }

    #[test]
    fn a_child_has_no_namespace_of_its_own_and_no_other_parent() {
        let news =
            [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
        for flag in news.into_iter().chain([0x8000]) {
            for more in [0, 0x0001_0f00, 17, 0xffff_ffff_0000_0000] {
                assert_eq!(answer(false, libc::SYS_clone, &[flag | more]), REFUSED, "{flag:#x} {more:#x}");
            }
        }
    }

    #[test]
    fn of_requests_to_a_device_only_those_listed_pass() {
        let ask = |request| answer(false, libc::SYS_ioctl, &[0, request]);
        for &request in IOCTLS {
            assert_eq!(ask(request), None, "{request:#x}");
            // The kernel drops the upper half of a request.
            assert_eq!(ask(request | 1 << 32), None, "{request:#x}");
        }
        // TCSETS, TCSETSF2, TCXONC, TIOCSCTTY, TIOCSPGRP, TIOCSTI, TIOCLINUX, KVM_GET_API_VERSION, LOOP_CTL_GET_FREE,
        // FS_IOC_SETVERSION, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR
        let terminal = [0x5402, 0x402c_542d, 0x540a, 0x540e, 0x5410, 0x5412, 0x541c];
        let others = [0xae00, 0x4c82, 0x4008_7602, 0x4008_6602, 0x401c_5820, 0, u64::MAX];
        for request in terminal.into_iter().chain(others) {
            assert_eq!(ask(request), REFUSED, "{request:#x}");
            assert_eq!(ask(request | 1 << 32), REFUSED, "{request:#x}");
        }
    }

    #[test]
    fn memory_that_no_limit_counts_is_refused_where_there_is_one() {
        for call in [libc::SYS_shmget, libc::SYS_memfd_create, MEMFD_SECRET] {
            assert_eq!((answer(true, call, &[]), answer(false, call, &[])), (REFUSED, None), "{call}");
        }
    }

    #[test]
    fn other_calls_are_refused_by_their_arguments() {
        use libc::*;
        let cases: &[(i64, &[u64], Option<i32>)] = &[
            (SYS_personality, &[0xffff_ffff], None),
            (SYS_personality, &[0], None),
            (SYS_personality, &[0x0004_0000], REFUSED),
            (SYS_fcntl, &[3, 1024], REFUSED),
            (SYS_fcntl, &[3, 1036], REFUSED),
            (SYS_fcntl, &[3, 1038], REFUSED),
            (SYS_fcntl, &[3, 1035], None),
            (SYS_socket, &[1, 1], REFUSED),
            (SYS_socket, &[2, 1], None),
            (SYS_socketpair, &[1, 2], REFUSED),
            (SYS_socketpair, &[1, 1], None),
            (SYS_prlimit64, &[0], None),
            (SYS_prlimit64, &[1], REFUSED),
            (SYS_setpriority, &[0, 0], None),
            (SYS_setpriority, &[0, 7], REFUSED),
            (SYS_setpriority, &[2, 0], REFUSED),
            (OPEN_TREE_ATTR, &[], REFUSED),
        ];
        for (call, arguments, expected) in cases {
            assert_eq!(answer(false, *call, arguments), *expected, "{call} {arguments:?}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn calls_of_x32_are_answered_alike() {
        for (call, arguments, expected) in [
            (libc::SYS_clone, [0x1000_0000, 0], REFUSED),
            (libc::SYS_clone3, [0, 0], MISSING),
            (libc::SYS_mount, [0, 0], REFUSED),
            (514, [0, 0x5402], REFUSED),
            (514, [0, 0x5401], None),
            (521, [0, 0], REFUSED),
            (528, [0, 0], REFUSED),
            (539, [0, 0], REFUSED),
            (540, [0, 0], REFUSED),
        ] {
            assert_eq!(answer(false, call | X32, &arguments), expected, "{call} {arguments:?}");
        }
    }
}
