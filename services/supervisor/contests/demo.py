"""Demonstration tournaments of the house bots: a round robin that seeds a single elimination."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from maumau.client import answer, call
from maumau.client.arena import Arena
from maumau.contest.format import FORMATS
from maumau.contest.format.stage import PAIR
from maumau.contest.strict import write_table
from maumau.demo import name_demo
from maumau.errors import ClosedClient, HouseBotRefused, MaumauError, UnknownTournament
from services.supervisor.process.roster import Say

PATIENCE = 60.0
POLL = 1.0
FEWEST = 2
GO_ON = 4  # bots that play on after groups
TABLE_SHARE = 4  # of the deal sets of two that a match at a larger table has


class Demo(msgspec.Struct, frozen=True):
    """One tournament: rules by a variant's name, deal sets a block and at most in a match.

    format: the one it shows; "" for a round robin that seeds a single elimination.
    """

    rules: str
    block: int = 100
    cap: int = 2000
    format: str = ""

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return name_demo(self.rules, self.format)

    def write_spec(self) -> str:
        """Return the spec in TOML. The bracket has byes unless the number of house bots is a power of two."""
        return write_table(
            {
                "name": self.name,
                "rules": self.rules,
                "stage": self._list_stages(),
                "match": self._limit_match(),
            }
        )

    def _limit_match(self) -> dict[str, int]:
        """Return the length of a match; sets at larger tables have more and longer deals."""
        if not self.format or FORMATS[self.format].seats.start == PAIR:
            return {"block": self.block, "cap": self.cap}
        block = self.block // TABLE_SHARE
        return {"block": block, "cap": self.cap // self.block * block}

    def _list_stages(self) -> list[dict[str, Any]]:
        """Return the stages: of groups, a cut to a bracket follows, which is what they are for."""
        if not self.format:
            last = {"format": "single_elimination", "seeds": "previous", "third_place": True}
            return [{"format": "round_robin"}, last]
        shown = FORMATS[self.format]
        stage = {"format": shown.name, **shown.usual}
        if not shown.has_groups:
            return [stage]
        return [stage, {"format": "single_elimination", "seeds": "previous", "take": GO_ON}]


PROGRAMMES = {
    "tour": (Demo("mau_mau"), Demo("prsi"), Demo("app")),
    "quick": (Demo("mau_mau", block=50, cap=300),),
}
"""The tournaments of `maumau up --demo` and `maumau demo`, in order."""


def choose_demos(programme: str | None, shown: str | None) -> tuple[Demo, ...]:
    """Return the tournaments of a programme, all of this format if one is given."""
    demos = PROGRAMMES.get(programme or "", ())
    return tuple(msgspec.structs.replace(one, format=shown) for one in demos) if shown else demos


def play_demos(
    arena: Arena,
    demos: Sequence[Demo],
    bots: Sequence[str],
    warn: Say,
    ended: Callable[[answer.Tournament], None],
    stop: threading.Event,
) -> None:
    """Play each tournament to its end, made once and continued after a restart; until `stop`.

    `ended` is called with each that is over. Raise HouseBotRefused if one cannot begin with fewer than two
    bots.
    """
    for demo in demos:
        now = call.retry_call(lambda demo=demo: carry_on(arena, demo, bots, warn), PATIENCE)  # type: ignore[misc]
        while not now.over:
            if stop.wait(POLL):
                return
            now = arena.tournament(demo.name)
        ended(now)


def carry_on(arena: Arena, demo: Demo, bots: Sequence[str], warn: Say) -> answer.Tournament:
    """Take the tournament from its present state to its start."""
    try:
        now = arena.tournament(demo.name)
    except UnknownTournament:
        _check_enough(bots)
        now = arena.create(demo.write_spec())
    if now.state == "created":
        now = arena.open(demo.name)
    if now.state == "open":
        entered = [entry.bot_name for entry in now.entries]
        entered += [bot for bot in bots if bot not in entered and _enter_bot(arena, demo, bot, warn)]
        _check_enough(entered)
        now = arena.start(demo.name)
    return now


def _enter_bot(arena: Arena, demo: Demo, bot: str, warn: Say) -> bool:
    """Enter a bot; return False if it is refused: the others play without it."""
    try:
        arena.enter(demo.name, bot)
    except (ClosedClient, *call.TRY_AGAIN):
        raise
    except MaumauError as error:
        warn(f"the house bot {bot} does not play in {demo.name}: {error}")
        return False
    return True


def _check_enough(bots: Sequence[str]) -> None:
    if len(bots) < FEWEST:
        there = f"only {bots[0]} may play" if bots else "none of the house bots may play"
        raise HouseBotRefused(f"a tournament needs two bots, and {there}; the lines above say why")
