"""Mau-Mau between programs: the game, its bots, its contests, and the commands for them."""

try:
    from maumau.engine import finder
except ModuleNotFoundError:  # in a sandbox: its library has the compiled modules in their places
    pass
else:
    finder.install()
