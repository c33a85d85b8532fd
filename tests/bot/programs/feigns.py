"""Replies nonsense in the first deals that it hears of, by the numbers that it is told."""

import sys

import loop

FAULTS = int(sys.argv[2])

loop.play(lambda message, _: "nonsense" if message["deal"] < FAULTS else loop.first(message))
