"""The example in another language plays as docs/how-to/live.md says, with no code of ours."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.bots import folder
from tests.matchmaking.test_house import Sitter
from tests.matchmaking.test_seek import Author
from tests.support.arenas.seat import Player
from tests.support.host import npm
from tests.support.terminal import home_of

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PACKAGES = ("@grpc/grpc-js@1", "@grpc/proto-loader@0.8")


@pytest.fixture(scope="module")
def node(tmp_path_factory, not_tested):
    """Runs the example with some words; the packages that it needs are installed into a folder of its own."""
    folder, home = tmp_path_factory.mktemp("node"), npm.find_node()
    npm.install_packages(folder, "the client in Node", not_tested, *PACKAGES)

    def start(*words):
        command = [home / "bin/node", ROOT / "docs/examples/live.mjs", *words]
        return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)

    return start


@pytest.fixture
def ada(arena):
    return Author(arena)


def test_a_client_in_node_makes_a_table_and_plays_its_deal(node, arena, ada):
    with node(arena.address, ada.client.token, "mau_mau") as client:
        made = json.loads(client.stdout.readline())
        other = Player([ada.engine], made["give"])
        end = other.ended()
        said = json.loads(client.stdout.readline())["end"]
        assert client.wait(patient(20)) == 0
    assert said["places"] == end["places"]
    assert said["fault"] is None
    assert not other.refused


def test_two_clients_in_node_play_each_other(node, arena, ada):
    with node(arena.address, ada.client.token, "schweizer") as one:
        made = json.loads(one.stdout.readline())
        with node(arena.address, made["give"]) as two:
            ends = [json.loads(client.stdout.readline())["end"]["places"] for client in (one, two)]
            assert [client.wait(patient(20)) for client in (one, two)] == [0, 0]
    assert ends[0] == ends[1]


def test_a_client_in_node_seeks_and_plays_a_bot_of_maumau_seek(node, arena, ada, tmp_path):
    other = Author(arena)
    theirs = home_of(arena, tmp_path / "home", other.client.token)
    seek = ("seek", "prsi", "--bot", str(folder("greedy")), "--no-house", "--sandbox", "process", "--json")
    with ThreadPoolExecutor(1) as pool, node(*seeking(arena, ada, 3600)) as client:
        said = pool.submit(theirs.spawn, *seek)
        table, end = map(json.loads, client.stdout)
        assert client.wait(patient(20)) == 0
        theirs_table, theirs_end = said.result().json_lines()
    assert sorted(table["names"]) == sorted([f"node ({ada.name})", f"greedy ({other.name})"])
    assert (table["table"], table["seat"]) == (theirs_table["table"], 1 - theirs_table["seat"])
    assert end["end"]["places"] == theirs_end["end"]["places"]
    assert end["end"]["fault"] is None


@pytest.mark.usefixtures("house")
def test_a_client_in_node_plays_a_house_bot_where_nobody_else_seeks(node, arena, ada, tmp_path):
    sitter = Sitter(arena, tmp_path / "sitter")
    try:
        with node(*seeking(arena, ada, 0)) as client:
            table, end = map(json.loads, client.stdout)
            assert client.wait(patient(20)) == 0
    finally:
        sitter.end()
    assert sorted(table["names"]) == ["greedy (house)", f"node ({ada.name})"]
    assert end["end"]["fault"] is None


def seeking(arena, author, house_after):
    return arena.address, author.client.token, "prsi", arena.address, str(house_after)
