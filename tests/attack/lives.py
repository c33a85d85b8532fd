"""Lives of the attack `numbered` one after the other: the number each found at its start and left at its end.

`python -m tests.attack.lives VIEW COUNT WAY SKIPPED` prints them as JSON, as a user without rights; started
by root in a mount namespace of its own (VIEW: an empty folder of its), or by that user.
"""

import json
import os
import re
import sys
from pathlib import Path

from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox.kernel import noise
from maumau.sandbox.launch import choose_sandbox
from tests.attack.suite import Suite, choose_core
from tests.attack.table import PROGRAMS
from tests.attack.world import World, opened_room
from tests.support.host.nobody import become_nobody, bind_paths

ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(r"found (\d+)\n(?:.*\n)*?left (\d+)")


def play_lives(suite: Suite, count: int) -> list[tuple[int, int]]:
    """Play as many seatings, first one of a block and then the other, on one core."""
    program = suite.submission(PROGRAMS / "numbered.c", suite.peer.folder)
    lives = []
    for number in range(count):
        order = BlockOrder(
            "mau_mau", 2, [f"{number:064x}"], deal_ms=3000, cpu=choose_core(), seatings=[number % 2]
        )
        log = play_block(order, [program, suite.peer], suite.sandbox).measured.uses[0].log
        (word,) = WORD.findall(log)
        lives.append((int(word[0]), int(word[1])))
    return lives


def measure_lives(count: int, *, warm: bool, skipped: int) -> list[tuple[int, int]]:
    """Play them in bwrap, started warm or cold; `skipped`: how many numbers are skipped at most."""
    noise.MOST = skipped
    with opened_room() as room, World(room) as world:
        sandbox = choose_sandbox("bwrap")
        sandbox.warmth.allowed = warm  # type: ignore[attr-defined]  # bwrap has one
        return play_lives(Suite(sandbox, world), count)


def main(view: str, count: str, way: str, skipped: str) -> None:
    """Give up all rights, then play."""
    if os.geteuid() == 0:
        bind_paths([Path(sys.base_prefix), ROOT, Path(sys.prefix)], Path(view))
        words = ("-m", "tests.attack.lives", view, count, way, skipped)
        become_nobody(*words, PYTHONPATH=str(ROOT), PYTHONDONTWRITEBYTECODE="1")
    found = measure_lives(int(count), warm=way == "warm", skipped=int(skipped))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
