"""JSON 10,000 deep, and deeper."""

import wall


def act(message, asks):
    depth = 10_000 if asks == 2 else 30_000
    forms = ("[" * depth, '{"act":' * 9_000, '{"act":"7S","also":' + "[" * depth + "]" * depth + "}")
    if asks == 2:
        wall.say("down and down")
    return forms[asks % 3] if asks >= 2 else wall.first(message)


wall.play(act)
