"""Files that are nowhere: memory shared by a name, secret memory, pages for faults of its own."""

import ctypes
import platform

import wall

CREATE = {"x86_64": 319, "aarch64": 279}[platform.machine()]
USERFAULT = {"x86_64": 323, "aarch64": 282}[platform.machine()]
SECRET = 447
HUGE = 4

wall.tries(
    make_a_memory_file=lambda: wall.call(CREATE, b"word", 0),
    make_a_huge_one=lambda: wall.call(CREATE, b"word", HUGE),
    make_secret_memory=lambda: wall.call(SECRET, 0),
    handle_faults=lambda: wall.call(USERFAULT, ctypes.c_long(1)),
)
