"""Descriptors hidden in messages that nobody receives; sockets sent over themselves, and closed."""

import contextlib
import os
import socket

import wall


def hoard():
    hidden = 0
    with contextlib.suppress(OSError):
        for _ in range(2000 if not wall.LONG else 50_000):
            one, other = socket.socketpair()
            socket.send_fds(one, [b"x"], [other.fileno()] * 200)
            one.close()
            other.close()
            hidden += 200
    cycle = socket.socketpair()
    with contextlib.suppress(OSError):
        socket.send_fds(cycle[0], [b"x"], [cycle[0].fileno(), cycle[1].fileno()])
    wall.say(f"{hidden} descriptors are hidden in messages; {len(os.listdir('/proc/self/fd'))} are open")


wall.run(hoard)
