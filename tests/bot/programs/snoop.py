"""Tries what a program must not be able to do, and says in its note what it could do.

Much of it would harm a machine: it runs among the first processes of a wall of its own, or not at all.
"""

import ctypes
import json
import os
import socket
from pathlib import Path

import loop

if os.getpid() > 2 or os.uname().nodename != "bot":
    raise SystemExit("only behind a wall")
LIBC = ctypes.CDLL(None, use_errno=True)


def reads(path):
    return bool(Path(path).read_bytes())


def writes(path):
    return Path(path, "mark").write_text("x") > 0


def connects(family, address):
    with socket.socket(family) as probe:
        probe.settimeout(0.2)
        probe.connect(address)
    return True


def calls(name, *args):
    return getattr(LIBC, name)(*args) == 0


def others():
    return [path.name for path in Path("/proc").glob("[0-9]*") if path.name not in {str(os.getpid()), "1"}]


def inherited():
    return [path.name for path in Path("/proc/self/fd").iterdir() if int(path.name) > 2 and path.exists()]


ATTEMPTS = {
    "read /etc/shadow": lambda: reads("/etc/shadow"),
    "read /etc/passwd": lambda: reads("/etc/passwd"),
    "read the environment of others": lambda: any(reads(f"/proc/{pid}/environ") for pid in others()),
    "see other processes": others,
    "see the referee's files": lambda: reads(Path("/bot/secret").read_text()),
    "inherit a descriptor": inherited,
    "find an environment": lambda: [name for name in os.environ if "MAUMAU" in name or "SECRET" in name],
    "write /": lambda: writes("/"),
    "write /bot": lambda: writes("/bot"),
    "write /usr": lambda: writes("/usr"),
    "write /dev": lambda: writes("/dev"),
    "write /dev/shm": lambda: writes("/dev/shm"),
    "write /var/tmp": lambda: writes("/var/tmp"),
    "write /proc/sys": lambda: Path("/proc/sys/kernel/hostname").write_text("x"),
    "fill /tmp": lambda: Path("/tmp/large").write_bytes(bytes(17 << 20)),
    "reach TCP": lambda: connects(socket.AF_INET, ("127.0.0.1", 22)),
    "open UDP": lambda: connects(socket.AF_INET, ("8.8.8.8", 53)),
    "open vsock": lambda: connects(40, (2, 1)),
    "open netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    "resolve a name": lambda: socket.getaddrinfo("localhost.localdomain", 80),
    "mount": lambda: calls("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "unshare": lambda: calls("unshare", 0x10000000),
    "chroot": lambda: calls("chroot", b"/tmp"),
    "setuid": lambda: calls("setuid", 0),
    "ptrace": lambda: calls("ptrace", 0, 0, 0, 0),
    "memfd": lambda: os.memfd_create("x"),
    "leave its core": lambda: os.sched_setaffinity(0, range(os.cpu_count())) is None,
    "change its priority": lambda: os.nice(1),
}
if os.uname().machine == "x86_64":  # by number: libc has no names for these
    ATTEMPTS |= {
        "bpf": lambda: LIBC.syscall(321, 0, 0, 0) >= 0,
        "perf_event_open": lambda: LIBC.syscall(298, bytes(112), 0, -1, -1, 0) >= 0,
        "io_uring": lambda: LIBC.syscall(425, 8, bytes(120)) >= 0,
        "userfaultfd": lambda: LIBC.syscall(323, 0) >= 0,
        "keyctl": lambda: LIBC.syscall(250, 0, -3, 1) >= 0,
    }


def could(attempt):
    try:
        return bool(attempt())
    except (OSError, AttributeError, ValueError):
        return False


def act(message, asks):
    done = [name for name, attempt in ATTEMPTS.items() if asks == 1 and could(attempt)]
    return json.dumps(
        {"act": loop.first(message), "note": f"tried {len(ATTEMPTS)}, could {done}" * (asks == 1)}
    )


loop.play(act)
