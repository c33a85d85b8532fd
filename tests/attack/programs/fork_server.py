"""Possible leaks of a warm start: the way back to the fork server, and the holder of the wall."""

import gc
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

import wall

HOLDER = 1  # the first process of the wall, if it is not this one
MINE = Path("/proc/self")
BINARY = ("/proc/self/exe", f"/proc/{HOLDER}/exe")


def holder():
    return os.getpid() != HOLDER


def rewrite():
    for path in BINARY:
        with suppress(OSError):
            os.chmod(path, 0o777)
            return path
        with suppress(OSError):
            os.close(os.open(path, os.O_WRONLY))
            return path
    return None


def climb():
    """Return directories and files outside of this wall that are mapped or open."""
    found = [path for path in (MINE / "map_files").iterdir() if path.read_bytes()]
    return found + [MINE / "fd" / name for name in os.listdir("/proc/self/fd") if int(name) > 3]


def shared():
    return [line for line in (MINE / "maps").read_text().splitlines() if line.split()[1] == "rw-s"]


def parents():
    """Try to signal the parent process, which is in no namespace of its own."""
    return os.getppid() and os.kill(os.getppid(), 0) is None


def keepers():
    """Any process number but one's own and the holder's."""
    found = []
    for pid in set(range(2, 40000)) - {os.getpid()}:
        with suppress(OSError):
            os.kill(pid, 0)
            found.append(pid)
    return wall.strangers(found)


def line():
    """Look for the fork server's line to the referee, which was open before the fork."""
    found = [each for each in gc.get_objects() if isinstance(each, socket.socket) and each.fileno() >= 0]
    for number in range(3, 64):
        with suppress(OSError):
            found.append(socket.socket(fileno=os.dup(number)))
    return found


def spoil():
    """Write to the holder's memory."""
    if not holder():
        return False
    with open(f"/proc/{HOLDER}/mem", "r+b") as memory:
        return memory.write(b"x")


def end():
    """Send every signal to the holder, except those whose success would end this process as well."""
    if holder():
        for number in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError):
                os.kill(HOLDER, number)
    return False


def learn():
    """Return what the holder has beyond this process: environment and pipes."""
    if not holder():
        return []
    there = set(Path(f"/proc/{HOLDER}/environ").read_bytes().split(b"\0"))
    pipes = {os.readlink(f"/proc/{HOLDER}/fd/{name}") for name in os.listdir(f"/proc/{HOLDER}/fd")}
    mine = {os.readlink(MINE / "fd" / name) for name in "012"}
    return [*(there - set((MINE / "environ").read_bytes().split(b"\0"))), *(pipes - mine)]


def back():
    """Into another namespace than one's own."""
    for kind in ("mnt", "pid", "user"):
        with open(f"/proc/{HOLDER}/ns/{kind}") as space:
            wall.call("setns", space.fileno(), 0)
    return True


wall.tries(
    change_the_interpreter=rewrite,
    climb_out_by_what_is_mapped=climb,
    share_memory=shared,
    signal_its_parent=parents,
    signal_the_fork_server=keepers,
    take_the_line_of_the_fork_server=line,
    trace_the_holder=lambda: wall.call("ptrace", 16, HOLDER, 0, 0),
    write_the_memory_of_the_holder=spoil,
    end_the_holder=end,
    learn_from_the_holder=learn,
    go_back=back,
)
