"""Gymnasium: one seat of a deal, against opponents that are part of the environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

from maumau.bot import Bot
from maumau.bots import USUAL_OPPONENT
from maumau.env.choices import Calls, Choices
from maumau.env.observation import Encoder
from maumau.env.opponents import Opponent, Policy, Seated, read_opponent, seat_opponent
from maumau.env.picture import MODES, check_mode, render_table
from maumau.env.reward import reward_seats
from maumau.env.space import Form, check_form, make_observation_space, observe
from maumau.env.start import begin_deal, read_count, read_number, read_rules
from maumau.env.table import EnvTable
from maumau.errors import BadOption, IllegalAction
from maumau.game import Rules

Observation = dict[str, Any]
Illegal = Literal["error", "lose"]


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One player of a deal; the others are opponents.

    Args:
        rules: A variant's name, or rules with options.
        opponents: One for each other seat, clockwise from the player: a house bot's name, a class of
            `maumau.bot.Bot`, or a function from an observation to an action. Their number makes the seats.
        seat: The player's seat; None draws it anew for each deal.
        calls: `owed` adds the call that an action owes; with `own` the player makes its calls itself.
        observation: `flat` for a row of numbers, `dict` for its parts by name.
        illegal: With `error` an action outside the mask raises IllegalAction; with `lose` it ends the deal
            with the lowest reward, as it does in the arena.
        render_mode: `ansi` returns the table as text, `human` prints it after each step.
    """

    def __init__(
        self,
        rules: Rules | str,
        opponents: Sequence[Opponent] = (USUAL_OPPONENT,),
        *,
        seat: int | None = None,
        calls: Calls = "owed",
        observation: Form = "flat",
        illegal: Illegal = "error",
        render_mode: str | None = None,
    ) -> None:
        check_form(observation)
        if illegal not in ("error", "lose"):
            raise BadOption(f"illegal = {illegal!r} is not known; known: error, lose")
        self.illegal = illegal
        self.opponents = _read_opponents(opponents)
        self.seats = len(opponents) + 1
        seat = None if seat is None else read_count("seat", seat)
        if seat is not None and not 0 <= seat < self.seats:
            raise BadOption(f"seat = {seat} is not one of the seats 0 to {self.seats - 1}")
        check_mode(render_mode)
        self.rules = read_rules(rules)
        self.choices = Choices(self.rules, self.seats, calls)
        self.encoder = Encoder(self.choices)
        self.form, self.render_mode, self._chosen_seat = observation, render_mode, seat
        self.metadata = {"render_modes": list(MODES), "render_fps": 1}
        self.observation_space = make_observation_space(self.encoder, observation)
        self.action_space = spaces.Discrete(len(self.choices))
        self._table: EnvTable | None = None
        self._others: dict[int, Seated] = {}
        self.seat = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a deal and return the player's first observation.

        A deal that opponents end before the player was asked is not an episode: the next one is dealt.
        """
        super().reset(seed=seed)
        while True:
            number = int(self.np_random.integers(1 << 62))
            table = EnvTable(self.choices, begin_deal(self.rules, self.seats, f"train {number}", options))
            self._sit_down(table)
            self._let_others_act()
            if table.seat >= 0:
                return self._observe(), {"seat": self.seat}
            if options and options.get("record"):
                words = (
                    "the opponents end this deal before the player is asked: choose another `after` or seat"
                )
                raise IllegalAction(words)

    def _sit_down(self, table: EnvTable) -> None:
        self._table = table
        drawn = int(self.np_random.integers(self.seats))
        self.seat = drawn if self._chosen_seat is None else self._chosen_seat
        self._others = {}
        for step, opponent in enumerate(self.opponents, start=1):
            seat = (self.seat + step) % self.seats
            self._others[seat] = seat_opponent(opponent, table, seat, self._see)

    def _see(self, table: EnvTable) -> Observation:
        return observe(self.encoder, table, table.seat, self.form)

    def _let_others_act(self) -> None:
        table = self.table
        while table.seat >= 0 and table.seat != self.seat:
            self._others[table.seat].act(table)

    @property
    def table(self) -> EnvTable:
        """The present table."""
        if self._table is None:
            raise IllegalAction("reset the environment before anything else")
        return self._table

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out the player's choice and those of the others until it is asked again."""
        table = self.table
        try:
            table.step(read_number(action))
        except IllegalAction as error:
            if self.illegal == "error" or table.seat < 0:
                raise
            table.break_off()
            return self._observe(), -1.0, True, False, {"seat": self.seat, "illegal": str(error)}
        self._let_others_act()
        over = table.seat < 0
        reward, info = 0.0, {"seat": self.seat}
        if over:
            reward = reward_seats(table.deal)[self.seat]
            info |= {"place": table.deal.places[self.seat], "points": table.deal.points[self.seat]}
        if self.render_mode == "human":
            self.render()
        return self._observe(), reward, over, False, info

    def _observe(self) -> Observation:
        return observe(self.encoder, self.table, self.seat, self.form)

    def render(self) -> str | None:
        """Return the whole table as text, hidden cards included, or print it."""
        return render_table(self.table, self.render_mode) if self.render_mode else None


def _read_opponents(opponents: Any) -> list[type[Bot] | Policy]:
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        raise BadOption(f"opponents = {opponents!r} is not a list with one for each other seat")
    return [read_opponent(opponent) for opponent in opponents]


seat_env = SeatEnv
