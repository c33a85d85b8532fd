"""Pages passed between pipes without being copied, so that they could change after they were sent."""

import os
import platform

import wall

SPLICE, TEE, VMSPLICE = {"x86_64": (275, 276, 278), "aarch64": (76, 77, 75)}[platform.machine()]
READING, WRITING = os.pipe()
os.write(WRITING, b"7S\n")

wall.tries(
    move_pages_to_the_referee=lambda: wall.call(SPLICE, READING, None, 1, None, 3, 0),
    send_pages_twice=lambda: wall.call(TEE, READING, 1, 3, 0),
    lend_pages=lambda: wall.call(VMSPLICE, 1, None, 0, 0),
)
