"""A contest with mystery rules: made, entered by trial, played and checked, with a real worker."""

import json

import pytest

from maumau.contest.export.verify import verify
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal
from tests.support.waiting import until

MARKER = "zyxomma"
MINE = f"""\
title = "{MARKER} title"
source = "{MARKER} source"
extends = "prsi"
[options]
seven_n = {{ least = 1, most = 9, default = 3 }}
"""
CUP = f"""\
name = "secret-cup"
rules = "{MARKER}"
variant_toml = {json.dumps(MINE)}
[options]
seven_n = 4
[mystery]
[[stage]]
format = "round_robin"
[match]
block = 5
cap = 10
"""


@pytest.mark.long
def test_bots_pass_variants_of_their_own_before_they_play_the_mystery(arena, worker, house, tmp_path):
    made = arena.admin.create(CUP)
    arena.admin.open(made.id)
    port = arena.address.rpartition(":")[2]
    admin = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    assert MARKER not in admin.run("tournament", "list").out
    with worker():
        for bot in (house("first", trusted=True), house("greedy", trusted=True)):
            told = admin.run("tournament", "enter", "secret-cup", bot, "--no-nonce")
            assert "validated in 3 variants that were made for secret-cup" in told.err
            assert "has passed" in admin.run("tournament", "trial", "secret-cup", bot).out
        arena.admin.start(made.id)
        until(lambda: arena.admin.tournament(made.id).over, 120)
    found = arena.admin.tournament(made.id)
    assert found.rules.name == MARKER
    assert found.mystery.commitment == made.mystery.commitment
    assert made.mystery.commitment in admin.run("tournament", "show", made.id).out
    admin.run("tournament", "export", made.id)
    report = verify(tmp_path / "secret-cup.export.jsonl", seen=[made.mystery.commitment])
    assert report.differences == ()
    assert report.missed == ()
