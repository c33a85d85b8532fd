"""Takes the kernel's memory: full pipes and full sockets, as many as it may open."""

import contextlib
import fcntl
import os
import socket

import wall


def fill(line):
    os.set_blocking(line, False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(64):
            os.write(line, bytes(65536))


def take():
    held, pipes = [], 0
    with contextlib.suppress(OSError):
        while True:
            reading, writing = os.pipe()
            with contextlib.suppress(OSError):
                fcntl.fcntl(writing, 1031, 1 << 20)  # F_SETPIPE_SZ
            fill(writing)
            pipes += 1
            held.append((reading, writing))
    wall.say(f"could not: fill more than {pipes} pipes (EMFILE)")
    for reading, writing in held:
        os.close(reading)
        os.close(writing)
    pairs = []
    with contextlib.suppress(OSError):
        while True:
            pairs.append(socket.socketpair())
            fill(pairs[-1][0].fileno())
    wall.say(f"could not: fill more than {len(pairs)} sockets (EMFILE)")


wall.run(take)
