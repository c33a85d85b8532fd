"""The filter of system calls for programs in `bwrap`: what no card player needs is refused."""

from __future__ import annotations

import errno
import functools
import socket
import tempfile

import pyseccomp as sc

from maumau.errors import SandboxUnavailable

# Looking into or at other processes, keys, kernel programs, mounts and namespaces, modules, clocks, shared
# memory that no limit counts, and the scheduler (a program must not look starved by its own doing, nor leave
# the core it shares with its opponent).
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
"""
# What libraries do without where it does not exist: pages lent to a pipe; events of files that others have,
# too; the kernel's queues of work, of which the whole machine has so many and no more.
ABSENT = """
splice tee vmsplice
inotify_init inotify_init1 inotify_add_watch
io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents
"""
# Calls newer than some libseccomp knows; from 424 on the numbers are those of every architecture.
REFUSED_NUMBERS = (
    425, 426, 427,  # io_uring_setup, io_uring_enter, io_uring_register
    428, 429, 430, 431, 432, 433,  # open_tree, move_mount, fsopen, fsconfig, fsmount, fspick
    438, 440, 442, 443,  # pidfd_getfd, process_madvise, mount_setattr, quotactl_fd
    447, 448, 450, 451,  # memfd_secret, process_mrelease, set_mempolicy_home_node, cachestat
    *range(452, 600),  # and what kernels are yet to add
)  # fmt: skip
CLONE3 = 435
NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into a terminal
QUERY = 0xFFFFFFFF


@functools.cache
def program() -> bytes:
    """The compiled filter, as bubblewrap reads it; SandboxUnavailable if it cannot be made here."""
    try:
        wall = sc.SyscallFilter(sc.ALLOW)
        _refuse(wall)
        with tempfile.TemporaryFile() as file:
            wall.export_bpf(file)
            file.seek(0)
            return file.read()
    except OSError as error:
        raise SandboxUnavailable(f"libseccomp makes no filter here: {error}.") from error


def refused() -> dict[str, int]:
    """The system calls that are refused whatever their arguments, by name, with their numbers here."""
    words = (*REFUSED.split(), *ABSENT.split())
    named = {name: sc.resolve_syscall(sc.system_arch(), name) for name in words}
    numbered = {f"number-{number}": number for number in (*REFUSED_NUMBERS, CLONE3)}
    return {name: number for name, number in (named | numbered).items() if number >= 0}


def _refuse(wall: sc.SyscallFilter) -> None:
    refuse = sc.ERRNO(errno.EPERM)
    for name in REFUSED.split():
        _add(wall, refuse, name)
    for call in (*ABSENT.split(), *REFUSED_NUMBERS, CLONE3):  # clone3's flags cannot be seen; there is clone
        _add(wall, sc.ERRNO(errno.ENOSYS), call)
    for flag in NAMESPACES:
        _add(wall, refuse, "clone", sc.Arg(0, sc.MASKED_EQ, flag, flag))
    for call in TERMINAL:
        _add(wall, refuse, "ioctl", sc.Arg(1, sc.MASKED_EQ, QUERY, call))
    for name in ("socket", "socketpair"):
        _add(wall, sc.ERRNO(errno.EAFNOSUPPORT), name, sc.Arg(0, sc.NE, socket.AF_UNIX))
    _add(wall, refuse, "personality", sc.Arg(0, sc.NE, QUERY))


def _add(wall: sc.SyscallFilter, action: int, call: str | int, *args: sc.Arg) -> None:
    """One rule; a call that this architecture does not have needs none."""
    number = sc.resolve_syscall(sc.system_arch(), call) if isinstance(call, str) else call
    if number >= 0:
        wall.add_rule(action, number, *args)
