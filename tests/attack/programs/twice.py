"""Two replies for one question: the second is the answer to the next."""

import wall


def act(message, asks):
    if asks == 2:
        wall.say("twice")
        return wall.first(message) + "\nnothing of the kind"
    return wall.first(message)


wall.play(act)
