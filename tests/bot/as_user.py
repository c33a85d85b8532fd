"""Plays the test programs as a user without rights, and prints what came of it as JSON.

`python -m tests.bot.as_user VIEW`, started by root in a mount namespace of its own: see nobody.py.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from bench.support.checkout import ROOT
from tests.support.host.nobody import become_nobody, bind_paths

NAMES = ("good", "illegal", "quits", "spends", "memory", "daemon", "snoop")


def play(bwrap, name, secret):
    """Play one block of a program against a good one."""
    from maumau.referee.block import BlockOrder, play_block
    from tests.bot.conftest import SEEDS, faults, living
    from tests.support.submission import pack_submission

    with tempfile.TemporaryDirectory() as room:
        programs = [
            pack_submission(Path(room), f"as-user-{name}", one, secret=secret) for one in (name, "good")
        ]
        order = BlockOrder("mau_mau", 2, SEEDS[:1], deal_ms=1000, memory_mib=256)
        outcome = play_block(order, programs, bwrap)
        deals = [deal for each in outcome.sets for deal in each.deals]
        assert {fault.entrant for fault in faults(outcome)} <= {0}
        return {
            "kinds": sorted({fault.kind for fault in faults(outcome)}),
            "notes": sorted({note.text for deal in deals for note in deal.notes}),
            "living": living(f"as-user-{name}"),
        }


def main():
    if os.geteuid() == 0:
        bind_paths([Path(sys.base_prefix), ROOT, Path(sys.prefix)], Path(sys.argv[1]))
        become_nobody("-m", "tests.bot.as_user", PYTHONPATH=str(ROOT))
    from maumau.sandbox.launch import choose_sandbox

    bwrap = choose_sandbox("bwrap")
    with tempfile.NamedTemporaryFile() as secret:
        secret.write(b"the referee's")
        secret.flush()
        programs = {name: play(bwrap, name, secret.name) for name in NAMES}
    print(json.dumps({"user": os.geteuid(), "says": bwrap.says, "programs": programs}))


if __name__ == "__main__":
    main()
