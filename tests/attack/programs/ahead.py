"""Replies before the questions: while the other thinks, it has answered already."""

import time

import wall


def act(message, asks):
    if asks == 2:
        wall.reply(wall.first(message))
        time.sleep(0.1)  # the other's turn
        wall.say("before it was asked")
        return "nothing of the kind"
    return wall.first(message)


wall.play(act)
