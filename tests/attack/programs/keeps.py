"""Leaves word for its next self, which will hold the other's cards: the mirrored seating of the same deal."""

import contextlib
import os
from pathlib import Path

import wall

PLACES = ("/tmp", "/dev/shm", "/var/tmp", "/bot", "/run", "/usr", "/dev", "/home", "/runtime")


def found():
    return [
        name for place in PLACES if os.path.isdir(place) for name in os.listdir(place) if wall.MARK in name
    ]


before = found()
wall.say(f"could: find word of an earlier life: {before}" if before else "could not: find an earlier life ()")


def leave():
    for place in PLACES:
        with contextlib.suppress(OSError):
            Path(place, f"{wall.MARK}-word").write_text("the other has the king")
    if os.path.isdir("/tmp") and os.fork() == 0:  # and another process that could tell
        os.setsid()
        os.execv("/bin/sleep", ["/bin/sleep", "600"])
    wall.say("left what it could")


wall.run(leave)
