"""Demonstration tournaments of the house bots: a round robin that seeds a single elimination."""

import threading
from collections.abc import Callable, Sequence

import msgspec

from maumau import answer, call
from maumau.client import Arena
from maumau.errors import ClosedClient, HouseBotRefused, MaumauError, UnknownTournament
from services.supervisor.roster import Say

PATIENCE = 60.0
POLL = 1.0
FEWEST = 2


class Demo(msgspec.Struct, frozen=True):
    """One tournament: rules by a variant's name, deal sets a block and at most in a match."""

    rules: str
    block: int = 100
    cap: int = 2000

    @property
    def name(self) -> str:
        return f"demo-{self.rules}"

    def spec(self) -> str:
        """The spec in TOML. The bracket has byes unless the house bots happen to be a power of two."""
        return (
            f'name = "{self.name}"\nrules = "{self.rules}"\n\n'
            '[[stage]]\nformat = "round_robin"\n\n'
            '[[stage]]\nformat = "single_elimination"\nseeds = "previous"\nthird_place = true\n\n'
            f"[match]\nblock = {self.block}\ncap = {self.cap}\n"
        )


PROGRAMMES = {
    "tour": (Demo("mau_mau"), Demo("prsi"), Demo("app")),
    "quick": (Demo("mau_mau", block=50, cap=300),),
}
"""What `maumau up --demo` and `maumau demo` play, one after the other."""


def play(
    arena: Arena,
    demos: Sequence[Demo],
    bots: Sequence[str],
    warn: Say,
    ended: Callable[[answer.Tournament], None],
    stop: threading.Event,
) -> None:
    """Has each played to its end, each made once and continued after a restart; until `stop`.

    `ended` is told each that is over. Raises HouseBotRefused if one cannot begin with fewer than two bots.
    """
    for demo in demos:
        now = call.retry(lambda demo=demo: carry_on(arena, demo, bots, warn), PATIENCE)  # type: ignore[misc]
        while not now.over:
            if stop.wait(POLL):
                return
            now = arena.tournament(demo.name)
        ended(now)


def carry_on(arena: Arena, demo: Demo, bots: Sequence[str], warn: Say) -> answer.Tournament:
    """Takes the tournament from wherever it stands to its start."""
    try:
        now = arena.tournament(demo.name)
    except UnknownTournament:
        _check_enough(bots)
        now = arena.create(demo.spec())
    if now.state == "created":
        now = arena.open(demo.name)
    if now.state == "open":
        entered = [entry.bot_name for entry in now.entries]
        entered += [bot for bot in bots if bot not in entered and _enters(arena, demo, bot, warn)]
        _check_enough(entered)
        now = arena.start(demo.name)
    return now


def _enters(arena: Arena, demo: Demo, bot: str, warn: Say) -> bool:
    """Whether it could be entered; the others play without one that cannot."""
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
