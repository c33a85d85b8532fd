"""Turns its pipes round: reads the end of stdout, writes into stdin, makes both small and slow."""

import fcntl
import os

import wall

SET_PIPE_SIZE = 1031


def open_again(number, flags):
    line = os.open(f"/proc/self/fd/{number}", flags | os.O_NONBLOCK)
    return os.read(line, 1) if flags == os.O_RDONLY else os.write(line, b"")


def act(message, asks):
    if asks == 2:
        wall.attempt("read its own stdout", lambda: open_again(1, os.O_RDONLY))
        wall.attempt("write into its own stdin", lambda: open_again(0, os.O_WRONLY))
        wall.attempt(
            "send its signals to the referee", lambda: fcntl.fcntl(0, 8, wall.TARGETS["pid"]) or True
        )
        for number in (0, 1):
            wall.attempt("shrink a pipe", lambda line=number: fcntl.fcntl(line, SET_PIPE_SIZE, 4096))
        wall.say("small pipes")
    return wall.first(message)


wall.play(act)
