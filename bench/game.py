"""The engine: random play by the Python API against peers driven by the same loop.

All play in turns, in slices of CPU time, in processes of their own. A ratio is the median over the rounds,
each comparing slices that are seconds apart, so that it does not follow the pace of the host. The bounds
count by CPU time: the wall clock has in it what else the machine did meanwhile, which is not the same for
both. Dealing and owed calls are inside the clock; a peer's chance steps are, too, but do not count.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from bench.peer import HOME, Player, Slices, compiled, environment, in_turns
from bench.row import Row
from maumau.game import load, variants

SEATS = 4
ROUNDS, SLICE = 12, 0.25  # seconds of CPU time
WINDOWS = {"prsi_blind", "schweizer", "schweizer_2016"}  # face-down play and reaction windows: no bound
BOUNDS = {"mau_mau": 1.2, "app": 0.9}
OTHERS = 0.7

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


def rows() -> Iterator[Row]:
    """Each variant against OpenSpiel, then mau_mau against RLCard, then the compiled engine."""
    names = ["mau_mau", *(name for name in variants() if name not in WINDOWS | {"mau_mau"})]
    peer = environment("spiel", "open_spiel")
    spiel, *speeds = in_turns([Player(peer, SPIEL), *map(ours, names)], SLICE, ROUNDS)
    for name, speed in zip(names, speeds, strict=True):
        yield row(
            f"random play, {name}, against OpenSpiel crazy_eights", speed, spiel, BOUNDS.get(name, OTHERS)
        )
    uno, again = in_turns([Player(environment("rlcard", "rlcard"), RLCARD), ours("mau_mau")], SLICE, ROUNDS)
    yield row("random play, mau_mau, against RLCard uno", again, uno, 30)
    folder = compiled()
    spiel, fast = in_turns([Player(peer, SPIEL), ours("mau_mau", folder)], SLICE, ROUNDS)
    yield row("random play, mau_mau compiled, against OpenSpiel crazy_eights", fast, spiel, 3)


def ours(name: str, folder: Path = HOME) -> Player:
    """A process that plays a variant, at four seats or as many as it takes."""
    seats = min(SEATS, load(name).seats[1])
    return Player(sys.executable, f"NAME, SEATS = {name!r}, {seats}{OURS}", folder)


def row(name: str, speed: Slices, peer: Slices, bound: float) -> Row:
    """A ratio, and what it was made of."""
    how = (
        f"{speed.cpu:,.0f} / {peer.cpu:,.0f} decisions a second of CPU time; by the wall clock "
        f"{speed.compare_wall(peer):.2f}; medians of {ROUNDS} rounds"
    )
    return Row(name, speed.compare_cpu(peer), bound, how=how)
