"""Other processes: what they are called, their environment, memory, descriptors, and the referee's own."""

import os
from pathlib import Path

import wall


def strangers():
    return wall.strangers([int(name) for name in os.listdir("/proc") if name.isdigit()])


def any_of(name):
    found = {*strangers(), wall.TARGETS["pid"]}
    return [pid for pid in found if Path(f"/proc/{pid}/{name}").exists()]


def peek():
    buffer = (wall.ctypes.c_char * 16)()
    local = (wall.ctypes.c_void_p * 2)(wall.ctypes.addressof(buffer), 16)
    return wall.call("process_vm_readv", wall.TARGETS["pid"], local, 1, local, 1, 0)


wall.tries(
    see_other_processes=strangers,
    read_their_environment=lambda: any_of("environ"),
    read_their_memory=lambda: any_of("mem"),
    read_their_descriptors=lambda: any_of("fd"),
    read_the_memory_of_the_referee=peek,
    open_the_referee=lambda: os.pidfd_open(wall.TARGETS["pid"]),
    read_the_kernel=lambda: Path("/proc/kcore").open("rb").read(1),
    read_the_log_of_the_kernel=lambda: Path("/proc/kmsg").open("rb").read(1),
    read_the_keys=lambda: Path("/proc/keys").read_text(),
)
