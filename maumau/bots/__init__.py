"""The house bots: each a submission folder, as an author would send it, on the SDK of `maumau.bot`.

`docs/house-bots.md` says what each of them does and how strong it is.
"""

from pathlib import Path

HOUSE = ("first", "random", "greedy", "hoarder", "counter", "rollout")


def folder(name: str) -> Path:
    """The submission folder of a house bot."""
    return Path(__file__).parent / name
