"""Programs that run out of time or are killed, with a real worker: once is forgiven, twice is a fault."""

import json
import signal
import uuid

import pytest

from maumau.submission.package import pack_submission
from services.tournament.play import lease
from tests.support.arenas.tournament import Arena
from tests.support.waiting import until
from tests.worker.conftest import BOTS, Process

BOT = """import os
from maumau.bot import Bot, run
MARK = {mark!r}
class Mine(Bot):
    def act(self, view):
        while {always} or not os.path.exists(MARK):
            {then}
        return view.legal[0]
run(Mine)
"""


@pytest.fixture(scope="module")
def arena(loop, valkey, tmp_path_factory):
    """Yield an arena whose leases outlast a busy host."""
    arena = Arena(loop, tmp_path_factory.mktemp("arena"), "", valkey, sweep=0.3)
    arena.start()
    yield arena
    arena.stop()


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Shorten the delay of second runs."""
    monkeypatch.setattr(lease, "PAUSE", 0.1)


@pytest.fixture(scope="module")
def first(arena):
    """Return a house bot, taken for what it is."""
    return submit(arena, BOTS / "first")


def submit(arena, folder):
    version = arena.admin.submit(folder.name, pack_submission(folder).archive).version
    arena.pass_validation(version.id)
    arena.admin.activate(version.id)
    return folder.name


def late(arena, folder, mark, *, always, then="pass"):
    """Return a program that thinks until its bank is spent: until the mark is there, or always.

    then: what it does meanwhile.
    """
    folder = folder / f"late-{uuid.uuid4().hex[:8]}"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT.format(mark=str(mark), always=always, then=then))
    (folder / "bot.toml").write_text(f'name = "{folder.name}"\nrun = ["python3", "bot.py"]\n')
    return submit(arena, folder)


def play(arena, folder, bots, mark):
    """Play a match of one block, with the mark after the first run; return measured lines and faults."""
    cup = arena.create(block=3, cap=3)
    arena.admin.open(cup)
    for each in bots:
        arena.admin.enter(cup, each)
    arena.admin.start(cup)
    before = arena.metric("blocks_total", outcome="put off")
    worker = Process.of(arena, folder / "worker", sandbox="process")
    try:
        until(lambda: arena.metric("blocks_total", outcome="put off") > before, 240)
        mark.touch()
        until(lambda: arena.admin.tournament(cup).over, 240)
    finally:
        worker.stop(signal.SIGKILL)
    lines = [json.loads(line) for line in arena.export(cup).splitlines()]
    measured = {line["of"]: line["values"] for line in lines if line["kind"] == "measured"}
    return measured, arena.admin.match(cup, "1.1.1").faults


@pytest.mark.long
def test_who_runs_out_of_time_in_the_first_run_alone_has_made_no_fault(arena, first, tmp_path):
    mark = tmp_path / "go"
    bots = [late(arena, tmp_path, mark, always=False), first]
    measured, faults = play(arena, tmp_path, bots, mark)
    assert faults == ()
    one, second = measured["first run 1.1.1 0"], measured["block 1.1.1 0"]
    assert {each["entrant"] for each in one["overran"]} == {1}
    assert one["uses"][0]["bank_ms"] >= 300
    assert second["uses"][0]["bank_ms"] < 600
    assert [len(use["deals_ms"]) for use in second["uses"]] == [6, 6]
    assert 0.2 <= second["pace"]["mean"] <= 5


@pytest.mark.long
def test_who_runs_out_of_time_in_both_runs_has_lost_these_deals(arena, first, tmp_path):
    mark = tmp_path / "go"
    bots = [late(arena, tmp_path, mark, always=True), first]
    measured, faults = play(arena, tmp_path, bots, mark)
    kinds = {fault.kind for fault in faults}
    assert kinds <= {"time", "forfeit"}
    assert "time" in kinds
    assert measured["first run 1.1.1 0"]["overran"]


@pytest.mark.long
def test_only_a_program_that_is_killed_in_both_runs_has_crashed(arena, tmp_path):
    mark, then = tmp_path / "go", "os.kill(os.getpid(), 9)"
    bots = [late(arena, tmp_path, mark, always=always, then=then) for always in (False, True)]
    measured, faults = play(arena, tmp_path, bots, mark)
    first = measured["first run 1.1.1 0"]["overran"]
    assert {(each["entrant"], each["killed"]) for each in first} == {(1, True), (2, True)}
    assert {(fault.entrant, fault.kind) for fault in faults} == {(2, "crash")}
