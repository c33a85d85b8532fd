"""An arena's own description, for callers without an account."""

from importlib.metadata import version

from maumau import game
from maumau.client.arena import Arena
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
