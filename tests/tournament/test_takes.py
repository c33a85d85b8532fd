"""A match that was played twice: both takes can be read, and everybody is told why. When things happened."""

from datetime import datetime
from typing import get_args

import pytest

from maumau.contest.export.verify import verify
from maumau.errors import MissingReason, UnknownMatch
from services.tournament.domain.event import Part
from services.tournament.organising.boards import Boards
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, CUP, FINAL, SEMI, play_until
from tests.support.meanwhile import do_after
from tests.support.terminal import Terminal
from tests.support.waiting import until
from tests.tournament.test_pages import read
from tests.tournament.test_watch import Watch

REASON = "the host of one worker was too slow"
PARTS = [part.__struct_config__.tag for part in get_args(Part)]


@pytest.fixture(scope="module")
def cup(arena):
    """Return a cup whose semi-final was taken back after one block of the final, and that then went on."""
    name = arena.begin("first", "random", "crash", "first", **CUP)
    watch = Watch(arena, name)
    play_until(arena, name, FINAL)
    arena.worker.play(arena.admin.match(name, FINAL).blocks[0].id)
    for reason in ("", " \n"):
        with refused(MissingReason, "needs a reason"):
            arena.admin.retake(name, SEMI, reason)
    arena.admin.retake(name, SEMI, f"{REASON}\n")
    arena.finish(name)
    assert watch.saw_the_end()
    assert [one.words for one in watch.events if REASON in one.words] == [
        f"match {SEMI} is taken back: {REASON}",
        f"match {SEMI}: random-0 - crash-0, take 2 ({REASON})",
    ]
    assert [one.words for one in watch.events if not any(getattr(one, name) for name in PARTS)] == []
    return name


@pytest.mark.parametrize("call", ["GetMatch", "ListSets", "ListFaults", "GetSet"])
def test_a_match_that_begins_while_it_is_asked_for_is_not_there_yet(arena, monkeypatch, call):
    name, calls = arena.create(), arena.tournament(ADMIN)
    arena.admin.open(name)

    def begin():
        for bot in arena.field("first", "random"):
            arena.enter(name, bot)
        arena.admin.start(name)
        until(lambda: arena.admin.matches(name))

    do_after(monkeypatch, Boards, "find_view", begin)
    with refused(UnknownMatch, "has not started"):
        getattr(calls, call)(tournament=name, label="1.1.1")
    assert [one.label for one in arena.admin.matches(name)] == ["1.1.1"]
    arena.admin.cancel(name)


@pytest.mark.long
def test_both_takes_are_listed_with_why_the_second_was_begun(arena, cup):
    first, second = arena.admin.takes(cup, SEMI)
    assert (first.take, first.state, first.reason) == (1, "withdrawn", "")
    assert (second.take, second.state, second.reason) == (2, "decided", REASON)
    assert (first.winner, first.sets, first.rule) == (second.winner, second.sets, second.rule)
    assert [one.reason for one in arena.admin.takes(cup, FINAL)] == ["", "a match before it was played again"]
    assert [one.take for one in arena.admin.takes(cup, "1.1.1")] == [1]
    calls = arena.tournament(ADMIN)
    pages = list(read(calls.ListTakes, "takes", tournament=cup, label=SEMI, page_size=1))
    assert [one.id for page in pages for one in page] == [first.id, second.id]
    with refused(UnknownMatch, "9.9.9"):
        arena.admin.takes(cup, "9.9.9")


@pytest.mark.long
def test_an_earlier_take_is_read_as_it_was_played(arena, cup):
    """It has the same seeds, and the bots play the same: only the take tells its sets and faults apart."""
    first, last = (arena.admin.match(cup, SEMI, take) for take in (1, 0))
    assert (first.match.take, last.match.take) == (1, 2)
    blocks = [{block.id for block in found.blocks} for found in (first, last)]
    assert not blocks[0] & blocks[1]
    assert arena.admin.sets(cup, SEMI, 1) == arena.admin.sets(cup, SEMI)
    assert arena.admin.deal_set(cup, SEMI, 0, 1) == arena.admin.deal_set(cup, SEMI, 0)
    faults = [{one.id for one in arena.admin.faults(cup, SEMI, take=take)} for take in (1, 2)]
    assert all(faults)
    assert not faults[0] & faults[1]
    half, _ = (arena.admin.match(cup, FINAL, take) for take in (1, 2))
    assert [block.state for block in half.blocks] == ["done", "dropped"]
    with refused(UnknownMatch, f"{SEMI} of {cup} has no take 3"):
        arena.admin.match(cup, SEMI, 3)


@pytest.mark.long
def test_what_happened_has_its_time(arena, cup):
    """Each comes at its place in the order; nothing has a time that has not happened."""
    now = arena.admin.tournament(cup)
    first, second = arena.admin.takes(cup, SEMI)
    assert all(now.created_at <= entry.entered_at <= now.started_at for entry in now.entries)
    order = [now.started_at, first.queued_at, first.started_at, first.decided_at, first.withdrawn_at]
    order += [second.queued_at, second.started_at, second.decided_at, now.ended_at]
    assert all(isinstance(at, datetime) for at in order)
    assert order == sorted(order)
    assert second.withdrawn_at is None
    for block in arena.admin.match(cup, SEMI).blocks:
        times = [second.queued_at, block.queued_at, block.claimed_at, block.done_at, second.decided_at]
        assert times == sorted(times)
    played, dropped = arena.admin.match(cup, FINAL, 1).blocks
    assert min(played.claimed_at, played.done_at) >= played.queued_at
    assert (dropped.claimed_at, dropped.done_at) == (None, None)


@pytest.mark.long
def test_the_export_says_that_a_match_was_played_twice_and_why(arena, cup, tmp_path):
    (tmp_path / "cup.jsonl").write_bytes(arena.export(cup))
    report = verify(tmp_path / "cup.jsonl")
    assert report.ok
    hung = ("a match before it was played again",)
    assert report.reasons == {SEMI: (REASON,), FINAL: hung, "1.2.2": hung}
    out = Terminal(tmp_path).run("verify", str(tmp_path / "cup.jsonl")).out
    assert f"match {SEMI}, take 2: {REASON}" in out


@pytest.mark.long
def test_commands_show_takes_and_times(arena, cup, tmp_path):
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    listed = terminal.run("match", "takes", cup, SEMI).out
    assert REASON in listed
    first = terminal.run("match", "show", cup, SEMI, "--take", "1").out
    assert "taken back " in first
    assert "decided " in first
    assert f"take 2 ({REASON}), with the same seeds" in terminal.run("match", "show", cup, SEMI).out
    shown = terminal.run("tournament", "show", cup).out
    assert "finished " in shown
    assert f"match {SEMI} is take 2: {REASON}" in shown
    assert f"match {FINAL} is take 2: a match before it was played again" in shown
    assert "match 1.1.1 is take" not in shown
