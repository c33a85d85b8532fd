"""Word for its next self in what the machine counts and tells by other calls than those of /proc."""

import ctypes
import mmap
import os
import platform
import socket
import struct

import wall

X86 = platform.machine() == "x86_64"
STATX, PIDFD_OPEN, CLONE = (332, 434, 56) if X86 else (291, 434, 220)
UNIQUE_MOUNT, SUBVOLUME = 0x4000, 0x8000  # of statx
CLONE_PIDFD, SIGCHLD = 0x1000, 17


def ask_socket(option, size=8):
    """Return a function that reads this option of a socket."""

    def ask():
        with socket.socket(socket.AF_UNIX) as line:
            return line.getsockopt(socket.SOL_SOCKET, option, size).hex()

    return ask


def ask_peer():
    """Return a handle of the other end's process."""
    one, other = socket.socketpair()
    with one, other:
        return one.getsockopt(socket.SOL_SOCKET, 77)


def ask_file(bit):
    """Return a function that reads a field of statx, if it is present."""

    def ask():
        found = ctypes.create_string_buffer(256)
        wall.call(STATX, -100, b"/", 0, bit, found)
        return struct.unpack_from("I", found.raw, 0)[0] & bit and struct.unpack_from("Q", found.raw, 0x90)[0]

    return ask


def be_named():
    """Have the kernel choose a name for a socket, which older ones count up."""
    with socket.socket(socket.AF_UNIX) as line:
        line.bind("")
        return line.getsockname()


def be_named_for_credentials():
    """Have a name by connecting with credentials."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        return line.getsockname() or "to be named"


def open_handle():
    """Open a process's handle, whose inode number counts processes."""
    handle = wall.LIBC.syscall(PIDFD_OPEN, os.getpid(), 0)
    if handle < 0:
        raise OSError(ctypes.get_errno(), "pidfd_open")
    return os.fstat(handle).st_ino


def clone_with_handle():
    handle = ctypes.c_int(-1)
    child = wall.LIBC.syscall(CLONE, CLONE_PIDFD | SIGCHLD, None, ctypes.byref(handle), None, None)
    if child == 0:
        os._exit(0)
    if child < 0:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(child, 0)
    return os.fstat(handle.value).st_ino


def free_blocks():
    found = os.statvfs("/bot")
    return found.f_bfree, found.f_ffree


attempts = {
    "read the cookie of a socket": ask_socket(57),
    "read the cookie of its namespace": ask_socket(71),
    "read what a socket uses": ask_socket(55, 36),
    "have a handle of a socket's peer": ask_peer,
    "read the number of a mount": ask_file(UNIQUE_MOUNT),
    "read the number of a part of a file system": ask_file(SUBVOLUME),
    "have any name for a socket": be_named,
    "have a name for credentials": be_named_for_credentials,
    "have a handle of a process": open_handle,
    "have a handle of a child": clone_with_handle,
}
if not wall.BUILD:
    attempts["see how full a shared file system is"] = free_blocks


def act():
    for what, ask in attempts.items():
        wall.attempt(what, ask)
    with mmap.mmap(-1, mmap.PAGESIZE):
        wall.say("asked", len(attempts))


wall.run(act)
