"""The system-call filter of programs in `bwrap`: calls that no card player needs are refused."""

from __future__ import annotations

import errno
import functools
import os
import signal
import socket
import tempfile

import pyseccomp as sc

from maumau.errors import SandboxUnavailable
from maumau.sandbox.kernel.argument import ALLOWED, list_others

# Looking into or at other processes, keys, kernel programs, mounts and namespaces, modules, clocks, shared
# memory that no limit counts, and the scheduler (a program must not look starved by its own doing, nor leave
# the core it shares with its opponent). Timers: what one does when it expires it does in an interrupt, which
# the kernel charges to whoever has the core just then. Sleeping and waiting for at most so long remain.
REFUSED = """
ptrace process_vm_readv process_vm_writev kcmp perf_event_open userfaultfd bpf
add_key request_key keyctl
mount umount2 pivot_root chroot unshare setns name_to_handle_at open_by_handle_at fanotify_init
init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct quotactl syslog
iopl ioperm modify_ldt vhangup settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname
shmget shmat shmctl shmdt semget semctl semop semtimedop msgget msgctl msgsnd msgrcv
mq_open mq_unlink mq_notify mq_getsetattr mq_timedsend mq_timedreceive memfd_create
migrate_pages move_pages mbind set_mempolicy get_mempolicy
sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set
lookup_dcookie nfsservctl uselib ustat sysfs _sysctl
sync syncfs
seccomp
timer_create timer_settime timer_gettime timer_getoverrun timer_delete setitimer alarm
"""
# What libraries do without where it does not exist: pages lent to a pipe; events of files that others have,
# too; the kernel's queues of work, of which the whole machine has a fixed number; timers and signals as
# files, which wake whoever watches them; what asks or steers the machine's caches, where a program could
# leave a message for its next self; handles of processes, whose inode numbers count all processes ever made.
ABSENT = """
splice tee vmsplice
inotify_init inotify_init1 inotify_add_watch
io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents
timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4
readahead fadvise64 mincore sync_file_range
pidfd_open
"""
# What a program at play does without, and a build step does not: how full file systems are that it shares.
ABSENT_IN_PLAY = """
statfs fstatfs
"""
# What succeeds without being done: all that a program can write is in memory and its own, so there is nothing
# to be written out, and nobody else from whom a lock would keep anything.
IDLE = """
fsync fdatasync flock
"""
# Calls that many file systems do not support: extended attributes of files.
UNSUPPORTED = """
setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
"""
# The devices are the host's own and may be written to, so that anybody may set their times to the present.
# Build steps, whose tools give files their times, have devices that are read-only (device.py).
IDLE_IN_PLAY = """
utime utimes futimesat utimensat
"""
# Calls newer than some libseccomp knows; from 424 on the numbers are those of every architecture.
REFUSED_NUMBERS = (
    425, 426, 427,  # io_uring_setup, io_uring_enter, io_uring_register
    428, 429, 430, 431, 432, 433,  # open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
    437,  # openat2, which can ask whether a name is cached
    438, 440, 442, 443,  # pidfd_getfd, process_madvise, mount_setattr, quotactl_fd
    447, 448, 449,  # memfd_secret, process_mrelease, futex_waitv: a wait that knows no timer slack
    450, 451,  # set_mempolicy_home_node, cachestat
    *range(452, 600),  # and the calls of future kernels
)  # fmt: skip
CLONE3 = 435
# Namespaces; 0x8000, CLONE_PARENT: a child of one's parent, who is outside and counts it for nobody; and
# 0x1000, CLONE_PIDFD: as pidfd_open.
CLONE_FLAGS = (
    *(0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x8000, 0x1000),
)
DIRECT = os.O_DIRECT  # past the cache, at the speed of the disk
LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW and both for open files: they succeed without being done
SET_FLAGS, SIGNALLED = 4, 0x2000  # F_SETFL, O_ASYNC
SYNCHRONOUSLY = 4  # of msync
# Of statx all above STATX_MNT_ID: numbers of mounts that are never used again, which count all starts.
STATX_MASK = tuple(1 << bit for bit in range(13, 32))
# Of futex: FUTEX_LOCK_PI, FUTEX_WAIT_REQUEUE_PI and FUTEX_LOCK_PI2, whose time limits know no timer slack.
FUTEX_COMMAND, UNSLACK_WAITS = 0x7F, (6, 11, 13)
# For a protocol or a type that does not exist the kernel would make an inode, and count it, at half the cost.
UNIX_PROTOCOLS = (0, 1)
TYPE, NO_TYPES = 0xF, (0, 4, *range(6, 16))  # SOCK_STREAM, _DGRAM, _RAW and _SEQPACKET are 1, 2, 3 and 5
# An address of this length, without a name: the kernel chooses one, before Linux 5.17 by a counter of the
# whole machine.
NAMELESS = 2
# Of mmap: pages of a pool that the whole machine has, where there is one, and that no limit counts.
HUGE_PAGES = 0x40000
QUERY = 0xFFFFFFFF
SEARCH_TREE = 2  # of libseccomp's ways to find a call's rules: in as many steps as its number has bits


@functools.cache
def compile_filter(*, plays: bool, waits: bool) -> bytes:
    """Return the compiled filter, as bubblewrap reads it; raise SandboxUnavailable if it cannot be made here.

    Args:
        plays: The program is at a table; else it is a build step.
        waits: The program must wait for its children, since an ended child's time is counted nowhere else.
    """
    try:
        wall = sc.SyscallFilter(sc.ALLOW)
        wall.set_attr(sc.Attr.CTL_OPTIMIZE, SEARCH_TREE)
        _refuse_calls(wall)
        _refuse_arguments(wall)
        if plays:
            _refuse_in_play(wall)
        if waits:  # what it wants to happen at a child's end, such as nothing, is not heard; it may still ask
            handled = sc.Arg(0, sc.MASKED_EQ, QUERY, signal.SIGCHLD), sc.Arg(1, sc.NE, 0)
            _add_rule(wall, sc.ERRNO(0), "rt_sigaction", *handled)
        with tempfile.TemporaryFile() as file:
            wall.export_bpf(file)
            file.seek(0)
            return file.read()
    except OSError as error:
        raise SandboxUnavailable(f"libseccomp makes no filter here: {error}.") from error


def list_refused_calls() -> dict[str, int]:
    """Return the numbers of the system calls that always fail, by name."""
    words = (*REFUSED.split(), *ABSENT.split())
    named = {name: sc.resolve_syscall(sc.system_arch(), name) for name in words}
    numbered = {f"number-{number}": number for number in (*REFUSED_NUMBERS, CLONE3)}
    return {name: number for name, number in (named | numbered).items() if number >= 0}


def _refuse_calls(wall: sc.SyscallFilter) -> None:
    """Refuse calls with any arguments."""
    for name in REFUSED.split():
        _add_rule(wall, sc.ERRNO(errno.EPERM), name)
    for call in (*ABSENT.split(), *REFUSED_NUMBERS, CLONE3):  # clone3's flags cannot be seen; there is clone
        _add_rule(wall, sc.ERRNO(errno.ENOSYS), call)
    _add_rule(wall, sc.ERRNO(errno.EINVAL), "sendfile")  # it lends pages, too; libraries then copy
    for name in UNSUPPORTED.split():
        _add_rule(wall, sc.ERRNO(errno.EOPNOTSUPP), name)
    for name in IDLE.split():
        _add_rule(wall, sc.ERRNO(0), name)


def _refuse_in_play(wall: sc.SyscallFilter) -> None:
    """Refuse calls that only the tools of a build step need."""
    for name in ABSENT_IN_PLAY.split():
        _add_rule(wall, sc.ERRNO(errno.ENOSYS), name)
    for name in IDLE_IN_PLAY.split():
        _add_rule(wall, sc.ERRNO(0), name)


def _refuse_arguments(wall: sc.SyscallFilter) -> None:
    """Refuse calls by their arguments."""
    for known in ALLOWED:
        for mask, value in list_others(known.allowed):
            refused = sc.Arg(known.position, sc.MASKED_EQ, mask, value)
            _add_rule(wall, sc.ERRNO(known.refusal), known.call, refused)
    for action, name, position, flags in _by_flag():
        for flag in flags:
            _add_rule(wall, action, name, sc.Arg(position, sc.MASKED_EQ, flag, flag))
    for action, name, position, value in _by_difference():
        _add_rule(wall, action, name, sc.Arg(position, sc.NE, value))
    for lock in LOCKS:
        _add_rule(wall, sc.ERRNO(0), "fcntl", sc.Arg(1, sc.MASKED_EQ, QUERY, lock))
    _refuse_pairs(wall)


def _refuse_pairs(wall: sc.SyscallFilter) -> None:
    """Refuse calls by two arguments together."""
    for flag in (SIGNALLED, DIRECT):
        flags = sc.Arg(1, sc.MASKED_EQ, QUERY, SET_FLAGS), sc.Arg(2, sc.MASKED_EQ, flag, flag)
        _add_rule(wall, sc.ERRNO(errno.EINVAL), "fcntl", *flags)
    for command in UNSLACK_WAITS:
        waits = sc.Arg(1, sc.MASKED_EQ, FUTEX_COMMAND, command), sc.Arg(3, sc.NE, 0)
        _add_rule(wall, sc.ERRNO(errno.ENOSYS), "futex", *waits)
    _add_rule(wall, sc.ERRNO(errno.EINVAL), "bind", sc.Arg(2, sc.MASKED_EQ, QUERY, NAMELESS))
    for call in ("socket", "socketpair"):
        _refuse_unknown_sockets(wall, call)


def _refuse_unknown_sockets(wall: sc.SyscallFilter, call: str) -> None:
    """Refuse unix sockets of protocols and types that do not exist."""
    for mask, value in list_others(UNIX_PROTOCOLS):
        unknown = sc.Arg(0, sc.MASKED_EQ, QUERY, socket.AF_UNIX), sc.Arg(2, sc.MASKED_EQ, mask, value)
        _add_rule(wall, sc.ERRNO(errno.EPROTONOSUPPORT), call, *unknown)
    for kind in NO_TYPES:
        unknown = sc.Arg(0, sc.MASKED_EQ, QUERY, socket.AF_UNIX), sc.Arg(1, sc.MASKED_EQ, TYPE, kind)
        _add_rule(wall, sc.ERRNO(errno.ESOCKTNOSUPPORT), call, *unknown)


def _by_difference() -> list[tuple[int, str, int, int]]:
    """Return (answer to other values, call, position, value) of arguments that may have one value only."""
    return [
        (sc.ERRNO(errno.EAFNOSUPPORT), "socket", 0, socket.AF_UNIX),
        (sc.ERRNO(errno.EAFNOSUPPORT), "socketpair", 0, socket.AF_UNIX),
        (sc.ERRNO(errno.EPERM), "personality", 0, QUERY),
        (sc.ERRNO(errno.EOPNOTSUPP), "preadv2", 5, 0),  # with flags they ask whether a page is cached
        (sc.ERRNO(errno.EOPNOTSUPP), "pwritev2", 5, 0),
    ]


def _by_flag() -> list[tuple[int, str, int, tuple[int, ...]]]:
    """Return (answer, call, position, flags) of arguments with refused flags."""
    return [
        (sc.ERRNO(errno.EPERM), "clone", 0, CLONE_FLAGS),
        (sc.ERRNO(errno.EINVAL), "open", 1, (DIRECT,)),
        (sc.ERRNO(errno.EINVAL), "openat", 2, (DIRECT,)),
        (sc.ERRNO(errno.EINVAL), "statx", 3, STATX_MASK),
        (sc.ERRNO(errno.EINVAL), "mmap", 3, (HUGE_PAGES,)),
        (sc.ERRNO(0), "msync", 2, (SYNCHRONOUSLY,)),
    ]


def _add_rule(wall: sc.SyscallFilter, action: int, call: str | int, *args: sc.Arg) -> None:
    """Add a rule, unless this architecture lacks the call."""
    number = sc.resolve_syscall(sc.system_arch(), call) if isinstance(call, str) else call
    if number >= 0:
        wall.add_rule(action, number, *args)
