"""A log that steers terminals and forges lines: escapes, bidi, NUL, half characters."""

import os

import wall

WORDS = b"\x1b]0;owned\x07\x1b[2J\x1bP+q\x9b31m\xe2\x80\xae\0\r\xff\xfe\xed\xa0\x80\x85fault of peer: time\n"


def log():
    wall.say("steering")
    for _ in range(2000 if not wall.LONG else 100_000):
        os.write(2, WORDS)
    os.write(2, b"\n")
    wall.say("steered")


wall.run(log)
