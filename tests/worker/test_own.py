"""A tournament of a variant that no library has: made from a file, played, checked by a stranger."""

import json

import pytest

from maumau.contest.export.verify import verify
from maumau.contest.length import bound_length
from maumau.errors import BadVariant
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal
from tests.support.waiting import until

MINE = """\
title = "Wasp: sevens sting thrice"
source = "at home"
extends = "prsi"
[options]
seven_n = { least = 1, most = 3, default = 3 }
"""
CUP = """\
name = "wasps"
rules = "wasp.toml"
[options]
seven_n = 1
[[stage]]
format = "round_robin"
[match]
block = 5
cap = 10
"""


@pytest.fixture
def admin(arena, tmp_path):
    (tmp_path / "cups").mkdir()
    (tmp_path / "cups" / "wasp.toml").write_text(MINE)
    (tmp_path / "cups" / "cup.toml").write_text(CUP)
    port = arena.address.rpartition(":")[2]
    url = f"http://127.0.0.1:{port},{port}"
    return Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=url)


@pytest.mark.long
def test_from_the_file_to_the_checked_export(arena, worker, house, admin, tmp_path):
    admin.run("tournament", "create", "cups/cup.toml", "--open")
    (tmp_path / "cups" / "wasp.toml").unlink()
    first, rollout = (house(bot, trusted=True) for bot in ("first", "rollout"))
    for bot in (first, rollout):
        arena.admin.enter("wasps", bot)
    arena.admin.start("wasps")
    with worker():
        until(lambda: arena.admin.tournament("wasps").over, 120)
    found = arena.admin.tournament("wasps")
    assert found.rules.name == "wasp"
    assert found.rules.variant_toml == MINE
    options = bound_length("wasp", {"seven_n": 1}, MINE, 2)
    assert options["max_decisions"] < 2000
    assert json.loads(found.rules.options_json) == options
    admin.run("tournament", "export", "wasps")
    report = verify(tmp_path / "wasps.export.jsonl")
    assert report.differences == ()
    shown = admin.run(
        "replay", "wasps.export.jsonl", "--match", "1.1.1", "--deal", "0", "--html", "page.html"
    )
    assert "2 deals" in shown.out
    text = (tmp_path / "page.html").read_text()
    data = json.loads(
        text.partition('<script id="data" type="application/json">')[2].partition("</script>")[0]
    )
    assert [[player["name"] for player in deal["players"]] for deal in data["deals"]] == [
        [first, rollout],
        [rollout, first],
    ]
    told = admin.run("replay", "wasps.export.jsonl", "--match", "1.1.1", "--deal", "0", "--at", "2").out
    assert f"A {first}, B {rollout}, wasp, event" in told


def test_a_variant_called_like_a_known_one_is_refused_by_the_service(arena):
    text = CUP.replace('"wasp.toml"', f'"prsi"\nvariant_toml = {json.dumps(MINE)}')
    with refused(BadVariant, "there is already a variant prsi; give yours another name"):
        arena.admin.create(text)


def test_a_variant_without_an_end_is_refused_by_the_service(arena):
    endless = MINE + "max_decisions = { least = 1, default = 10 }\n"
    text = CUP.replace('"wasp.toml"', f'"wasp"\nvariant_toml = {json.dumps(endless)}')
    with refused(BadVariant, "do not end and are stopped after 10 decisions"):
        arena.admin.create(text)


def test_a_variant_that_is_too_long_is_refused_by_the_service(arena):
    text = CUP.replace('"wasp.toml"', f'"wasp"\nvariant_toml = {json.dumps(MINE + "#" * (33 << 10))}')
    with refused(BadVariant, "variant wasp has more than 32 KiB"):
        arena.admin.create(text)
