"""Word for its next self in flags of pages: its own file's, and those of files that all programs share.

A read takes PG_referenced from a page that was only copied, and `Referenced:` of an old entry of a mapping
tells it. Both are done in one life here; tests/attack/capacity.py does it from life to life.
"""

import ctypes
import mmap
import os
import sys

import wall

PAGE, PAGES = mmap.PAGESIZE, 16
wall.LIBC.mmap.restype = ctypes.c_void_p
wall.LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
wall.LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def flags(path):
    """Return the lines of all mappings after a fork, whose entries are old."""
    descriptor = os.open(path, os.O_RDONLY)
    size = min(os.fstat(descriptor).st_size // PAGE + 1, PAGES) * PAGE
    address = wall.LIBC.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE, descriptor, 0)
    wall.LIBC.madvise(address, size, 1)
    ctypes.memset(address, 1, 1)
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            with open("/proc/self/smaps") as file:
                os.write(writing, f"{file.read().count('Referenced:')}".encode())
        except OSError as error:
            os.write(writing, f"-{error.errno}".encode())
        os._exit(0)
    os.wait()
    found = int(os.read(reading, 99))
    if found < 0:
        raise OSError(-found, os.strerror(-found))
    os.pread(descriptor, 1, 0)
    return found


def clear_references():
    """Clear PG_referenced as clear_refs does, which needs no file of one's own."""
    return os.write(os.open("/proc/self/clear_refs", os.O_WRONLY), b"1")


wall.tries(
    read_flags_of_its_own_pages=lambda: flags(os.path.realpath(__file__)),
    read_flags_of_the_interpreters_pages=lambda: flags(os.path.realpath(sys.executable)),
    read_flags_of_the_libraries_pages=lambda: flags(os.__file__),
    clear_flags=clear_references,
)
