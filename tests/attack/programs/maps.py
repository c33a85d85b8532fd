"""Memory by maps: as many as there may be, each of which costs again whenever it forks."""

import ctypes
import os

import wall


def maps():
    area, made = wall.LIBC.mmap, 0
    area.restype = ctypes.c_void_p
    failed = ctypes.c_void_p(-1).value
    for at in range(70_000):
        if area(None, 4096, 1 + at % 2 * 2, 0x22, -1, 0) == failed:
            break
        made += 1
    wall.say(f"{made} maps")
    for _ in range(3):
        try:
            child = os.fork()
        except OSError:
            break
        if not child:
            os._exit(0)
        os.waitpid(child, 0)


wall.run(maps)
