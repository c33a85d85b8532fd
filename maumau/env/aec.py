"""PettingZoo: one deal is an episode, its seats are the agents `player_0`, `player_1` and so on."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from maumau.env.choices import Calls, Choices
from maumau.env.observation import Encoder
from maumau.env.picture import MODES, check_mode, render_table
from maumau.env.reward import reward_seats
from maumau.env.space import Form, check_form, make_observation_space, observe
from maumau.env.start import begin_deal, read_count, read_number, read_rules
from maumau.env.table import EnvTable
from maumau.errors import BadOption, IllegalAction
from maumau.game import Rules, View

Last = tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]
UNREADY = "reset the environment before anything else"


class TableEnv(AECEnv[str, dict[str, Any], int | None]):
    """A deal of a variant. In a window its seats are asked in turn, and see no reply of the others.

    Args:
        rules: A variant's name, or rules with options (`maumau.game.load("prsi", …)`).
        seats: The number of players.
        calls: `owed` adds the call that an action owes; with `own` the agent makes its calls itself.
        observation: `flat` for a row of numbers, `dict` for its parts by name.
        render_mode: `ansi` returns the table as text, `human` prints it after each step.
    """

    def __init__(
        self,
        rules: Rules | str,
        seats: int = 2,
        *,
        calls: Calls = "owed",
        observation: Form = "flat",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_form(observation)
        check_mode(render_mode)
        self.rules, seats = read_rules(rules), read_count("seats", seats)
        self.choices = Choices(self.rules, seats, calls)
        self.encoder = Encoder(self.choices)
        self.form, self.render_mode = observation, render_mode
        self.metadata = {
            "name": f"maumau_{self.rules.name}",
            "render_modes": list(MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: make_observation_space(self.encoder, observation) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(len(self.choices)) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()
        self._table: EnvTable | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions; `choices.names` says what each is."""
        return self.action_spaces[agent]

    def __str__(self) -> str:
        return str(self.metadata["name"])

    @property
    def table(self) -> EnvTable:
        """The present table."""
        if self._table is None:
            raise IllegalAction(UNREADY)
        return self._table

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a deal: the next one of the seed, or that of a record (`options={"record": text}`)."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        number = int(self._random.integers(1 << 62))
        deal = begin_deal(self.rules, len(self.possible_agents), f"train {number}", options)
        self._table = EnvTable(self.choices, deal)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, int]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self._table.seat]

    def step(self, action: int | None) -> None:
        """Carry out the choice of the selected agent; IllegalAction if its mask does not have it."""
        table, agent = self.table, self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        table.step(read_number(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.table.seat < 0:
            self._end()
        else:
            self.agent_selection = self.possible_agents[self.table.seat]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        deal = self.table.deal
        self.rewards = dict(zip(self.agents, reward_seats(deal), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        for agent, place, points in zip(self.agents, deal.places, deal.points, strict=True):
            self.infos[agent] = {"place": place, "points": points}

    def last(self, observe: bool = True) -> Last:  # noqa: FBT001, FBT002  # as PettingZoo has it
        """Return what the selected agent sees, its reward since its last step, and if its deal is over."""
        if self._table is None:
            raise IllegalAction(UNREADY)
        seen: Last = super().last(observe)
        return seen

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees; its mask is empty unless it is selected."""
        return observe(self.encoder, self.table, self._find_seat(agent), self.form)

    def _find_seat(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise BadOption(f"there is no agent {agent!r}; known: {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)

    def view(self, agent: str) -> View:
        """Return an agent's view as the arena's protocol has it: cards and actions as text, all events."""
        return self.table.deal.view(self._find_seat(agent))

    def render(self) -> str | None:
        """Return the whole table as text, hidden cards included, or print it."""
        return render_table(self.table, self.render_mode) if self.render_mode else None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


raw_env = TableEnv


def env(rules: Rules | str, seats: int = 2, **options: Any) -> AECEnv[str, dict[str, Any], int | None]:
    """Return the environment, which also refuses calls in a wrong order; arguments as for `TableEnv`."""
    return OrderEnforcingWrapper(TableEnv(rules, seats, **options))
