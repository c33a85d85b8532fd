"""Word for its next self in what the kernel counts up: inodes, times and links of shared files."""

import os
import socket
import time

import wall


def stores():
    """Report the visible state of shared files, and of the program's own counters."""
    for path in (
        "/",
        "/bot",
        "/tmp",
        "/dev/null",
        "/proc",
        "/usr",
        "/runtime",
        os.path.realpath("/proc/self/exe"),
    ):
        if os.path.exists(path):
            found = os.stat(path)
            numbers = f"device {found.st_dev} inode {found.st_ino} links {found.st_nlink}"
            wall.say(path, numbers, "read at", found.st_atime_ns)
    reading, _ = os.pipe()
    with socket.socket(socket.AF_UNIX) as line:
        wall.say(f"pipe {os.fstat(reading).st_ino} socket {os.fstat(line.fileno()).st_ino}")
    for kind in sorted(os.listdir("/proc/self/ns")):
        wall.say("ns", kind, os.readlink(f"/proc/self/ns/{kind}"))
    wall.say("began", time.clock_gettime_ns(time.CLOCK_BOOTTIME))


def write_time():
    """Write a time of access on a shared file, as a message for the next reader."""
    exe = os.path.realpath("/proc/self/exe")
    before = os.stat(exe).st_atime_ns
    os.utime(exe, ns=(12345, 12345))
    return os.stat(exe).st_atime_ns != before


def read_leaves_a_time():
    exe = os.path.realpath("/proc/self/exe")
    before = os.stat(exe).st_atime_ns
    with open(exe, "rb") as file:
        file.read(1)
    return os.stat(exe).st_atime_ns != before


def link_to_it():
    os.link(os.path.realpath("/proc/self/exe"), f"/tmp/{wall.MARK}")
    return True


def act():
    stores()
    wall.attempt("set a time of what is shared", write_time)
    wall.attempt("leave a time by reading", read_leaves_a_time)
    wall.attempt("add a link to what is shared", link_to_it)


wall.run(act)
