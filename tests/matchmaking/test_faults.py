"""A bot that loses pairing after pairing of a ladder by faults is suspended, and its author is told."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from maumau import wire
from maumau.errors import BlockDropped, StaleFence
from maumau.referee.block import Program, play_block
from maumau.sandbox.launch import choose_sandbox
from maumau.submission.package import pack_submission, unpack_archive
from maumau.v1 import job_pb2
from services.matchmaking.client import _read_booked
from services.matchmaking.models import Practice
from services.matchmaking.upkeep import faults
from services.matchmaking.upkeep.faults import FaultWatch
from services.tournament.play import lease
from tests.support.again import play_until_a_result
from tests.support.waiting import until
from tests.tournament.test_second_run import overrun


@pytest.fixture(autouse=True)
def usual_patience(monkeypatch):
    monkeypatch.setattr(faults, "IN_A_ROW", 3)


def test_three_pairings_in_a_row_with_faults_in_most_deals_are_enough() -> None:
    """Of 40 deals 20 are most; a pairing without as many begins the count anew."""
    watch = FaultWatch(None, None)
    assert watch.count_faults(("a", "b"), (20, 0), 40) == []
    assert watch.count_faults(("b", "a"), (0, 40), 40) == []
    assert watch.count_faults(("a", "b"), (19, 0), 40) == []
    assert [watch.count_faults(("c", "a"), (0, 40), 40) for _ in range(3)] == [[], [], ["a"]]
    assert watch.count_faults(("a", "b", "c"), (30, 0, 0), 60) == ["a"]  # the registry did not answer before


def count_blocks(late, blocks):
    """Return the reasons given after each of a version's blocks, of which these needed a second run."""
    watch, found = FaultWatch(None, None), []
    for block in range(blocks):
        put_off = [(1, "was killed")] if block in late else []
        found.append(watch.count_first_runs("epoch", ("a", "b"), put_off).get("b", ""))
    return found


def test_second_runs_suspend_after_three_blocks_in_a_row_as_in_a_match() -> None:
    assert count_blocks({1, 2, 4}, 6) == [""] * 6
    said = "was killed in the first runs of 3 blocks in a row"
    assert count_blocks({1, 2, 3}, 4) == ["", "", "", said]


def test_second_runs_suspend_after_four_blocks_that_are_more_than_a_quarter() -> None:
    said = "was killed in the first runs of 4 of 15 blocks"
    assert count_blocks({0, 4, 8, 14}, 15) == [""] * 14 + [said]
    assert count_blocks({0, 4, 8, 15}, 16) == [""] * 16


def test_second_runs_are_counted_by_contest_and_forgotten_with_it() -> None:
    watch, put_off = FaultWatch(None, None), [(0, "ran out of time")]
    for contest in ("one", "other"):
        for _ in range(2):
            assert watch.count_first_runs(contest, ("a", "b"), put_off) == {}
    watch.forget_contest("one")
    assert watch.count_first_runs("one", ("a", "b"), put_off) == {}
    assert watch.count_first_runs("other", ("a", "b"), put_off).keys() == {"a"}


def test_an_earlier_core_tells_of_no_second_run() -> None:
    scores = [job_pb2.BookedSet(number=0, units=[3, 1])]
    told = job_pb2.BlockBooked(booking=1, label="1", sets=scores)
    assert _read_booked(told).put_off == ()
    told.put_off.add(position=1, words="was killed")
    assert _read_booked(told).put_off == ((1, "was killed"),)


def test_practice_suspends_nobody_who_was_only_chosen_as_an_opponent() -> None:
    suspended = []

    class Registry:
        async def suspend(self, version: str, words: str) -> None:
            suspended.append((version, words))

    scores = [job_pb2.BookedSet(number=0, units=[3, 1])]
    told = job_pb2.BlockBooked(booking=1, label="1", sets=scores)
    for position in (0, 1):
        told.put_off.add(position=position, words="was killed")
    watch, practice = FaultWatch(None, Registry()), Practice(id="one", version_id="own", other_id="opponent")
    for _ in range(3):
        asyncio.run(watch.count_practice(practice, _read_booked(told)))
    assert suspended == [("own", "was killed in the first runs of 3 blocks in a row of a practice match")]


@pytest.mark.long
def test_a_bot_that_is_killed_in_every_block_of_a_ladder_is_suspended(arena, monkeypatch) -> None:
    """And so in practice, where the reason does not say with whom. Its blocks cost a worker twice."""
    monkeypatch.setattr(lease, "PAUSE", 0.0)
    author, _ = arena.author()
    bot, other = (
        arena.bot("first", client=author, name=f"first-{uuid.uuid4().hex[:8]}"),
        arena.field("random")[0],
    )
    name = arena.ladder(bot, other)
    report_killed(arena, bot)
    reason = author.bots(mine=True)[0].versions[0].reason
    said = f"was killed in the first runs of 3 blocks in a row on the ladder {name}, last in 1."
    assert reason.startswith(said)
    arena.leave(name)
    arena.pass_validation(arena.version(bot).id, ["mau_mau"])
    arena.calls(author.token).Practice(bot=bot, against=other, rules={"name": "mau_mau"}, sets=100)
    report_killed(arena, bot)
    reason = author.bots(mine=True)[0].versions[0].reason
    assert reason == "was killed in the first runs of 3 blocks in a row of a practice match"


def report_killed(arena, bot) -> None:
    """Play what waits, with this bot killed in every first run, until it is suspended."""
    again = set()

    def play() -> bool:
        if arena.version(bot).state == "suspended":
            return True
        if order := arena.worker.claim():
            names = [one.name for one in order.entrants]
            is_first = bot in names and order.block_id not in again
            again.add(order.block_id)
            sets = overrun(order, names.index(bot), "killed") if is_first else None
            with suppress(BlockDropped, StaleFence):
                arena.worker.report(order, sets) if sets else arena.worker.report(order)
        return False

    until(play, 60)


SILENT = """
import sys, time
sys.stdin.readline()
print('{"ready": "silent"}', flush=True)
time.sleep(600)
"""


def pack_silent(folder: Path) -> Program:
    """Return a program that is ready and then answers nothing."""
    source, stored = folder / "source", folder / "stored"
    source.mkdir()
    (source / "bot.py").write_text(SILENT)
    (source / "bot.toml").write_text('name = "silent"\nrun = ["python3", "bot.py"]\n')
    packed = unpack_archive(pack_submission(source).archive, stored)
    return Program(stored, packed.manifest, packed.sha256, "silent")


@pytest.mark.long
@pytest.mark.parametrize("way", ["crashes", "never answers"])
def test_a_bot_that_loses_every_deal_is_suspended_within_its_first_pairings(
    arena, tmp_path, monkeypatch, way
) -> None:
    """A bot that never answers does so as a process, with 20 ms for a deal, so 0.2 s to be waited for."""
    monkeypatch.setattr(lease, "PAUSE", 0.0)
    author, _ = arena.author()
    policy = {"crashes": "crash", "never answers": "first"}[way]
    silent = arena.bot(policy, client=author, name=f"{policy}-{uuid.uuid4().hex[:8]}")
    name = arena.ladder(silent, *arena.field("first", "random"), bot={"deal_ms": 20, "memory_mib": 256})
    if way == "crashes":
        arena.play(lambda: arena.version(silent).state == "suspended")
    else:
        play_really(arena, silent, pack_silent(tmp_path))
    (bot,) = [one for one in author.bots(mine=True) if one.name == silent]
    reason = bot.versions[0].reason
    assert reason.startswith(f"faults in most deals of 3 pairings in a row on the ladder {name}, last in 1.")

    def is_out() -> bool:
        return any(one.bot_name == silent and "suspended" in one.words for one in arena.lines(name))

    until(is_out)
    assert {arena.version(one).state for one in arena.field("first", "random")} == {"active"}
    arena.leave(name)


def play_really(arena, bot: str, program: Program) -> None:
    """Play what waits, this bot as a process against the referee's random player, until it is suspended."""
    sandbox = choose_sandbox("process")

    def play() -> bool:
        if arena.version(bot).state == "suspended":
            return True
        if order := arena.worker.claim():
            programs = [program if one.name == bot else None for one in order.entrants]
            sets = None
            if any(programs):
                outcome = play_until_a_result(lambda: play_block(wire.block_order(order), programs, sandbox))
                sets = [wire.set_message(one) for one in outcome.sets]
                found = {fault.kind for one in outcome.sets for deal in one.deals for fault in deal.faults}
                assert found <= {"wall", "forfeit"}
            with suppress(BlockDropped, StaleFence):
                arena.worker.report(order, sets)
        return False

    until(play, 120)
