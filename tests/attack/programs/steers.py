"""Replies with a field whose name is told in the fault's words: NUL, newline, escapes, right to left."""

import json

import wall


def steer(message, asks):
    wall.say("a field called NUL")
    return json.dumps({"act": wall.first(message), "\0\n\x1b[2J\u202e\x9b": 1})


wall.play(steer)
