"""Runs out of stack: the interpreter, the regular expressions, then the processor itself."""

import contextlib
import ctypes
import re
import sys

import wall


def overflow():
    with contextlib.suppress(RecursionError):
        (lambda f: f(f))(lambda f: f(f))
    with contextlib.suppress(RecursionError, re.error):
        re.compile("(" * 90 + ")" * 90)
    wall.say("the interpreter has stopped me; now without it")
    sys.setrecursionlimit(1 << 30)
    ctypes.string_at(0)


wall.run(overflow)
