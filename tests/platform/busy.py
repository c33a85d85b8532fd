"""An arena in which everything happens: a contest with a bot that faults, a ladder, tables, mistakes."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from bench.support.embedded import Embedded
from bench.support.patience import patient
from maumau.client.matchmaking import Matchmaking
from maumau.client.seek import Seeks, Wish
from maumau.errors import NoHouseBot, UnknownTournament
from maumau.v1 import engine_pb2, engine_pb2_grpc
from tests.support.arenas.engine import Calls
from tests.support.arenas.ready import admit_bots
from tests.support.arenas.seat import Player
from tests.support.polling import until

SPEC = """
name = "watched"
rules = "mau_mau"

[[stage]]
format = "round_robin"

[match]
block = 10
cap = 2000
"""
LADDER, BOTS = "watched", ("greedy", "first", "random")
MANIFEST = 'name = "quitter"\nrun = ["python3", "bot.py"]\nruntime = "python"\n'
QUITTER = """
from maumau.bot import Bot, run


class Quitter(Bot):
    name = "quitter"

    def act(self, view):
        raise SystemExit("not today")


run(Quitter)
"""


def new_data(house_data: Path, broker: str, folder: Path) -> Path:
    """Return data of an arena with an active bot that loses every deal by a fault: it was taken on trust."""
    (folder / "quitter").mkdir()
    (folder / "quitter/bot.toml").write_text(MANIFEST)
    (folder / "quitter/bot.py").write_text(QUITTER)
    shutil.copytree(house_data, folder / "data")
    admit_bots(folder / "data", broker, "author", [folder / "quitter"])
    return folder / "data"


def begin_play(arena: Embedded) -> str:
    """Return a contest and a ladder that go on for longer than the tests; the name of both."""
    arena.begin(SPEC, (*BOTS, "quitter"))
    with Matchmaking(arena.read_card()["matchmaking"], arena.read_card()["token"]) as link:
        link.create(LADDER, "mau_mau")
        for bot in BOTS:
            link.join(LADDER, bot)
    return LADDER


def use_it(arena: Embedded) -> list[str]:
    """Act as people do while bots play: view pages, mistype a name, take seats; return their tokens."""
    card = arena.read_card()
    with urllib.request.urlopen(f"http://{card['web']}/", timeout=patient(10)) as page:
        assert page.status == 200
    with Matchmaking(card["matchmaking"], card["token"]) as link:
        link.leaderboard(LADDER)
    with arena.client() as client, pytest.raises(UnknownTournament):
        client.tournament("wacthed")
    engine = Calls(card["engine"], card["token"], engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, time={"bank_ms": 60_000, "window_ms": 1000})
    with Seeks(card["matchmaking"], card["token"]) as seeks:
        until("a worker plays for the house", partial(invites, seeks, made.seat_tokens[1:]), 60)
        wish = Wish(rules="mau_mau", house_after=1)
        sought = next(told.token for told in seeks.seek(wish) if told.token)
    players = [Player([engine], token) for token in (made.seat_tokens[0], sought)]
    assert all(player.ended() for player in players)
    engine.channel.close()
    return [*made.seat_tokens, sought]


def invites(seeks: Seeks, tokens: Sequence[str]) -> bool:
    """Return True if house bots sit down: on a busy host their worker may still be starting."""
    try:
        seeks.invite_house(tokens)
    except NoHouseBot:
        return False
    return True
