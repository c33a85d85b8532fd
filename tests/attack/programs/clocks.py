"""Clocks: setting them, and reading those of others."""

import os
import time

import wall

REFEREE = wall.TARGETS["pid"]


def done(act, *args):
    act(*args)
    return True


def adjust():
    return wall.call("adjtimex", (wall.ctypes.c_char * 256)(1)) and False


def neighbours():
    return wall.strangers([pid for pid in range(1, 999) if os.path.exists(f"/proc/{pid}/schedstat")])


wall.tries(
    set_the_clock=lambda: done(time.clock_settime, time.CLOCK_REALTIME, 1e9),
    adjust_the_clock=adjust,
    read_the_clock_of_the_referee=lambda: time.clock_gettime((~REFEREE << 3) | 2),
    read_the_clocks_of_neighbours=neighbours,
)
