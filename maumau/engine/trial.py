"""Play some deals with the engine in a folder: `python trial.py FOLDER` prints the engine and their hash."""

from __future__ import annotations

import sys
from collections.abc import Iterator

NAMES = ("mau_mau", "tschau_sepp", "faraon", "app", "prsi")
DEALS = 4


def main() -> None:
    """Print `compiled` or `source`, and the hash of the deals' records."""
    sys.path.insert(0, sys.argv[1])
    from hashlib import sha256

    from maumau.game.play import turn

    digest = sha256()
    for line in play():
        digest.update(f"{line}\n".encode())
    kind = "source" if (turn.__file__ or "").endswith(".py") else "compiled"
    print(kind, digest.hexdigest())  # noqa: T201  # a program


def play() -> Iterator[str]:
    """Yield the events of deals in which all choices are drawn from fixed seeds."""
    from random import Random

    from maumau.game import deal, load

    for name in NAMES:
        rules = load(name)
        for number in range(DEALS):
            draw = Random(f"{name} {number}")  # noqa: S311  # to compare two engines
            d = deal(rules, draw.randint(*rules.seats), f"trial {number}")
            while d.to_act:
                seat = draw.choice(d.to_act)
                action = draw.choice(d.legal(seat))
                d.apply(seat, f"{action}{d.due(seat, action)}")
            yield from d.events


if __name__ == "__main__":
    main()
