"""A duel at home: the same result on any number of cores, the result so far when it is stopped."""

from __future__ import annotations

import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from multiprocessing import connection
from pathlib import Path

import pytest

from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient
from maumau.cli.author.duel import _describe_result, _result_as_json
from maumau.contest.score import SetScore
from maumau.contest.statistics.sequential import Sums
from maumau.errors import PlatformFault
from maumau.home import duel as home
from maumau.home.crew import WorkerCrew, start_crew
from maumau.home.duel import Duel, DuelStanding, book_block, split_sets
from maumau.home.entrant import display_names
from maumau.home.job import JobDone
from maumau.local import deal_seed
from maumau.protocol.fault import Fault
from maumau.protocol.use import Use
from maumau.referee.block import BlockMeasurements
from maumau.referee.pace import PaceSpan
from maumau.referee.place import Program
from tests.home.conftest import at_work
from tests.support.terminal import Terminal

PLAIN = ["--rules", "prsi", "--sandbox", "process", "-j", "1"]  # starts sooner
DUEL = Duel("prsi", {}, 300, "seed")
MEASURED = BlockMeasurements(1.0, 0.0, [Use(), Use()], 100, 0.0, PaceSpan())


def test_blocks_grow_and_hold_every_deal_once() -> None:
    sizes = [len(block) for block in split_sets(500)]
    assert sizes[:7] == [10, 10, 20, 20, 40, 40, 80]
    assert max(sizes) <= home.LARGEST_BLOCK
    for sets in (1, 7, 10, 11, 499, 500):
        assert list(itertools.chain(*split_sets(sets))) == list(range(sets))


def test_the_deals_of_a_seed_are_its_own_and_differ() -> None:
    seeds = {deal_seed(seed, number) for seed in ("42", "43", "4") for number in range(50)}
    assert len(seeds) == 150
    assert all(len(seed) == 64 for seed in seeds)
    assert deal_seed("42", 0) == "429153dffd2e5b2a02a919fba155e77711294dc6429c4e59f9a2311ce2ef33ea"


@pytest.mark.long
@pytest.mark.parametrize("variant", ["prsi", "pesten"])
def test_the_result_is_the_same_whatever_the_number_of_processes(home: Terminal, variant: str) -> None:
    words = ["duel", "greedy", "random", "-n", "60", "--all", "--rules", variant, "--seed", "42", "--json"]
    one, two = (home.run(*words, "-j", jobs).json() for jobs in ("1", "2"))
    for found in (one, two):
        assert all(0 < each["mean_ms"] <= each["p99_ms"] <= each["largest_ms"] for each in found.pop("bank"))
    assert one == two
    assert (one["sets"], one["seed"], one["rules"]) == (60, "42", variant)
    assert one["interval"][0] < one["score"] < one["interval"][1]
    assert one != home.run(*words[:-1], "--json", "--seed", "43").json()


@pytest.mark.long
def test_it_stops_when_it_is_decided_and_says_so(home: Terminal) -> None:
    said = home.run("duel", "greedy", "random", "-n", "2000", *PLAIN, "--seed", "1").out
    assert "greedy is better than random: score 0." in said or "greedy leads random: score 0." in said
    assert "decided by the sequential test" in said
    found = home.run("duel", "greedy", "random", "-n", "2000", *PLAIN, "--seed", "1", "--json").json()
    assert found["state"] == "decided"
    assert found["sets"] < 2000
    assert abs(found["llr"]) > 2.94


@pytest.mark.long
def test_a_bot_against_itself_is_not_separated(home: Terminal) -> None:
    found = home.run("duel", "first", "first", *PLAIN, "-n", "40", "--seed", "1", "--json").json()
    assert (found["winner"], found["state"], found["score"]) == (None, "not separated", 0.5)
    assert (found["first"], found["second"]) == ("first (first) #1", "first (first) #2")


@pytest.mark.long
def test_bots_are_named_by_folder_file_zip_and_house_name(home: Terminal, write) -> None:
    folder = write("mine", "return view.legal[0]")
    (home.home / "single.py").write_text((folder / "bot.py").read_text())
    subprocess.run([sys.executable, "-m", "zipfile", "-c", "mine.zip", "mine"], cwd=home.home, check=True)
    for bot in ("mine", "single.py", "mine.zip"):
        found = home.run("duel", bot, "random", *PLAIN, "-n", "4", "--all", "--seed", "1", "--json").json()
        assert found["sets"] == 4
    answer = home.run("duel", "nobody", "random", code=1)
    assert "nor a house bot; these are first, random, greedy" in answer.err


@pytest.mark.long
def test_a_bot_that_faults_loses_and_the_deal_can_be_played_again(home: Terminal, write) -> None:
    write("wrong", "return 'XX'")
    said = home.run("duel", "wrong", "first", "-n", "10", "--seed", "7", "--rules", "prsi").out
    assert "wrong is worse than first" in said
    assert "faults of wrong: illegal 10, forfeit 10; the first in deal 0: XX: " in said  # five a seating
    again = next(line for line in said.splitlines() if "again:" in line).split("maumau ")[1]
    answer = home.run(*again.split(), code=1)
    assert "fault of wrong: illegal" in answer.out


@pytest.mark.long
def test_ctrl_c_gives_the_result_so_far_and_leaves_nothing_running(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "maumau.cli", "duel", "greedy", "random", "--all", "-n", "100000"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "TERM": "xterm", "COLUMNS": "100"}
    screen, end = pty.openpty()
    with at_work([*words, "--json"], env=env, stdout=subprocess.PIPE, stderr=end) as running:
        os.close(end)
        shown = _read_until(
            screen, rb"score 0\.\d+ \(0\.\d+ to 0\.\d+\), [1-9][\d,]* of 100,000 mirrored sets"
        )
        workers = _workers_of(running.pid)
        assert b"greedy against random, mau_mau" in shown
        assert b"decided at" in shown
        running.send_signal(signal.SIGINT)
        found = json.loads(running.communicate(timeout=patient(60))[0])
    os.close(screen)
    assert (running.returncode, found["state"]) == (0, "stopped")
    assert 0 < found["sets"] < 100000
    assert not any(_lives(pid) for pid in workers)


def _read_until(screen: int, pattern: bytes, seconds: float = 60.0) -> bytes:
    """Return the output of a live screen until a pattern appears."""
    shown, last = b"", time.monotonic() + patient(seconds)
    while not re.search(pattern, shown):
        left = last - time.monotonic()
        assert left > 0, shown[-500:]
        if connection.wait([screen], left):
            shown += os.read(screen, 65536)
    return shown


@pytest.mark.long
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "maumau.cli", "duel", "greedy", "random", "--all", "-n", "100000"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    with at_work(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        workers = _workers_of(running.pid)
    _until(lambda: not any(_lives(pid) for pid in workers))


def test_a_result_is_judged_in_the_order_of_blocks_and_says_what_decided() -> None:
    standing = DuelStanding("playing", Sums(4))
    won = [SetScore(number, 4, (0, 5), 0) for number in range(10)]
    fault = Fault(1, 0, 3, "illegal", "no")
    book_block(DUEL, standing, JobDone(0, won, [fault], MEASURED))
    assert (standing.state, standing.winner) == ("decided", 0)
    assert standing.points == (0, 50)
    assert standing.fault_counts()[1]["illegal"] == 1
    level = DuelStanding("playing", Sums(4))
    for number in range(30):
        book_block(DUEL, level, JobDone(number, [SetScore(k, 2, (0, 0), 0) for k in range(10)], [], MEASURED))
    assert (level.state, level.winner, level.sums.sets) == ("not separated", None, 300)


def test_a_duel_tells_what_each_used_of_its_bank() -> None:
    """The first used 30 and 50, then 70 and 90 of 100 ms: 60 % on average; the second 10 ms each time."""
    standing = DuelStanding("playing", Sums(4))
    for number, used in enumerate(([30.0, 50.0], [70.0, 90.0])):
        uses = [Use(deals_ms=used), Use(deals_ms=[10.0, 10.0])]
        measured = BlockMeasurements(1.0, 0.0, uses, 100, 0.0, PaceSpan(mean=1.5 + number))
        book_block(DUEL, standing, JobDone(number, [SetScore(number, 2, (0, 0), 0)], [], measured))
    standing.state = "stopped"
    said = list(_describe_result(DUEL, ["a", "b"], standing, ("a", "b", "prsi")))
    first, warning, second, seed = said[-4:]
    where = "(prsi, 2 seats; host pace 2.00)"
    assert first == f"bank: a used 60% on average, up to 90% in 99 of 100 deals, 90% at most {where}"
    assert warning.startswith(
        "warning: a used 60% of its bank in prsi at 2 seats, 60 of 100 reference ms a deal"
    )
    assert second == f"bank: b used 10% on average, up to 10% in 99 of 100 deals, 10% at most {where}"
    assert seed == "seed seed"


@pytest.mark.parametrize(
    ("squares", "interval", "is_explained"),
    [(8, "0.100 (0.245 to 0.505)", True), (32, "0.100 (0.000 to", False)],
    ids=["eight quarters", "two whole sets"],
)
def test_a_score_outside_its_interval_is_explained_and_no_other(squares, interval, is_explained) -> None:
    """20 sets with a score of 2: after the second block, and the test decided."""
    standing = DuelStanding("decided", Sums(4, 20, 8, squares))
    said = "\n".join(_describe_result(DUEL, ["a", "b"], standing, ("a", "b", "prsi")))
    assert interval in said
    assert ("allows for the early stop" in said) == is_explained


def test_a_duel_that_ended_before_its_first_block_tells_of_no_bank() -> None:
    standing = DuelStanding("stopped", Sums(4))
    assert not any(
        "bank" in line for line in _describe_result(DUEL, ["a", "b"], standing, ("a", "b", "prsi"))
    )
    assert _result_as_json(DUEL, ["a", "b"], standing)["bank"] == [None, None]


@pytest.mark.long
def test_what_cannot_be_played_is_said_in_words(tmp_path: Path) -> None:
    gone = Program(tmp_path / "gone", None, "0" * 64, "gone")  # type: ignore[arg-type]
    with start_crew("process", 1) as workers, pytest.raises(PlatformFault, match="gone"):
        home.play_duel(DUEL, [gone, gone], workers, lambda *_: None)
    with pytest.raises(PlatformFault, match="no sandbox 'moon'"):
        _hear_the_end(WorkerCrew("moon", 1))


def _hear_the_end(workers: WorkerCrew) -> None:
    try:
        workers.hear(20)
    finally:
        workers.close()


def test_two_of_one_name_are_told_apart() -> None:
    def named(*pairs: tuple[str, str]) -> list[str]:
        words = [word for word, _ in pairs]
        return display_names(words, [Program(Path(), None, "", name) for _, name in pairs])  # type: ignore[arg-type]

    assert named(("a", "mine"), ("b", "other")) == ["mine", "other"]
    assert named(("a", "mine"), ("b", "mine")) == ["mine (a)", "mine (b)"]


def _workers_of(pid: int) -> list[int]:
    wanted = len(os.sched_getaffinity(0))
    found: list[int] = []

    def there() -> bool:
        nonlocal found
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        found = [int(child) for child in text.split() if b"maumau.home.worker" in _command(int(child))]
        return len(found) == wanted

    _until(there)
    return found


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _lives(pid: int) -> bool:
    return b"maumau.home.worker" in _command(pid)


def _until(true, seconds: float = 30.0) -> None:
    last = Deadline(seconds)
    while not true():
        assert not last.has_passed(), "not in time"
        time.sleep(0.01)
