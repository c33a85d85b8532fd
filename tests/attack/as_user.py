"""Runs the suite as a user without rights and prints what was found, a line of JSON for each attack.

`python -m tests.attack.as_user VIEW TIER ATTACK…`, started by root in a mount namespace of its own (VIEW: an
empty folder of its), or by that user.
"""

import os
import sys
from pathlib import Path

import msgspec

from maumau.errors import PlatformFault
from maumau.sandbox.kernel import cgroup
from maumau.sandbox.launch import choose_sandbox
from tests.attack.suite import Suite
from tests.attack.table import Attack, Found, attacks
from tests.attack.world import World, opened_room
from tests.support.host.nobody import become_nobody, bind_paths

ROOT = Path(__file__).resolve().parents[2]


class Line(msgspec.Struct):
    """The findings about one attack; None, with the platform's message, if it could not be played."""

    name: str
    found: Found | None
    grouped: bool
    words: str = ""


def tried(suite: Suite, attack: Attack, grouped: bool) -> Line:
    try:
        return Line(attack.name, suite.run(attack), grouped)
    except PlatformFault as error:
        return Line(attack.name, None, grouped, str(error))


def main(view: str, tier: str, *names: str) -> None:
    """Give up all rights, then attack."""
    if os.geteuid() == 0:
        bind_paths([Path(sys.base_prefix), ROOT, Path(sys.prefix)], Path(view))
        form = {
            name: os.environ[name] for name in ("MAUMAU_ATTACK", "PYTEST_XDIST_WORKER") if name in os.environ
        }
        words = ("-m", "tests.attack.as_user", view, tier, *names)
        become_nobody(*words, PYTHONPATH=str(ROOT), PYTHONDONTWRITEBYTECODE="1", **form)
    with opened_room() as room, World(room) as world:
        suite, grouped = Suite(choose_sandbox(tier), world), cgroup.find_group_folders() is not None
        for attack in attacks():
            if attack.name in names:
                line = tried(suite, attack, grouped)
                sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
