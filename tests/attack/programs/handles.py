"""Process handles: of the referee, of itself, and what is open in others by them."""

import os

import wall

PIDFD_GETFD, PIDFD_SIGNAL = 438, 424


def take():
    handle = os.pidfd_open(os.getpid())
    return wall.call(PIDFD_GETFD, handle, 0, 0)


wall.tries(
    open_the_referee=lambda: os.pidfd_open(wall.TARGETS["pid"]),
    take_a_descriptor=take,
    signal_a_pipe=lambda: wall.call(PIDFD_SIGNAL, 0, 0, None, 0),
)
