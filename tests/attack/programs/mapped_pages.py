"""Two programs of one author: which pages of a file that both have does the other map, by their entries?"""

import ctypes
import mmap
import os
import struct
import sys

import wall

PAGE, PAGES, ALONE = mmap.PAGESIZE, 16, 56  # a bit of an entry


def mapped_elsewhere(path):
    """Return pages that another process maps as well."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
        pages = min(PAGES, len(memory) // PAGE + 1)
        touched = [memory[page * PAGE] for page in range(pages)]
        with open("/proc/self/maps") as maps:
            begin = next(int(row.partition("-")[0], 16) for row in maps if row.rstrip().endswith(path))
        with open("/proc/self/pagemap", "rb") as entries:
            entries.seek(begin // PAGE * 8)
            found = struct.unpack(f"{pages}Q", entries.read(8 * pages))
    return [page for page, entry in zip(range(len(touched)), found, strict=True) if not entry >> ALONE & 1]


def alone_in_memory():
    """Check the file that the process runs as well, by `Shared_Clean:` in /proc/self/smaps."""
    with open("/proc/self/smaps") as file:
        return [row for row in file if row.startswith("Shared_Clean:") and row.split()[1] != "0"]


wall.tries(
    see_who_maps_its_own_file=lambda: mapped_elsewhere(os.path.realpath(__file__)),
    see_who_maps_the_interpreter=lambda: mapped_elsewhere(os.path.realpath(sys.executable)),
    see_what_is_shared=alone_in_memory,
    ask_the_kernel_where_a_page_lies=lambda: wall.call(279, 0, 1, ctypes.byref(ctypes.c_long()), 0, 0, 0),
)
