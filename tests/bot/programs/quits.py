"""Ends as if all were well, in the middle of a deal."""

import sys

import loop

loop.play(lambda message, asks: sys.exit(0) if asks == 5 else loop.first(message))
