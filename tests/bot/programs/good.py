"""Plays as it should."""

import loop

loop.play()
