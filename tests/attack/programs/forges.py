"""Pretends to be the wall: its words, its exit codes, its reports, on every descriptor there is."""

import contextlib
import os

import wall


def forge():
    for number in range(2, 64):
        with contextlib.suppress(OSError):
            os.write(number, b"bwrap: execvp /bin/x: No such file\nbwrap: the sandbox broke\n")
            os.write(number, b'{ "child-pid": 1 }\n{ "exit-code": 0 }\n')
    wall.say("a forged report")
    os._exit(1)


wall.run(forge)
