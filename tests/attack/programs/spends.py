"""Spends its bank in one move."""

import wall


def spend():
    wall.say("spending")
    while True:
        pass


wall.run(spend)
