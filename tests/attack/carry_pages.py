"""Leaves word in what the kernel keeps of a file's pages, or reads it: `carry_pages.py STORE WAY FILE BITS`.

WAY is `write` (zeros and ones, one for a page), `hold` (the same, until stdin ends; it says `held` before) or
`read` (as many as BITS has). What is read is printed as zeros and ones, or as `refused`. Not a player.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import struct
import sys
import threading
import time

PAGE, AROUND = 4096, 16  # bytes; pages that a fault maps at once
LOOKS = 20
FUTEX, WAIT, WAKE = 202 if os.uname().machine == "x86_64" else 98, 0, 1
RANDOM, DONTNEED = 1, 4  # of madvise
NOT_MAPPED_ELSEWHERE = 56  # bit of an entry of /proc/self/pagemap
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
LIBC.madvise.argtypes = LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
LIBC.syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, *[ctypes.c_long] * 5]


def map_file(path, rights, flags):
    descriptor = os.open(path, os.O_RDONLY)
    size = os.fstat(descriptor).st_size // PAGE * PAGE
    address = LIBC.mmap(None, size, rights, flags, descriptor, 0)
    LIBC.madvise(address, size, RANDOM)
    return address, size


def ones(bits):
    return [place for place, bit in enumerate(bits) if bit == "1"]


class Flags:
    """PG_referenced and PG_active of a page, which its first readings move."""

    def write(self, path, bits):
        descriptor = os.open(path, os.O_RDONLY)
        for page in ones(bits):
            os.pread(descriptor, 1, page * PAGE)

    def read(self, path, bits):
        """`Referenced:` of a mapping of one page with an old entry is the flag of the page itself."""
        address, size = map_file(path, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE)
        last = address + size - PAGE
        ctypes.memset(
            last, 1, 1
        )  # only a table with a page of one's own is copied by a fork, all entries old
        for page in range(len(bits)):
            ctypes.string_at(address + page * PAGE, 1)
        reading, writing = os.pipe()
        if os.fork() == 0:
            for page in range(0, len(bits) + 1, 2):
                LIBC.mprotect(address + page * PAGE, PAGE, mmap.PROT_READ)
            os.write(writing, self._look(address, len(bits)).encode())
            os._exit(0)
        os.wait()
        return os.read(reading, PAGE).decode()

    def _look(self, address, pages):
        found, page = ["0"] * pages, -1
        try:
            with open("/proc/self/smaps", "rb") as file:
                for line in file:
                    if line[:1] in b"0123456789abcdef":
                        page = (int(line[: line.index(b"-")], 16) - address) // PAGE
                    elif line.startswith(b"Referenced:") and 0 <= page < pages:
                        found[page] = "01"[line.split()[1] == b"0"]
        except OSError as error:
            return f"refused {errno.errorcode[error.errno]}"
        return "".join(found)


class Mapped:
    """The number of mappings of a page: bit 56 of its entry tells whether there is only one."""

    def write(self, path, bits):
        address, _ = map_file(path, mmap.PROT_READ, mmap.MAP_SHARED)
        for place in ones(bits):
            ctypes.string_at(address + place * AROUND * PAGE, 1)

    def read(self, path, bits):
        address, _ = map_file(path, mmap.PROT_READ, mmap.MAP_SHARED)
        for place in range(len(bits)):
            ctypes.string_at(address + place * AROUND * PAGE, 1)
        with open("/proc/self/pagemap", "rb") as file:
            file.seek(address // PAGE * 8)
            entries = struct.unpack(f"{len(bits) * AROUND}Q", file.read(len(bits) * AROUND * 8))
        return "".join("10"[entry >> NOT_MAPPED_ELSEWHERE & 1] for entry in entries[::AROUND])


class Futex:
    """Waiters at a word of a file's page, which can be woken and counted by everyone with the same page."""

    def write(self, path, bits):
        address, _ = map_file(path, mmap.PROT_READ, mmap.MAP_SHARED)
        for place in ones(bits):
            threading.Thread(target=self._wait, args=(address + place * PAGE,), daemon=True).start()

    def _wait(self, word):
        while True:
            LIBC.syscall(FUTEX, word, WAIT, ctypes.c_uint32.from_address(word).value, 0, 0, 0)

    def read(self, path, bits):
        address, _ = map_file(path, mmap.PROT_READ, mmap.MAP_SHARED)
        found = [False] * len(bits)
        for _ in range(LOOKS):  # the other's threads may not have come to wait yet
            for place, known in enumerate(found):
                found[place] = known or LIBC.syscall(FUTEX, address + place * PAGE, WAKE, 1, 0, 0, 0) > 0
            time.sleep(0.01)
        return "".join("01"[woken] for woken in found)


class Numbers:
    """The numbers of stat and statvfs about a file and its place; only a start could change them."""

    def read(self, path, bits):
        file, folder = os.stat(path), os.stat(os.path.dirname(path))
        numbers = [file.st_ino, file.st_nlink, folder.st_ino, folder.st_nlink]
        with contextlib.suppress(OSError):
            place = os.statvfs(path)
            numbers += [place.f_bfree, place.f_ffree]
        return " ".join(map(str, numbers))


def main(store, way, path, bits):
    kind = {"flags": Flags, "mapped": Mapped, "futex": Futex, "numbers": Numbers}[store]()
    if way == "read":
        try:
            print(kind.read(path, bits))
        except OSError as error:
            print("refused", errno.errorcode[error.errno])
        return
    kind.write(path, bits)
    if way == "hold":
        print("held", flush=True)
        sys.stdin.read()
        os._exit(0)


main(*sys.argv[1:])
