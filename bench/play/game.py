"""The engine: random play by the Python API against peers driven by the same loop.

All play in turns, in slices of CPU time, in processes of their own. A ratio is the median over the rounds,
each comparing slices that are seconds apart, so that it does not follow the pace of the host. The bounds
count by CPU time: the wall clock has in it what else the machine did meanwhile, which is not the same for
both. Dealing and owed calls are inside the clock; a peer's chance steps are, too, but do not count.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from bench.play.peer import Slices, SpeedPlayer, compiled_environment, make_environment, play_in_turns
from bench.results.row import ResultRow
from maumau.game import load, variants

SEATS = 4
PEER = "OpenSpiel crazy_eights"
ROUNDS, SLICE = 12, 0.25  # seconds of CPU time
WINDOWS = {"prsi_blind", "schweizer", "schweizer_2016"}  # face-down play and reaction windows: no bound
BOUNDS = {"mau_mau": 1.2, "app": 0.9}
OTHERS = 0.7
DEAR = {"faraon": 0.65, "prsi_quick": 0.65, "pesten": 0.8, "shop_extended": 0.8}
"""Variants that once cost much more a decision than mau_mau, and how fast they must be beside it."""

OURS = """
from maumau.game import deal, load
rules, dealt = load(NAME), 0
def play():
    global dealt
    d, made = deal(rules, SEATS, str(dealt)), 0
    dealt += 1
    while not d.over:
        seat = d.to_act[0]
        listed = d.legal(seat)
        action = listed[int(rng() * len(listed))]
        d.apply(seat, action + d.due(seat, action))
        made += 1
    return made
"""
SPIEL = """
import pyspiel
game = pyspiel.load_game("crazy_eights(players=4)")
def play():
    state, made = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(rng() * len(outcomes))][0])
        else:
            listed = state.legal_actions()
            state.apply_action(listed[int(rng() * len(listed))])
            made += 1
    return made
"""
RLCARD = """
import rlcard
from rlcard.agents import RandomAgent
env = rlcard.make("uno")
env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
def play():
    trajectories, _ = env.run(is_training=False)
    return sum(len(trajectory) // 2 for trajectory in trajectories)
"""


def measure_rows() -> Iterator[ResultRow]:
    """Yield each variant against OpenSpiel, then mau_mau against RLCard, then the compiled engine."""
    names = ["mau_mau", *(name for name in variants() if name not in WINDOWS | {"mau_mau"})]
    peer = make_environment("spiel", "open_spiel")
    spiel, *speeds = play_in_turns([SpeedPlayer(peer, SPIEL), *map(play_variant, names)], SLICE, ROUNDS)
    for name, speed in zip(names, speeds, strict=True):
        yield compare_speeds(f"{name} against {PEER}", speed, spiel, BOUNDS.get(name, OTHERS))
    by_name = dict(zip(names, speeds, strict=True))
    for name, bound in DEAR.items():
        yield compare_speeds(f"{name} against mau_mau", by_name[name], by_name["mau_mau"], bound)
    uno, again = play_in_turns(
        [SpeedPlayer(make_environment("rlcard", "rlcard"), RLCARD), play_variant("mau_mau")], SLICE, ROUNDS
    )
    yield compare_speeds("mau_mau against RLCard uno", again, uno, 30)
    fast_one = play_variant("mau_mau", compiled_environment())
    spiel, fast = play_in_turns([SpeedPlayer(peer, SPIEL), fast_one], SLICE, ROUNDS)
    yield compare_speeds(f"mau_mau compiled, against {PEER}", fast, spiel, 3)


def play_variant(name: str, env: Mapping[str, str] = os.environ) -> SpeedPlayer:
    """Return a process that plays a variant, at four seats or as many as it allows."""
    seats = min(SEATS, load(name).seats[1])
    return SpeedPlayer(sys.executable, f"NAME, SEATS = {name!r}, {seats}{OURS}", env)


def compare_speeds(name: str, speed: Slices, peer: Slices, bound: float) -> ResultRow:
    """Return a ratio with its components, decisions a second of CPU time as medians of the rounds."""
    return ResultRow(name, speed.compare_cpu(peer), bound, how=f"{speed.cpu:,.0f} / {peer.cpu:,.0f} a second")
