"""Twenty matches of each of the worst attacks against a house bot, and the same moves played honestly.

`python -m tests.attack.matches [VICTIM…]` prints a line for each; the seeds are the same, so that what an
attack changes is seen deal by deal.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import maumau.bots
from maumau.contest.score import UNITS, DealScore, score_set
from maumau.contest.statistics.sequential import Sums
from maumau.errors import PlatformFault
from maumau.referee.block import BlockOrder, play_block
from maumau.referee.place import Program
from maumau.sandbox.launch import choose_sandbox
from maumau.submission import package
from tests.attack.suite import Suite, choose_core
from tests.attack.table import PROGRAMS
from tests.attack.world import World, opened_room

MATCHES = 20
SIZES = {"storm": (10, 200), "reader": (10, 200), "void": (4, 200)}  # sets of a match, ms of a deal
TRIES = 3


def house(name: str, room: Path) -> Program:
    """Return a house bot, packed and unpacked as in the arena."""
    folder = Path(maumau.bots.__path__[0], name)
    packed = package.unpack_archive(package.pack_submission(folder).archive, room / f"house-{name}")
    return Program(room / f"house-{name}", packed.manifest, packed.sha256, name)


def play(sandbox, pair, label, match, sets, deal_ms):
    """Play one match: return the first's sums, the faults of each, and the void tries."""
    seeds = [f"{label} {match} {number}" for number in range(sets)]
    order = BlockOrder("mau_mau", 2, seeds, deal_ms=deal_ms, cpu=choose_core())
    for void in range(TRIES):
        try:
            outcome = play_block(order, pair, sandbox)
        except PlatformFault as fault:
            print(f"    void: {fault}", flush=True)
            continue
        return outcome, void
    return None, TRIES


def tally(sandbox, pair, label, sets, deal_ms):
    """Play all matches: return sums, faults of both, void runs, milliseconds of the second."""
    sums, faults, voids, cpu = Sums(UNITS["win"]), [[], []], 0, 0.0
    for match in range(MATCHES):
        outcome, void = play(sandbox, pair, label, match, sets, deal_ms)
        voids += void
        if outcome is None:
            continue
        scores = [
            score_set("win", one.number, [DealScore(deal.places, deal.points) for deal in one.deals])
            for one in outcome.sets
        ]
        sums = sums.add_scores(score.half_points for score in scores)
        cpu += outcome.measured.uses[1].cpu_ms
        for one in outcome.sets:
            for deal in one.deals:
                for fault in deal.faults:
                    faults[fault.entrant].append(fault.kind)
    return sums, faults, voids, cpu


def main(*victims: str) -> None:
    sandbox = choose_sandbox("bwrap")
    with opened_room() as room, World(room) as world:
        suite = Suite(sandbox, world)
        files = suite.files(PROGRAMS / "reader.py", room) | {"pages.bin": bytes(4 << 20)}
        toml = f'name = "reader"\nrun = ["python3", "bot.py", "{world.mark}"]\nruntime = "python"\n'
        attackers = {
            "storm": suite.submission(PROGRAMS / "storm.c", room),
            "reader": suite.submit("reader", files | {"bot.toml": toml.encode()}),
            "void": suite.submission(PROGRAMS / "void.c", room),
        }
        honest = house("first", room)
        for victim in victims:
            innocent = house(victim, room)
            for name, attacker in attackers.items():
                sets, deal_ms = SIZES[name]
                for program in (honest, attacker):
                    began = time.monotonic()
                    pair = [program, innocent]
                    sums, faults, voids, cpu = tally(sandbox, pair, f"{victim} {sets}", sets, deal_ms)
                    low, high = sums.interval if sums.sets else (0, 1)
                    words = (
                        f"{victim} | {name if program is attacker else f'first (beside {name})'}",
                        f"{sums.sets} sets",
                        f"{float(sums.estimate):.3f} ({float(low):.3f} to {float(high):.3f})",
                        f"own faults {len(faults[0])} {sorted(set(faults[0]))}",
                        f"the innocent's {faults[1]}",
                        f"void runs {voids}",
                        f"booked to the innocent {cpu:.0f} ms",
                        f"{time.monotonic() - began:.0f} s",
                    )
                    print(*words, sep=" | ", flush=True)


if __name__ == "__main__":
    main(*(sys.argv[1:] or ("rollout", "counter")))
