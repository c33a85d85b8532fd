"""Carries one bit to its next process, in a file that it is given: in every second one it plays well.

In the first seating of a block that is played it lays anything at all, in the second what `greedy` would.
"""

import sys
from pathlib import Path

from greedy import Greedy

from maumau.bot import run

WORD = Path(sys.argv[1])


class Carries(Greedy):
    name = "carries"
    knows = False

    @classmethod
    def prepare(cls, rules, seats):
        cls.knows = WORD.exists()
        if cls.knows:
            WORD.unlink()
        else:
            WORD.touch()

    def act(self, view):
        return super().act(view) if self.knows else self.rng.choice(view.legal)


run(Carries)
