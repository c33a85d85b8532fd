"""Leaves word in the interpreter, where its next self would begin if it began in the same one."""

import builtins
import gc
import os
import sys
import threading

import msgspec
import wall

from maumau.bot import Bot, sdk

PLACES = (builtins, os, sys, msgspec, sdk, Bot)
THREADS = 1  # one's own


def found():
    named = [place for place in PLACES if hasattr(place, "word")]
    kept = [name for name in (*sys.modules, *sys.path, *os.environ) if wall.MARK in name]
    return named + kept + gc.callbacks + threading.enumerate()[THREADS:]


before = found()
wall.say(f"could: find word of an earlier life: {before}" if before else "could not: find an earlier life ()")


def leave():
    for place in PLACES:
        place.word = "the other has the king"
    sdk.Player.answer = msgspec.json.decode = msgspec.json.encode = None
    sys.modules[wall.MARK] = wall
    sys.path.insert(0, f"/tmp/{wall.MARK}")
    os.environ[wall.MARK] = "word"
    gc.callbacks.append(lambda *_: None)
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    wall.say("left what it could")


wall.run(leave)
