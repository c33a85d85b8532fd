"""The engine's footprint: a copy, a state, the start of a program that imports it, the longest menus."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from statistics import median

from bench.results.row import ResultRow
from bench.support.checkout import ROOT

STARTS = 15
COPY = """
import sys, time
from maumau.game import deal, first_action, load
from maumau.game.model.state import State
d = deal(load("mau_mau"), 4, "size")
for _ in range(30):
    d.apply(d.to_act[0], first_action(d, d.to_act[0]))
start = time.process_time()
for _ in range(100_000):
    d.copy()
print((time.process_time() - start) * 10)
own = [getattr(d, name) for name in State.__slots__]
shared = [d.menus]
mine = [part for part in own if not any(part is other for other in shared)]
print(sys.getsizeof(d) + sum(sys.getsizeof(part) for part in mine if isinstance(part, (list, dict)) and part))
"""
LISTS = """
import time
from maumau.game import deal_by_hand, load
from maumau.game.legal.decision import begin_turn
NINES = {0: "9H 7H 8H TH JH QH KH AH 7H 8H KC KD", **dict(enumerate("7C 7C 7C 7S 7S 7S 8C 8C 8C".split(), 1))}
EIGHTS = {0: "8C 8S 8H 8D 8C 8S 8H 8D KC", 1: "TC QC"}
for rules, hands, up in ((load("schweizer"), NINES, "9C"), (load("prsi_quick", packs=2), EIGHTS, "9S")):
    times = []
    for _ in range(50):
        d = deal_by_hand(rules, hands, up, "TD TC QH")
        for lists in d.compiled.cache.menus:
            lists.clear()
        start = time.process_time()
        begin_turn(d, d.seat)
        times.append(time.process_time() - start)
    print(len(d.legal(0)), sorted(times)[25] * 1000)
"""


def measure_rows() -> Iterator[ResultRow]:
    """Yield the costs of copying and keeping a deal, of importing the game, and of the longest menus."""
    copied, held = run_program(COPY)
    yield ResultRow("copy of a deal", copied, 3, most=True, unit="µs", how="after 30 decisions")
    yield ResultRow("state of a deal", held, 2048, most=True, unit="bytes", how="what a copy does not share")
    bare = median_start("pass")
    imported = median_start("import maumau.game") - bare
    loaded = (
        median_start("from maumau.game import load, variants; [load(name) for name in variants()]") - bare
    )
    how = f"CPU time beyond the interpreter's own {bare:.0f} ms, median of {STARTS}"
    yield ResultRow("import maumau.game", imported, 60, most=True, unit="ms", how=how)
    yield ResultRow(
        "loading all variants", loaded - imported, 80, most=True, unit="ms", how="without the import"
    )
    nines, nine_ms, eights, eight_ms = run_program(LISTS)
    how = "CPU time with no list cached, median of 50"
    yield ResultRow("a nine and nine more of its suit", nines, 300, most=True, unit="actions", how="listed")
    yield ResultRow("making that list", nine_ms, 1, most=True, unit="ms", how=how)
    yield ResultRow("eight eights of two packs", eights, 300, most=True, unit="actions", how="listed")
    yield ResultRow("making that list", eight_ms, 1, most=True, unit="ms", how=how)


def run_program(code: str) -> list[float]:
    """Return the numbers printed by a program."""
    return [float(word) for word in subprocess.check_output([sys.executable, "-c", code], cwd=ROOT).split()]


def median_start(code: str) -> float:
    """Return a program's median CPU time, in ms; the first start, which writes bytecode, does not count."""
    keeps = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    times = []
    for _ in range(STARTS + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-S", "-c", SITE + code], check=True, cwd=ROOT, env=keeps)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return median(times[1:]) * 1000


SITE = f"import sys; sys.path.append({next(path for path in sys.path if path.endswith('site-packages'))!r})\n"
