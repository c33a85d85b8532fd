"""NUL, invalid UTF-8, half characters, control codes, numbers without end."""

import os

import wall

LINES = [
    b"\0",
    b"\xff\xfe\xfd",
    b"\xed\xa0\x80",
    b'{"act":"\xff"}',
    b'{"act":"\\ud800"}',
    b'{"act":null}',
    b"\x1b[2J\x1b]0;x\x07",
    b"9" * 5000,
    b'{"act":1e999}',
    "٧♠".encode(),
    b"7S\r",
    b" ",
    b"\xe2\x80\xae7S",
    b'{"act":"7S","act":"8S"}',
    b"accuse@\xff:mau",
    b"+" * 60_000,
]


def act(message, asks):
    wall.say("nonsense")
    os.write(1, LINES[(asks + len(message["hand"])) % len(LINES)] + b"\n")


wall.play(act)
