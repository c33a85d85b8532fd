"""An arena on ports that nobody would guess: one address of it is enough, whichever command comes then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.arenas.embedded import SERVICES, Running
from tests.support.terminal import Terminal
from tests.support.waiting import free_port

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def arena(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Yield an arena whose services listen on ports that the system picked, none beside another by intent."""
    ports = {f"MAUMAU_{name.upper()}_ADDRESS": f"127.0.0.1:{free_port()}" for name in SERVICES}
    with Running(tmp_path_factory.mktemp("arena") / "data", like=house_data, **ports) as arena:
        arena.wait_for("house bots: ")
        yield arena


@pytest.mark.parametrize("service", ["registry", "web"])
@pytest.mark.parametrize("scheme", ["", "http://"])
def test_every_command_reaches_an_arena_after_a_login_with_one_address(
    arena: Running, tmp_path: Path, service: str, scheme: str
) -> None:
    author, ladder = Terminal(tmp_path), f"of-{service}-{len(scheme)}"
    one, card = f"{scheme}{arena.card()[service]}", arena.card()
    told = author.run("login", "--token", card["house_token"], "--arena", one).out
    assert f"logged in to {one} as house" in " ".join(told.split())

    admin = Terminal(tmp_path, MAUMAU_ARENA=one, MAUMAU_TOKEN=card["token"])
    admin.run("ladder", "create", ladder, "--rules", "mau_mau")
    assert author.run("ladder", "show", ladder, "--json").json()["ladder"]["name"] == ladder
    told = author.run("practice", "first", "greedy", "--sets", "1", "--json").json_lines()
    assert told[-1]["booked"] == 1
    author.run("seek", "mau_mau", "--bot", "first", "--house-after", "0", "--sandbox", "process")
    table = author.run("tables", "--ended", "--json").json()[0]
    assert table["state"] == "over"
    assert table["id"] in author.run("watch", table["id"], "--json").out
    assert author.run("tournament", "list", "--json").json_lines() is not None
    assert author.run("status", "--json", code=None).json()["services"].keys() >= {"engine", "matchmaking"}


def test_an_invitation_names_the_address_that_is_enough(arena: Running, tmp_path: Path) -> None:
    admin = Terminal(tmp_path, MAUMAU_ARENA=str(arena.data))
    told = admin.run("admin", "invite", "--group", "class-9b").out
    assert f" --arena http://{arena.card()['registry']}`" in told
