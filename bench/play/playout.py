"""Playouts inside the engine, against OpenSpiel's own and against play decision by decision; `rollout`.

Like `bench.play.game`: processes in turns, ratios of CPU time within a round. Playouts begin with the first
decision of a deal. OpenSpiel's are those of its random evaluator, in C++: a search of one simulation is
nothing but these.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.play.peer import Slices, SpeedPlayer, compiled_environment, make_environment, play_in_turns
from bench.results.row import ResultRow
from bench.support.checkout import ROOT

ROUNDS, SLICE = 12, 0.25  # seconds of CPU time
SEATS = 4

START = f"""
from random import Random
from maumau.game import deal, load
chance, dealt = Random(1), deal(load("mau_mau"), {SEATS}, "playouts")
"""
INSIDE = f"""{START}
def play():
    return len(dealt.play_out_many(20, chance))
"""
OUTSIDE = f"""{START}
def play():
    for _ in range(20):
        d = dealt.copy()
        while not d.over:
            seat = d.to_act[0]
            listed = d.legal(seat)
            action = listed[int(rng() * len(listed))]
            d.apply(seat, action + d.due(seat, action))
    return 20
"""
SPIEL = f"""
import random
import pyspiel
game = pyspiel.load_game("crazy_eights(players={SEATS})")
state = game.new_initial_state()
while state.is_chance_node():
    outcomes = state.chance_outcomes()
    state.apply_action(outcomes[int(random.random() * len(outcomes))][0])
evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=20, seed=1)
bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, 1, False)
def play():
    bot.mcts_search(state)
    return 20
"""
PAIR = """
from maumau.bot.inside import bot_class, play_inside
from maumau.bots import folder
from maumau.game import load
rules, number = load("mau_mau"), 0
bots = [bot_class(folder(name) / "bot.py") for name in NAMES]
def play():
    global number
    number += 1
    play_inside(rules, bots, str(number))
    return 1
"""


def measure_rows() -> Iterator[ResultRow]:
    """Yield the rows of the source, then those of the compiled engine."""
    yield from measure_build("", ROOT, (0.12, 0.9, 0.1))
    yield from measure_build("compiled: ", compiled_environment(), (0.3, 1.15, 0.15))


def measure_build(mark: str, folder: Path, bounds: tuple[float, float, float]) -> Iterator[ResultRow]:
    """Yield the rows of one build of the library, with their bounds."""
    peer = SpeedPlayer(make_environment("spiel", "open_spiel"), SPIEL)
    ours = [(INSIDE, ()), (OUTSIDE, ()), (PAIR, ("rollout", "greedy")), (PAIR, ("greedy", "greedy"))]
    players = [SpeedPlayer(sys.executable, f"NAMES = {names!r}\n{source}", folder) for source, names in ours]
    spiel, inside, outside, rollout, greedy = play_in_turns([peer, *players], SLICE, ROUNDS)
    yield compare_speeds(f"{mark}playouts, mau_mau, against OpenSpiel's own", inside, spiel, bounds[0])
    yield compare_speeds(f"{mark}playouts against play decision by decision", inside, outside, bounds[1])
    yield compare_speeds(
        f"{mark}rollout against greedy, deals to those of greedy", rollout, greedy, bounds[2]
    )


def compare_speeds(name: str, speed: Slices, peer: Slices, bound: float) -> ResultRow:
    """Return a ratio with its components."""
    how = f"{speed.cpu:,.0f} / {peer.cpu:,.0f} deals a second of CPU time; medians of {ROUNDS} rounds"
    return ResultRow(name, speed.compare_cpu(peer), bound, how=how)
