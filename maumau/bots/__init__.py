"""The house bots: each a submission folder, as an author would send it, on the SDK of `maumau.bot`.

`docs/reference/house-bots.md` says what each of them does and how strong it is.
"""

from pathlib import Path

HOUSE = ("first", "random", "greedy", "hoarder", "counter", "rollout")
USUAL_OPPONENT = "greedy"
"""The house bot that plays where nobody chose another."""
USUAL_OPPONENTS = (USUAL_OPPONENT, "counter", "hoarder", "rollout", "first", "random")
"""The house bots in the order in which they come to a larger table where nobody chose others."""
HOUSE_ACCOUNT = "house"
"""The account of an arena's house bots."""


def folder(name: str) -> Path:
    """Return the submission folder of a house bot."""
    return Path(__file__).parent / name
