"""The queue is shown in the order of service, with its speed."""

import re

import pytest

from maumau.client.answer import QueuedMatch
from services.tournament.organising.throughput import WINDOW, Throughput
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal
from tests.support.waiting import until

DATABASES = ["sqlite"]


@pytest.fixture
def cups(arena):
    """Yield a big tournament and a small one."""
    big = arena.begin("first", "random", "first", "random", block=5, cap=20)
    until(lambda: len(arena.blocks(big, "queued")) >= 12)
    small = arena.begin("first", "random", block=5, cap=5)
    until(lambda: arena.blocks(small, "queued"))
    yield big, small
    for name in (big, small):
        if not arena.admin.tournament(name).over:
            arena.admin.cancel(name)


def entries(arena, *names):
    found = {one.name: one for one in arena.admin.queue().entries}
    return [found[name] for name in names]


@pytest.mark.long
def test_who_has_fewer_blocks_under_way_comes_first(arena, cups):
    big, small = entries(arena, *cups)
    assert (small.waiting, small.playing, small.purpose, small.rules) == (1, 0, "tournament", "mau_mau")
    block = arena.blocks(cups[0], "queued")[0]
    order = arena.worker.claim(block.id)
    behind, before = entries(arena, *cups)
    assert (behind.waiting, behind.playing) == (big.waiting - 1, 1)
    assert before.place < behind.place
    assert before.waiting_since is not None
    arena.worker.report(order)
    until(lambda: entries(arena, cups[0])[0].playing == 0)
    assert arena.admin.queue().workers >= 1


@pytest.mark.long
def test_what_is_over_waits_for_nothing(arena, cups):
    arena.worker.play(arena.blocks(cups[1], "queued")[0].id)
    until(lambda: arena.admin.tournament(cups[1]).over)
    assert cups[1] not in {one.name for one in arena.admin.queue().entries}


@pytest.mark.long
def test_an_author_reads_it_in_the_terminal(arena, cups, tmp_path):
    author, name = arena.author()
    author.submit(f"{name}-bot", arena.program(name))
    port = arena.address.rpartition(":")[2]
    url = f"http://127.0.0.1:{port},{port}"
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=author.token, MAUMAU_ARENA=url)
    out = terminal.run("queue").out
    assert all(cup in out for cup in cups)
    first, _, _ = out.partition("\n")
    assert re.fullmatch(rf"{name}-bot version 1 is uploaded: number \d+ in the queue(, about .*)?", first)
    assert "your match" not in out
    assert "unknown" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    found = terminal.run("queue", "--json").json()
    assert {one["name"] for one in found["queue"]["entries"]} >= set(cups)
    assert [one["bot_name"] for one in found["validations"]] == [f"{name}-bot"]
    assert not found["queue"]["matches"]
    assert ADMIN not in out


@pytest.mark.long
def test_own_matches_come_first(arena, tmp_path):
    author, _ = arena.author()
    name = arena.create(block=5, cap=10)
    arena.admin.open(name)
    bots = [arena.bot("first", author), arena.bot("first")]
    author.enter(name, bots[0])
    arena.enter(name, bots[1])
    arena.admin.start(name)
    blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 2 and found)
    order = arena.worker.claim(blocks[0].id)
    found = author.queue()
    (entry,) = [one for one in found.entries if one.name == name]
    (match,) = found.matches
    assert sorted(match.bot_names) == sorted(bots)
    assert match == QueuedMatch(entry.contest_id, "1.1.1", match.bot_names, waiting=1, playing=1)
    port = arena.address.rpartition(":")[2]
    url = f"http://127.0.0.1:{port},{port}"
    out = Terminal(tmp_path, MAUMAU_TOKEN=author.token, MAUMAU_ARENA=url).run("queue").out
    assert out.index("your match") < out.index(name) < out.index("place")
    assert all(len(line) <= 80 for line in out.splitlines())
    arena.worker.report(order)
    arena.worker.play(blocks[1].id)
    until(lambda: arena.admin.tournament(name).over)
    assert not author.queue().matches


def test_a_rate_is_that_of_the_last_minutes():
    seen = Throughput()
    assert seen.per_minute("cup", 3, 1_000) == 0  # nothing was looked at
    seen.note_results(0, {"cup": 10})
    assert seen.per_minute("cup", 10, 0) == 0
    seen.note_results(60_000, {"cup": 40, "late": 0})
    assert seen.per_minute("cup", 40, 60_000) == 30
    assert seen.per_minute("late", 5, 90_000) == 10
    assert seen.per_minute("none", 5, 90_000) == 0
    seen.note_results(WINDOW + 30_000, {"cup": 70})  # the first look is forgotten
    assert seen.per_minute("cup", 94, WINDOW + 60_000) == pytest.approx(54 / (WINDOW / 60_000))
