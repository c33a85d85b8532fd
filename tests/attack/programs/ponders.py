"""Spins in a thread while the other thinks: the core they share is busy all the time."""

import threading

import wall


def spin():
    count = 0
    while True:
        count += 1


def begin():
    wall.say("spinning")
    threading.Thread(target=spin, daemon=True).start()


wall.run(begin, at=1)
