"""The filter of system calls for programs in `bwrap`: what no card player needs is refused."""

from __future__ import annotations

import errno
import functools
import os
import signal
import socket
import tempfile

import pyseccomp as sc

from maumau.errors import SandboxUnavailable

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
timer_create timer_settime timer_gettime timer_getoverrun timer_delete setitimer alarm
"""
# What libraries do without where it does not exist: pages lent to a pipe; events of files that others have,
# too; the kernel's queues of work, of which the whole machine has a fixed number; timers and signals as
# files, which wake whoever watches them; and what asks or steers the machine's caches, where a program could
# leave a message for its next self.
ABSENT = """
splice tee vmsplice
inotify_init inotify_init1 inotify_add_watch
io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents
timerfd_create timerfd_settime timerfd_gettime signalfd signalfd4
readahead fadvise64 mincore sync_file_range
"""
# What succeeds without being done: all that a program can write is in memory and its own, so there is nothing
# to be written out, and nobody else from whom a lock would keep anything.
IDLE = """
fsync fdatasync flock
"""
# Calls newer than some libseccomp knows; from 424 on the numbers are those of every architecture.
REFUSED_NUMBERS = (
    425, 426, 427,  # io_uring_setup, io_uring_enter, io_uring_register
    428, 429, 430, 431, 432, 433,  # open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
    437,  # openat2, which can ask whether a name is cached
    438, 440, 442, 443,  # pidfd_getfd, process_madvise, mount_setattr, quotactl_fd
    447, 448, 450, 451,  # memfd_secret, process_mrelease, set_mempolicy_home_node, cachestat
    *range(452, 600),  # and what kernels are yet to add
)  # fmt: skip
CLONE3 = 435
# Namespaces; and 0x8000, CLONE_PARENT: a child of one's parent, who is outside and counts it for nobody.
CLONE_FLAGS = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x8000)
TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into a terminal
DIRECT = os.O_DIRECT  # past the cache, at the speed of the disk
LOCKS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW and both for open files: they succeed without being done
# Of fcntl: who has a lock; leases, events of folders; and hints that are kept with a file.
FILE_COMMANDS = (5, 36, 1024, 1025, 1026, 1027, 1028, 1029, 1035, 1036, 1037, 1038)
# Of madvise: reading ahead, punching holes, sharing equal pages, cooling and dropping what others use too.
ADVICE = (3, 9, 12, 13, 20, 21, 25, 100, 101)
BARRIERS = (1, 2, 4, 128, 256)  # of membarrier: those that reach other cores than one's own
CORE_SCHEDULING, TIMER_SLACK = 62, 29  # of prctl
SYNCHRONOUSLY = 4  # of msync
QUERY = 0xFFFFFFFF


@functools.cache
def compile_filter(*, waits: bool) -> bytes:
    """The compiled filter, as bubblewrap reads it; SandboxUnavailable if it cannot be made here.

    `waits`: the program must wait for its children, for nobody else counts the time of one that has ended.
    """
    try:
        wall = sc.SyscallFilter(sc.ALLOW)
        _add_refusals(wall)
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
    """The system calls that fail whatever their arguments, by name, with their numbers here."""
    words = (*REFUSED.split(), *ABSENT.split())
    named = {name: sc.resolve_syscall(sc.system_arch(), name) for name in words}
    numbered = {f"number-{number}": number for number in (*REFUSED_NUMBERS, CLONE3)}
    return {name: number for name, number in (named | numbered).items() if number >= 0}


def _add_refusals(wall: sc.SyscallFilter) -> None:
    for name in REFUSED.split():
        _add_rule(wall, sc.ERRNO(errno.EPERM), name)
    for call in (*ABSENT.split(), *REFUSED_NUMBERS, CLONE3):  # clone3's flags cannot be seen; there is clone
        _add_rule(wall, sc.ERRNO(errno.ENOSYS), call)
    for name in IDLE.split():
        _add_rule(wall, sc.ERRNO(0), name)
    for action, name, position, values in _by_value():
        for value in values:
            _add_rule(wall, action, name, sc.Arg(position, sc.MASKED_EQ, QUERY, value))
    for action, name, position, flags in _by_flag():
        for flag in flags:
            _add_rule(wall, action, name, sc.Arg(position, sc.MASKED_EQ, flag, flag))
    for name in ("socket", "socketpair"):
        _add_rule(wall, sc.ERRNO(errno.EAFNOSUPPORT), name, sc.Arg(0, sc.NE, socket.AF_UNIX))
    _add_rule(wall, sc.ERRNO(errno.EPERM), "personality", sc.Arg(0, sc.NE, QUERY))
    for name in ("preadv2", "pwritev2"):  # with flags they ask whether a page is cached
        _add_rule(wall, sc.ERRNO(errno.EOPNOTSUPP), name, sc.Arg(5, sc.NE, 0))
    _refuse_devices(wall)


def _by_value() -> list[tuple[int, str, int, tuple[int, ...]]]:
    """What is refused where this argument is one of these: the answer, the call, the argument, its values."""
    refuse, unknown = sc.ERRNO(errno.EPERM), sc.ERRNO(errno.EINVAL)
    return [
        (refuse, "ioctl", 1, TERMINAL),
        (unknown, "fcntl", 1, FILE_COMMANDS),
        (sc.ERRNO(0), "fcntl", 1, LOCKS),
        (unknown, "madvise", 2, ADVICE),
        (unknown, "membarrier", 0, BARRIERS),
        (unknown, "prctl", 0, (CORE_SCHEDULING, TIMER_SLACK)),
    ]


def _by_flag() -> list[tuple[int, str, int, tuple[int, ...]]]:
    """What is refused where this argument has one of these flags."""
    return [
        (sc.ERRNO(errno.EPERM), "clone", 0, CLONE_FLAGS),
        (sc.ERRNO(errno.EINVAL), "open", 1, (DIRECT,)),
        (sc.ERRNO(errno.EINVAL), "openat", 2, (DIRECT,)),
        (sc.ERRNO(0), "msync", 2, (SYNCHRONOUSLY,)),
    ]


def _refuse_devices(wall: sc.SyscallFilter) -> None:
    """Of ioctl only what concerns terminals and descriptors: those whose second byte is a T."""
    for bit in (1 << number for number in range(8, 16)):
        wanted = ord("T") << 8 & bit
        _add_rule(wall, sc.ERRNO(errno.ENOTTY), "ioctl", sc.Arg(1, sc.MASKED_EQ, bit, wanted ^ bit))


def _add_rule(wall: sc.SyscallFilter, action: int, call: str | int, *args: sc.Arg) -> None:
    """One rule; a call that this architecture does not have needs none."""
    number = sc.resolve_syscall(sc.system_arch(), call) if isinstance(call, str) else call
    if number >= 0:
        wall.add_rule(action, number, *args)
