"""Demonstration tournaments of the house bots: a round robin that seeds a single elimination."""

import threading
from collections.abc import Sequence

import msgspec

from maumau import answer, call
from maumau.client import Arena
from maumau.errors import UnknownTournament

PATIENCE = 60.0
POLL = 1.0


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


def play(arena: Arena, demos: Sequence[Demo], bots: Sequence[str], stop: threading.Event) -> None:
    """Has each played to its end, each made once and continued after a restart; until `stop`."""
    for demo in demos:
        now = call.retry(lambda demo=demo: carry_on(arena, demo, bots), PATIENCE)  # type: ignore[misc]
        while not now.over:
            if stop.wait(POLL):
                return
            now = arena.tournament(demo.name)


def carry_on(arena: Arena, demo: Demo, bots: Sequence[str]) -> answer.Tournament:
    """Takes the tournament from wherever it stands to its start."""
    try:
        now = arena.tournament(demo.name)
    except UnknownTournament:
        now = arena.create(demo.spec())
    if now.state == "created":
        now = arena.open(demo.name)
    if now.state == "open":
        entered = {entry.bot_name for entry in now.entries}
        for bot in bots:
            if bot not in entered:
                arena.enter(demo.name, bot)
        now = arena.start(demo.name)
    return now
