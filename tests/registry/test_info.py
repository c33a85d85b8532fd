"""An arena's own description, for callers without an account."""

import json
import socket
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from maumau import game
from maumau.cli.shared import place
from maumau.client.arena import Arena
from tests.registry.conftest import ADMIN
from tests.support.host.cut import Proxy
from tests.support.terminal import Terminal

DATABASES = ["sqlite"]  # nothing here is stored


def test_an_arena_says_what_it_takes_to_who_has_no_token(registry):
    with Arena(registry.address, registry.address) as client:
        found = client.info()
    assert (found.version, found.open, found.takes_strangers) == (version("maumau-arena"), True, True)
    assert {"python", "native"} <= set(found.runtimes)
    assert (found.limits.upload_bytes, found.limits.members) == (8 << 20, 1000)
    rules = {one.name: one for one in found.variants}
    assert rules.keys() == set(game.variants())
    assert rules["prsi"].rules_hash == game.load("prsi").hash
    assert (rules["prsi"].fewest_seats, rules["prsi"].most_seats) == (2, 5)
    assert found.arena == ""  # nobody has set it


@pytest.mark.parametrize(
    ("registration", "told"),
    [("open", "login --new NAME`"), ("code", "--new NAME --code CODE`"), ("closed", "`maumau login` takes")],
)
def test_info_says_what_opens_an_account_here(start, settings, valkey_url, tmp_path, registration, told):
    with start(settings(tmp_path, "", valkey_url, registration=registration)) as found:
        port = found.address.rpartition(":")[2]
        assert told in Terminal(tmp_path).run("info", "--arena", f"127.0.0.1:{port}").out


def test_a_refused_or_missing_token_names_the_arena_that_was_asked(registry, tmp_path):
    where = ("--arena", f"127.0.0.1:{registry.address.rpartition(':')[2]}")
    stranger = Terminal(tmp_path, MAUMAU_TOKEN=f"mm_{'x' * 43}")
    asked = f"The arena asked is at {registry.address}"
    for command in ("whoami", "bots"):
        words = [command, *(["--mine"] if command == "bots" else []), *where]
        assert asked in stranger.run(*words, code=1).err
    assert asked in Terminal(tmp_path).run("whoami", *where, code=1).err
    told = stranger.run("whoami", "--json", *where, code=1).error()
    assert told["arena"].startswith(registry.address)


@pytest.fixture
def telling(start, settings, valkey_url, tmp_path, free_port):
    """Return the port of a registry that tells the addresses of its arena: 4202, 4303 and 4404 besides."""
    port = free_port()
    url = f"http://arena.example:{port},4202,4303,4404"
    given = settings(tmp_path, "", valkey_url, listen=f"127.0.0.1:{port}", services_url=url)
    with start(given):
        yield port


def test_one_address_is_enough_where_the_registry_tells_the_others(telling):
    found = place.find_arena(f"127.0.0.1:{telling}")
    services = found.registry, found.tournament, found.engine, found.matchmaking
    assert services == (f"127.0.0.1:{telling}", "127.0.0.1:4202", "127.0.0.1:4303", "127.0.0.1:4404")
    assert found.guessed == ()


def test_a_login_with_one_address_remembers_all(telling, tmp_path):
    terminal = Terminal(tmp_path)
    made = terminal.run("login", "--new", "ada", "--arena", f"127.0.0.1:{telling}", "--json").json()
    assert made["arena"] == f"http://127.0.0.1:{telling},4202,4303,4404"
    assert terminal.run("whoami", "--json").json()["account_name"] == "ada"
    kept = json.loads(Path(made["kept_in"]).read_text())
    assert list(kept["addresses"].values()) == [made["arena"]]


@contextmanager
def reserve_guess(address):
    """Yield a port that leads to the registry, while that of the matchmaking service after it is silent."""
    while True:
        with closing(Proxy(address)) as proxy, socket.socket() as taken:
            port = int(proxy.address.rpartition(":")[2])
            try:
                taken.bind(("127.0.0.1", port + 3))  # and nobody listens
            except OSError:  # somebody else has it
                continue
            yield port
            return


@pytest.mark.long
def test_a_port_that_is_a_guess_is_called_one(registry, tmp_path):
    with reserve_guess(registry.address) as port:
        terminal = Terminal(tmp_path, MAUMAU_ARENA=f"127.0.0.1:{port}", MAUMAU_TOKEN=ADMIN)
        words = f"name all, --arena http://127.0.0.1:{port},TOURNAMENT,ENGINE,MATCHMAKING"
        refused = " ".join(terminal.run("ladder", "list", code=3).err.split())
    assert f"127.0.0.1:{port + 3} (matchmaking service; its port is a guess" in refused
    assert words in refused


def test_a_variant_that_is_played_by_other_rules_there_is_named(registry, tmp_path, monkeypatch):
    arena = f"{registry.address},{registry.address.rpartition(':')[2]}"
    terminal = Terminal(tmp_path, MAUMAU_ARENA=arena)
    lines = terminal.run("info").out.splitlines()
    assert "a submission: at most 8 MiB, 64 MiB unpacked, 1,000 files" in lines
    assert lines[3] == (
        "an account: at most 50 bots, 100 versions a day, 5 versions that wait, 1,024 MiB,"
        " 30 minutes of validation an hour"
    )
    assert lines[-1].startswith("variants: app, ")
    monkeypatch.setattr(
        "maumau.cli.author.account._hash_variant", lambda name: "other" if name == "pesten" else _own(name)
    )
    assert terminal.run("info").out.splitlines()[-1].endswith("your maumau: pesten")
    assert terminal.run("info", "--json").json()["different"] == ["pesten"]
    monkeypatch.setattr(
        "maumau.home.doctor.examine_machine", lambda *_: []
    )  # this machine is not the question
    found = {each["what"]: each for each in terminal.run("doctor", "--json").json()}
    assert found["arena: version"]["words"].startswith(f"maumau {version('maumau-arena')}, runtimes python")
    assert not found["arena: rules"]["ok"]
    assert found["arena: rules"]["words"].startswith("pesten: played there by other rules")
    monkeypatch.setattr("maumau.cli.author.account._hash_variant", _own)
    found = {each["what"]: each for each in terminal.run("doctor", "--json").json()}
    assert found["arena: rules"]["ok"]


def _own(name):
    return game.load(name).hash
