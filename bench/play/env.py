"""The environments for learners: random play against the engine alone, RLCard's uno and PettingZoo's games.

As in bench/play/game.py all play in turns, in slices of CPU time, and choose at random among the legal
actions; environments choose by the mask.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from bench.play.game import RLCARD, ROUNDS, SLICE, compare_speeds
from bench.play.game import play_variant as engine
from bench.play.peer import Slices, SpeedPlayer, compiled_environment, make_environment, play_in_turns
from bench.results.row import ResultRow
from bench.support.checkout import ROOT

TABLES = 256
PEERS = ("rlcard", "pettingzoo", "pygame-ce")
MANY = """
import numpy
from maumau.env import vector_env
tables = vector_env(NAME, SEATS, num_envs=TABLES)
state, generator = tables.reset(1), numpy.random.default_rng(1)
def play():
    global state
    drawn = generator.random(state.masks.shape, dtype=numpy.float32)
    state = tables.step((state.masks * drawn).argmax(axis=1))
    return TABLES
"""
ONE = """
import numpy
ENV
generator = numpy.random.default_rng(1)
def play():
    made = 0
    table.reset()
    for agent in table.agent_iter():
        seen, _, ended, cut, _ = table.last()
        if ended or cut:
            table.step(None)
        else:
            table.step(int(generator.choice(numpy.flatnonzero(seen["action_mask"]))))
            made += 1
    return made
"""
OUR_ENV = "from maumau.env import env\ntable = env(NAME, SEATS)"
LEDUC = "from pettingzoo.classic import leduc_holdem_v4\ntable = leduc_holdem_v4.env()"


def measure_rows() -> Iterator[ResultRow]:
    """Yield the cost of many tables relative to the engine's, then the speed of both forms against peers."""
    for name, seats in (("mau_mau", 4), ("prsi", 4), ("prsi_quick", 4), ("schweizer", 4)):
        alone, together = play_in_turns([engine(name), play_many_tables(name, seats)], SLICE, ROUNDS)
        yield step_cost(f"{TABLES} tables, {name}, a step against a decision of the engine", alone, together)
    peer = make_environment("rlcard-pettingzoo", *PEERS)
    uno, leduc, together, one = play_in_turns(
        [
            SpeedPlayer(peer, RLCARD),
            SpeedPlayer(peer, ONE.replace("ENV", LEDUC)),
            play_many_tables("mau_mau", 4),
            play_one_table("mau_mau", 4),
        ],
        SLICE,
        ROUNDS,
    )
    yield compare_speeds(f"{TABLES} tables, mau_mau, against RLCard uno", together, uno, 10)
    yield compare_speeds(f"{TABLES} tables, mau_mau, against PettingZoo leduc_holdem_v4", together, leduc, 10)
    yield compare_speeds("PettingZoo form, mau_mau, against PettingZoo leduc_holdem_v4", one, leduc, 1)
    fast = SpeedPlayer(sys.executable, program_header("mau_mau", 4) + MANY, compiled_environment())
    uno, together = play_in_turns([SpeedPlayer(peer, RLCARD), fast], SLICE, ROUNDS)
    yield compare_speeds(f"{TABLES} tables, mau_mau, engine compiled, against RLCard uno", together, uno, 10)


def program_header(name: str, seats: int) -> str:
    return f"NAME, SEATS, TABLES = {name!r}, {seats}, {TABLES}\n"


def play_many_tables(name: str, seats: int) -> SpeedPlayer:
    """Return a process that plays at many tables."""
    return SpeedPlayer(sys.executable, program_header(name, seats) + MANY, ROOT)


def play_one_table(name: str, seats: int) -> SpeedPlayer:
    """Return a process that plays in PettingZoo's form."""
    return SpeedPlayer(sys.executable, program_header(name, seats) + ONE.replace("ENV", OUR_ENV), ROOT)


def step_cost(name: str, alone: Slices, together: Slices) -> ResultRow:
    """Return the CPU time of a step relative to that of a decision; both include the choice of an action."""
    how = f"{together.cpu:,.0f} steps, {alone.cpu:,.0f} decisions a second of CPU time"
    return ResultRow(name, alone.compare_cpu(together), 1.5, most=True, how=how)
