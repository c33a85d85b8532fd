"""Many tables at once, for self-play: a step is one choice at every table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maumau.env.choices import Calls, Choices
from maumau.env.observation import Encoder, Gathered, Rows, gather
from maumau.env.reward import reward_seats
from maumau.env.start import read_count, read_number, read_rules
from maumau.env.table import EnvTable
from maumau.errors import BadOrder, IllegalAction
from maumau.game import Deal, Rules, deal


class Step(NamedTuple):
    """The state of all tables after a step, a row for each.

    `seats` are the seats that must choose now, with their `observations` and `masks`. `ended` tells at which
    tables a deal has just ended; `rewards` are those of its seats, and 0 elsewhere. There the next deal has
    begun already.
    """

    observations: Rows
    masks: NDArray[np.int8]
    seats: NDArray[np.int64]
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]


class VectorEnv:
    """`num_envs` tables at which every seat is played from outside.

    A deal that ends is followed by the next one in the same step. The deals follow from the seed alone.
    """

    def __init__(self, rules: Rules, seats: int, num_envs: int, calls: Calls = "owed") -> None:
        if num_envs < 1:
            raise BadOrder(f"num_envs is {num_envs}; it must be 1 or more")
        self.rules, self.num_seats, self.num_envs = rules, seats, num_envs
        self.choices = Choices(rules, seats, calls)
        self.encoder = Encoder(self.choices)
        self._names = ""
        self._tables: list[EnvTable] = []
        self._dealt = 0

    @property
    def num_actions(self) -> int:
        """The size of the action space."""
        return len(self.choices)

    @property
    def deals(self) -> list[Deal]:
        """The present deals."""
        return [table.deal for table in self._tables]

    def reset(self, seed: int = 0) -> Step:
        """Start a new deal at all tables."""
        self._names, self._dealt = f"train {seed}", 0
        self._tables = [EnvTable(self.choices, self._deal()) for _ in range(self.num_envs)]
        rewards = np.zeros((self.num_envs, self.num_seats), dtype=np.float32)
        gathered = [gather(table.deal) for table in self._tables]
        return self._describe(gathered, rewards, np.zeros(self.num_envs, dtype=np.bool_))

    def step(self, actions: Sequence[int] | NDArray[np.integer]) -> Step:
        """Carry out one choice at each table.

        IllegalAction names a table whose mask does not have it; then no table has moved.
        """
        numbers = self._read_actions(actions)
        rewards = np.zeros((self.num_envs, self.num_seats), dtype=np.float32)
        ended = np.zeros(self.num_envs, dtype=np.bool_)
        gathered: list[Gathered] = []
        for at, (table, number) in enumerate(zip(self._tables, numbers, strict=True)):
            table.step(number)
            if table.seat < 0:
                rewards[at] = reward_seats(table.deal)
                ended[at] = True
                table.take_up(self._deal())
            gathered.append(gather(table.deal))
        return self._describe(gathered, rewards, ended)

    def _read_actions(self, actions: Sequence[int] | NDArray[np.integer]) -> list[int]:
        """Return the choices as numbers, each checked at its table."""
        listed = actions.tolist() if isinstance(actions, np.ndarray) else actions
        if not isinstance(listed, Sequence) or isinstance(listed, str):
            raise BadOrder(f"{actions!r} are not the actions of tables: one for each")
        if len(listed) != len(self._tables) or not self._tables:
            raise BadOrder(f"{len(listed)} actions for {len(self._tables)} tables: reset, then one for each")
        numbers = []
        for at, (table, action) in enumerate(zip(self._tables, listed, strict=True)):
            try:
                numbers.append(read_number(action))
                table.check(numbers[-1])
            except IllegalAction as error:
                raise IllegalAction(f"table {at}: {error}") from None
        return numbers

    def _deal(self) -> Deal:
        self._dealt += 1
        return deal(self.rules, self.num_seats, f"{self._names} {self._dealt}")

    def _describe(
        self, gathered: list[Gathered], rewards: NDArray[np.float32], ended: NDArray[np.bool_]
    ) -> Step:
        tables = self._tables
        seats = [table.seat for table in tables]
        masks = np.frombuffer(b"".join([table.row for table in tables]), dtype=np.int8)
        return Step(
            self.encoder.write(gathered, tables, seats),
            masks.reshape(len(tables), -1),
            np.array(seats),
            rewards,
            ended,
        )


def vector_env(rules: Rules | str, seats: int = 2, *, num_envs: int = 64, calls: Calls = "owed") -> VectorEnv:
    """Return many tables of a variant for self-play."""
    counts = read_count("seats", seats), read_count("num_envs", num_envs)
    return VectorEnv(read_rules(rules), *counts, calls)
